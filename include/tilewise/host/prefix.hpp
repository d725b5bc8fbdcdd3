// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The shapes of the order for all elements in turn, on one thread: what comes before an element, while the units
/// before it are appended one after another. Values are copied, never assigned, and need no default constructor.

#include <tilewise/core/config.hpp>
#include <tilewise/host/fold.hpp>
#include <tilewise/order.hpp>

#include <bit>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// `op(left, right)` as a T. The operands are needed again.
template <class T, class Op>
TILEWISE_INLINE T combine_copies(Op& op, T const& left, T const& right)
{
    if constexpr (std::is_invocable_v<Op&, T const&, T const&>)
        return static_cast<T>(op(left, right));
    else
        return host::combine<T>(op, T(left), T(right));
}

/// The same of operands that may be missing.
template <class T, class Op>
TILEWISE_INLINE std::optional<T> combine_copies(Op& op, std::optional<T> const& left, std::optional<T> const& right)
{
    if (!left)
        return right;
    if (!right)
        return left;
    return host::combine_copies<T>(op, *left, *right);
}

/// A doubling (Kogge-Stone) scan of `width` values, a power of two, one value at a time.
template <class T, int width>
class doubling_scan {
public:
    /// Appends a value, and returns the right-aligned tree of all so far.
    template <class Op>
    TILEWISE_INLINE T push(Op& op, T value)
    {
        std::optional<T> total(std::move(value));
        for (int distance = 1; distance < width; distance *= 2) {
            std::optional<T>& before = seen_[distance - 1 + position_ % distance];
            if (position_ < distance) {
                before.emplace(*total);
            } else {
                T longer = host::combine_copies<T>(op, *before, *total);
                before.emplace(std::move(*total));
                total.emplace(std::move(longer));
            }
        }
        ++position_;
        return std::move(*total);
    }

private:
    std::optional<T> seen_[static_cast<std::size_t>(
        width)]; ///< from `distance - 1` on, the last `distance` totals of as many values
    int position_ = 0;
};

/// An adjacent-pair tree that grows, up to `width` values, a power of two: a whole tree for every bit of their number.
template <class T, int width>
class growing_tree {
public:
    template <class Op>
    void push(Op& op, T value)
    {
        std::optional<T> tree(std::move(value));
        std::size_t bit = 0;
        for (; trees_[bit]; ++bit) {
            tree.emplace(host::combine<T>(op, std::move(*trees_[bit]), std::move(*tree)));
            trees_[bit].reset();
        }
        trees_[bit].emplace(std::move(*tree));
    }

    /// The tree of all so far; missing right operands are dropped.
    template <class Op>
    std::optional<T> total(Op& op) const
    {
        std::optional<T> result;
        for (std::optional<T> const& tree : trees_)
            if (tree && result)
                result.emplace(host::combine_copies<T>(op, *tree, *result));
            else if (tree)
                result.emplace(*tree);
        return result;
    }

    bool is_full() const { return last().has_value(); }

    /// The tree of `width` values, after which it is empty again.
    T take()
    {
        T total = std::move(*last());
        last().reset();
        return total;
    }

private:
    static constexpr std::size_t trees = std::bit_width(static_cast<unsigned>(width));
    std::optional<T>& last() { return trees_[trees - 1]; }
    std::optional<T> const& last() const { return trees_[trees - 1]; }

    std::optional<T> trees_[trees];
};

/// What comes before a tile: P(t), while tiles are appended.
template <class Order, class T>
class carry {
    using geometry = typename Order::geometry;

public:
    explicit carry(std::optional<T> init) : supers_(std::move(init)) {}

    template <class Op>
    std::optional<T> before_next(Op& op) const
    {
        return host::combine_copies<T>(op, host::combine_copies<T>(op, supers_, groups_.total(op)), tiles_.total(op));
    }

    template <class Op>
    void append(Op& op, T tile)
    {
        tiles_.push(op, std::move(tile));
        if (tiles_.is_full())
            groups_.push(op, tiles_.take());
        if (groups_.is_full())
            host::append<T>(op, supers_, groups_.take());
    }

private:
    std::optional<T> supers_;
    growing_tree<T, geometry::groups_per_super> groups_;
    growing_tree<T, geometry::tiles_per_group> tiles_;
};

} // namespace host
TILEWISE_NAMESPACE_END
