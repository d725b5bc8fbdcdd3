// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reduction of cells with more than a chunk of values, which are contiguous. `reduce_tiles_of_cells` spreads their
/// tiles over all blocks, however few cells there are. Then `combine_long_cells` combines the aggregates of a cell's
/// tiles with its last tile, in the order of combination.
///
/// The indices of the aggregates need no prefix sum: those of a cell begin at the first tile boundary that is not
/// before its first value. So no two cells share an index, and there are no more indices than tiles in all.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/carry.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/scan/tile_per_block.cuh>
#include <tilewise/device/segmented/long.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/segmented/short.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The index of the aggregate of a cell's first tile.
template <class Scan>
TILEWISE_DEVICE offset first_tile_aggregate(segment_span cell)
{
    return (cell.begin + Scan::tile - 1) / Scan::tile;
}

/// The number of tiles of a cell before its last one.
template <class Scan>
TILEWISE_DEVICE offset tiles_before_last(segment_span cell)
{
    return cell.count > 0 ? (cell.count - 1) / Scan::tile : 0;
}

/// Writes the aggregates of all tiles of each cell except its last one.
template <class Segmented>
TILEWISE_KERNEL(Segmented::scan::threads, 1)
reduce_tiles_of_cells(typename Segmented::view view, offset const* begins, offset cells, typename Segmented::op op,
                      typename Segmented::value* aggregates)
{
    using Scan = typename Segmented::scan;
    offset const elements = begins[cells];
    TILEWISE_NO_UNROLL
    for (offset index = block_index(); index * Scan::tile < elements; index += block_count()) {
        offset cell = 0, end = cells; // the last cell that begins at or before this tile boundary
        while (end - cell > 1) {
            offset const middle = cell + (end - cell) / 2;
            (begins[middle] <= index * Scan::tile ? cell : end) = middle;
        }
        segment_span const own = {begins[cell], begins[cell + 1] - begins[cell]};
        offset const tile = index - gpu::first_tile_aggregate<Scan>(own);
        if (tile < gpu::tiles_before_last<Scan>(own)) {
            auto const aggregate = gpu::block_tile_aggregate<Scan>(view.from(own.begin), tile, op);
            if (thread_index() == 0)
                gpu::put(aggregates[index], aggregate);
        }
        sync_block();
    }
}

/// Returns the exclusive prefix of the last tile of a cell, given the aggregates of the tiles before it, in every
/// thread of the block.
template <class Scan>
TILEWISE_DEVICE auto block_carry(typename Scan::value const* aggregates, offset tiles, typename Scan::op& op,
                                 optional_value<typename Scan::value> const& init)
    -> optional_value<typename Scan::value>
{
    using T = typename Scan::value;
    constexpr int group_size = Scan::geometry::tiles_per_group,
                  super_group_size = Scan::geometry::groups_per_super_group;
    constexpr offset super_group = offset{group_size} * super_group_size;
    TILEWISE_SHARED(group_aggregates, raw_storage<T[super_group_size]>);
    running_carry<typename Scan::order, T, Scan::order::log2_tiles(2)> whole_super_groups;
    TILEWISE_NO_UNROLL
    for (offset first = 0;; first += super_group) {
        int const tiles_in_round = static_cast<int>(at_most(tiles - first, super_group));
        int const groups = tiles_in_round / group_size, rest = tiles_in_round % group_size;
        for (int group = warp_index(); group < groups + (rest > 0); group += Scan::chunks) {
            int const valid = group < groups ? group_size : rest;
            T const own(aggregates[first + group * group_size + min_of(lane_index(), valid - 1)]);
            T const aggregate = gpu::warp_tree_of_valid<1, group_size>(op, own, valid);
            if (lane_index() == 0)
                gpu::put(group_aggregates.object()[group], aggregate);
        }
        sync_block();
        auto tree = gpu::no_value<T>();
        if (groups > 0)
            gpu::append_tree<super_group_size>(op, tree, T(group_aggregates.object()[min_of(lane_index(), groups - 1)]),
                                               groups);
        if (tiles_in_round == super_group) {
            whole_super_groups.append(op, T(tree.value[0]));
            sync_block();
            continue;
        }
        optional_value<T> carry = whole_super_groups.before_next(op, init);
        if (groups > 0)
            carry.append(op, T(tree.value[0]));
        if (rest > 0)
            carry.append(op, T(group_aggregates.object()[groups]));
        sync_block();
        return carry;
    }
}

/// Combines the values of each listed cell, with one block per cell.
template <class Segmented>
TILEWISE_KERNEL(Segmented::scan::threads, 1)
combine_long_cells(typename Segmented::view view, typename Segmented::results results,
                   typename Segmented::segments cells, offset first, initial<typename Segmented::value> init,
                   typename Segmented::op op, long_segments longer, typename Segmented::value const* aggregates)
{
    using Scan = typename Segmented::scan;
    TILEWISE_SHARED(ticket, unsigned long long);
    unsigned long long const found = *longer.found;
    for (;;) {
        if (thread_index() == 0)
            ticket = next_ticket(longer.taken);
        sync_block();
        unsigned long long const own = ticket;
        if (own >= found)
            return;
        offset const index = first + longer.number[own];
        segment_span const cell = cells.at(index);
        offset const last = gpu::tiles_before_last<Scan>(cell);
        auto const carry =
            gpu::block_carry<Scan>(aggregates + gpu::first_tile_aggregate<Scan>(cell), last, op, init.get());
        auto const from = view.from(cell.begin);
        auto const to = results.of(index, cell);
        gpu::block_scan_any_tile<Scan, access::elementwise, access::elementwise>(from, to, last, cell.count, op,
                                                                                 [&](auto const&) { return carry; });
        sync_block();
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
