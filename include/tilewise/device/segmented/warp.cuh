// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How a warp combines several segments of up to a row, with a lane for each lane vector, and reduces one of up to a
/// tile.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/carry.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/segmented/lane_vector.cuh>
#include <tilewise/device/segmented/rows.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/segmented/store_together.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Combines segments of up to a row. Each lane below `valid` has one in `own`, whose index is `first` plus the lane's;
/// empty ones are skipped. A lane takes a lane vector, of as many consecutive segments at a time as have 32 together,
/// so that segments of different lengths leave few lanes idle. `stage` is for results that are stored together.
template <class Segmented>
TILEWISE_DEVICE void warp_combine_short(typename Segmented::view const& view,
                                        typename Segmented::results const& results, segment_span own, offset first,
                                        int valid, typename Segmented::op& op,
                                        optional_value<typename Segmented::value> const& init, stage_of_warp* stage)
{
    using Scan = typename Segmented::scan;
    using View = typename Segmented::view;
    using T = typename Scan::value;
    constexpr int N = Scan::lane_vector;
    constexpr bool reduces = Segmented::results::reduces;
    int const count = static_cast<int>(own.count), lane = lane_index();
    int const vectors = lane < valid ? max_of((count + N - 1) / N, 1) : 0;            // an empty one takes a lane, too
    int const end = static_cast<int>(warp_sum_up_to(static_cast<unsigned>(vectors))); // of all segments up to this one
    struct lane_vectors {                 // of the segments that are combined at once
        int which, lane_in_segment, left; // the lane with the segment, and how many of its elements are left
        offset begin;
        lane_vector<Segmented> elements;
    };
    int const most_vectors = warp_max(vectors);
    [[maybe_unused]] bool stores_together = false;
    if constexpr (!reduces && are_stored_together<typename Scan::sink, N>)
        stores_together = static_cast<int>(warp_total(lane < valid ? static_cast<unsigned>(count) : 0)) >
                          gpu::shuffle(end, warp_size - 1) * least_mean_stored_together<N>;
    int next = 0, done = 0; // segments and lane vectors whose loads are in flight
    auto const load = [&](lane_vectors& now) {
        int const begin = end - vectors - done; // the lane at which this lane's segment begins
        bool const fits = lane >= next && lane < valid && end - done <= warp_size;
        unsigned const begins = warp_total(fits ? 1u << begin : 0);
        now.which = next + count_bits(begins & (~0u >> (31 - lane))) - 1;
        now.lane_in_segment = lane - gpu::shuffle(begin, now.which);
        now.begin = gpu::shuffle(own.begin, now.which) + now.lane_in_segment * N;
        now.left = gpu::shuffle(count, now.which) - now.lane_in_segment * N; // not above 0 behind the last segment
        next += count_bits(begins);
        done = shuffle(end, next - 1);
        if (now.left > 0)
            now.elements.load(view.from(now.begin), now.left);
    };
    // the registers of loads ahead cost a reduction of tiny segments a tenth of its speed; scans gain as much
    constexpr bool loads_ahead = !reduces;
    lane_vectors ahead;
    if constexpr (loads_ahead)
        load(ahead);
    TILEWISE_NO_UNROLL
    for (bool is_last = false; !is_last;) {
        if constexpr (!loads_ahead)
            load(ahead);
        lane_vectors now = ahead;
        is_last = next >= valid;
        if constexpr (loads_ahead)
            if (!is_last)
                load(ahead);

        int const lane_in_segment = now.lane_in_segment, left = now.left;
        bool const has_vector = left > 0;
        View from = view.from(now.begin);
        registers<T, 1> own_sum, tree; // of the lane vector; of the lanes up to this one
        if (has_vector) {
            gpu::put(own_sum[0], now.elements.aggregate(from, left, op));
            gpu::put(tree[0], own_sum[0]);
        }
        TILEWISE_UNROLL
        for (int distance = 1; distance < warp_size; distance *= 2) {
            if (distance >= most_vectors)
                break;
            T const before = gpu::shuffle_up(tree[0], distance);
            if (lane_in_segment >= distance && (accepts_any_operand<typename Scan::op, T> || has_vector))
                gpu::put(tree[0], gpu::combine(op, before, T(tree[0])));
        }
        T const before = gpu::shuffle_up(tree[0], 1);
        auto const prefix_of_lane = [&] {
            optional_value<T> prefix(init);
            if (lane_in_segment > 0)
                prefix.append(op, before);
            return prefix;
        };
        if constexpr (reduces) {
            if (!has_vector || left > N)
                continue;
            optional_value<T> prefix = prefix_of_lane();
            prefix.append(op, T(own_sum[0]));
            auto to = results.to;
            gpu::store_one(to, first + now.which, T(prefix.value[0]));
        } else {
            using Sink = typename Scan::sink;
            auto const results_of_lane = [&] { return now.elements.results(from, left, op, prefix_of_lane()); };
            if constexpr (are_stored_together<Sink, N>) {
                if (stores_together) {
                    registers<typename Sink::template vector<N>, 1> out;
                    if (has_vector)
                        gpu::put(out[0], results_of_lane());
                    gpu::store_together<N>(results.to, now.begin, left, out[0], *stage);
                    continue;
                }
            }
            if (has_vector) {
                Sink to = results.to.from(now.begin);
                to.store_some(0, results_of_lane(), 0, left);
            }
        }
    }
}

