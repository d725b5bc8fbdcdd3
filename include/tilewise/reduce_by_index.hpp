// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `reduce_by_index`: combines values that have the same index. The layer below weighted_histogram.

#include <tilewise/axis.hpp>
#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/portability.hpp>
#include <tilewise/core/range.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/error.hpp>
#include <tilewise/host/by_index.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/by_index.cuh>
#endif

#include <concepts>
#include <cstdlib>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @cond internals
namespace binning {

/// Cells that samples name by their number.
struct numbered_cells {
    int count;

    using number = offset; // what keys of a user's type are converted to

    TILEWISE_PORTABLE constexpr int extent() const { return count; }
    template <class Key>
    TILEWISE_PORTABLE constexpr int index(Key const& key) const
    {
        auto const own = binning::number<offset>(key);
        return binning::less(own, 0) || !binning::less(own, count) ? no_cell : static_cast<int>(own);
    }
};

} // namespace binning

/// Whether the elements behind an iterator can be keys. If not, one sentence says why.
template <class Keys>
constexpr bool can_be_keys()
{
    constexpr bool unknown = known::has_device_lambda<Keys>; // the host cannot ask what it returns
    constexpr bool integral = unknown || binning::integer<binning::number_of<decltype(*std::declval<Keys&>())>> ||
                              binning::integer<binning::number_of<value_of<Keys>>>; // behind a reference of Thrust's
    static_assert(integral,
                  "tilewise: keys must be integers or enumerations; a weighted_histogram takes samples of other "
                  "types, in the bins of an axis");
    return integral;
}

/// Whether what an axis answers can be the number of a cell.
template <class Number>
concept number_of_cell = std::convertible_to<Number, int> && !std::floating_point<binning::number_of<Number>> &&
                         sizeof(std::remove_cvref_t<Number>) <= sizeof(offset);

/// Whether samples, of the type that `It` yields, can be counted in the cells of a view. If not, one sentence says why.
template <class Policy, class It, class View>
constexpr bool can_index()
{
    if constexpr (is_device_policy<Policy>) {
        constexpr bool indexed = random_access<It> && copies_as_bytes<It> && !known::is_of_host_container<It>;
        constexpr bool copies = copies_as_bytes<View>;
        static_assert(indexed, "tilewise: device reads samples through random access iterators that are trivially "
                               "copyable, from memory of the GPU; copy them into a vector on the device first");
        static_assert(copies, "tilewise: device copies the view of an axis into kernels, so it must be trivially "
                              "copyable; an axis of yours may return one from view()");
        return tilewise::can_compute_on_device<It, value_of<It>, View>() && indexed && copies;
    } else {
        constexpr bool indexes = requires(View const& view, It& it) {
            { view.index(*it) } -> number_of_cell;
        };
        constexpr bool readable = std::same_as<Policy, sequenced_policy> || multi_pass<It>;
        static_assert(indexes, "tilewise: the axis must take the samples: index(sample) returns the number of a cell");
        static_assert(readable, "tilewise: par needs samples that can be read more than once (forward iterators); pass "
                                "tilewise::seq, or copy them into a vector first");
        return indexes && readable;
    }
}

/// Combines the values of every cell of a view. The policy is dispatched on here and nowhere else.
template <class T, class Policy, class It, class Extent, class Values, class View, class Out, class Op>
Out reduce_by_cell(char const* algorithm, Policy policy, It first, Extent end, Values values, View const& view, Out out,
                   T init, Op op)
{
    if constexpr (!tilewise::can_index<Policy, It, View>()) {
        return out;
    } else if constexpr (!tilewise::can_reduce<Policy, T, Op, Values, Extent>() ||
                         !tilewise::can_write<Policy, T, Out>()) {
        return out;
    } else if constexpr (is_device_policy<Policy>) {
#ifdef TILEWISE_DEVICE_ENGINE
        binning::check_cells(algorithm, static_cast<offset>(view.extent()));
        gpu::reduce_by_cell<standard_geometry>(algorithm, policy, first, end, values, gpu::axis_for(view), out, init,
                                               gpu::operator_on<T>(op));
        return out + view.extent();
#elif defined(TILEWISE_COMPILED)
        static_assert(!is_device_policy<Policy>, "tilewise: the compiled library combines and adds up nothing by cells "
                                                 "but counts; compile this file with nvcc, or use tilewise::par");
        return out;
#else
        throw_no_device();
#endif
    } else {
        binning::check_cells(algorithm, static_cast<offset>(view.extent()));
        host::make_opaque(init);
        return host::reduce_by_cell<standard_geometry>(policy, std::move(first), std::move(end), std::move(values),
                                                       view, std::move(out), init,
                                                       known::operator_or_self<T>(std::move(op)));
    }
}

