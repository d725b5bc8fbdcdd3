// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Represents a part of a range by a few dozen values: the aggregates of the largest units of the order that lie in it.
///
/// Values are combined only as the order combines them. So adjacent parts can be joined in any grouping with the same
/// bits, for any operator, and the exclusive prefix of an element can be formed from them.

#include <tilewise/core/config.hpp>
#include <tilewise/host/fold.hpp>
#include <tilewise/host/prefix.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// The units of the order by size: an element, a lane vector, a row, a chunk, a tile, then pairs of the unit below
/// without end. Each size divides the next.
template <class Order>
struct unit {
    static constexpr int element = 0, lane_vector = 1, row = 2, chunk = 3, tile = 4;

    /// Returns the number of elements in a unit of a level.
    static constexpr offset size(int level)
    {
        constexpr offset parts_of_tile[] = {1, Order::lane_vector, Order::row, Order::chunk};
        return level < tile ? parts_of_tile[level] : Order::tile << (level - tile);
    }
    /// Returns the level of the largest unit that begins at `begin` and ends at or before `end`. `begin` is below
    /// `end`.
    static constexpr int largest(offset begin, offset end)
    {
        int level = element;
        for (int larger = element + 1; larger < levels && fits(larger, begin, end); ++larger)
            level = larger;
        return level;
    }
    /// Calls `visit(level)` for the largest units in [begin, end), from left to right.
    template <class Visit>
    static constexpr void for_each(offset begin, offset end, Visit visit)
    {
        while (begin < end) {
            int const level = largest(begin, end);
            visit(level);
            begin += size(level);
        }
    }
    /// Returns the number of the largest units in [begin, end).
    static constexpr offset count(offset begin, offset end)
    {
        offset units = 0;
        for_each(begin, end, [&](int) { ++units; });
        return units;
    }

    /// Returns an upper bound of the number of the largest units in any part of a range of `count` elements.
    static constexpr offset most(offset count)
    {
        offset units = 1;
        for (int level = element; level < levels && size(level) <= count; ++level)
            units += 2 * (level < tile ? size(level + 1) / size(level) : 1);
        return units;
    }

private:
    static constexpr int levels = tile + 63 - std::bit_width(static_cast<std::size_t>(Order::tile));
    static constexpr bool fits(int level, offset begin, offset end)
    {
        return begin % size(level) == 0 && size(level) <= end - begin;
    }
};

/// The aggregates of the largest units in [begin, end), from left to right.
template <class Order, class T>
class fragment {
public:
    /// Creates an empty fragment at a position.
    explicit fragment(offset at) : begin_(at), end_(at) {}

    offset begin() const { return begin_; }
    offset end() const { return end_; }

    /// Allocates memory for so many aggregates.
    void reserve(offset aggregates) { aggregates_.reserve(static_cast<std::size_t>(aggregates)); }
    /// Removes all aggregates, and begins at another position. Keeps the memory.
    void clear(offset at)
    {
        begin_ = end_ = at;
        aggregates_.clear();
    }
    /// Copies another fragment. Keeps the memory.
    void assign(fragment const& other)
    {
        clear(other.begin_);
        end_ = other.end_;
        for (T const& aggregate : other.aggregates_)
            aggregates_.push_back(aggregate);
    }

    /// Appends the aggregate of the unit of `level` that begins at end(). Larger units that it completes replace their
    /// parts.
    template <class Op>
    void append(Op& op, int level, T aggregate)
    {
        aggregates_.push_back(std::move(aggregate));
        end_ += unit<Order>::size(level);
        for (; completes(level + 1); ++level) {
            offset const parts = unit<Order>::size(level + 1) / unit<Order>::size(level);
            auto const first = aggregates_.end() - parts;
            auto next = [part = first]() mutable -> T { return std::move(*part++); };
            bool const left_to_right = level == unit<Order>::element || level == unit<Order>::row;
            T whole = left_to_right ? host::fold<T>(op, static_cast<int>(parts), next) : host::tree<T>(op, parts, next);
            for (offset part = 0; part < parts; ++part)
                aggregates_.pop_back();
            aggregates_.push_back(std::move(whole));
        }
    }
    /// Appends the part [end(), end). `next()` returns the aggregates of its largest units from left to right.
    template <class Op, class Next>
    void append_part(Op& op, offset end, Next&& next)
    {
        unit<Order>::for_each(end_, end, [&](int level) { append(op, level, next()); });
    }

    std::vector<T> const& aggregates() const { return aggregates_; }

private:
    /// Returns whether a unit of `level` ends at end() and lies in this fragment as a whole.
    bool completes(int level) const
    {
        offset const size = unit<Order>::size(level);
        return end_ % size == 0 && end_ - size >= begin_;
    }

    offset begin_, end_;
    std::vector<T> aggregates_; ///< their levels follow from `begin_` and `end_`
};

/// The state of a scan before an element: what precedes the element, split into the units that the scan combines
/// separately.
template <class Order, class T>
struct entry {
    carry<Order, T> tiles;              ///< init and the tiles before its tile
    position_in_tile<Order, T> in_tile; ///< the chunks of its tile and the rows of its chunk before it
    position_in_row<Order, T> in_row;   ///< the lane vectors of its row and the elements of its lane vector before it

    /// Creates the entry at the beginning of a range of at most `count` elements, with all memory that it needs
    /// anywhere in it.
    explicit entry(offset count) : tiles(std::nullopt) { tiles.reserve(count / Order::tile); }

    /// Moves the entry from the beginning of the range to behind `init`, if it has a value, and `before`, which begins
    /// at 0.
    template <class Op>
    void move_behind(Op& op, std::optional<T> const& init, fragment<Order, T> const& before)
    {
        tiles.start_after(init);
        in_tile.index = before.end() % Order::tile;
        unit<Order>::for_each(0, before.end(), [&, next = before.aggregates().begin()](int level) mutable {
            T const& aggregate = *next++;
            if (level >= unit<Order>::tile)
                tiles.append(op, aggregate, level - unit<Order>::tile);
            else if (level == unit<Order>::chunk)
                in_tile.append_chunk(op, aggregate);
            else if (level == unit<Order>::row)
                host::append<T>(op, in_tile.run, aggregate);
            else if (level == unit<Order>::lane_vector)
                in_row.append_lane_vector(op, aggregate);
            else
                in_row.append_element(op, aggregate);
        });
    }

    /// Returns the reduction of the range that ends with this element, whose value is `last`.
    template <class Op>
    T reduced(Op& op, T last) const
    {
        auto const before_chunk = host::combine_copies<T>(op, tiles.before_next(op), in_tile.chunk_prefix);
        auto const before_lane_vector =
            host::combine_copies<T>(op, before_chunk, host::combine_copies<T>(op, in_tile.run, in_row.lane_prefix));
        return *host::combine_copies<T>(op, before_lane_vector,
                                        host::combine_copies<T>(op, in_row.k, std::optional<T>(std::move(last))));
    }
};

} // namespace host
TILEWISE_NAMESPACE_END