/// Returns the aggregates of the lane vectors of some rows.
template <class Scan, int rows>
TILEWISE_DEVICE auto lane_aggregates(tile_input<Scan>& from, registers<typename Scan::vector_size, rows> const& loaded,
                                     typename Scan::op& op) -> registers<typename Scan::value, rows>
{
    registers<typename Scan::value, rows> aggregate;
    TILEWISE_UNROLL
    for (int i = 0; i < rows; ++i)
        gpu::put(aggregate[i], gpu::load_aggregate<typename Scan::layout>(from.all, loaded[i], op));
    return aggregate;
}

/// Appends the aggregates of `rows` complete rows of a segment, from position `begin` on.
template <class Scan, int rows>
TILEWISE_DEVICE void warp_append_rows(tile_input<Scan>& from, int begin, typename Scan::op& op,
                                      optional_value<typename Scan::value>& before)
{
    using T = typename Scan::value;
    registers<typename Scan::vector_size, rows> loaded;
    gpu::load_rows<Scan, true, segment_access<Scan>, memory::global>(from, begin, loaded);
    T const trees = gpu::warp_row_trees<rows, warp_size>(op, gpu::lane_aggregates<Scan, rows>(from, loaded, op));
    TILEWISE_UNROLL
    for (int i = 0; i < rows; ++i)
        before.append(op, gpu::shuffle(trees, gpu::lane_of_row<rows>(i)));
}

/// The same for the first `valid` of `rows` rows, at least one. In place of the others, the last one is loaded again,
/// so that all loads are in flight at once.
template <class Scan, int rows>
TILEWISE_DEVICE void warp_append_valid_rows(tile_input<Scan>& from, int begin, int valid, typename Scan::op& op,
                                            optional_value<typename Scan::value>& before)
{
    using T = typename Scan::value;
    constexpr int N = Scan::lane_vector;
    registers<typename Scan::vector_size, rows> loaded;
    TILEWISE_UNROLL
    for (int i = 0; i < rows; ++i)
        loaded[i] = from.nearby.template fetch<segment_access<Scan>, N, memory::global>(
            begin + gpu::min_of(i, valid - 1) * Scan::row + lane_index() * N);
    T const trees = gpu::warp_row_trees_of_valid<rows>(op, gpu::lane_aggregates<Scan, rows>(from, loaded, op), valid);
    TILEWISE_UNROLL
    for (int i = 0; i < rows; ++i)
        if (i < valid)
            before.append(op, gpu::shuffle(trees, gpu::lane_of_row<rows>(i)));
}

/// Whether the complete rows of a last chunk are loaded at once, and not 4, 2 and 1 at a time. Larger accumulators
/// spill registers then, and realigned loads and functions take more instructions for rows that are loaded again.
template <class Scan>
inline constexpr bool loads_last_rows_at_once =
    Scan::batched && sizeof(typename Scan::value) <= 8 && segment_access<Scan> == access::elementwise &&
    calls_no_function<typename Scan::view>;

