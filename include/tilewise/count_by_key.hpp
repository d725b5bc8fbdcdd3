// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `count_by_key`, a run-length encoding, and its `_into` form, which writes the number of runs.

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
/// Counts the keys of each run, and writes the number of runs to `*runs`.
template <class KeysOut, class Out, class Policy, class It, class Extent, class Runs, class Pred>
auto count_keys(Policy const& policy, sequence<It, Extent> keys, std::remove_reference_t<KeysOut>& keys_out,
                std::remove_reference_t<Out>& out, Runs& runs, Pred is_same)
{
    char const* const algorithm = keys.algorithm;
    return engine::write_by_key<KeysOut, Out>(
        policy, std::move(keys), keys_out, out, is_same, [&](auto on, auto first, auto end, auto to_keys, auto to) {
            return engine::count_by_key(algorithm, on, std::move(first), std::move(end), is_same, std::move(to_keys),
                                        std::move(to), runs);
        });
}
/// @endcond

/// @addtogroup count_by_key
/// Writes the first key and the number of keys of each run of equal keys: a run-length encoding.
///
/// Header `<tilewise/count_by_key.hpp>`. Runs are those of @ref reduce_by_key. A number of keys is an integer of 64
/// bits, which is converted to the type that the output accepts. Returns the ends of the two outputs as a pair.
///
/// @par Requirements, complexity, errors
/// As for @ref reduce_by_key, without values.
/// @par Example
/// @snippet reference/count_by_key.cpp program
/// @{

/// Counts the keys of each run of [first, last).
template <execution_policy Policy, any_iterator Keys, output KeysOut, output Out, operation Pred = std::equal_to<>>
std::pair<output_end<KeysOut>, output_end<Out>> count_by_key(Policy&& policy, Keys first, Keys last, KeysOut&& keys_out,
                                                             Out&& out, Pred pred = {})
{
    return engine::to_ends<KeysOut, Out>("count_by_key", policy, [&](auto on, auto& number) {
        return tilewise::count_keys<KeysOut, Out>(on, tilewise::sequence_between("count_by_key", first, last), keys_out,
                                                  out, number, pred);
    });
}

/// Counts the keys of each run of a range.
template <execution_policy Policy, class Keys, output KeysOut, output Out, operation Pred = std::equal_to<>>
    requires std::ranges::input_range<Keys>
std::pair<output_end<KeysOut>, output_end<Out>> count_by_key(Policy&& policy, Keys&& keys, KeysOut&& keys_out,
                                                             Out&& out, Pred pred = {})
{
    return engine::to_ends<KeysOut, Out>("count_by_key", policy, [&](auto on, auto& number) {
        return tilewise::count_keys<KeysOut, Out>(on, tilewise::sequence_in<Policy>("count_by_key", keys), keys_out,
                                                  out, number, pred);
    });
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(count_by_key, begins_with_range)
/// @}

/// @addtogroup count_by_key_into
/// Does the same as @ref count_by_key, and writes the number of runs to `*runs` instead of returning the ends of the
/// outputs.
///
/// Header `<tilewise/count_by_key.hpp>`. `runs` comes after the other two outputs. Returns the position after it.
///
/// @par Requirements, complexity, errors
/// As for @ref count_by_key; `runs` accepts an integer of 64 bits. Under device, `runs` is a random access iterator
/// into host or GPU memory; under `device.nosync()` the GPU must be able to write to that memory, and the call returns
/// as soon as the work is enqueued in the stream. All outputs are iterators then, with room for as many results as
/// there are runs.
/// @par Example
/// @snippet reference/count_by_key_into.cpp program
/// @{

/// Counts the keys of each run of [first, last).
template <execution_policy Policy, any_iterator Keys, output KeysOut, output Out, output Runs,
          operation Pred = std::equal_to<>>
output_end<Runs> count_by_key_into(Policy&& policy, Keys first, Keys last, KeysOut&& keys_out, Out&& out, Runs&& runs,
                                   Pred pred = {})
{
    return engine::to_number<Runs>("count_by_key_into", policy, runs, [&](auto on, auto& number) {
        return tilewise::count_keys<KeysOut, Out>(on, tilewise::sequence_between("count_by_key_into", first, last),
                                                  keys_out, out, number, pred);
    });
}

/// Counts the keys of each run of a range.
template <execution_policy Policy, class Keys, output KeysOut, output Out, output Runs,
          operation Pred = std::equal_to<>>
    requires std::ranges::input_range<Keys>
output_end<Runs> count_by_key_into(Policy&& policy, Keys&& keys, KeysOut&& keys_out, Out&& out, Runs&& runs,
                                   Pred pred = {})
{
    return engine::to_number<Runs>("count_by_key_into", policy, runs, [&](auto on, auto& number) {
        return tilewise::count_keys<KeysOut, Out>(on, tilewise::sequence_in<Policy>("count_by_key_into", keys),
                                                  keys_out, out, number, pred);
    });
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(count_by_key_into, begins_with_range)
/// @}

TILEWISE_NAMESPACE_END
