// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `reduce_by_index`: combines values that have the same index. The layer below weighted_histogram.

#include <tilewise/axis.hpp>
#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/portability.hpp>
#include <tilewise/core/range.hpp>
#include <tilewise/core/sequence.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/call.hpp>
#include <tilewise/engine/reduce_by_cell.hpp>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstdlib>
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
    /// The same of many, without a branch.
    template <std::integral Key>
    void index_all(int keys_count, Key const* keys, int* cells) const
    {
        for (int i = 0; i < keys_count; ++i) {
            int const inside =
                -(static_cast<int>(!binning::less(keys[i], 0)) & static_cast<int>(binning::less(keys[i], count)));
            cells[i] = (static_cast<int>(keys[i]) & inside) | (no_cell & ~inside);
        }
    }
};
template <>
inline constexpr bool is_quick<numbered_cells> = true;

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

/// What all forms have in common.
template <class Policy, class It, class Extent, class Values, std::integral Size, class Out, class T, class Op>
output_end<Out> reduce_numbered(Policy const& policy, sequence<It, Extent> keys, Values values, Size size, Out&& out,
                                T init, Op op)
{
    if constexpr (tilewise::can_be_keys<It>()) {
        return engine::in_call(policy, keys.algorithm, [&](auto on) -> output_end<Out> {
            tilewise::check_sequence(keys);
            if (binning::less(size, 0) || binning::less(most_cells, size))
                tilewise::reject_argument(keys.algorithm,
                                          "the size must be from 0 to 2^31 - 2, not " + std::to_string(size));
            binning::numbered_cells const cells{static_cast<int>(size)};
            auto to = tilewise::output_begin<Policy>(keys.algorithm, offset{cells.count}, std::forward<Out>(out));
            tilewise::check_output(keys.algorithm, offset{0}, offset{cells.count}, to);
            return tilewise::output_position<Out>(
                out, engine::reduce_by_cell(keys.algorithm, on, std::move(keys.first), keys.end, std::move(values),
                                            cells, std::move(to), std::move(init), std::move(op)));
        });
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
template <execution_policy Policy, any_iterator Keys, any_iterator Values, std::integral Size, output Out,
          class T = value_of<Values>, operation Op = std::plus<>>
output_end<Out> reduce_by_index(Policy&& policy, Keys keys, Keys keys_last, Values values, Size size, Out&& out,
                                T init = T{}, Op op = {})
{
    return tilewise::reduce_numbered(policy,
                                     tilewise::sequence_between("reduce_by_index", std::move(keys), keys_last, values),
                                     values, size, std::forward<Out>(out), std::move(init), std::move(op));
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
TILEWISE_WITHOUT_POLICY(reduce_by_index, begins_with_range)
/// @}

TILEWISE_NAMESPACE_END
