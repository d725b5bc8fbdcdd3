// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Segments of up to a row, each combined by a few lanes, and of up to a chunk, each combined by a warp. Longer ones
/// are listed.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/carry.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The long segments of a launch: their indices in the launch, and how many of them have been found and taken.
struct long_segments {
    unsigned long long *found, *taken;
    unsigned* number;
};

/// Combines segments of up to a row. Each lane below `valid` has one segment in `own`, whose index is `first` plus the
/// lane's; empty segments are skipped. A lane combines a lane vector: as many consecutive segments at a time as have
/// 32 together, so that segments of different lengths leave few lanes idle.
template <class Segmented>
TILEWISE_DEVICE void warp_combine_short(typename Segmented::view const& view,
                                        typename Segmented::results const& results, segment_span own, offset first,
                                        int valid, typename Segmented::op& op,
                                        optional_value<typename Segmented::value> const& init)
{
    using Scan = typename Segmented::scan;
    using Sink = typename Scan::sink;
    using T = typename Scan::value;
    constexpr int N = Scan::lane_vector;
    int const count = static_cast<int>(own.count), lane = lane_index();
    int const vectors = lane < valid ? max_of((count + N - 1) / N, 1) : 0; // an empty one takes a lane, too
    int end = vectors;                                                     // of the segments up to this lane's
    TILEWISE_UNROLL
    for (int distance = 1; distance < warp_size; distance *= 2) {
        int const before = shuffle_up(end, distance);
        end += lane >= distance ? before : 0;
    }
    int done = 0;
    TILEWISE_NO_UNROLL
    for (int next = 0; next < valid;) {
        int const begin = end - vectors - done; // the lane at which this lane's segment begins
        bool const fits = lane >= next && lane < valid && end - done <= warp_size;
        unsigned const begins = warp_total(fits ? 1u << begin : 0);
        int const which = next + count_bits(begins & (~0u >> (warp_size - 1 - lane))) - 1;
        segment_span const segment = {shuffle(own.begin, which), shuffle(count, which)};
        int const lane_in_segment = lane - shuffle(begin, which), position = lane_in_segment * N;
        next += count_bits(begins);
        int const used = shuffle(end, next - 1) - done;
        done += used;
        int const left = lane < used ? static_cast<int>(segment.count) - position : 0;
        auto from = view.from(segment.begin);
        typename Scan::vector_size loaded;
        if (left > 0)
            loaded = from.template fetch_clamped<N>(position, segment.count - 1);

        registers<T, N> sums; // of the lane vector up to each element
        registers<T, 1> tree; // of the lanes up to this one
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i) {
            if (i < left) {
                T const element = gpu::operand<T, typename Scan::op>(from, loaded, i);
                gpu::put(tree[0], i == 0 ? element : gpu::combine(op, T(tree[0]), element));
                gpu::put(sums[i], tree[0]);
            }
        }
        TILEWISE_NO_UNROLL
        for (int distance = 1; any_lane(lane_in_segment >= distance && left > 0); distance *= 2) {
            T const before = gpu::shuffle_up(tree[0], distance);
            if (lane_in_segment >= distance && left > 0)
                gpu::put(tree[0], gpu::combine(op, before, T(tree[0])));
        }
        T const before = gpu::shuffle_up(tree[0], 1);
        if (left <= 0 || (Segmented::results::reduces && left > N))
            continue;
        optional_value<T> prefix(init);
        if (lane_in_segment > 0)
            prefix.append(op, before);
        registers<T, N> out;
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i) {
            bool const wanted = Segmented::results::reduces ? i + 1 == left : i < left;
            if (wanted && Scan::form == scan_form::inclusive)
                gpu::put(out[i], prefix.has_value ? gpu::combine(op, T(prefix.value[0]), T(sums[i])) : sums[i]);
            else if (wanted)
                gpu::put(out[i],
                         i > 0 ? gpu::combine(op, T(prefix.value[0]), T(sums[max_of(i - 1, 0)])) : prefix.value[0]);
        }
        Sink to = results.of(first + which, segment);
        to.store_some(position, Sink::pack(out), Segmented::results::reduces ? left - 1 : 0, left);
    }
}

