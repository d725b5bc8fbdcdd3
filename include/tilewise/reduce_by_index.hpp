// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `reduce_by_index`: combines the values that have the same key. weighted_histogram runs on the same engine.

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
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @cond internals
namespace binning {

/// The cells 0 to count - 1. A sample is the number of its cell.
struct numbered_cells {
    int count;

    using number = offset; // the type that keys of user-defined types convert to

    TILEWISE_PORTABLE constexpr int extent() const { return count; }
    template <class Key>
    TILEWISE_PORTABLE constexpr int index(Key const& key) const
    {
        auto const own = binning::number<offset>(key);
        return binning::less(own, 0) || !binning::less(own, count) ? no_cell : static_cast<int>(own);
    }
    /// Finds the cells of many keys without branches.
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

/// Returns whether the elements behind an iterator can be keys. If not, a static_assert says why.
template <class Keys>
constexpr bool can_be_keys()
{
    constexpr bool unknown = known::has_device_lambda<Keys>; // the host cannot query its return type
    constexpr bool integral = unknown || binning::integer<binning::number_of<decltype(*std::declval<Keys&>())>> ||
                              binning::integer<binning::number_of<value_of<Keys>>>; // for a reference type of Thrust
    static_assert(
        integral,
        "tilewise: keys must be integers or enumerations; for other types, use weighted_histogram with an axis");
    return integral;
}

/// The implementation of all overloads.
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
/// Combines, for each key i below `size`, `init` and the values whose key is i into one value, `*(out + i)`.
///
/// Header `<tilewise/reduce_by_index.hpp>`, which `<tilewise/histogram.hpp>` includes. A key without values gives
/// `init`. Elements whose key is negative or not below `size` are ignored. `init` defaults to a value-initialized
/// element of `values`, `op` to `std::plus<>`. Returns the end of the output, which is overwritten and must not overlap
/// the input. With a struct as the accumulator, one call computes several aggregates for each key.
///
/// @par Order
/// The values of a key are combined as @ref reduce combines them as a range, in the order of the input, with the same
/// bits under every policy. The result for a key does not depend on the values of other keys.
/// @par Output
/// `out` is an output iterator, or a range whose length is checked and whose first elements are overwritten: see
/// @ref tilewise::output.
/// @par Requirements
/// Keys are integers of any type, or enumerations. Otherwise as for @ref reduce; T is also copy constructible and
/// converts to the type that `out` accepts. There are at most 2^31 - 2 keys.
/// @par Complexity
/// The values are first sorted by key, stably, in O(n + size) steps and memory for n values, and then reduced as by
/// @ref segmented_reduce. They are not sorted if the order of combination cannot matter: for integers under known
/// operators. Under device, the sorted values must fit in GPU memory; of 2^20 values of up to 8 bytes and more, with up
/// to 2048 keys, a value for every 16 bytes of them must.
/// @par Errors
/// Throws `std::invalid_argument` for a size that is negative or too large, and otherwise as @ref reduce does.
/// @par Example
/// @snippet reference/reduce_by_index.cpp program
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

/// Combines `init` and the values of each key, for ranges of keys and values. There must be at least as many values as
/// keys.
template <execution_policy Policy, class Keys, class Values, std::integral Size, output Out, class... Rest>
    requires std::ranges::forward_range<Keys> && std::ranges::input_range<Values>
output_end<Out> reduce_by_index(Policy&& policy, Keys&& keys, Values&& values, Size size, Out&& out, Rest... rest)
{
    tilewise::check_lengths("reduce_by_index", keys, values);
    return tilewise::reduce_by_index(policy, tilewise::begin_of<Policy>(keys), tilewise::end_of<Policy>(keys),
                                     tilewise::begin_of<Policy>(values), size, std::forward<Out>(out),
                                     std::move(rest)...);
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(reduce_by_index, begins_with_range)
/// @}

TILEWISE_NAMESPACE_END
