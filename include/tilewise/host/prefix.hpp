// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Computes the exclusive prefixes of consecutive elements in the shapes of the order, on one thread: the units before
/// an element are appended one after another. Values are copied, never assigned, and need no default constructor.

#include <tilewise/core/config.hpp>
#include <tilewise/host/fold.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Returns `op(left, right)` as a T. The operands keep their values.
template <class T, class Op>
TILEWISE_INLINE T combine_copies(Op& op, T const& left, T const& right)
{
    if constexpr (std::is_invocable_v<Op&, T const&, T const&>)
        return static_cast<T>(op(left, right));
    else
        return host::combine<T>(op, T(left), T(right));
}

/// The same for operands that may have no value.
template <class T, class Op>
TILEWISE_INLINE std::optional<T> combine_copies(Op& op, std::optional<T> const& left, std::optional<T> const& right)
{
    if (!left)
        return right;
    if (!right)
        return left;
    return host::combine_copies<T>(op, *left, *right);
}

/// A doubling (Kogge-Stone) scan of `width` values, one value at a time. `width` is a power of two.
template <class T, int width>
class doubling_scan {
public:
    /// Appends a value, and returns the right-aligned tree of all values so far.
    template <class Op>
    TILEWISE_INLINE T push(Op& op, T value)
    {
        std::optional<T> aggregate(std::move(value));
        for (int distance = 1; distance < width; distance *= 2) {
            std::optional<T>& before = seen_[distance - 1 + position_ % distance];
            if (position_ < distance) {
                before.emplace(*aggregate);
            } else {
                T longer = host::combine_copies<T>(op, *before, *aggregate);
                before.emplace(std::move(*aggregate));
                aggregate.emplace(std::move(longer));
            }
        }
        ++position_;
        return std::move(*aggregate);
    }

private:
    std::optional<T> seen_[static_cast<std::size_t>(
        width)]; ///< from index `distance - 1`: the last `distance` aggregates of up to `distance` values
    int position_ = 0;
};

/// The exclusive prefix of a tile, P(t), while tiles are appended: a complete binary tree for every bit that is set in
/// their number.
template <class Order, class T>
class carry {
public:
    explicit carry(std::optional<T> init) : init_(std::move(init)) {}

    /// Allocates memory for so many tiles.
    void reserve(offset tiles) { trees_.reserve(std::bit_width(static_cast<std::size_t>(tiles))); }
    /// Sets the init of a carry that has no tiles.
    void start_after(std::optional<T> const& init)
    {
        init_.reset();
        if (init)
            init_.emplace(*init);
    }

    /// Returns the exclusive prefix of the next tile. Combines the trees within a digit from right to left, the digits
    /// from left to right.
    template <class Op>
    std::optional<T> before_next(Op& op) const
    {
        std::optional<T> prefix(init_);
        for (int level = Order::digits(tiles_) - 1; level >= 0; --level) {
            std::optional<T> units;
            for (int bit = Order::log2_tiles(level); bit < Order::log2_tiles(level + 1); ++bit)
                if (has_tree(bit) && units)
                    units.emplace(host::combine_copies<T>(op, *tree(bit), *units));
                else if (has_tree(bit))
                    units.emplace(*tree(bit));
            if (units)
                host::append<T>(op, prefix, std::move(*units));
        }
        return prefix;
    }

    /// Appends a complete binary tree of 2^bit tiles. The number of tiles so far is a multiple of 2^bit.
    template <class Op>
    void append(Op& op, T aggregate, int bit = 0)
    {
        offset const tiles = tiles_ + (offset{1} << bit);
        std::optional<T> units(std::move(aggregate));
        for (; has_tree(bit); ++bit) {
            units.emplace(host::combine<T>(op, std::move(*tree(bit)), std::move(*units)));
            tree(bit).reset();
        }
        while (static_cast<std::size_t>(bit) >= trees_.size())
            trees_.emplace_back();
        tree(bit).emplace(std::move(*units));
        tiles_ = tiles;
    }

private:
    bool has_tree(int bit) const { return bit < 63 && (tiles_ >> bit & 1) != 0; }
    std::optional<T>& tree(int bit) { return trees_[static_cast<std::size_t>(bit)]; }
    std::optional<T> const& tree(int bit) const { return trees_[static_cast<std::size_t>(bit)]; }

    std::optional<T> init_;
    std::vector<std::optional<T>> trees_; ///< one of 2^bit tiles for every bit that is set in `tiles_`
    offset tiles_ = 0;
};

/// The position of an element in its tile, and what precedes it there.
template <class Order, class T>
struct position_in_tile {
    offset index = 0;                                            ///< of the element
    doubling_scan<T, Order::geometry::chunks_per_tile> chunks{}; ///< the chunks before its chunk
    std::optional<T> chunk_prefix{};                             ///< their right-aligned tree
    std::optional<T> run{};                                      ///< the rows before its row in its chunk

    template <class Op>
    void append_chunk(Op& op, T aggregate)
    {
        T prefix = chunks.push(op, std::move(aggregate));
        chunk_prefix.emplace(std::move(prefix));
        run.reset();
    }
};

/// The position of an element in its row, and what precedes it there.
template <class Order, class T>
struct position_in_row {
    doubling_scan<T, Order::geometry::lanes_per_row> lanes{}; ///< the lane vectors before its lane vector
    std::optional<T> lane_prefix{};                           ///< their right-aligned tree
    offset element = 0;                                       ///< its index in its lane vector
    std::optional<T> k{};                                     ///< the elements before it there, left to right

    template <class Op>
    void append_lane_vector(Op& op, T aggregate)
    {
        T prefix = lanes.push(op, std::move(aggregate));
        lane_prefix.emplace(std::move(prefix));
    }
    template <class Op>
    void append_element(Op& op, T value)
    {
        host::append<T>(op, k, std::move(value));
        ++element;
    }
};

} // namespace host
TILEWISE_NAMESPACE_END
