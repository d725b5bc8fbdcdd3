// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `inclusive_scan_by_key` and `exclusive_scan_by_key`, and their forms that transform the values: scans that begin
/// anew with each run of equal keys.

#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/range.hpp>
#include <tilewise/core/sequence.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/by_key.hpp>
#include <tilewise/engine/call.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <cstdlib>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @cond internals
/// The implementation of all scans by key. `init` may be std::nullopt, and a transform is optional.
template <scan_form form, class Policy, class It, class Extent, class Values, class Out, class Init, class Pred,
          class Op, class... Transform>
output_end<Out> scan_runs(Policy const& policy, sequence<It, Extent> keys, Values const& values, Out&& out, Init init,
                          Pred is_same, Op op, Transform... transform_op)
{
    if constexpr (tilewise::can_transform_sequence<Values, Transform...>()) {
        return engine::in_call(policy, keys.algorithm, [&](auto on) -> output_end<Out> {
            char const* const algorithm = keys.algorithm;
            tilewise::check_sequence(keys);
            auto to = tilewise::output_for<Policy>(algorithm, keys.first, keys.end, out);
            tilewise::check_output(algorithm, keys.first, keys.end, to);
            auto input = tilewise::transform_sequence(sequence<Values, int>{algorithm, values, 0}, transform_op...);
            using named = std::conditional_t<std::same_as<Init, std::nullopt_t>,
                                             engine::accumulator_of<decltype(input.first)>, std::type_identity<Init>>;
            using T = typename named::type;
            auto const end = engine::scan_by_key<form, T>(algorithm, on, std::move(keys.first), std::move(keys.end),
                                                          std::move(input.first), std::move(is_same), std::move(to),
                                                          std::optional<T>(std::move(init)), std::move(op));
            return tilewise::output_position<Out>(out, end);
        });
    } else {
        std::abort();
    }
}
/// @endcond

/// @addtogroup inclusive_scan_by_key
/// Writes, for each value, the combination of all values of its run of equal keys up to and including that value.
///
/// Header `<tilewise/scan_by_key.hpp>`. A run is a longest subrange of keys of which each key satisfies `pred(previous
/// key, key)`; `pred` defaults to `std::equal_to<>`, `op` to `std::plus<>`. The value `*(values + i)` belongs to the
/// key `*(first + i)`. T is the type of the values. Returns the end of the output, which may be the values, but must
/// not overlap the keys.
///
/// @par Order
/// The results for a run have the same bits as those of @ref inclusive_scan for its values, under every policy.
/// @par Output
/// `out` is an output iterator, or a range whose length is checked and whose first elements are overwritten: see
/// @ref tilewise::output.
/// @par Requirements
/// As for @ref inclusive_scan. `pred` takes two neighboring keys and has no effects; it need be neither symmetric nor
/// transitive. Copies are called concurrently under par, and in kernels under device; par calls it up to twice for each
/// pair of neighbors. seq reads input iterators and writes through output iterators; par takes forward iterators, and
/// uses several threads if all iterators are random access. device takes random access iterators and trivially copyable
/// keys.
/// @par Complexity
/// n - 1 applications of `pred`, under par up to twice as many, and as for @ref inclusive_scan for each run. device
/// reads each key once. It stores a bit per key and 1/128 of the size of the values, 1/16 for up to 2^21 keys; or 4
/// bytes per key, 8 from 2^32 keys on, if values have more than 16 bytes or results may overwrite them. Keys, values
/// and results in host memory are staged as a whole.
/// @par Errors
/// As for @ref inclusive_scan. The hardened mode also throws for a range of values that is known to be shorter than
/// that of keys. device throws `std::bad_alloc` if there is no room for what is staged.
/// @par Ranks
/// Over ranks, a run may span any number of them. Each rank passes an output for its own elements. Keys are trivially
/// copyable and have at most 1024 bytes.
/// @par Example
/// @snippet reference/inclusive_scan_by_key.cpp program
/// @{

