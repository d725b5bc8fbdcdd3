// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What is written about each run: its first key, its length, or where it begins.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/by_key/marks.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/segmented/announced.cuh>
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

    static constexpr bool counts_on_device = true, are_adjacent = true;

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

    static constexpr bool are_in_memory = !discards<Sink> && calls_no_function<Keys>;

    /// Fetches `size` keys to the L2 cache; of a key larger than a cache line, its first line. All lanes take part.
    template <int size>
    TILEWISE_DEVICE void prefetch(offset begin) const
    {
        if constexpr (are_in_memory) {
            constexpr int each = sizeof(Key) < line_bytes ? static_cast<int>(line_bytes / sizeof(Key)) : 1,
                          lines = (size + each - 1) / each;
            TILEWISE_UNROLL
            for (int line = 0; line < lines; line += warp_size)
                if (line + lane_index() < lines)
                    gpu::prefetch_line(keys.first + begin + (line + lane_index()) * each);
        }
    }
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
    static constexpr bool may_be_dense = false; ///< only short lists are written
    run_list list;
    TILEWISE_DEVICE void put(offset run, offset begin, offset) const { list.put(run, begin); }
    TILEWISE_DEVICE void finish(offset runs, offset count) const { list.put(runs, count); }
};

/// The number of keys.
template <class Sink>
struct lengths_of_runs {
    static constexpr bool may_be_dense = true;
    Sink to;
    TILEWISE_DEVICE void put(offset run, offset begin, offset end) { gpu::store_one(to, run, end - begin); }
    TILEWISE_DEVICE void finish(offset, offset) const {}
};
/// @}

/// How many blocks of `write_runs` are to be resident: as many as there are, unless keys need more registers than that
/// leaves. (nvcc 13.0 spills none for keys of 24 bytes, and 136 bytes for keys of 64.)
template <class FirstKeys, class Tuning>
inline constexpr int writing_blocks =
    sizeof(typename FirstKeys::key) <= 24 ? Tuning::combining_blocks_per_multiprocessor : 1;

/// Some keys from `first` on, of which a lane has the marks of 32: which runs begin there is to be written.
struct marked_keys {
    runs_before before; ///< what precedes them
    offset first;
    unsigned word; ///< the lane's marks
    int earlier;   ///< how many runs begin in the lanes before this one
    int runs;      ///< how many begin in all lanes
};

/// Writes about runs that are few: a warp lists in `position` where they begin, so that neighboring lanes write about
/// neighboring runs.
template <class FirstKeys, class What, class Positions>
TILEWISE_DEVICE void write_listed_runs(marked_keys const& marked, offset count, FirstKeys& keys, What& what,
                                       Positions& position)
{
    constexpr int batch = 4; // keys of a lane in flight: the compiler has to assume that a store changes one
    int const lane = lane_index();
    unsigned word = marked.word;
    for (int i = marked.earlier; word != 0; ++i) {
        position[i] = static_cast<std::uint16_t>(lane * warp_size + gpu::lowest_lane(word));
        word &= word - 1;
    }
    sync_warp();
    TILEWISE_NO_UNROLL
    for (int i = lane; i < marked.runs; i += batch * warp_size) {
        registers<typename FirstKeys::key, batch> loaded;
        TILEWISE_UNROLL
        for (int k = 0; k < batch; ++k)
            if (i + k * warp_size < marked.runs && marked.first + position[i + k * warp_size] < count)
                keys.load(loaded, k, marked.first + position[i + k * warp_size]);
        TILEWISE_UNROLL
        for (int k = 0; k < batch; ++k) {
            int const own = i + k * warp_size;
            if (own >= marked.runs)
                break;
            offset const run = marked.before.runs + own, here = marked.first + position[own];
            if (here < count)
                keys.write(run, loaded, k);
            else
                what.finish(run, count);
            if (run > 0)
                what.put(run - 1, own > 0 ? marked.first + position[max_of(own - 1, 0)] : marked.before.last, here);
        }
    }
    sync_warp(); // before `position` is written again
}

