// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Segments that are split into parts, so that all blocks can work on them. How many parts there are is not known on
/// the host, which has not read the offsets: there is room for the aggregates of a certain number of them, and a
/// segment that finds none left is left to one block.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A segment that is split.
struct split_segment {
    unsigned number;          ///< its index in the launch
    int log2_unit;            ///< of the tiles of a part
    unsigned long long first; ///< where its aggregates begin
    unsigned tickets;         ///< how many parts blocks take
};

/// The segments of a launch that are split, and how many there are: 2^42 times their number plus the aggregates that
/// they have together, including those that there was no room for. `Parts` determines the parts of a segment: each has
/// a ticket and an aggregate, and the last one of a reduction `Parts::without_ticket` further aggregates.
template <class T, class Parts>
struct split_segments {
    using parts = Parts;

    unsigned long long* reserved;
    split_segment* list;
    typename Parts::template aggregates_of<T> aggregates;
    unsigned long long most_segments, most_aggregates;

    static constexpr int aggregate_bits = 42;
    static constexpr unsigned long long no_room = ~0ull >> 1; ///< in place of `first`; such segments come last

    /// Adds a segment with so many tiles before its last one. Returns false if it is too short, or if there is no room.
    TILEWISE_DEVICE bool add(unsigned number, offset tiles) const
    {
        if (tiles < Parts::least_tiles)
            return false;
        int const log2_unit = Parts::log2_unit(tiles);
        auto const count = static_cast<unsigned long long>(Parts::aggregates(tiles, log2_unit));
        unsigned long long const before = fetch_add(reserved, (1ull << aggregate_bits) + count);
        unsigned long long const index = before >> aggregate_bits, first = before & ((1ull << aggregate_bits) - 1);
        bool const fits = index < most_segments && first + count <= most_aggregates;
        if (index < most_segments)
            list[index] = entry(number, log2_unit, fits ? first : no_room, count);
        return fits;
    }
    TILEWISE_DEVICE static split_segment entry(unsigned number, int log2_unit, unsigned long long first,
                                               unsigned long long aggregates)
    {
        return {number, log2_unit, first, static_cast<unsigned>(aggregates - Parts::without_ticket)};
    }

    /// How many segments are listed, and how many tickets their parts have. If there was no room for some of them,
    /// there are more tickets, which belong to no part.
    TILEWISE_DEVICE int count() const { return static_cast<int>(least(*reserved >> aggregate_bits, most_segments)); }
    TILEWISE_DEVICE unsigned long long ticket_count() const
    {
        if (count() == 0 || !has_room(list[0]))
            return 0;
        unsigned long long const segments = *reserved >> aggregate_bits,
                                 wanted = *reserved & ((1ull << aggregate_bits) - 1);
        return least(wanted - Parts::without_ticket * segments, most_aggregates);
    }
    /// Whether there was room for a segment that is listed. There was none for those behind it either.
    TILEWISE_DEVICE bool has_room(split_segment const& segment) const { return segment.first != no_room; }
    /// The place in the list of the segment that a ticket belongs to, or else of the last one that there was room for.
    /// All lanes take part.
    TILEWISE_DEVICE int place_of(unsigned long long ticket) const
    {
        int first = 0, last = count();
        while (last - first > 1) {
            int const step = (last - first + warp_size - 1) / warp_size, own = first + lane_index() * step;
            first += (gpu::count_bits(gpu::warp_ballot(own < last && first_ticket(own) <= ticket)) - 1) * step;
            last = last < first + step ? last : first + step;
        }
        return first;
    }
    /// The first ticket of the segment at that place.
    TILEWISE_DEVICE unsigned long long first_ticket(int place) const
    {
        return list[place].first - Parts::without_ticket * static_cast<unsigned long long>(place);
    }

private:
    TILEWISE_DEVICE static unsigned long long least(unsigned long long a, unsigned long long b)
    {
        return a < b ? a : b;
    }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