/// Scans the values of each run of [first, last).
template <execution_policy Policy, any_iterator Keys, any_iterator Values, output Out, operation Pred = std::equal_to<>,
          operation Op = std::plus<>>
output_end<Out> inclusive_scan_by_key(Policy&& policy, Keys first, Keys last, Values values, Out&& out, Pred pred = {},
                                      Op op = {})
{
    return tilewise::scan_runs<scan_form::inclusive>(
        policy, tilewise::sequence_between("inclusive_scan_by_key", first, last, values), values,
        std::forward<Out>(out), std::nullopt, std::move(pred), std::move(op));
}

/// Scans the values of each run of a range of keys. There must be at least as many values as keys.
template <execution_policy Policy, class Keys, class Values, output Out, operation Pred = std::equal_to<>,
          operation Op = std::plus<>>
    requires std::ranges::input_range<Keys> && std::ranges::input_range<Values>
output_end<Out> inclusive_scan_by_key(Policy&& policy, Keys&& keys, Values&& values, Out&& out, Pred pred = {},
                                      Op op = {})
{
    return tilewise::scan_runs<scan_form::inclusive>(
        policy, tilewise::sequence_in<Policy>("inclusive_scan_by_key", keys, values),
        tilewise::begin_of<Policy>(values), std::forward<Out>(out), std::nullopt, std::move(pred), std::move(op));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(inclusive_scan_by_key, begins_with_range)
/// @}

/// @addtogroup exclusive_scan_by_key
/// Writes, for each value, the combination of `init` and all values of its run of equal keys before that value.
///
/// Header `<tilewise/scan_by_key.hpp>`. T is the type of `init`, which is the first result of every run and defaults to
/// a value-initialized element of the values.
///
/// @par Order
/// The results for a run have the same bits as those of @ref exclusive_scan for its values, under every policy.
/// @par Requirements, complexity, errors
/// As for @ref inclusive_scan_by_key. The rest of its description applies, too.
/// @par Example
/// @snippet reference/exclusive_scan_by_key.cpp program
/// @{

/// Scans the values of each run of [first, last).
template <execution_policy Policy, any_iterator Keys, any_iterator Values, output Out, class T = value_of<Values>,
          operation Pred = std::equal_to<>, operation Op = std::plus<>>
output_end<Out> exclusive_scan_by_key(Policy&& policy, Keys first, Keys last, Values values, Out&& out, T init = T{},
                                      Pred pred = {}, Op op = {})
{
    return tilewise::scan_runs<scan_form::exclusive>(
        policy, tilewise::sequence_between("exclusive_scan_by_key", first, last, values), values,
        std::forward<Out>(out), std::move(init), std::move(pred), std::move(op));
}

/// Scans the values of each run of a range of keys. There must be at least as many values as keys.
template <execution_policy Policy, class Keys, class Values, output Out, class T = std::ranges::range_value_t<Values>,
          operation Pred = std::equal_to<>, operation Op = std::plus<>>
    requires std::ranges::input_range<Keys> && std::ranges::input_range<Values>
output_end<Out> exclusive_scan_by_key(Policy&& policy, Keys&& keys, Values&& values, Out&& out, T init = T{},
                                      Pred pred = {}, Op op = {})
{
    return tilewise::scan_runs<scan_form::exclusive>(
        policy, tilewise::sequence_in<Policy>("exclusive_scan_by_key", keys, values),
        tilewise::begin_of<Policy>(values), std::forward<Out>(out), std::move(init), std::move(pred), std::move(op));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(exclusive_scan_by_key, begins_with_range)
/// @}

/// @addtogroup transform_inclusive_scan_by_key
/// Writes, for each value, the combination of all transformed values of its run of equal keys up to and including that
/// value.
///
/// Header `<tilewise/scan_by_key.hpp>`. The results of `transform_op` take the place of the values in the description
/// of
/// @ref inclusive_scan_by_key. T is the type of these results, without reference.
///
/// @par Order, requirements, complexity, errors
/// As for @ref inclusive_scan_by_key; for `transform_op`, as for @ref transform_inclusive_scan.
/// @par Example
/// @snippet reference/transform_inclusive_scan_by_key.cpp program
/// @{

/// Scans the transformed values of each run of [first, last).
template <execution_policy Policy, any_iterator Keys, any_iterator Values, output Out, operation Pred, operation Op,
          transformation Transform>
output_end<Out> transform_inclusive_scan_by_key(Policy&& policy, Keys first, Keys last, Values values, Out&& out,
                                                Pred pred, Op op, Transform transform_op)
{
    return tilewise::scan_runs<scan_form::inclusive>(
        policy, tilewise::sequence_between("transform_inclusive_scan_by_key", first, last, values), values,
        std::forward<Out>(out), std::nullopt, std::move(pred), std::move(op), std::move(transform_op));
}

/// Scans the transformed values of each run of a range of keys. There must be at least as many values as keys.
template <execution_policy Policy, class Keys, class Values, output Out, operation Pred, operation Op,
          transformation Transform>
    requires std::ranges::input_range<Keys> && std::ranges::input_range<Values>
output_end<Out> transform_inclusive_scan_by_key(Policy&& policy, Keys&& keys, Values&& values, Out&& out, Pred pred,
                                                Op op, Transform transform_op)
{
    return tilewise::scan_runs<scan_form::inclusive>(
        policy, tilewise::sequence_in<Policy>("transform_inclusive_scan_by_key", keys, values),
        tilewise::begin_of<Policy>(values), std::forward<Out>(out), std::nullopt, std::move(pred), std::move(op),
        std::move(transform_op));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(transform_inclusive_scan_by_key, begins_with_range)
/// @}

/// @addtogroup transform_exclusive_scan_by_key
/// Writes, for each value, the combination of `init` and all transformed values of its run of equal keys before that
/// value.
///
/// Header `<tilewise/scan_by_key.hpp>`. The results of `transform_op` take the place of the values in the description
/// of
/// @ref exclusive_scan_by_key. T is the type of `init`.
///
/// @par Order, requirements, complexity, errors
/// As for @ref exclusive_scan_by_key; for `transform_op`, as for @ref transform_exclusive_scan.
/// @par Example
/// @snippet reference/transform_exclusive_scan_by_key.cpp program
/// @{

/// Scans the transformed values of each run of [first, last).
template <execution_policy Policy, any_iterator Keys, any_iterator Values, output Out, class T, operation Pred,
          operation Op, transformation Transform>
output_end<Out> transform_exclusive_scan_by_key(Policy&& policy, Keys first, Keys last, Values values, Out&& out,
                                                T init, Pred pred, Op op, Transform transform_op)
{
    return tilewise::scan_runs<scan_form::exclusive>(
        policy, tilewise::sequence_between("transform_exclusive_scan_by_key", first, last, values), values,
        std::forward<Out>(out), std::move(init), std::move(pred), std::move(op), std::move(transform_op));
}

/// Scans the transformed values of each run of a range of keys. There must be at least as many values as keys.
template <execution_policy Policy, class Keys, class Values, output Out, class T, operation Pred, operation Op,
          transformation Transform>
    requires std::ranges::input_range<Keys> && std::ranges::input_range<Values>
output_end<Out> transform_exclusive_scan_by_key(Policy&& policy, Keys&& keys, Values&& values, Out&& out, T init,
                                                Pred pred, Op op, Transform transform_op)
{
    return tilewise::scan_runs<scan_form::exclusive>(
        policy, tilewise::sequence_in<Policy>("transform_exclusive_scan_by_key", keys, values),
        tilewise::begin_of<Policy>(values), std::forward<Out>(out), std::move(init), std::move(pred), std::move(op),
        std::move(transform_op));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(transform_exclusive_scan_by_key, begins_with_range)
/// @}

TILEWISE_NAMESPACE_END
