// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What a rank does with its runs of equal keys under its local policy: it finds the runs at the ends of its part,
/// processes those that lie in its part as a whole, and writes results.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/portability.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/discard_iterator.hpp>
#include <tilewise/engine/by_key.hpp>
#include <tilewise/engine/output_on_ranks.hpp>
#include <tilewise/engine/reduce.hpp>
#include <tilewise/engine/run_requirements.hpp>
#include <tilewise/host/by_key.hpp>
#include <tilewise/host/runs.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/by_key.cuh>
#endif

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Whether ranks can find runs of keys under the local policy. If not, one sentence says why.
template <class Local, class Keys, class Extent, class Pred, class KeysOut>
constexpr bool can_find_runs_on_ranks()
{
    using key = value_of<Keys>;
    constexpr bool on_device = is_device_policy<Local>;
    constexpr bool copies = std::is_trivially_copyable_v<key>, small = sizeof(key) <= 1024;
    constexpr bool read = !on_device || sizeof(key) <= 256;
    constexpr bool on_host = !on_device || !known::has_device_lambda<Pred>;
    constexpr bool compares = std::is_invocable_r_v<bool, Pred&, key&, key&>;
    static_assert(on_host, "tilewise: ranks also compare keys on the host; write [=] __host__ __device__ (...)");
    static_assert(copies, "tilewise: ranks exchange their first and last keys, so keys must be trivially copyable");
    static_assert(small, "tilewise: keys that ranks exchange must have at most 1024 bytes");
    static_assert(read, "tilewise: under device, keys that ranks exchange must have at most 256 bytes");
    static_assert(compares, "tilewise: over ranks, the predicate must accept lvalues of the type of the keys");
    if constexpr (engine::can_write_on_ranks<Local>() && on_host && copies && small && read && compares)
        return engine::can_find_runs<Local, Keys, Extent, Pred, KeysOut>();
    else
        return false;
}

/// The runs at the ends of some keys, as numbers of pairs of neighboring keys: of all of them, of those before the
/// first pair of different keys, and of those after the last one.
struct pairs_at_ends {
    offset all = 0, first = 0, last = 0;
    bool are_all_equal() const { return first == all; }
};
/// Those of a pair of keys.
template <class Pred>
struct pairs_of_neighbors {
    Pred is_same;
    TILEWISE_CALLS_ANY
    template <class Key, class Next>
    TILEWISE_PORTABLE constexpr pairs_at_ends operator()(Key&& key, Next&& next)
    {
        offset const equal = is_same(static_cast<Key&&>(key), static_cast<Next&&>(next)) ? 1 : 0;
        return {1, equal, equal};
    }
};
/// Those of neighboring pieces.
struct combine_pairs_at_ends {
    TILEWISE_PORTABLE constexpr pairs_at_ends operator()(pairs_at_ends const& left, pairs_at_ends const& right) const
    {
        return {left.all + right.all, left.first == left.all ? left.all + right.first : left.first,
                right.last == right.all ? right.all + left.last : right.last};
    }
};

/// Returns how many of a rank's keys, of which there are some, are in the runs of the first and of the last one. On a
/// GPU, `pairs_at_first` pairs of keys are read at either end: most runs are shorter. If one is not, the next pairs are
/// read, 16 times as many each time.
template <offset pairs_at_first = offset{1} << 16, class Local, class Keys, class Pred>
std::pair<offset, offset> lengths_of_runs_at_ends([[maybe_unused]] Local const& local, Keys const& keys, offset count,
                                                  Pred const& is_same)
{
    if constexpr (!is_device_policy<Local>) {
        auto const [end, begin] = host::runs_at_ends(std::same_as<Local, parallel_policy>, keys, count, is_same,
                                                     host::keys_that_pay, host::keys_per_block);
        return {end, count - begin};
    } else if constexpr (has_kernels) {
        using pairs = pairs_of_neighbors<callable_for<Local, Pred>>;
        auto const in = [&](offset begin, offset number) {
            return engine::reduce(local,
                                  transformed_pairs<pairs, Keys, Keys>({engine::callable<Local>(is_same)},
                                                                       Keys(tilewise::advanced(keys, begin)),
                                                                       Keys(tilewise::advanced(keys, begin + 1))),
                                  number, pairs_at_ends(), combine_pairs_at_ends());
        };
        offset const most = count - 1;
        pairs_at_ends first = in(0, std::min(most, pairs_at_first));
        for (offset next = 16 * pairs_at_first; first.are_all_equal() && most > first.all; next *= 16)
            first = combine_pairs_at_ends()(first, in(first.all, std::min(most - first.all, next)));
        if (first.all == most)
            return {first.first + 1, first.last + 1};
        pairs_at_ends last = in(most - pairs_at_first, pairs_at_first);
        for (offset next = 16 * pairs_at_first; last.are_all_equal(); next *= 16) {
            offset const number = std::min(most - last.all, next);
            last = combine_pairs_at_ends()(in(most - last.all - number, number), last);
        }
        return {first.first + 1, last.last + 1};
    } else {
        throw_no_device();
    }
}

