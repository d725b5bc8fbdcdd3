// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The tiles of long segments, which the blocks of a single-pass scan share out by tickets.
///
/// Tickets are given to the tiles segment by segment. The tiles before a tile in its segment therefore have smaller
/// tickets, and the blocks that have these are already running, however many blocks are resident.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/carry.cuh>
#include <tilewise/device/scan/head.cuh>
#include <tilewise/device/scan/tiles_of_range.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A segment, and the ticket of its first tile.
struct ticketed_segment : segment_span {
    unsigned long long first;
};

/// The segments of a launch whose tiles have tickets, in the order of the tickets. How many there are is not known on
/// the host, which has not read the offsets: there is room for a certain number of segments and tiles. Once a segment
/// finds none left, neither do those behind it.
struct segment_tickets {
    unsigned long long*
        reserved; ///< 2^38 times the number of segments plus that of tiles, whether there is room or not
    ticketed_segment* list;
    unsigned long long most_segments, most_tiles;
    offset aligned_every; ///< segments that begin at multiples of this are aligned; none are if it is 0
    bool have_heads;      ///< whether tiles begin at the first aligned element of a segment, as integers are summed

    static constexpr int tile_bits = 38;

    /// Returns how many elements are before the first tile.
    TILEWISE_DEVICE int head_of(segment_span segment) const
    {
        return have_heads ? gpu::elements_before_aligned(segment, aligned_every) : 0;
    }
    template <class Order>
    TILEWISE_DEVICE unsigned long long tiles_of(segment_span segment) const
    {
        return static_cast<unsigned long long>(Order::tiles_before_last(segment.count - head_of(segment))) + 1;
    }

    /// Gives tickets to the tiles of the segments of those lanes that have `wanted` them. Returns whether there is
    /// room. All lanes take part.
    template <class Order>
    TILEWISE_DEVICE bool add(bool wanted, segment_span own) const
    {
        unsigned long long const tiles = wanted ? tiles_of<Order>(own) : 0;
        wanted = wanted && tiles <= most_tiles; // so that sums stay far below 2^38
        if (!any_lane(wanted))
            return false;
        unsigned long long const mine = wanted ? (1ull << tile_bits) + tiles : 0;
        unsigned long long end = mine; // with those of the lanes before
        TILEWISE_UNROLL
        for (int distance = 1; distance < warp_size; distance *= 2) {
            unsigned long long const before = gpu::shuffle_up(end, distance);
            end += lane_index() >= distance ? before : 0;
        }
        unsigned long long begin = 0;
        if (lane_index() == warp_size - 1)
            begin = fetch_add(reserved, end);
        begin = gpu::shuffle(begin, warp_size - 1) + end - mine;
        unsigned long long const index = begin >> tile_bits, first = begin & ((1ull << tile_bits) - 1);
        if (wanted && index < most_segments)
            list[index] = {own, first};
        return wanted && index < most_segments && first + tiles <= most_tiles;
    }

    /// How many segments are listed.
    TILEWISE_DEVICE int count() const
    {
        unsigned long long const all = *reserved >> tile_bits;
        return static_cast<int>(all < most_segments ? all : most_segments);
    }
};

/// A tile of a segment. (Not derived from `tile_number`: what is derived from this may then not use its padding, which
/// is copied, too.)
struct tile_of_segment {
    offset number;            ///< in its segment; `no_tile` after the last one of all
    offset begin;             ///< its first element
    offset left;              ///< the elements of the segment from there on
    unsigned long long first; ///< the ticket of the segment's first tile
    int head;                 ///< elements of the segment before its first tile, if it is that
    bool is_aligned;
};

/// The tiles of many segments, in the form of `tiles_of_range`. There is a status word for each ticket.
template <class Scan>
class tiles_of_segments {
public:
    using tile = tile_of_segment;
    static constexpr int producing_lanes = warp_size;
    static constexpr bool may_be_aligned = true;
    static constexpr bool may_have_head = Scan::sums_integers;
    /// Of an incomplete chunk. With 4, segments took up to 4 % longer, as the code is longer. With 2 of larger T, 96
    /// registers are too few: scans of 2x2 matrices took up to 30 % longer.
    static constexpr int rows_from_stage = std::min(sizeof(typename Scan::value) <= 8 ? 2 : 1, rows_at_once<Scan>);
    /// Scans of 2x2 matrices took 1 to 3 % longer if writers waited first.
    static constexpr bool reads_before_carry_in = sizeof(typename Scan::value) > 8;

    TILEWISE_DEVICE tiles_of_segments(segment_tickets const& segments, scan_status const& status)
        : segments_(segments), status_(status), count_(segments.count())
    {}

    /// How many segments have tickets.
    TILEWISE_DEVICE int segments() const { return count_; }

    TILEWISE_DEVICE void take() { ticket_ = static_cast<unsigned long long>(status_.take_tile()); }

