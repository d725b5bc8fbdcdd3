// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engines of the algorithms by key for seq and par: each run of keys is a segment of the values.
///
/// Keys and values that can be indexed are read run by run: first the keys, then the values. Others are read one by
/// one, on the calling thread, and the values are buffered tile by tile.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/elements.hpp>
#include <tilewise/host/reduce.hpp>
#include <tilewise/host/run_reader.hpp>
#include <tilewise/host/runs.hpp>
#include <tilewise/host/scan.hpp>
#include <tilewise/host/segmented.hpp>
#include <tilewise/host/segments.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// The ends of the two outputs of a reduction by key, and the number of runs.
template <class KeysOut, class Out>
struct ends_of_runs {
    KeysOut keys;
    Out results;
    offset count;
};

/// The number of keys that a core searches for runs at a time, and the fewest for which all cores pay off if nothing is
/// combined.
inline constexpr offset keys_per_block = 8192, keys_that_pay = offset{1} << 16;

/// Whether several threads can write to an output at once.
template <class Out>
inline constexpr bool can_share = random_access<Out> && !shares_words<Out>;

/// Writes a value to position `index` of an output.
template <class T, class Out>
void put_at(Out const& out, offset index, T value)
{
    Out to(tilewise::advanced(out, index));
    host::put<T>(to, std::move(value));
}

/// Combines the values of a run, on all cores if it is shared.
template <class Geometry, class T, class Input, class Op>
TILEWISE_INLINE T reduce_run(bool is_shared, Input const& values, segment run, Op const& op)
{
    Op own_op(op);
    auto const from = [&] { return Input(tilewise::advanced(values, run.begin)); };
    if constexpr (is_plain<T>) {
        using order = tilewise::order<T, Geometry>;
        if (run.count <= few_reduced<order, T>)
            return host::reduce_few_lanes<order, T>(own_op, from(), run.count, nullptr);
    }
    return is_shared ? host::reduce_after<Geometry, T>(par, from(), run.count, std::nullopt, std::move(own_op))
                     : host::reduce_after<Geometry, T>(seq, from(), run.count, std::nullopt, std::move(own_op));
}

/// Writes the first key of each run, and the result `result_of(is_shared, run)`, of type T.
template <search how, class T, class Policy, class Keys, class Pred, class KeysOut, class Out, class ResultOf>
ends_of_runs<KeysOut, Out> write_runs(Policy, Keys const& keys, offset count, Pred const& is_same, KeysOut keys_out,
                                      Out out, offset block, offset long_from, ResultOf const& result_of)
{
    if constexpr (std::same_as<Policy, parallel_policy> && can_share<KeysOut> && can_share<Out>) {
        if (count >= long_from) {
            offset const runs = host::distribute_runs<how>(
                keys, count, is_same, block, long_from, [=](auto is_shared, offset i, segment run) {
                    KeysOut to(tilewise::advanced(keys_out, i));
                    tilewise::store(to, *tilewise::advanced(keys, run.begin));
                    host::put_at<T>(out, i, result_of(is_shared, run));
                });
            return {tilewise::advanced(keys_out, runs), tilewise::advanced(out, runs), runs};
        }
    }
    offset const runs = host::for_each_run<how>(keys, count, is_same, [&](auto is_shared, offset, segment run) {
        tilewise::store(keys_out, *tilewise::advanced(keys, run.begin));
        ++keys_out;
        host::put<T>(out, result_of(is_shared, run));
    });
    return {std::move(keys_out), std::move(out), runs};
}

/// Combines the values of each run of keys.
template <class Geometry, class T, class Policy, class Keys, class Extent, class Values, class Pred, class KeysOut,
          class Out, class Op>