/// Writes the first key and the combined values of each run.
template <class Geometry, class T, class Local, class Keys, class Values, class Pred, class KeysOut, class Out,
          class Op>
host::ends_of_runs<KeysOut, Out> reduce_whole_runs([[maybe_unused]] char const* algorithm, Local const& local,
                                                   Keys const& keys, offset count, Values const& values,
                                                   Pred const& is_same, KeysOut keys_out, Out out, Op const& op)
{
    if constexpr (is_device_policy<Local>) {
#ifdef TILEWISE_DEVICE_ENGINE
        offset const runs =
            gpu::reduce_by_key<Geometry, T>(algorithm, local, keys, count, values, gpu::function_for(is_same), keys_out,
                                            out, discard_iterator(), gpu::operator_on<T>(op));
        return {keys_out + runs, out + runs, runs};
#else
        throw_no_device();
#endif
    } else {
        return host::reduce_by_key<Geometry, T>(local, keys, count, values, is_same, std::move(keys_out),
                                                std::move(out), op);
    }
}

/// Writes the first key and the number of keys of each run.
template <class Local, class Keys, class Pred, class KeysOut, class Out>
host::ends_of_runs<KeysOut, Out> count_whole_runs([[maybe_unused]] char const* algorithm, Local const& local,
                                                  Keys const& keys, offset count, Pred const& is_same, KeysOut keys_out,
                                                  Out out)
{
    if constexpr (is_device_policy<Local>) {
#ifdef TILEWISE_DEVICE_ENGINE
        offset const runs = gpu::count_by_key(algorithm, local, keys, count, gpu::function_for(is_same), keys_out, out,
                                              discard_iterator());
        return {keys_out + runs, out + runs, runs};
#else
        throw_no_device();
#endif
    } else {
        return host::count_by_key(local, keys, count, is_same, std::move(keys_out), std::move(out));
    }
}

/// Scans the values of each run after `init`, if there is one, and returns the end of the output.
template <class Geometry, scan_form form, class T, class Local, class Keys, class Values, class Pred, class Out,
          class Op>
Out scan_whole_runs(char const* algorithm, Local const& local, Keys const& keys, offset count, Values const& values,
                    Pred const& is_same, Out out, std::optional<T> const& init, Op const& op)
{
    if constexpr (is_device_policy<Local>) {
#ifdef TILEWISE_DEVICE_ENGINE
        gpu::scan_by_key<Geometry, form, T>(algorithm, local, keys, count, values, gpu::function_for(is_same), out,
                                            init, gpu::operator_on<T>(op));
        return out + count;
#else
        throw_no_device();
#endif
    } else {
        return host::scan_by_key<Geometry, form, T>(algorithm, local, keys, count, values, is_same, std::move(out),
                                                    init, op);
    }
}

/// Writes the key and the result of one more run.
template <class Local, class KeysOut, class Out, class Key, class T>
void append_run([[maybe_unused]] char const* algorithm, [[maybe_unused]] Local const& local,
                host::ends_of_runs<KeysOut, Out>& ends, Key const& key, T result)
{
    if constexpr (is_device_policy<Local>) {
        static_cast<void>(engine::write_on_ranks<false>(algorithm, local, std::addressof(key), 1, ends.keys));
        static_cast<void>(engine::write_on_ranks<false>(algorithm, local, std::addressof(result), 1, ends.results));
        ++ends.results;
    } else {
        tilewise::store(ends.keys, key);
        host::put<T>(ends.results, std::move(result));
    }
    ++ends.keys;
    ++ends.count;
}

/// Writes the number of a rank's runs.
template <class Local, class Runs>
void write_number([[maybe_unused]] char const* algorithm, [[maybe_unused]] Local const& local, Runs& to, offset number)
{
    if constexpr (!is_device_policy<Local>)
        tilewise::store(to, number);
    else if constexpr (!std::same_as<Runs, discard_iterator>)
        static_cast<void>(engine::write_on_ranks<false>(algorithm, local, std::addressof(number), 1, to));
}

} // namespace engine
TILEWISE_NAMESPACE_END
