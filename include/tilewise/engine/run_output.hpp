// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The outputs of algorithms that write one result per run of keys: their lengths are checked against the number of
/// runs, and their ends are returned if the call waits for that number.

#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/range.hpp>
#include <tilewise/core/sequence.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/discard_iterator.hpp>
#include <tilewise/engine/by_key.hpp>
#include <tilewise/engine/call.hpp>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <cstdlib>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Whether the length of an output is checked against the number of runs. An array under nosync() is not, as in the
/// standard, where it decays to a pointer.
template <class Policy, class Out>
inline constexpr bool needs_run_count =
    output_range<Out&> && (engine::can_wait<policy_for<Policy>> || !std::is_array_v<std::remove_reference_t<Out>>);

/// Returns the number of runs, if the length of an output is checked against it.
template <class Policy, class KeysOut, class Out, class It, class Extent, class Pred>
auto runs_to_write(Policy const& policy, sequence<It, Extent> const& keys, Pred const& is_same)
{
    if constexpr (needs_run_count<Policy, KeysOut> || needs_run_count<Policy, Out>) {
        constexpr bool waits = engine::can_wait<policy_for<Policy>>;
        static_assert(waits, "tilewise: a call with nosync() cannot check that an output range is long enough for its "
                             "runs; pass the output's begin()");
        if constexpr (waits && engine::can_find_runs<policy_for<Policy>, It, Extent, Pred, discard_iterator>())
            return engine::count_runs(tilewise::resolve(policy), keys.first, keys.end, is_same);
        else
            return offset{0};
    } else {
        return offset{0};
    }
}

/// Returns the position of the first result in an output that has room for so many.
template <class Policy, class Runs, class Out>
auto output_for_runs(char const* algorithm, Runs const& runs, Out& out)
{
    if constexpr (output_range<Out&> && !needs_run_count<Policy, Out>)
        return std::ranges::begin(out);
    else
        return tilewise::output_begin<Policy>(algorithm, runs, out);
}

/// The implementation of all forms: `write(policy, keys, end, keys_out, out)` writes the results of all runs. An engine
/// over ranks takes references to the outputs. Returns the ends of these.
template <class KeysOut, class Out, class Policy, class It, class Extent, class Pred, class Write>
std::pair<output_end<KeysOut>, output_end<Out>>
write_by_key(Policy const& policy, sequence<It, Extent> keys, std::remove_reference_t<KeysOut>& keys_out,
             std::remove_reference_t<Out>& out, Pred const& is_same, Write const& write)
{
    tilewise::check_sequence(keys);
    auto const ends = [&] {
        if constexpr (is_engine<Policy>) { // which checks the outputs when the number of this process's runs is known
            return write(policy, std::move(keys.first), std::move(keys.end), std::ref(keys_out), std::ref(out));
        } else {
            auto const runs = engine::runs_to_write<Policy, KeysOut, Out>(policy, keys, is_same);
            auto to_keys = engine::output_for_runs<Policy>(keys.algorithm, runs, keys_out);
            auto to = engine::output_for_runs<Policy>(keys.algorithm, runs, out);
            tilewise::check_output(keys.algorithm, keys.first, keys.end, to_keys);
            tilewise::check_output(keys.algorithm, keys.first, keys.end, to);
            return write(policy, std::move(keys.first), std::move(keys.end), std::move(to_keys), std::move(to));
        }
    }();
    return {tilewise::output_position<KeysOut>(keys_out, ends.keys), tilewise::output_position<Out>(out, ends.results)};
}

/// Calls `run(on, nowhere)`, where `nowhere` discards the number of runs, and returns the ends of the outputs.
template <class KeysOut, class Out, class Policy, class Run>
std::pair<output_end<KeysOut>, output_end<Out>> to_ends(char const* algorithm, Policy const& policy, Run const& run)
{
    if constexpr (engine::can_return_ends<policy_for<Policy>>()) {
        return engine::in_call(policy, algorithm, [&](auto on) -> std::pair<output_end<KeysOut>, output_end<Out>> {
            discard_iterator nowhere;
            return run(on, nowhere);
        });
    } else {
        std::abort();
    }
}

/// Calls `run(on, to)`, where `to` is the position in `runs` to write the number of runs to. Returns the next position.
template <class Runs, class Policy, class Run>
output_end<Runs> to_number(char const* algorithm, Policy const& policy, std::remove_reference_t<Runs>& runs,
                           Run const& run)
{
    return engine::in_call(policy, algorithm, [&](auto on) -> output_end<Runs> {
        auto to = tilewise::output_begin<Policy>(algorithm, offset{1}, runs);
        if constexpr (hardened && std::is_pointer_v<decltype(to)>) {
            if (to == nullptr)
                reject_argument(algorithm, "the output of the number of runs is null");
        }
        static_cast<void>(run(on, to));
        ++to;
        return tilewise::output_position<Runs>(runs, to);
    });
}

} // namespace engine
TILEWISE_NAMESPACE_END