    /// Loads consecutive segments, about as far behind the last one as the last two were apart. The block's next tile
    /// is most likely in one of these, which are then there as soon as the ticket is.
    TILEWISE_DEVICE void look_ahead()
    {
        guess_ = max_of(0, min_of(index_ + max_of(0, distance_ - windows * warp_size / 2), count_ - 1));
        TILEWISE_UNROLL
        for (int i = 0; i < windows; ++i)
            ahead_[i] = read(guess_ + i * warp_size + lane_index());
    }

    /// Returns the tile of the ticket of lane 0.
    TILEWISE_DEVICE tile find()
    {
        tile found = {};
        found.number = no_tile;
        if (count_ == 0)
            return found;
        unsigned long long const ticket = gpu::shuffle(ticket_, 0);
        ticketed_segment const segment = segment_of(ticket);
        unsigned long long const tiles = segments_.template tiles_of<typename Scan::order>(segment),
                                 number = ticket - segment.first;
        if (number < tiles && segment.first + tiles <= segments_.most_tiles) {
            int const head = may_have_head ? segments_.head_of(segment) : 0;
            found.number = static_cast<offset>(number);
            offset const before = head + found.number * Scan::tile;
            found.begin = segment.begin + before;
            found.left = segment.count - before;
            found.first = segment.first;
            found.head = number == 0 ? head : 0;
            found.is_aligned = gpu::is_aligned_at(segment.begin + head, segments_.aligned_every);
        }
        return found;
    }

    TILEWISE_DEVICE static head_of_range<Scan> head_of(tile const& of) { return {of.head}; }
    TILEWISE_DEVICE static offset begin(tile const& of) { return of.begin; }
    TILEWISE_DEVICE static offset left(tile const& of) { return of.left; }
    TILEWISE_DEVICE static bool is_aligned(tile const& of) { return of.is_aligned; }
    TILEWISE_DEVICE scan_status status_of(tile const& of) const
    {
        using T = typename Scan::value;
        auto const first = static_cast<offset>(of.first); // the groups of a segment are fewer than its tiles / 32
        return {{nullptr, 0},
                status_.tiles.template from<T>(first),
                status_.groups.template from<T>(first / Scan::geometry::tiles_per_group)};
    }
    TILEWISE_DEVICE bool begins_range(tile const& of)
    {
        bool const begins = of.first != last_first_;
        last_first_ = of.first;
        return begins;
    }

private:
    static constexpr int windows = 4; ///< of 32 segments, that are loaded ahead

    TILEWISE_DEVICE ticketed_segment read(int index) const
    {
        return index < count_ ? segments_.list[index] : ticketed_segment{};
    }
    /// Returns how many lanes have a segment, that of index `first + lane * step`, with tickets up to this one.
    TILEWISE_DEVICE static int count_up_to(unsigned long long ticket, ticketed_segment const& own, int first, int step,
                                           int end)
    {
        return count_bits(warp_ballot(first + lane_index() * step < end && own.first <= ticket));
    }

    /// Searches among the segments that have been loaded ahead, otherwise among those before or behind these.
    TILEWISE_DEVICE ticketed_segment segment_of(unsigned long long ticket)
    {
        int found = 0;
        TILEWISE_UNROLL
        for (int i = 0; i < windows; ++i)
            found += count_up_to(ticket, ahead_[i], guess_ + i * warp_size, 1, count_);
        bool const is_before = found == 0, is_behind = found == windows * warp_size;
        int first = is_before ? index_ : guess_ + found - 1, last = is_before ? guess_ : is_behind ? count_ : first + 1;
        ticketed_segment segment = ahead_[0];
        TILEWISE_UNROLL
        for (int i = 1; i < windows; ++i)
            if (found > i * warp_size)
                segment = ahead_[i];
        segment = gpu::shuffle(segment, (found + warp_size - 1) % warp_size);
        if (is_before || is_behind) {
            while (last - first > 1) {
                int const step = (last - first + warp_size - 1) / warp_size;
                int const narrowed =
                    count_up_to(ticket, read(min_of(first + lane_index() * step, last - 1)), first, step, last) - 1;
                first += narrowed * step;
                last = min_of(last, first + step);
            }
            segment = read(first);
        }
        distance_ = first - index_;
        index_ = first;
        return segment;
    }

    segment_tickets segments_;
    scan_status status_;
    int count_;

    /// @name Of the producer
    /// @{
    unsigned long long ticket_ = 0;
    int index_ = 0, distance_ = 0;               ///< of the segment of the last ticket, and from the one before it
    int guess_ = 0;                              ///< of the segments loaded ahead, the first one
    registers<ticketed_segment, windows> ahead_; ///< every 32nd of these
    /// @}
    unsigned long long last_first_ = 0; ///< of the carry-in warp
};

} // namespace gpu
TILEWISE_NAMESPACE_END