/// Combines a segment of up to a chunk with a warp, row by row, while the next row is in flight.
template <class Segmented>
TILEWISE_DEVICE void warp_combine_rows(typename Segmented::view const& view, typename Segmented::results const& results,
                                       segment_span segment, offset index, typename Segmented::op& op,
                                       optional_value<typename Segmented::value> const& init)
{
    using Scan = typename Segmented::scan;
    constexpr access how = access::elementwise;
    int const count = static_cast<int>(segment.count);
    auto from = gpu::tile_in_memory<Scan, how>(view, segment.begin, count);
    auto to = results.of(index, segment);
    auto run = gpu::no_value<typename Scan::value>();
    registers<typename Scan::vector_size, 1> row, next;
    gpu::load_rows<Scan, false, how, memory::global>(from, 0, next);
    TILEWISE_NO_UNROLL
    for (int begin = 0; begin < count; begin += Scan::row) {
        row = next;
        if (begin + Scan::row < count)
            gpu::load_rows<Scan, false, how, memory::global>(from, begin + Scan::row, next);
        rows_in_registers<Scan, false, 1> sums;
        sums.scan(row, from.all, op, count - begin, run);
        sums.template write<how>(to, from.all, op, begin, count - begin, init);
    }
}

/// Reduces a segment of up to a tile with a warp, chunk by chunk; the rows of a chunk are in flight at once.
template <class Segmented>
TILEWISE_DEVICE void warp_reduce_chunks(typename Segmented::view const& view,
                                        typename Segmented::results const& results, segment_span segment, offset index,
                                        typename Segmented::op& op,
                                        optional_value<typename Segmented::value> const& init)
{
    using Scan = typename Segmented::scan;
    using T = typename Scan::value;
    constexpr int N = Scan::lane_vector, rows = Scan::rows;
    constexpr access how = access::elementwise;
    int const count = static_cast<int>(segment.count), last = count - 1, chunks = last / Scan::chunk,
              first = chunks * Scan::chunk; // of the last chunk
    int const last_row = (last - first) / Scan::row, last_lane = last % Scan::row / N;
    auto from = gpu::tile_in_memory<Scan, how>(view, segment.begin, count);
    optional_value<T> carry(init);
    if (chunks > 0) {
        registers<T, 1> own_chunk; // of each lane
        TILEWISE_NO_UNROLL
        for (int i = 0; i < chunks; ++i) {
            T const next = gpu::chunk_aggregate<Scan, true, how, memory::global>(from, i * Scan::chunk, op);
            if (lane_index() == i || i == 0)
                gpu::put(own_chunk[0], next);
        }
        carry.append(
            op, gpu::shuffle(gpu::warp_right_aligned_trees<Scan::chunks>(op, T(own_chunk[0]), chunks), chunks - 1));
    }
    registers<typename Scan::vector_size, rows> loaded;
    gpu::load_rows<Scan, false, how, memory::global>(from, first, loaded);
    registers<T, rows> aggregate; // of the lane's vector in each row
    registers<T, 1> own;          // of that in the last row
    TILEWISE_UNROLL
    for (int row = 0; row < rows; ++row) {
        int const left = count - first - row * Scan::row - lane_index() * N;
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i)
            if (i < left) {
                T const element = gpu::operand<T, typename Scan::op>(from.all, loaded[row], i);
                gpu::put(aggregate[row], i == 0 ? element : gpu::combine(op, T(aggregate[row]), element));
            }
        if (row == 0 || row == last_row)
            gpu::put(own[0], aggregate[row]);
    }
    T const trees = gpu::warp_row_trees_of_valid<rows>(op, aggregate, last_row);
    auto before = gpu::no_value<T>(); // the last element's lane vector in the chunk
    TILEWISE_UNROLL
    for (int row = 0; row < rows; ++row) {
        T const tree = gpu::shuffle(trees, gpu::lane_of_row<rows>(row));
        if (row < last_row)
            before.append(op, tree);
    }
    T const lanes = gpu::shuffle(gpu::warp_right_aligned_trees(op, T(own[0]), last_lane), max_of(last_lane - 1, 0));
    if (last_lane > 0)
        before.append(op, lanes);
    if (before.has_value)
        carry.append(op, T(before.value[0]));
    carry.append(op, gpu::shuffle(own[0], last_lane));
    if (lane_index() == 0) {
        auto to = results.to;
        gpu::store_one(to, index, T(carry.value[0]));
    }
}

