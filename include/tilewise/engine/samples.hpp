// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The requirements of all engines on samples and axes.

#include <tilewise/axis.hpp>
#include <tilewise/axis/exact.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/portability.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// A type that an axis can return as the number of a cell.
template <class Number>
concept number_of_cell = std::convertible_to<Number, int> && !std::floating_point<binning::number_of<Number>> &&
                         sizeof(std::remove_cvref_t<Number>) <= sizeof(offset);

/// Returns whether samples, of the type that `It` yields, can be counted in the cells of a view. If not, a
/// static_assert says why.
template <class Policy, class It, class View>
constexpr bool can_index()
{
    if constexpr (is_device_policy<Policy>) {
        constexpr bool indexed = random_access<It> && copies_as_bytes<It> && !known::is_of_host_container<It>;
        constexpr bool copies = copies_as_bytes<View>;
        static_assert(indexed, "tilewise: under device, samples must be given by trivially copyable random access "
                               "iterators; copy them into a vector on the device first");
        static_assert(copies, "tilewise: device copies an axis into kernels, so it must be trivially copyable, or have "
                              "a member view() that returns a trivially copyable view");
        return tilewise::can_compute_on_device<It, value_of<It>, View>() && indexed && copies;
    } else {
        constexpr bool indexes = requires(View const& view, It& it) {
            { view.index(*it) } -> number_of_cell;
        };
        constexpr bool readable = std::same_as<Policy, sequenced_policy> || multi_pass<It>;
        static_assert(indexes,
                      "tilewise: the axis must accept the samples: index(sample) must return the number of a cell");
        static_assert(
            readable,
            "tilewise: par needs forward iterators of samples; pass tilewise::seq, or copy them into a vector first");
        return indexes && readable;
    }
}

} // namespace engine
TILEWISE_NAMESPACE_END
