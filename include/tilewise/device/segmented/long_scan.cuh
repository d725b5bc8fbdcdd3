// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Scans of segments of more than a chunk. A block scans a segment of up to a tile. Longer ones are scanned in a single
/// pass. Where that is not supported, a block scans a segment of a few tiles, tile by tile, and a longer one is split
/// into groups: blocks reduce the groups, one block finds their exclusive prefixes, and then blocks scan the groups.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/carry.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/scan/tile_per_block.cuh>
#include <tilewise/device/segmented/long.cuh>
#include <tilewise/device/segmented/rows.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/segmented/split.cuh>
#include <tilewise/device/segmented/tickets.cuh>
#include <tilewise/device/segmented/work.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The parts of a segment that is scanned: groups. Their aggregates are followed by those of whole units of further
/// levels.
template <class Order, class Tuning>
struct parts_of_scan {
    static constexpr offset least_tiles = Order::geometry::tiles_per_group;
    static constexpr int without_ticket = 0;
    template <class T>
    struct aggregates_of {
        T *values, *prefixes; ///< of the groups, for which there is as much room
    };

    TILEWISE_DEVICE static int log2_unit(offset) { return Order::log2_tiles(1); }
    TILEWISE_DEVICE static offset groups(offset tiles) { return tiles >> Order::log2_tiles(1); }
    TILEWISE_DEVICE static offset aggregates(offset tiles, int)
    {
        offset further = 0;
        for (int level = 2; level < Order::digits(tiles); ++level)
            further += tiles >> Order::log2_tiles(level);
        return groups(tiles) + (further > 0 ? further : 1); // as many as there are prefixes, at least
    }
};

/// Where segments of more than a tile are listed that no single block scans.
template <class Order, class Split>
struct long_segments {
    bool in_one_pass;
    offset least;            ///< how long those are at least that are scanned in one pass
    segment_tickets tickets; ///< if so
    Split split;             ///< otherwise

    /// Adds the segments of those lanes that have a long one. Returns whether there was room. All lanes take part.
    TILEWISE_DEVICE bool add(bool is_long, unsigned number, segment_span own) const
    {
        if (in_one_pass)
            return tickets.add<Order>(is_long && own.count >= least, own);
        return is_long && split.add(number, Order::tiles_before_last(own.count));
    }
};

/// Scans the tiles from `first` up to `last` of a segment with a block, onto `carry`. The first one begins the segment
/// or a group.
template <class Segmented>
TILEWISE_DEVICE void block_scan_tiles(typename Segmented::view const& view, typename Segmented::results const& results,
                                      segment_span segment, offset index, offset first, offset last,
                                      typename Segmented::op& op,
                                      optional_value<typename Segmented::value> const& carry)
{
    using Scan = typename Segmented::scan;
    using T = typename Scan::value;
    auto const from = view.from(segment.begin);
    auto const to = results.of(index, segment);
    running_carry<typename Scan::order, T, 0, 2> tiles;
    TILEWISE_NO_UNROLL
    for (offset tile = first; tile <= last; ++tile) {
        gpu::block_scan_any_tile<Scan, segment_access<Scan>, Scan::unaligned_output>(
            from, to, tile, segment.count, op, [&](T const& aggregate) {
                optional_value<T> const before = tiles.before_next(op, carry);
                if (tile < last)
                    tiles.append(op, aggregate);
                return before;
            });
        sync_block();
    }
}

