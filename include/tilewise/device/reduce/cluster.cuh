// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reduction of a few tiles by one thread-block cluster, whose blocks pass aggregates through distributed shared
/// memory.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/reduce/one_tile.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Reduces a range of at most as many tiles as the warps of a cluster can read at once: block 0 reads the last tile,
/// each other block a subtree.
template <class Layout, access how, int threads, class View, class T, class Op, class Out>
TILEWISE_KERNEL(threads, 1)
reduce_in_cluster(View view, offset count, T init, Op op, Out out)
{
    using order = typename Layout::order;
    using geometry = typename Layout::geometry;
    constexpr int warps = threads / warp_size, rows = geometry::rows_per_chunk * geometry::chunks_per_tile;
    constexpr int shift = how == access::realigned && Layout::can_shift ? any_shift : no_shift;
    constexpr int tiles_per_block = warps * Layout::chunks / geometry::chunks_per_tile;
    constexpr int blocks_per_group = geometry::tiles_per_group / tiles_per_block;
    TILEWISE_SHARED(ends, last_tile_ends<T>);
    TILEWISE_SHARED(warp_aggregates, raw_storage<T[warps]>);
    TILEWISE_SHARED(subtrees, raw_storage<T[warp_size]>);

    offset const tiles = order::tiles_before_last(count);
    int const last_count = static_cast<int>(count - tiles * order::tile);
    offset const before = offset{block_index() - 1} * warps, left = gpu::work_units_of<Layout>(tiles) - before;
    cluster_announce();
    if (block_index() == 0) {
        gpu::block_last_tile<Layout, how, rows / warps, warps>(view, tiles * order::tile, last_count, op, ends);
        cluster_wait();
    } else if (left > 0) {
        T const aggregate = gpu::block_subtree<Layout, how, shift, threads>(
            view, before * Layout::chunks * order::chunk, left, 1, op, warp_aggregates.object());
        cluster_wait();
        if (thread_index() == 0)
            gpu::store_in_block(0, &subtrees.object()[block_index() - 1], aggregate);
    } else {
        cluster_wait();
    }
    cluster_arrive();
    cluster_wait();
    if (block_index() != 0 || warp_index() != 0)
        return;

    // the aggregates of the groups, the tree over the complete groups, then the tree over the tiles after them
    int const used = static_cast<int>((tiles + tiles_per_block - 1) / tiles_per_block);
    int const groups = static_cast<int>(tiles / geometry::tiles_per_group);
    T const subtree(subtrees.object()[lane_index() < used ? lane_index() : 0]);
    T const group = gpu::warp_tree_of_segments(op, subtree, blocks_per_group, used);
    T const aggregate = gpu::warp_tree_of_valid<blocks_per_group>(op, group, groups * blocks_per_group);
    T const rest = gpu::shuffle(group, groups * blocks_per_group % warp_size);
    if (lane_index() == 0) {
        if (groups > 0)
            gpu::put(init, gpu::combine(op, init, aggregate));
        if (tiles % geometry::tiles_per_group != 0)
            gpu::put(init, gpu::combine(op, init, rest));
        gpu::write_result(out, gpu::append_last_tile<order>(ends, last_count, init, op));
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
