// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How a block reduces whole tiles of a segment.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/carry.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/segmented/rows.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// How the blocks of a kernel reduce the tiles of segments. A view is that of a segment.
template <class Segmented, int threads>
struct segment_tiles {
    using Scan = typename Segmented::scan;
    using View = typename Scan::view;
    using T = typename Scan::value;
    using Op = typename Scan::op;
    using order = typename Scan::order;
    using layout = segment_layout<Scan>;
    static constexpr int warps = threads / warp_size;
    static constexpr int units_per_tile = Scan::chunks / layout::chunks;       ///< what a warp reads at once
    static constexpr int log2_most = gpu::log2_of(8 * warps / units_per_tile); ///< tiles at once
    static_assert(layout::chunks <= Scan::chunks, "a warp reads chunks of one tile at once");

    /// Reduces 2^log2_tiles tiles, at most 2^log2_most; every warp has the aggregate. The block is synchronised before
    /// the next call.
    TILEWISE_DEVICE static T reduce_some(View& view, offset tile, int log2_tiles, Op& op)
    {
        TILEWISE_SHARED(warp_aggregates, raw_storage<T[warps]>);
        int const units = units_per_tile << log2_tiles, iterations = (units + warps - 1) / warps;
        T const aggregate = gpu::block_subtree<layout, access::elementwise, segment_shift<Scan>, threads>(
            view, tile * Scan::tile, units, iterations, op, warp_aggregates.object());
        sync_block();
        return gpu::shuffle(aggregate, 0);
    }
    /// Reduces 2^log2_tiles tiles.
    TILEWISE_DEVICE static T reduce(View& view, offset tile, int log2_tiles, Op& op)
    {
        if (log2_tiles <= log2_most)
            return reduce_some(view, tile, log2_tiles, op);
        running_carry<order, T, log2_most, 2> trees;
        TILEWISE_NO_UNROLL
        for (offset i = 0; i < offset{1} << (log2_tiles - log2_most); ++i)
            trees.append(op, reduce_some(view, tile + (i << log2_most), log2_most, op));
        return trees.tree(log2_tiles - log2_most);
    }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