/// Reduces the groups of the segments that are split.
template <class Segmented, int threads, int blocks_per_multiprocessor, class Split>
TILEWISE_KERNEL(threads, blocks_per_multiprocessor)
reduce_groups_of_segments(typename Segmented::view view, typename Segmented::segments segments, offset first,
                          typename Segmented::op op, Split split)
{
    using tiles_of = segment_tiles<Segmented, threads>;
    using T = typename Segmented::value;
    using order = typename Segmented::scan::order;
    constexpr int log2_group = order::log2_tiles(1);
    unsigned long long const aggregates = split.ticket_count();
    for (unsigned long long i = block_index(); i < aggregates; i += block_count()) {
        split_segment const part = split.list[split.place_of(i)];
        segment_span const segment = segments.at(first + part.number);
        auto const group = static_cast<offset>(i - part.first);
        if (group >= Split::parts::groups(order::tiles_before_last(segment.count)))
            continue;
        auto from = view.part(segment.begin, segment.count);
        T const aggregate = tiles_of::reduce(from, group << log2_group, log2_group, op);
        if (thread_index() == 0)
            gpu::put(split.aggregates.values[i], aggregate);
    }
}

/// Finds the exclusive prefixes of the groups of the segments that are split, one with each block.
template <class Segmented, int threads, class Split>
TILEWISE_KERNEL(threads, 1)
carry_groups_of_segments(typename Segmented::segments segments, offset first, initial<typename Segmented::value> init,
                         typename Segmented::op op, Split split)
{
    using T = typename Segmented::value;
    using order = typename Segmented::scan::order;
    for (int index = block_index(); index < split.count(); index += block_count()) {
        split_segment const part = split.list[index];
        if (!split.has_room(part))
            return;
        offset const tiles = order::tiles_before_last(segments.at(first + part.number).count);
        T* const aggregates = split.aggregates.values + part.first;
        gpu::block_carry_groups<order, threads>(static_cast<T const*>(nullptr), tiles, 0, tiles, 2, init.get(), op,
                                                aggregates, split.aggregates.prefixes + part.first);
        sync_block();
    }
}

/// Scans the listed segments, and the groups of those that are split, which come first. If it is announced how many are
/// `listed`, none are split, the lists are complete then, and there is more than one block.
template <class Segmented, class Split>
TILEWISE_KERNEL(Segmented::scan::threads, 2)
scan_long_segments(typename Segmented::view view, typename Segmented::results results,
                   typename Segmented::segments segments, offset first, initial<typename Segmented::value> init,
                   typename Segmented::op op, listed_segments longer, Split split, announced_count listed)
{
    using T = typename Segmented::value;
    using order = typename Segmented::scan::order;
    constexpr int log2_group = order::log2_tiles(1);
    TILEWISE_SHARED(ticket, unsigned long long);
    offset const announced = listed.of_block_acquire();
    bool const is_announced = announced != announced_count::unknown;
    if (announced == 0 || (is_announced && block_index() == 0)) // as in `awaited_lists`
        return gpu::end_after_primary();
    if (!is_announced)
        wait_for_primary();
    unsigned long long const parts = is_announced ? 0 : split.ticket_count(),
                             work = is_announced ? static_cast<unsigned long long>(announced) : parts + *longer.found;
    for (;;) {
        if (thread_index() == 0)
            ticket = next_ticket(longer.taken);
        sync_block();
        unsigned long long const own = ticket;
        if (own >= work)
            return;
        if (own >= parts) {
            offset const index = first + longer[own - parts];
            segment_span const segment = segments.at(index);
            gpu::block_scan_tiles<Segmented>(view, results, segment, index, 0, order::tiles_before_last(segment.count),
                                             op, init.get()); // ends with a barrier
        } else {
            split_segment const part = split.list[split.place_of(own)];
            offset const index = first + part.number;
            segment_span const segment = segments.at(index);
            offset const tiles = order::tiles_before_last(segment.count), group = static_cast<offset>(own - part.first),
                         begin = group << log2_group, end = begin + (offset{1} << log2_group) - 1;
            if (begin <= tiles) {
                optional_value<T> carry = gpu::no_value<T>();
                if (init.has_value || group > 0)
                    carry.append(op, T(split.aggregates.prefixes[own]));
                gpu::block_scan_tiles<Segmented>(view, results, segment, index, begin, end < tiles ? end : tiles, op,
                                                 carry);
            } else {
                sync_block(); // before the next ticket
            }
        }
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
