// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reduction of less than a super-group in one launch, whose blocks pass aggregates through status words.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/carry.cuh>
#include <tilewise/device/block/status_words.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/reduce/one_tile.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Block 0 reduces the last tile, and block `b` subtree `b - 1`, of `iterations` work units per warp. The block that
/// starts last combines their aggregates: since all others have started, it may wait for them. Its ticket, which says
/// so, arrives while it reads.
///
/// The first three status words are those of `last_tile_ends`; those of the subtrees follow.
template <class Layout, access how, class Tuning, class View, class T, class Op, class Out>
TILEWISE_KERNEL(Tuning::threads, Tuning::blocks_per_multiprocessor)
reduce_in_one_launch(View view, offset count, int iterations, T init, Op op, Out out, ticket_counter tickets,
                     status_words status)
{
    using order = typename Layout::order;
    using geometry = typename Layout::geometry;
    using ends_type = last_tile_ends<T>;
    constexpr int shift = how == access::realigned && Layout::can_shift ? any_shift : no_shift;
    constexpr int warps = Tuning::threads / warp_size, rows = geometry::rows_per_chunk * geometry::chunks_per_tile;
    TILEWISE_SHARED(ends, ends_type);
    TILEWISE_SHARED(warp_aggregates, raw_storage<T[warps]>);
    TILEWISE_SHARED(group_aggregates, raw_storage<T[geometry::groups_per_super_group]>);
    TILEWISE_SHARED(is_last_to_start, bool);
    int const warp = warp_index(), lane = lane_index();
    unsigned long long ticket = 0;
    if (thread_index() == 0)
        ticket = tickets.take();

    offset const tiles = order::tiles_before_last(count);
    auto const last_count = static_cast<int>(count - tiles * order::tile);
    if (block_index() == 0) {
        gpu::block_last_tile<Layout, how, (rows + warps - 1) / warps, warps>(view, tiles * order::tile, last_count, op,
                                                                             ends);
        if (warp == 0 && lane < ends_type::count && ends_type::template has<order>(lane, last_count))
            status.publish(lane, T(ends.aggregates.object()[lane]));
    } else {
        offset const before = offset{block_index() - 1} * iterations * warps;
        T const aggregate = gpu::block_subtree<Layout, how, shift, Tuning::threads>(
            view, before * Layout::chunks * order::chunk, gpu::work_units_of<Layout>(tiles) - before, iterations, op,
            warp_aggregates.object());
        if (thread_index() == 0)
            status.publish(ends_type::count + block_index() - 1, aggregate);
    }
    if (thread_index() == 0)
        is_last_to_start = ticket == tickets.before + static_cast<unsigned>(block_count() - 1);
    sync_block();
    if (!is_last_to_start)
        return;

    // groups: a warp combines one partial result per lane; another one gets the ends of the last tile
    int const partials = block_count() - 1;
    int const tiles_per_partial = iterations * warps * Layout::chunks / geometry::chunks_per_tile,
              partials_per_group = geometry::tiles_per_group / tiles_per_partial;
    for (int first = warp * warp_size; first < partials; first += Tuning::threads) {
        int const own = first + lane;
        T const partial = gpu::polled<T, false>(status, ends_type::count + own, own < partials);
        T const aggregate = gpu::warp_tree_of_segments(op, partial, partials_per_group, partials - first);
        if (own < partials && own % partials_per_group == 0)
            gpu::put(group_aggregates.object()[own / partials_per_group], aggregate);
    }
    if (warp == warps - 1) {
        bool const has_end = lane < ends_type::count && ends_type::template has<order>(lane, last_count);
        T const end = gpu::polled<T, false>(status, lane, has_end);
        if (has_end)
            gpu::put(ends.aggregates.object()[lane], end);
    }
    sync_block();
    if (warp > 0)
        return;

    // the tree over the complete groups, then that over the tiles after them
    auto const groups = static_cast<int>(tiles / geometry::tiles_per_group);
    auto carry = gpu::no_value<T>();
    carry.append(op, init);
    if (groups > 0)
        gpu::append_tree<geometry::groups_per_super_group>(
            op, carry, T(group_aggregates.object()[min_of(lane, groups - 1)]), groups);
    if (lane == 0) {
        if (tiles % geometry::tiles_per_group != 0)
            carry.append(op, T(group_aggregates.object()[groups]));
        gpu::write_result(out, gpu::append_last_tile<order>(ends, last_count, T(carry.value[0]), op));
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
