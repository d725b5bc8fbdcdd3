// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `reduce_by_key` and `transform_reduce_by_key`: one result for each run of equal keys; and their `_into` forms, which
/// write the number of runs.

#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/range.hpp>
#include <tilewise/core/sequence.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/discard_iterator.hpp>
#include <tilewise/engine/by_key.hpp>
#include <tilewise/engine/run_output.hpp>
#include <tilewise/policy.hpp>

#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @cond internals
/// Reduces the values of each run, which may be transformed, and writes the number of runs to `*runs`.
template <class KeysOut, class Out, class Policy, class It, class Extent, class Values, class Runs, class Pred,
          class Op, class... Transform>
auto reduce_runs(Policy const& policy, sequence<It, Extent> keys, Values const& values,
                 std::remove_reference_t<KeysOut>& keys_out, std::remove_reference_t<Out>& out, Runs& runs,
                 Pred is_same, Op op, Transform... transform_op)
{
    char const* const algorithm = keys.algorithm;
    return engine::write_by_key<KeysOut, Out>(
        policy, std::move(keys), keys_out, out, is_same, [&](auto on, auto first, auto end, auto to_keys, auto to) {
            auto input = tilewise::transform_sequence(sequence<Values, int>{algorithm, values, 0}, transform_op...);
            return engine::reduce_by_key(algorithm, on, std::move(first), std::move(end), std::move(input.first),
                                         is_same, std::move(to_keys), std::move(to), runs, op);
        });
}
/// @endcond

/// @addtogroup reduce_by_key
/// Combines the values of each run of equal keys into one value, and writes it and the first key of the run.
///
/// Header `<tilewise/reduce_by_key.hpp>`. A run is a longest subrange of keys of which each key satisfies
/// `pred(previous key, key)`; `pred` defaults to `std::equal_to<>`, `op` to `std::plus<>`. The value `*(values + i)`
/// belongs to the key
/// `*(first + i)`. Keys need not be sorted: a key that returns later begins a run of its own. The results are in the
/// order of the runs. An output that is not wanted can be a tilewise::discard_iterator.
///
/// Returns the ends of the two outputs as a pair. Neither output may overlap the keys or the values.
///
/// @par Order
/// The values of a run are combined as a range of their own, without `init`: the result is the last element of
/// @ref inclusive_scan of that range, with the same bits under every policy. It does not depend on the other runs.
/// @par Types
/// Values are converted to T, their own type, and so is every result of `op(T, T)`. To accumulate in another type,
/// transform the values: see @ref transform_reduce_by_key.
/// @par Output
/// An output is an output iterator, or a range with at least as many elements as there are runs: see
/// @ref tilewise::output. The runs are counted first to check the length of a range, which reads the keys once more.
/// @par Requirements
/// As for @ref reduce. `pred` takes two neighboring keys and has no effects; it need be neither symmetric nor
/// transitive. Copies are called concurrently under par, and in kernels under device; par calls it up to twice for each
/// pair of neighbors. T is copy constructible and converts to what the output accepts, as do the keys. seq reads input
/// iterators and writes through output iterators; par takes forward iterators, and uses several threads if all
/// iterators are random access. device takes random access iterators and trivially copyable keys.
/// @par Complexity
/// n - 1 applications of `pred`, under par up to twice as many, and as for @ref reduce for each run. seq reads keys and
/// values once; par reads the keys twice. Values that have no random access are buffered, up to a tile of the order at
/// a time. device reads each key once, and once more to write those of the runs. It stores a bit per key and an eighth
/// of the size of the values; or 4 bytes per key, 8 from 2^32 keys on, if values have more than 16 bytes. Keys and
/// values in host memory are staged as a whole.
/// @par Errors
/// As for @ref reduce, with some of the results written. Throws `std::invalid_argument` for an output range that is
/// shorter than the number of runs, before anything is written or, if keys can be read only once, at its end. The
/// hardened mode also throws for a range of values that is known to be shorter than that of keys. device throws
/// `std::bad_alloc` if there is no room for what is staged.
/// @par Ranks
/// Over ranks, a run may span any number of them. Its result is written on the rank that has its first key: the ends
/// and the number of runs are those of a rank's own results, and an output range needs room for these alone. Keys are
/// trivially copyable and have at most 1024 bytes.
/// @par Example
/// @snippet reference/reduce_by_key.cpp program
/// @{

/// Combines the values of each run of [first, last).
template <execution_policy Policy, any_iterator Keys, any_iterator Values, output KeysOut, output Out,
          operation Pred = std::equal_to<>, operation Op = std::plus<>>
