// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Where the runs of equal keys begin: a bit for each key. A kernel finds it out, for the algorithms by key.
///
/// A warp takes a part of the keys. Its lanes read consecutive keys, compare each with the one before, and a vote makes
/// a word of 32 comparisons (`mark_runs`). Each block of a later kernel sums how many runs begin before its parts
/// (`sum_blocks`). No block waits for another one, and what follows needs neither the keys nor the comparison.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/order.hpp>

#include <cstdint>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Returns one key. Neighbors read the same keys, so memory is read through the L1 cache.
template <class View>
TILEWISE_DEVICE decltype(auto) key_at(View& keys, offset index)
{
    if constexpr (calls_no_function<View>) {
        return (keys.first[index]); // in parentheses: a reference
    } else {
        auto const loaded = keys.template fetch<access::elementwise, 1>(index);
        using key = std::remove_cvref_t<decltype(keys.element(loaded, 0))>;
        return key(keys.element(loaded, 0));
    }
}

/// What precedes a part of the keys.
struct runs_before {
    offset runs; ///< how many begin before it
    offset last; ///< where the last of them begins; -1 if there is none
};

/// Returns what precedes a part of a range, given what precedes the range, and the part in the range.
TILEWISE_DEVICE runs_before after(runs_before a, runs_before b)
{
    return {a.runs + b.runs, b.last > a.last ? b.last : a.last};
}
/// Returns, for each lane, that of the lanes up to it.
TILEWISE_DEVICE runs_before up_to_lane(runs_before own)
{
    TILEWISE_UNROLL
    for (int distance = 1; distance < warp_size; distance *= 2) {
        runs_before const left = gpu::shuffle_up(own, distance);
        if (lane_index() >= distance)
            own = gpu::after(left, own);
    }
    return own;
}

/// Where the number of runs is written: for later kernels, for the host if it waits, and for the user.
struct number_targets {
    offset *on_device, *line; ///< `line` may be null
    void* user;               ///< an integer of so many bytes, if not null
    int user_bytes;

    TILEWISE_DEVICE void put(offset number) const
    {
        *on_device = number;
        if (line != nullptr)
            *line = number;
        if (user != nullptr) {
            if (user_bytes == 8)
                *static_cast<std::int64_t*>(user) = number;
            else
                *static_cast<std::int32_t*>(user) = static_cast<std::int32_t>(number);
        }
    }
};

/// Where the runs of `count` keys begin. A warp takes a part of the keys, a block some consecutive parts.
struct run_marks {
    unsigned* words;        ///< a bit for each key, which is set if it begins a run, and a set bit behind the last key
    runs_before* of_parts;  ///< for each part, what precedes it in its block
    runs_before* of_blocks; ///< for each block, what is in it
    number_targets number;  ///< of runs, once blocks are summed
    offset count, parts;
    int part_size;

    /// Whether a run begins at one of the keys from `first`, a multiple of 32, to `last`, or the last key is before
    /// that one. All lanes take part.
    TILEWISE_DEVICE bool any_between(offset first, offset last) const
    {
        last = gpu::at_most(last, count); // which is marked
        bool any = false;
        TILEWISE_NO_UNROLL
        for (offset word = first / warp_size + lane_index(); word * warp_size <= last; word += warp_size) {
            auto const behind = static_cast<int>(gpu::at_most(last - word * warp_size, warp_size - 1));
            any = any || words[word] << (warp_size - 1 - behind) != 0;
        }
        return any_lane(any);
    }
};

/// What precedes a block, and the number of runs.
struct runs_of_all {
    runs_before before_block;
    offset number;
};

/// Returns what precedes the parts of this block, and how many runs there are. Block 0 writes that number, unless it is
/// there: `is_counted`. All threads take part, with as many blocks as have marked the runs.
template <int threads>
TILEWISE_DEVICE runs_of_all sum_blocks(run_marks const& marks, bool is_counted = false)
{
    constexpr int warps = threads / warp_size;
    using per_warp = registers<runs_of_all, warps>;
    TILEWISE_SHARED(shared, per_warp);
    runs_of_all sum = {{0, -1}, -1};   // the last run is behind the keys
    int const own_warp = warp_index(); // all lanes take part
    runs_before before = {0, -1};
    offset runs = 0;
    constexpr int batch = 4; // loads in flight
    TILEWISE_NO_UNROLL
    for (int begin = thread_index(); begin < block_count(); begin += batch * threads) {
        registers<runs_before, batch> loaded;
        TILEWISE_UNROLL
        for (int i = 0; i < batch; ++i)
            gpu::put(loaded[i],
                     begin + i * threads < block_count() ? marks.of_blocks[begin + i * threads] : runs_before{0, -1});
        TILEWISE_UNROLL
        for (int i = 0; i < batch; ++i) {
            runs_before const other(loaded[i]);
            runs += other.runs;
            if (begin + i * threads < block_index())
                before = gpu::after(before, other);
        }
    }
    TILEWISE_UNROLL
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
        before = gpu::after(before, gpu::shuffle_down(before, distance));
        runs += gpu::shuffle_down(runs, distance);
    }
    if (lane_index() == 0)
        gpu::put(shared[own_warp], runs_of_all{before, runs});
    sync_block();
    TILEWISE_UNROLL
    for (int warp = 0; warp < warps; ++warp) {
        runs_of_all const other(shared[warp]);
        sum = {gpu::after(sum.before_block, other.before_block), sum.number + other.number};
    }
    if (!is_counted && block_index() == 0 && thread_index() == 0)
        marks.number.put(sum.number);
    return sum;
}