ends_of_runs<KeysOut, Out> reduce_by_key(Policy policy, Keys keys, Extent const& end, Values values,
                                         Pred const& is_same, KeysOut keys_out, Out out, Op op)
{
    if constexpr (std::same_as<Extent, offset>) {
        using order = tilewise::order<T, Geometry>;
        auto const own_keys = tilewise::unwrap_input(std::move(keys), end);
        auto const input = tilewise::unwrap_input(std::move(values), end);
        constexpr offset long_from =
            host::tiles_that_pay<T, Op, std::remove_const_t<decltype(input)>>() * order::tile + 1;
        host::forget_memory<T>(input);
        auto ends = host::write_runs<search::from_run_to_run, T>(
            policy, own_keys, end, is_same, std::move(keys_out), out, order::tile, long_from,
            [=](auto is_shared, segment run) { return host::reduce_run<Geometry, T>(is_shared, input, run, op); });
        host::forget_memory<T>(out);
        return ends;
    } else {
        run_reader<Keys, Extent, Values, Pred> reader(std::move(keys), end, std::move(values), is_same);
        offset runs = 0;
        for (; !reader.is_at_end(); ++runs) {
            reader.begin_run();
            tilewise::store(keys_out, reader.key());
            ++keys_out;
            host::put<T>(
                out, host::reduce_after<Geometry, T>(seq, values_of_run(reader), run_sentinel{}, std::nullopt, Op(op)));
        }
        return {std::move(keys_out), std::move(out), runs};
    }
}

/// A second input that has no values.
struct no_values {
    no_values& operator++() { return *this; }
    int operator*() const { return 0; }
};

/// Counts the keys of each run.
template <class Policy, class Keys, class Extent, class Pred, class KeysOut, class Out>
ends_of_runs<KeysOut, Out> count_by_key(Policy policy, Keys keys, Extent const& end, Pred const& is_same,
                                        KeysOut keys_out, Out out)
{
    if constexpr (std::same_as<Extent, offset>) {
        auto const own_keys = tilewise::unwrap_input(std::move(keys), end);
        return host::write_runs<search::by_marks, offset>(policy, own_keys, end, is_same, std::move(keys_out),
                                                          std::move(out), keys_per_block, keys_that_pay,
                                                          [](bool, segment run) { return run.count; });
    } else {
        run_reader<Keys, Extent, no_values, Pred> reader(std::move(keys), end, no_values{}, is_same);
        offset runs = 0;
        for (; !reader.is_at_end(); ++runs) {
            reader.begin_run();
            tilewise::store(keys_out, reader.key());
            ++keys_out;
            offset count = 0;
            for (; !reader.is_at_end_of_run(); ++count)
                reader.advance();
            host::put<offset>(out, count);
        }
        return {std::move(keys_out), std::move(out), runs};
    }
}

/// Scans the values of each run of keys, after `init`, if it has a value. Returns the end of the output.
template <class Geometry, scan_form form, class T, class Policy, class Keys, class Extent, class Values, class Pred,
          class Out, class Op>
Out scan_by_key(char const* algorithm, Policy, Keys keys, Extent const& end, Values values, Pred const& is_same,
                Out out, std::optional<T> const& init, Op op)
{
    if constexpr (std::same_as<Extent, offset> && random_access<Out>) {
        using order = tilewise::order<T, Geometry>;
        auto const own_keys = tilewise::unwrap_input(std::move(keys), end);
        auto const input = tilewise::unwrap_input(std::move(values), end);
        auto const scan_run = [=, &init](auto is_shared, segment run) {
            host::scan_segment<Geometry, form, T>(is_shared, algorithm, input, run, out, init, op);
        };
        constexpr offset long_from = host::tiles_that_pay_to_scan<T, Op>() * order::tile + 1;
        host::forget_memory<T>(input);
        if (std::same_as<Policy, parallel_policy> && can_share<Out> && end >= long_from)
            host::distribute_unnumbered_runs(own_keys, end, is_same, order::tile, long_from, scan_run);
        else
            host::for_each_run<search::from_run_to_run>(
                own_keys, end, is_same, [&](auto is_shared, offset, segment run) { scan_run(is_shared, run); });
        host::forget_memory<T>(out);
        return tilewise::advanced(out, end);
    } else {
        std::optional<Out> to(std::move(out)); // an iterator need not be assignable
        auto const scan_run = [&](auto input, auto const& last) {
            to.emplace(
                host::scan<Geometry, form>(seq, std::move(input), last, Out(*to), std::optional<T>(init), Op(op)));
        };
        if constexpr (std::same_as<Extent, offset>) {
            host::for_each_run<search::from_run_to_run>(keys, end, is_same, [&](bool, offset, segment run) {
                scan_run(Values(tilewise::advanced(values, run.begin)), run.count);
            });
        } else {
            run_reader<Keys, Extent, Values, Pred> reader(std::move(keys), end, std::move(values), is_same);
            while (!reader.is_at_end()) {
                reader.begin_run();
                scan_run(values_of_run(reader), run_sentinel{});
            }
        }
        return *std::move(to);
    }
}

} // namespace host
TILEWISE_NAMESPACE_END