/// What the forms over a pair of iterators have in common.
template <class T, class Policy, class Keys, class Values, std::integral Size, class Out, class Op>
output_end<Out> reduce_numbered(Policy policy, Keys keys, Keys const& keys_last, Values values, Size size, Out&& out,
                                T init, Op op)
{
    constexpr char const* algorithm = "reduce_by_index";
    if (binning::less(size, 0) || binning::less(most_cells, size))
        tilewise::reject_argument(algorithm, "the size must be from 0 to 2^31 - 2, not " + std::to_string(size));
    tilewise::check_range(algorithm, keys, keys_last);
    tilewise::check_second_range(algorithm, keys, keys_last, values);
    if constexpr (tilewise::can_be_keys<Keys>()) {
        auto to = tilewise::output_begin<Policy>(algorithm, static_cast<offset>(size), std::forward<Out>(out));
        tilewise::check_output(algorithm, offset{0}, static_cast<offset>(size), to);
        auto const end = tilewise::extent_between<Values>(keys, keys_last);
        return tilewise::output_position<Out>(
            out, tilewise::reduce_by_cell(algorithm, policy, std::move(keys), end, std::move(values),
                                          binning::numbered_cells{static_cast<int>(size)}, std::move(to),
                                          std::move(init), std::move(op)));
    } else {
        std::abort();
    }
}
/// @endcond

/// @addtogroup reduce_by_index
/// Combines, for every i below `size`, `init` and the values whose key is i to one value: `*(out + i)`.
///
/// Header `<tilewise/reduce_by_index.hpp>`, which `<tilewise/histogram.hpp>` includes. A key that no element has gives
/// `init`. Elements whose key is negative or not below `size` are left out. Without `init` the accumulator is a
/// value-initialised element of `values`, without `op` it is `std::plus<>`. Returns the end of the output, which is
/// overwritten and shall not overlap with the input. Mean, maximum or count per bin are each one call.
///
/// @par Order
/// The values of a key are combined as @ref reduce combines a range of them in the order of the input, bit for bit,
/// whatever the policy; so the result for a key does not depend on the values of others.
/// @par Output
/// `out` is an output iterator, or a range of which the first elements are overwritten and whose length is checked:
/// see tilewise::output.
/// @par Requirements
/// Keys are integers of any type, or enumerations. Otherwise those of @ref reduce; T is copy constructible and converts
/// to what `out` takes. There are at most 2^31 - 2 keys.
/// @par Complexity
/// Values are first brought together by key, stably, unless the order of combination cannot matter (integers under the
/// operators that the library knows by name): O(n + size) steps and memory for n values. Then as @ref segmented_reduce.
/// What is brought together has to fit the memory of the GPU under device.
/// @par Errors
/// Throws `std::invalid_argument` for a size that is negative or too large, and otherwise what @ref reduce throws.
/// @par Example
/// @snippet guide/histograms.cpp by_index
/// @{

/// Combines `init` and the values of each key.
template <execution_policy Policy, any_iterator Keys, any_iterator Values, std::integral Size, output Out, class T,
          operation Op>
output_end<Out> reduce_by_index(Policy&& policy, Keys keys, Keys keys_last, Values values, Size size, Out&& out, T init,
                                Op op)
{
    return tilewise::reduce_numbered(tilewise::resolve(policy), std::move(keys), keys_last, std::move(values), size,
                                     std::forward<Out>(out), std::move(init), std::move(op));
}

/// Adds up `init` and the values of each key.
template <execution_policy Policy, any_iterator Keys, any_iterator Values, std::integral Size, output Out, class T>
output_end<Out> reduce_by_index(Policy&& policy, Keys keys, Keys keys_last, Values values, Size size, Out&& out, T init)
{
    return tilewise::reduce_by_index(policy, std::move(keys), std::move(keys_last), std::move(values), size,
                                     std::forward<Out>(out), std::move(init), std::plus<>{});
}

/// Adds up the values of each key in their own type.
template <execution_policy Policy, any_iterator Keys, any_iterator Values, std::integral Size, output Out>
output_end<Out> reduce_by_index(Policy&& policy, Keys keys, Keys keys_last, Values values, Size size, Out&& out)
{
    return tilewise::reduce_by_index(policy, std::move(keys), std::move(keys_last), std::move(values), size,
                                     std::forward<Out>(out), value_of<Values>{}, std::plus<>{});
}

/// The same for ranges of keys and values; there are at least as many values as keys.
template <execution_policy Policy, class Keys, class Values, std::integral Size, output Out, class... Rest>
    requires std::ranges::forward_range<Keys> && std::ranges::input_range<Values>
output_end<Out> reduce_by_index(Policy&& policy, Keys&& keys, Values&& values, Size size, Out&& out, Rest... rest)
{
    tilewise::check_lengths("reduce_by_index", keys, values);
    return tilewise::reduce_by_index(policy, tilewise::begin_of<Policy>(keys), tilewise::end_of<Policy>(keys),
                                     tilewise::begin_of<Policy>(values), size, std::forward<Out>(out),
                                     std::move(rest)...);
}

/// Without a policy: the same on the calling thread.
template <class First, class... Rest>
    requires begins_with_range<First, Rest...>
auto reduce_by_index(First&& first, Rest&&... rest)
{
    if constexpr (tilewise::needs_no_policy<First>())
        return tilewise::reduce_by_index(seq, std::forward<First>(first), std::forward<Rest>(rest)...);
}
/// @}

TILEWISE_NAMESPACE_END