/// Writes about runs that begin at about every key: a lane writes about every 32nd key if a run begins there.
template <class FirstKeys, class What>
TILEWISE_DEVICE void write_dense_runs(marked_keys const& marked, int last_before, offset count, FirstKeys& keys,
                                      What& what)
{
    constexpr int batch = 4; // keys of a lane in flight
    int const lane = lane_index();
    unsigned const below = (1u << lane) - 1;
    TILEWISE_NO_UNROLL
    for (int row = 0; row < warp_size; row += batch) {
        registers<typename FirstKeys::key, batch> loaded;
        TILEWISE_UNROLL
        for (int k = 0; k < batch; ++k) {
            offset const here = marked.first + ((row + k) * warp_size + lane);
            if ((gpu::shuffle(marked.word, row + k) >> lane & 1) != 0 && here < count)
                keys.load(loaded, k, here);
        }
        TILEWISE_UNROLL
        for (int k = 0; k < batch; ++k) {
            unsigned const word = gpu::shuffle(marked.word, row + k);
            int const earlier = gpu::shuffle(marked.earlier, row + k), last = gpu::shuffle(last_before, row + k),
                      at = (row + k) * warp_size;
            if ((word >> lane & 1) == 0)
                continue;
            offset const run = marked.before.runs + (earlier + gpu::count_bits(word & below)),
                         here = marked.first + (at + lane);
            if (here < count)
                keys.write(run, loaded, k);
            else
                what.finish(run, count);
            int const previous = (word & below) != 0 ? at + gpu::highest_bit(word & below) : last;
            if (run > 0)
                what.put(run - 1, previous >= 0 ? marked.first + previous : marked.before.last, here);
        }
    }
}

/// Writes the first key of each run, and `what`, if there are up to `most` runs; and their number, unless a kernel
/// before announces it. A warp takes a part of the keys, 32 words of marks at a time.
template <class FirstKeys, class What, class Tuning>
TILEWISE_KERNEL(Tuning::threads, (writing_blocks<FirstKeys, Tuning>))
write_runs(run_marks marks, offset most, announced_count announced, FirstKeys keys, What what)
{
    constexpr int warps = Tuning::threads / warp_size, at_once = warp_size * warp_size;
    using positions = registers<registers<std::uint16_t, at_once>, warps>;
    TILEWISE_SHARED(shared, positions);
    int const warp = warp_index(), lane = lane_index();
    offset const part = offset{block_index()} * warps + warp;
    release_dependents();
    offset const number = announced.of_block();
    if (number > most)
        return gpu::end_after_primary();
    wait_for_primary();
    runs_of_all const all = gpu::sum_blocks<Tuning::threads>(marks, number >= 0);
    if (part >= marks.parts || all.number > most)
        return;
    int const words = marks.part_size / warp_size;
    runs_before before = gpu::after(all.before_block, marks.of_parts[part]);
    unsigned const* const own_marks = marks.words + part * words;
    unsigned next = lane < words ? own_marks[lane] : 0;
    TILEWISE_NO_UNROLL
    for (int begin = 0; begin < words; begin += warp_size) {
        unsigned const word = next;
        next = begin + warp_size + lane < words ? own_marks[begin + warp_size + lane] : 0;
        unsigned const lanes = warp_ballot(word != 0);
        if (lanes == 0)
            continue;
        offset const first = part * marks.part_size + begin * warp_size;
        int const last = lane * warp_size + gpu::highest_bit(word), own = gpu::count_bits(word),
                  up_to_lane = static_cast<int>(gpu::warp_sums(static_cast<unsigned>(own)));
        marked_keys const marked = {before, first, word, up_to_lane - own, gpu::shuffle(up_to_lane, warp_size - 1)};
        if (What::may_be_dense && marked.runs >= Tuning::dense_runs) {
            unsigned const before_lane = lanes & ((1u << lane) - 1);
            int const last_before = gpu::shuffle(last, gpu::highest_bit(before_lane) & (warp_size - 1));
            gpu::write_dense_runs(marked, before_lane != 0 ? last_before : -1, marks.count, keys, what);
        } else {
            gpu::write_listed_runs(marked, marks.count, keys, what, shared[warp]);
        }
        before.runs += marked.runs;
        before.last = first + gpu::shuffle(last, gpu::highest_bit(lanes));
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