/// Marks the keys that begin a run. A key is compared with the one before it, which comes first.
template <class Keys, class Pred, class Tuning>
TILEWISE_KERNEL(Tuning::threads, 1)
mark_runs(Keys keys, Pred is_same, run_marks marks)
{
    constexpr int warps = Tuning::threads / warp_size;
    using per_warp = registers<runs_before, warps>;
    TILEWISE_SHARED(shared, per_warp);
    release_dependents();
    using Key = std::remove_cvref_t<decltype(gpu::key_at(keys, 0))>;
    constexpr int words = Tuning::words_at_once, last_lane = warp_size - 1;
    constexpr bool shuffles = calls_no_function<Keys> && sizeof(Key) <= vector_bytes; // others are read twice
    int const lane = lane_index(), warp = warp_index();
    offset const part = offset{block_index()} * warps + warp, first = part * marks.part_size, own_first = first + lane;
    int const size = part < marks.parts ? marks.part_size : 0;
    auto const left = static_cast<int>(gpu::at_most(marks.count - first, size + 1)); // of the keys
    unsigned* const to = marks.words + first / warp_size;
    Keys own_keys(keys);
    Pred own_pred(is_same);
    registers<Key, words> loaded;
    registers<Key, 1> before_row;          // of the last lane: the key before the row
    auto const load = [&](int i, int at) { // of a row in the part
        if constexpr (shuffles)
            if (at + lane < left)
                gpu::put(loaded[i], Key(own_keys.first[own_first + at]));
    };
    if constexpr (shuffles)
        if (lane == last_lane && first > 0 && size > 0)
            gpu::put(before_row[0], Key(own_keys.first[first - 1]));
    TILEWISE_UNROLL
    for (int i = 0; i < words; ++i)
        load(i, i * warp_size);
    runs_before own = {0, -1};
    // Marks the keys of some rows, and loads those behind them. `whole` says that all of these exist.
    auto const mark = [&]<bool whole>(std::bool_constant<whole>, int begin) {
        unsigned own_word = 0;
        TILEWISE_UNROLL
        for (int i = 0; i < words; ++i) {
            int const at = begin + i * warp_size;
            bool const exists = whole || at + lane < left, is_first = i == 0 && own_first + at == 0;
            bool begins = !whole && at + lane == left;
            if constexpr (shuffles) {
                Key const key(loaded[i]);
                Key const before = gpu::shuffle(gpu::select(lane == last_lane, Key(before_row[0]), key),
                                                (lane + last_lane) % warp_size);
                gpu::put(before_row[0], key);
                if constexpr (whole)
                    gpu::put(loaded[i], Key(own_keys.first[own_first + (at + words * warp_size)]));
                else if (at + words * warp_size < size)
                    load(i, at + words * warp_size);
                if (exists)
                    begins = is_first || !static_cast<bool>(own_pred(before, key));
            } else if (exists) {
                offset const index = own_first + at;
                begins = is_first ||
                         !static_cast<bool>(own_pred(gpu::key_at(own_keys, index - 1), gpu::key_at(own_keys, index)));
            }
            unsigned const word = warp_ballot(begins);
            own_word = lane == i ? word : own_word;
        }
        if (lane < words && (whole || begin + lane * warp_size < size)) {
            to[begin / warp_size + lane] = own_word;
            own.runs += count_bits(own_word);
            if (own_word != 0)
                own.last = first + begin + lane * warp_size + highest_bit(own_word);
        }
    };
    TILEWISE_NO_UNROLL
    for (int begin = 0; begin < size; begin += words * warp_size) {
        int const loaded_end = begin + 2 * words * warp_size;
        if (loaded_end <= left && loaded_end <= size)
            mark(std::true_type(), begin);
        else
            mark(std::false_type(), begin);
    }
    // Of the lanes, only the first ones have words, and their words of a row come after all words of the rows before.
    auto const runs = static_cast<offset>(warp_total(static_cast<unsigned>(own.runs)));
    int const last = warp_max(own.last < 0 ? -1 : static_cast<int>(own.last - first));
    if (lane == 0)
        gpu::put(shared[warp], runs_before{runs, last < 0 ? -1 : first + last});
    sync_block();
    if (warp == 0) {
        runs_before const up_to = gpu::up_to_lane(lane < warps ? runs_before(shared[lane]) : runs_before{0, -1}),
                          before = gpu::shuffle_up(up_to, 1);
        offset const own_part = part + lane;
        if (lane < warps && own_part < marks.parts)
            marks.of_parts[own_part] = lane > 0 ? before : runs_before{0, -1};
        if (lane == warps - 1)
            marks.of_blocks[block_index()] = up_to;
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