std::pair<output_end<KeysOut>, output_end<Out>> reduce_by_key(Policy&& policy, Keys first, Keys last, Values values,
                                                              KeysOut&& keys_out, Out&& out, Pred pred = {}, Op op = {})
{
    return engine::to_ends<KeysOut, Out>("reduce_by_key", policy, [&](auto on, auto& number) {
        return tilewise::reduce_runs<KeysOut, Out>(on, tilewise::sequence_between("reduce_by_key", first, last, values),
                                                   values, keys_out, out, number, pred, op);
    });
}

/// Combines the values of each run of a range of keys. There must be at least as many values as keys.
template <execution_policy Policy, class Keys, class Values, output KeysOut, output Out,
          operation Pred = std::equal_to<>, operation Op = std::plus<>>
    requires std::ranges::input_range<Keys> && std::ranges::input_range<Values>
std::pair<output_end<KeysOut>, output_end<Out>> reduce_by_key(Policy&& policy, Keys&& keys, Values&& values,
                                                              KeysOut&& keys_out, Out&& out, Pred pred = {}, Op op = {})
{
    return engine::to_ends<KeysOut, Out>("reduce_by_key", policy, [&](auto on, auto& number) {
        return tilewise::reduce_runs<KeysOut, Out>(on, tilewise::sequence_in<Policy>("reduce_by_key", keys, values),
                                                   tilewise::begin_of<Policy>(values), keys_out, out, number, pred, op);
    });
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(reduce_by_key, begins_with_range)
/// @}

/// @addtogroup reduce_by_key_into
/// Does the same as @ref reduce_by_key, and writes the number of runs to `*runs` instead of returning the ends of the
/// outputs.
///
/// Header `<tilewise/reduce_by_key.hpp>`. `runs` comes after the other two outputs. Returns the position after it.
///
/// @par Requirements, complexity, errors
/// As for @ref reduce_by_key; `runs` accepts an integer of 64 bits. Under device, `runs` is a random access iterator
/// into host or GPU memory; under `device.nosync()` the GPU must be able to write to that memory, and the call returns
/// as soon as the work is enqueued in the stream. All outputs are iterators then, with room for as many results as
/// there are runs.
/// @par Example
/// @snippet reference/reduce_by_key_into.cpp program
/// @{

/// Combines the values of each run of [first, last).
template <execution_policy Policy, any_iterator Keys, any_iterator Values, output KeysOut, output Out, output Runs,
          operation Pred = std::equal_to<>, operation Op = std::plus<>>
output_end<Runs> reduce_by_key_into(Policy&& policy, Keys first, Keys last, Values values, KeysOut&& keys_out,
                                    Out&& out, Runs&& runs, Pred pred = {}, Op op = {})
{
    return engine::to_number<Runs>("reduce_by_key_into", policy, runs, [&](auto on, auto& number) {
        return tilewise::reduce_runs<KeysOut, Out>(
            on, tilewise::sequence_between("reduce_by_key_into", first, last, values), values, keys_out, out, number,
            pred, op);
    });
}

/// Combines the values of each run of a range of keys. There must be at least as many values as keys.
template <execution_policy Policy, class Keys, class Values, output KeysOut, output Out, output Runs,
          operation Pred = std::equal_to<>, operation Op = std::plus<>>
    requires std::ranges::input_range<Keys> && std::ranges::input_range<Values>
output_end<Runs> reduce_by_key_into(Policy&& policy, Keys&& keys, Values&& values, KeysOut&& keys_out, Out&& out,
                                    Runs&& runs, Pred pred = {}, Op op = {})
{
    return engine::to_number<Runs>("reduce_by_key_into", policy, runs, [&](auto on, auto& number) {
        return tilewise::reduce_runs<KeysOut, Out>(on,
                                                   tilewise::sequence_in<Policy>("reduce_by_key_into", keys, values),
                                                   tilewise::begin_of<Policy>(values), keys_out, out, number, pred, op);
    });
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(reduce_by_key_into, begins_with_range)
/// @}

/// @addtogroup transform_reduce_by_key
/// Combines the transformed values of each run of equal keys into one value, and writes it and the first key of the
/// run.
///
/// Header `<tilewise/reduce_by_key.hpp>`. The results of `transform_op` take the place of the values in the description
/// of @ref reduce_by_key. T is the type of these results, without reference. A transform that makes a tuple of
/// accumulators computes several aggregates in one pass.
///
/// @par Order
/// As for @ref reduce_by_key. The result of `transform_op` is never contracted with the combination that follows.
/// @par Requirements, complexity, errors
/// As for @ref reduce_by_key. `transform_op` is called once per value, under par possibly once more for the first value
/// of a long run; copies are called concurrently under par, and in kernels under device. An exception from it
/// propagates to the caller.
/// @par Example
/// @snippet reference/transform_reduce_by_key.cpp program
/// @{

/// Combines the transformed values of each run of [first, last).
template <execution_policy Policy, any_iterator Keys, any_iterator Values, output KeysOut, output Out, operation Pred,
          operation Op, transformation Transform>
std::pair<output_end<KeysOut>, output_end<Out>> transform_reduce_by_key(Policy&& policy, Keys first, Keys last,
                                                                        Values values, KeysOut&& keys_out, Out&& out,
                                                                        Pred pred, Op op, Transform transform_op)
{
    return engine::to_ends<KeysOut, Out>("transform_reduce_by_key", policy, [&](auto on, auto& number) {
        return tilewise::reduce_runs<KeysOut, Out>(
            on, tilewise::sequence_between("transform_reduce_by_key", first, last, values), values, keys_out, out,
            number, pred, op, transform_op);
    });
}

/// Combines the transformed values of each run of a range of keys. There must be at least as many values as keys.
template <execution_policy Policy, class Keys, class Values, output KeysOut, output Out, operation Pred, operation Op,
          transformation Transform>
    requires std::ranges::input_range<Keys> && std::ranges::input_range<Values>
std::pair<output_end<KeysOut>, output_end<Out>> transform_reduce_by_key(Policy&& policy, Keys&& keys, Values&& values,
                                                                        KeysOut&& keys_out, Out&& out, Pred pred, Op op,
                                                                        Transform transform_op)
{
    return engine::to_ends<KeysOut, Out>("transform_reduce_by_key", policy, [&](auto on, auto& number) {
        return tilewise::reduce_runs<KeysOut, Out>(
            on, tilewise::sequence_in<Policy>("transform_reduce_by_key", keys, values),
            tilewise::begin_of<Policy>(values), keys_out, out, number, pred, op, transform_op);
    });
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(transform_reduce_by_key, begins_with_range)
/// @}

/// @addtogroup transform_reduce_by_key_into
/// Does the same as @ref transform_reduce_by_key, and writes the number of runs to `*runs` instead of returning the
/// ends of the outputs.
///
/// Header `<tilewise/reduce_by_key.hpp>`. `runs` comes after the other two outputs. Returns the position after it.
///
/// @par Requirements, complexity, errors
/// As for @ref transform_reduce_by_key; `runs` accepts an integer of 64 bits. Under device, `runs` is a random access
/// iterator into host or GPU memory; under `device.nosync()` the GPU must be able to write to that memory, and the call
/// returns as soon as the work is enqueued in the stream. All outputs are iterators then, with room for as many results
/// as there are runs.
/// @par Example
/// @snippet reference/transform_reduce_by_key_into.cpp program
/// @{

/// Combines the transformed values of each run of [first, last).
template <execution_policy Policy, any_iterator Keys, any_iterator Values, output KeysOut, output Out, output Runs,
          operation Pred, operation Op, transformation Transform>
output_end<Runs> transform_reduce_by_key_into(Policy&& policy, Keys first, Keys last, Values values, KeysOut&& keys_out,
                                              Out&& out, Runs&& runs, Pred pred, Op op, Transform transform_op)
{
    return engine::to_number<Runs>("transform_reduce_by_key_into", policy, runs, [&](auto on, auto& number) {
        return tilewise::reduce_runs<KeysOut, Out>(
            on, tilewise::sequence_between("transform_reduce_by_key_into", first, last, values), values, keys_out, out,
            number, pred, op, transform_op);
    });
}

/// Combines the transformed values of each run of a range of keys. There must be at least as many values as keys.
template <execution_policy Policy, class Keys, class Values, output KeysOut, output Out, output Runs, operation Pred,
          operation Op, transformation Transform>
    requires std::ranges::input_range<Keys> && std::ranges::input_range<Values>
output_end<Runs> transform_reduce_by_key_into(Policy&& policy, Keys&& keys, Values&& values, KeysOut&& keys_out,
                                              Out&& out, Runs&& runs, Pred pred, Op op, Transform transform_op)
{
    return engine::to_number<Runs>("transform_reduce_by_key_into", policy, runs, [&](auto on, auto& number) {
        return tilewise::reduce_runs<KeysOut, Out>(
            on, tilewise::sequence_in<Policy>("transform_reduce_by_key_into", keys, values),
            tilewise::begin_of<Policy>(values), keys_out, out, number, pred, op, transform_op);
    });
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(transform_reduce_by_key_into, begins_with_range)
/// @}

TILEWISE_NAMESPACE_END
