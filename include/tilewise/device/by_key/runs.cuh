// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What is written about each run: its first key, its length, or where it begins.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/by_key/marks.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/discard_iterator.hpp>
#include <tilewise/order.hpp>

#include <cstdint>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Where the runs begin, and how many there are: a list of segments.
struct run_list {
    void* starts;         ///< of each run, and the number of keys after the last one
    bool is_wide;         ///< whether they take 8 bytes each, not 4
    offset const* number; ///< of runs
    offset elements;      ///< of all runs

    static constexpr bool counts_on_device = true;

    TILEWISE_DEVICE void put(offset index, offset start) const
    {
        if (is_wide)
            static_cast<offset*>(starts)[index] = start;
        else
            static_cast<std::uint32_t*>(starts)[index] = static_cast<std::uint32_t>(start);
    }
    TILEWISE_DEVICE offset start(offset index) const
    {
        return is_wide ? static_cast<offset const*>(starts)[index]
                       : offset{static_cast<std::uint32_t const*>(starts)[index]};
    }
    TILEWISE_DEVICE segment_span at(offset index) const
    {
        offset const begin = start(index);
        return {begin, start(index + 1) - begin};
    }
    /// Returns how many of the `count` runs from `first` on exist.
    TILEWISE_DEVICE offset existing(offset first, offset count) const { return gpu::at_most(count, *number - first); }
};

/// A sink that ignores what is written.
template <class Sink>
inline constexpr bool discards = std::is_same_v<Sink, iterator_sink<discard_iterator>>;

/// The first key of each run is written to a sink.
template <class Key, class Keys, class Sink>
struct first_keys {
    using key = Key;
    Keys keys;
    Sink to;

    template <int count>
    TILEWISE_DEVICE void load(registers<Key, count>& loaded, int i, offset begin)
    {
        if constexpr (!discards<Sink>)
            gpu::put(loaded[i], static_cast<Key>(gpu::key_at(keys, begin)));
    }
    template <int count>
    TILEWISE_DEVICE void write(offset run, registers<Key, count> const& loaded, int i)
    {
        if constexpr (!discards<Sink>)
            gpu::store_one(to, run, Key(loaded[i]));
    }
};

/// @name What is written besides
/// `put(i, begin, end)` is called for run i, and `finish(runs, count)` for all runs of so many keys.
/// @{

/// Where the run begins.
struct starts_of_runs {
    run_list list;
    TILEWISE_DEVICE void put(offset run, offset begin, offset) const { list.put(run, begin); }
    TILEWISE_DEVICE void finish(offset runs, offset count) const { list.put(runs, count); }
};

/// The number of keys.
template <class Sink>
struct lengths_of_runs {
    Sink to;
    TILEWISE_DEVICE void put(offset run, offset begin, offset end) { gpu::store_one(to, run, end - begin); }
    TILEWISE_DEVICE void finish(offset, offset) const {}
};
/// @}

/// Writes the first key of each run, and `what`. A warp takes a part of the keys.
template <class FirstKeys, class What, class Tuning>
TILEWISE_KERNEL(Tuning::threads, 1)
write_runs(run_marks marks, FirstKeys keys, What what)
{
    constexpr int words = 4; // loads of so many keys are in flight: the compiler has to assume that a store changes one
    offset const part = offset{block_index()} * (Tuning::threads / warp_size) + warp_index();
    release_dependents();
    wait_for_primary();
    if (part >= marks.parts)
        return;
    int const lane = lane_index(), part_words = marks.part_size / warp_size;
    unsigned const before_lane = (1u << lane) - 1;
    offset const first = part * marks.part_size;
    runs_before before = marks.before(part);
    TILEWISE_NO_UNROLL
    for (int begin = 0; begin < part_words; begin += warp_size) {
        unsigned const own = begin + lane < part_words ? marks.words[first / warp_size + begin + lane] : 0;
        TILEWISE_NO_UNROLL
        for (int at = 0; at < warp_size; at += words) {
            unsigned word[words];
            TILEWISE_UNROLL
            for (int i = 0; i < words; ++i)
                word[i] = gpu::shuffle(own, at + i);
            if ((word[0] | word[1] | word[2] | word[3]) == 0)
                continue;
            offset const index = first + (begin + at) * offset{warp_size} + lane;
            registers<typename FirstKeys::key, words> loaded;
            TILEWISE_UNROLL
            for (int i = 0; i < words; ++i)
                if ((word[i] >> lane & 1) != 0 && index + i * warp_size < marks.count)
                    keys.load(loaded, i, index + i * warp_size);
            TILEWISE_UNROLL
            for (int i = 0; i < words; ++i) {
                if (word[i] == 0)
                    continue;
                if ((word[i] >> lane & 1) != 0) {
                    unsigned const earlier = word[i] & before_lane;
                    offset const run = before.runs + count_bits(earlier), here = index + i * warp_size;
                    if (here < marks.count)
                        keys.write(run, loaded, i);
                    else
                        what.finish(run, marks.count);
                    if (run > 0)
                        what.put(run - 1, earlier != 0 ? here - lane + highest_bit(earlier) : before.last, here);
                }
                before.runs += count_bits(word[i]);
                before.last = index - lane + i * warp_size + highest_bit(word[i]);
            }
        }
    }
}

/// Writes the number of runs: what is at `number`, or 0 if that is null.
template <class Sink>
TILEWISE_KERNEL(1, 1)
write_number_of_runs(Sink to, offset const* number)
{
    gpu::store_one(to, 0, number != nullptr ? *number : offset{0});
}

} // namespace gpu
TILEWISE_NAMESPACE_END
