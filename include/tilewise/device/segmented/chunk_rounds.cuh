// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How a block reduces chunks of segments, in rounds.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/segmented/rows.cuh>
#include <tilewise/device/segmented/warp.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// How blocks reduce chunks of segments: up to those of a few tiles in a round. Each warp reduces some of them, and
/// after a barrier one warp combines their aggregates, while the others read the next ones.
template <class Segmented, int threads>
struct chunk_rounds {
    using Scan = typename Segmented::scan;
    using View = typename Scan::view;
    using T = typename Scan::value;
    using Op = typename Scan::op;
    using order = typename Scan::order;
    using layout = segment_layout<Scan>;
    static_assert(layout::chunks == 1, "a warp reads a chunk at a time");
    static constexpr int warps = threads / warp_size;
    /// The tiles of a round: 8, or less if large values have no room in shared memory, or if a group has less.
    static constexpr int log2_tiles = std::min(sizeof(T) <= 64 ? 3 : 0, order::group_bits);
    static constexpr int most = Scan::chunks << log2_tiles;

    /// The aggregates of a round: of the chunks, and, at the end of a segment, of the rows and lanes before the last
    /// element's lane vector, and of that.
    struct aggregates {
        raw_storage<T[most]> chunks;
        raw_storage<T[2]> last;
    };

    /// Reduces `chunks` chunks from `begin` on, and the `last` elements behind them, at most a chunk.
    TILEWISE_DEVICE static void reduce(View const& view, offset begin, int chunks, int last, Op& op, aggregates& to)
    {
        auto from = gpu::tile_in_memory<Scan, segment_access<Scan>>(view, begin, chunks * Scan::chunk + last);
        auto part = view.part(begin, chunks * Scan::chunk + last);
        TILEWISE_NO_UNROLL
        for (int chunk = chunks - (last == 0) - warp_index(); chunk >= 0; chunk -= warps) { // the last takes longest
            if (chunk < chunks) {
                T const aggregate = whole_chunk(from, part, chunk * Scan::chunk, op);
                if (lane_index() == 0)
                    gpu::put(to.chunks.object()[chunk], aggregate);
            } else {
                auto before = gpu::no_value<T>();
                T const elements = gpu::warp_last_chunk<Scan>(from, chunk * Scan::chunk, op, before);
                if (lane_index() == 0) {
                    if (before.has_value)
                        gpu::put(to.last.object()[0], T(before.value[0]));
                    gpu::put(to.last.object()[1], elements);
                }
            }
        }
    }

    /// Returns the aggregate of a chunk, in lane 0. 4-byte elements are read in rows of words, others in lane vectors.
    /// 2^26 elements, us in rows of words and in lane vectors: f32 in segments of 20000 81 and 83, f64 of exponential
    /// lengths around 20000 159 and 156, i8 of exponential lengths around 10^6 48 and 38 (H200, 2026-11-27).
    TILEWISE_DEVICE static T whole_chunk(tile_input<Scan>& from, View& part, int begin, Op& op)
    {
        if constexpr (layout::batched && View::element_alignment == 4)
            return gpu::warp_whole_chunk<Scan>(from, begin, op);
        else
            return gpu::warp_chunks<layout, access::elementwise, segment_shift<Scan>>(part, begin, op);
    }

    /// Returns the tree over the first `chunks` chunks, those of whole tiles; every lane has it. For one warp.
    TILEWISE_DEVICE static T tree(Op& op, aggregates& of, int chunks)
    {
        constexpr int each = (most + warp_size - 1) / warp_size; // of a lane
        registers<T, each> own;
        TILEWISE_UNROLL
        for (int i = 0; i < each; ++i)
            gpu::put(own[i], T(of.chunks.object()[gpu::min_of(lane_index() * each + i, chunks - 1)]));
        TILEWISE_UNROLL
        for (int distance = 1; distance < each; distance *= 2)
            TILEWISE_UNROLL
        for (int i = 0; i < each; i += 2 * distance)
            if (lane_index() * each + i + distance < chunks)
                gpu::put(own[i], gpu::combine(op, T(own[i]), T(own[i + distance])));
        return gpu::shuffle(gpu::warp_tree_of_valid(op, T(own[0]), (chunks + each - 1) / each), 0);
    }

    /// The three aggregates that make up the last tile of a segment: of the chunks before the last element's, of which
    /// there are `chunks` from `first` on, of the rows and lanes before its lane vector, and of that. For one warp;
    /// calls `append(i, aggregate)` for those that there are.
    template <class Append>
    TILEWISE_DEVICE static void append_last_tile(Op& op, aggregates& of, int first, int chunks, int last,
                                                 Append const& append)
    {
        if (chunks > 0) {
            T const own(of.chunks.object()[first + gpu::min_of(lane_index(), chunks - 1)]);
            append(0, gpu::shuffle(gpu::warp_right_aligned_trees<Scan::chunks>(op, own, chunks), chunks - 1));
        }
        auto const at = order::locate(last - 1);
        if (at.row > 0 || at.lane > 0)
            append(1, T(of.last.object()[0]));
        append(2, T(of.last.object()[1]));
    }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
