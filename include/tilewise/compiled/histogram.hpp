// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `histogram` under device, by calls of the compiled library.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/axis/integer.hpp>
#include <tilewise/axis/regular.hpp>
#include <tilewise/axis/variable.hpp>
#include <tilewise/compiled.hpp>
#include <tilewise/compiled/call.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace library {

/// A contiguous iterator over counters of types in which the library can count.
template <class Out>
concept counts_in_memory =
    std::contiguous_iterator<Out> && compiled::is_integer<std::iter_value_t<Out>> &&
    !std::is_const_v<std::remove_reference_t<std::iter_reference_t<Out>>> && sizeof(std::iter_value_t<Out>) >= 4;

/// The kinds of axes that the library supports.
enum class bins { regular, integers, between, otherwise };
/// The kind of axis that a view belongs to.
template <class View>
inline constexpr bins kind = bins::otherwise;
template <class A>
inline constexpr bins kind<binning::regular_bins<A>> = bins::regular;
template <class A>
inline constexpr bins kind<binning::integer_bins<A>> = bins::integers;
template <class A>
inline constexpr bins kind<binning::variable_bins<A>> = bins::between;

/// Returns whether the library has a histogram of samples of type S in the bins of a view of a supported kind.
template <class S, class View>
constexpr bool has_histogram()
{
    using sample = compiled::number<S>;
    using A = compiled::number<decltype(std::declval<View const&>().edge(0))>;
    if constexpr (std::is_void_v<A>)
        return false;
    else if constexpr (kind<View> == bins::regular)
        return compiled::has_regular_bins<sample, A>();
    else if constexpr (kind<View> == bins::integers)
        return compiled::has_integer_bins<sample, A>();
    else
        return compiled::has_bins_between<sample, A>();
}

/// Returns whether the library can count samples in the bins of an axis. If not, a static_assert says why.
template <class It, class View>
constexpr bool can_count()
{
    constexpr bool reads = over_numbers<It>, bins_exist = kind<View> != bins::otherwise;
    static_assert(reads, "tilewise: the compiled library counts only numbers in contiguous memory; compile this file "
                         "with nvcc, or pass pointers or a vector");
    static_assert(bins_exist, "tilewise: the compiled library supports only regular_axis, variable_axis, log_axis and "
                              "integer_axis; compile this file with nvcc, or use one of these");
    if constexpr (reads && bins_exist) {
        constexpr bool exists = library::has_histogram<std::iter_value_t<It>, View>();
        static_assert(exists, "tilewise: the compiled library does not support this axis for samples of this type; "
                              "compile this file with nvcc, or use an axis of the samples' type");
        return exists;
    } else {
        return false;
    }
}

/// Counts `count` samples in the cells of the view of an axis.
template <class Policy, class It, class View, class Out>
void histogram(Policy const& policy, It const& first, offset count, View const& view, Out const& counts, bool adds)
{
    if constexpr (library::can_count<It, View>()) {
        using A = compiled::number<decltype(view.edge(0))>;
        auto const* const samples = library::numbers_at<compiled::number<std::iter_value_t<It>>>(first);
        auto* const counters = library::numbers_to_write<compiled::unsigned_number<std::iter_value_t<Out>>>(counts);
        axis_options const options = view.options();
        compiled::axis_ends const ends = {static_cast<int>(options.flow), options.closed_upper};
        int const last = static_cast<int>(view.size());
        A const lower = view.edge(0), upper = view.edge(last);
        if constexpr (kind<View> == bins::regular) {
            compiled::count_in_regular(policy, samples, count, last, lower, upper, ends, counters, adds);
        } else if constexpr (kind<View> == bins::integers) {
            compiled::count_in_integers(policy, samples, count, lower, upper, ends, counters, adds);
        } else {
            std::vector<A> edges(static_cast<std::size_t>(last) + 1);
            for (int i = 0; i <= last; ++i)
                edges[static_cast<std::size_t>(i)] = view.edge(i);
            compiled::count_between(policy, samples, count, static_cast<A const*>(edges.data()), offset{last} + 1, ends,
                                    counters, adds);
        }
    }
}

} // namespace library
TILEWISE_NAMESPACE_END