/// Combines the segments of up to a chunk among the `valid` segments from `first + done` on, at most one for each lane,
/// with a warp; of up to a tile if it `takes_tiles`. Lists the longer ones, if they are not split.
template <class Segmented, class Split>
TILEWISE_DEVICE void warp_combine_segments(typename Segmented::view const& view,
                                           typename Segmented::results const& results,
                                           typename Segmented::segments& segments, offset first, offset done, int valid,
                                           bool takes_tiles, optional_value<typename Segmented::value> const& init,
                                           typename Segmented::op& op, long_segments const& longer, Split const& split)
{
    using Scan = typename Segmented::scan;
    // of narrow accumulators all rows at once would take 239 registers
    constexpr bool reduces_chunks = Segmented::results::reduces && Scan::batched && Scan::has_wide_sums;
    int const lane = lane_index();
    first += done;
    segment_span own = {0, 0};
    if (lane < valid) {
        own = segments.at(first + lane);
        results.write_key(first + lane, own);
    }
    if (auto to = results.to; Segmented::results::reduces && lane < valid && own.count == 0)
        gpu::store_one(to, first + lane, init.value[0]);

    bool const fits_row = own.count <= Scan::row,
               fits_warp = own.count <= (reduces_chunks && takes_tiles ? Scan::tile : Scan::chunk);
    if (auto const number = static_cast<unsigned>(done + lane);
        !fits_warp && !split.add(number, Scan::order::tiles_before_last(own.count)))
        longer.number[next_ticket(longer.found)] = number;
    if (any_lane(fits_row && own.count > 0))
        gpu::warp_combine_short<Segmented>(view, results, {own.begin, fits_row ? own.count : 0}, first, valid, op,
                                           init);
    unsigned const with_rows = warp_ballot(!fits_row && fits_warp);
    TILEWISE_NO_UNROLL
    for (int i = 0; i < valid; ++i) {
        if ((with_rows >> i & 1) != 0) {
            segment_span const segment = {shuffle(own.begin, i), shuffle(own.count, i)};
            if constexpr (reduces_chunks)
                gpu::warp_reduce_chunks<Segmented>(view, results, segment, first + i, op, init);
            else
                gpu::warp_combine_rows<Segmented>(view, results, segment, first + i, op, init);
        }
    }
}

/// Combines the segments of up to a chunk among the `count` segments from `first` on, or of up to a tile if it
/// `takes_tiles`, and lists the longer ones, if they are not split. A warp takes `per_warp` segments.
template <class Segmented, int threads, class Split>
TILEWISE_KERNEL(threads, 1)
combine_short_segments(typename Segmented::view view, typename Segmented::results results,
                       typename Segmented::segments segments, offset first, offset count, int per_warp,
                       bool takes_tiles, initial<typename Segmented::value> init, typename Segmented::op op,
                       long_segments longer, Split split)
{
    offset const done = (offset{block_index()} * (threads / warp_size) + warp_index()) * per_warp;
    int const valid = static_cast<int>(at_most(count - done, per_warp));
    if (valid > 0)
        gpu::warp_combine_segments<Segmented>(view, results, segments, first, done, valid, takes_tiles, init.get(), op,
                                              longer, split);
}

/// Returns how many of `count` segments a warp takes: a power of two, so that at least so many warps get work.
TILEWISE_PORTABLE inline int segments_per_warp(offset count, offset warps_wanted)
{
    int each = 1;
    while (each < warp_size && count / warps_wanted >= 2 * each)
        each *= 2;
    return each;
}

/// The same for segments whose number is in memory of the device: at most `most`. Warps take segments until none are
/// left.
template <class Segmented, class Tuning, class Split>
TILEWISE_KERNEL(Tuning::threads, 1)
combine_short_runs(typename Segmented::view view, typename Segmented::results results,
                   typename Segmented::segments segments, offset first, offset most,
                   initial<typename Segmented::value> init, typename Segmented::op op, long_segments longer,
                   Split split)
{
    constexpr int warps = Tuning::threads / warp_size;
    offset const count = segments.existing(first, most);
    int const per_warp = gpu::segments_per_warp(count, Tuning::warps_wanted);
    bool const takes_tiles = count >= Tuning::least_tile_segments;
    TILEWISE_NO_UNROLL
    for (offset done = (offset{block_index()} * warps + warp_index()) * per_warp; done < count;
         done += offset{block_count()} * warps * per_warp)
        gpu::warp_combine_segments<Segmented>(view, results, segments, first, done,
                                              static_cast<int>(at_most(count - done, per_warp)), takes_tiles,
                                              init.get(), op, longer, split);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
