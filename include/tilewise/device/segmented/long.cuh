// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Segments of more than a chunk, each combined by a block, tile by tile.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/carry.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/carry.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/scan/tile_per_block.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/segmented/short.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Returns the aggregate of a complete tile in every thread of the block. Synchronise the block before the next call.
template <class Scan>
TILEWISE_DEVICE auto block_tile_total(typename Scan::view const& view, offset tile, typename Scan::op& op) ->
    typename Scan::value
{
    using T = typename Scan::value;
    TILEWISE_SHARED(chunk_aggregates, raw_storage<T[Scan::chunks]>);
    int const warp = warp_index();
    auto from = gpu::tile_in_memory<Scan, access::elementwise>(view, tile * Scan::tile, Scan::tile);
    T const total = gpu::chunk_total<Scan, true, access::elementwise, memory::global>(from, warp * Scan::chunk, op);
    if (lane_index() == 0)
        gpu::put(chunk_aggregates.object()[warp], total);
    sync_block();
    T const own(chunk_aggregates.object()[gpu::min_of(lane_index(), Scan::chunks - 1)]);
    return gpu::shuffle(gpu::warp_tree_of_valid<1, Scan::chunks>(op, own, Scan::chunks), 0);
}

/// Scans a segment with a block.
template <class Segmented>
TILEWISE_DEVICE void block_scan_segment(typename Segmented::view const& view,
                                        typename Segmented::results const& results, segment_span segment, offset index,
                                        typename Segmented::op& op, maybe<typename Segmented::value> const& init)
{
    using Scan = typename Segmented::scan;
    using T = typename Scan::value;
    auto const from = view.from(segment.begin);
    auto const to = results.of(index, segment);
    offset const last = (segment.count - 1) / Scan::tile;
    running_carry<typename Scan::order, T, 0, 2> carry;
    TILEWISE_NO_UNROLL
    for (offset tile = 0; tile <= last; ++tile) {
        gpu::block_scan_any_tile<Scan, access::elementwise, access::elementwise>(
            from, to, tile, segment.count, op, [&](T const& total) {
                maybe<T> const before = carry.before_next(op, init);
                if (tile < last)
                    carry.append(op, total);
                return before;
            });
        sync_block();
    }
}

/// Scans each listed segment, with one block per segment.
template <class Segmented>
TILEWISE_KERNEL(Segmented::scan::threads, 1)
scan_long_segments(typename Segmented::view view, typename Segmented::results results,
                   typename Segmented::segments segments, offset first, initial<typename Segmented::value> init,
                   typename Segmented::op op, long_segments longer)
{
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
        gpu::block_scan_segment<Segmented>(view, results, segments.at(index), index, op,
                                           init.get()); // ends with a barrier
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