/// Reduces the last chunk of a segment, from position `begin` on, with a warp. Returns the aggregate of the last lane
/// vector; `before`, which has no value, becomes that of the rows and lanes before it.
template <class Scan>
TILEWISE_DEVICE auto warp_last_chunk(tile_input<Scan>& from, int begin, typename Scan::op& op,
                                     optional_value<typename Scan::value>& before) -> typename Scan::value
{
    using T = typename Scan::value;
    constexpr int N = Scan::lane_vector;
    int const count = from.count - begin, last = count - 1, last_row = last / Scan::row,
              last_lane = last % Scan::row / N;
    typename Scan::vector_size const ragged = from.all.template fetch_clamped<N>(
        begin + last_row * Scan::row + lane_index() * N, from.count - 1); // in flight meanwhile
    if constexpr (loads_last_rows_at_once<Scan>) {
        static_assert(Scan::rows <= 8);
        if (last_row > 4)
            gpu::warp_append_valid_rows<Scan, 8>(from, begin, last_row, op, before);
        else if (last_row > 2)
            gpu::warp_append_valid_rows<Scan, 4>(from, begin, last_row, op, before);
        else if (last_row == 2)
            gpu::warp_append_rows<Scan, 2>(from, begin, op, before);
        else if (last_row == 1)
            gpu::warp_append_rows<Scan, 1>(from, begin, op, before);
    } else if constexpr (Scan::batched) {
        int row = 0;
        TILEWISE_NO_UNROLL
        for (; row + 4 <= last_row; row += 4)
            gpu::warp_append_rows<Scan, 4>(from, begin + row * Scan::row, op, before);
        if ((last_row & 2) != 0)
            gpu::warp_append_rows<Scan, 2>(from, begin + row * Scan::row, op, before);
        if ((last_row & 1) != 0)
            gpu::warp_append_rows<Scan, 1>(from, begin + (last_row - 1) * Scan::row, op, before);
    } else {
        TILEWISE_NO_UNROLL
        for (int row = 0; row < last_row; ++row)
            gpu::warp_append_rows<Scan, 1>(from, begin + row * Scan::row, op, before);
    }
    int const left = count - last_row * Scan::row - lane_index() * N;
    registers<T, 1> own; // the lane vector
    TILEWISE_UNROLL
    for (int i = 0; i < N; ++i)
        if (i < left) {
            T const element = gpu::operand<T, typename Scan::op>(from.all, ragged, i);
            gpu::put(own[0], i == 0 ? element : gpu::combine(op, T(own[0]), element));
        }
    T const lanes = gpu::shuffle(gpu::warp_right_aligned_trees(op, T(own[0]), last_lane), max_of(last_lane - 1, 0));
    if (last_lane > 0)
        before.append(op, lanes);
    return gpu::shuffle(own[0], last_lane);
}

/// Returns the aggregate of the chunk of a segment that begins at position `begin`, in every lane.
template <class Scan>
TILEWISE_DEVICE auto warp_whole_chunk(tile_input<Scan>& from, int begin, typename Scan::op& op) -> typename Scan::value
{
    constexpr access how = segment_access<Scan>;
    if constexpr (how != access::realigned) {
        return gpu::chunk_aggregate<Scan, true, how, memory::global>(from, begin, op);
    } else { // all rows at once would take twice their registers
        constexpr int rows = rows_at_once<Scan>;
        auto run = gpu::no_value<typename Scan::value>();
        TILEWISE_NO_UNROLL
        for (int row = 0; row < Scan::rows; row += rows)
            gpu::warp_append_rows<Scan, rows>(from, begin + row * Scan::row, op, run);
        return run.value[0];
    }
}

/// Reduces a segment of up to a tile with a warp, chunk by chunk.
template <class Segmented>
TILEWISE_DEVICE void warp_reduce_chunks(typename Segmented::view const& view,
                                        typename Segmented::results const& results, segment_span segment, offset index,
                                        typename Segmented::op& op,
                                        optional_value<typename Segmented::value> const& init)
{
    using Scan = typename Segmented::scan;
    using T = typename Scan::value;
    int const count = static_cast<int>(segment.count), chunks = (count - 1) / Scan::chunk;
    auto from = gpu::tile_in_memory<Scan, segment_access<Scan>>(view, segment.begin, count);
    optional_value<T> carry(init);
    if (chunks > 0) {
        registers<T, 1> own_chunk; // of each lane
        TILEWISE_NO_UNROLL
        for (int i = 0; i < chunks; ++i) {
            T const next = gpu::warp_whole_chunk<Scan>(from, i * Scan::chunk, op);
            if (lane_index() == i || i == 0)
                gpu::put(own_chunk[0], next);
        }
        carry.append(
            op, gpu::shuffle(gpu::warp_right_aligned_trees<Scan::chunks>(op, T(own_chunk[0]), chunks), chunks - 1));
    }
    auto before = gpu::no_value<T>();
    T const elements = gpu::warp_last_chunk<Scan>(from, chunks * Scan::chunk, op, before);
    if (before.has_value)
        carry.append(op, T(before.value[0]));
    carry.append(op, elements);
    if (lane_index() == 0) {
        auto to = results.to;
        gpu::store_one(to, index, T(carry.value[0]));
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
