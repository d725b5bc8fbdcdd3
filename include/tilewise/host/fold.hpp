// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Combines values in the shapes of the order, on one thread: left to right, as an adjacent-pair tree, as a
/// right-aligned tree.
///
/// Each function takes its values from `next()`, which is called once per value, from left to right. Values are moved,
/// never copied or assigned, and need no default constructor. A missing operand is dropped, so no identity is needed.

#include <tilewise/core/config.hpp>
#include <tilewise/order.hpp>

#include <bit>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Returns `op(left, right)` as a T. The operands may be moved from.
template <class T, class Op>
TILEWISE_INLINE T combine(Op& op, std::type_identity_t<T>&& left, std::type_identity_t<T>&& right)
{
    if constexpr (std::is_invocable_v<Op&, T, T>)
        return static_cast<T>(op(std::move(left), std::move(right)));
    else
        return static_cast<T>(op(left, right));
}

/// Replaces `left` with `op(left, right)`, or with `right` if `left` has no value.
template <class T, class Op>
TILEWISE_INLINE void append(Op& op, std::optional<T>& left, T right)
{
    if (left)
        left.emplace(host::combine<T>(op, std::move(*left), std::move(right)));
    else
        left.emplace(std::move(right));
}

/// Combines `count` values left to right.
template <class T, int count, class Op, class Next>
TILEWISE_INLINE T fold(Op& op, Next&& next)
{
    if constexpr (count == 1) {
        return next();
    } else {
        T left = host::fold<T, count - 1>(op, next);
        return host::combine<T>(op, std::move(left), next());
    }
}

/// The same for a count known at run time, at least one.
template <class T, class Op, class Next>
T fold(Op& op, int count, Next&& next)
{
    std::optional<T> left(next());
    while (--count > 0)
        host::append<T>(op, left, next());
    return std::move(*left);
}

/// Combines `count` values as an adjacent-pair tree. `count` is a power of two.
template <class T, int count, class Op, class Next>
TILEWISE_INLINE T tree(Op& op, Next&& next)
{
    if constexpr (count == 1) {
        return next();
    } else {
        T left = host::tree<T, count / 2>(op, next);
        return host::combine<T>(op, std::move(left), host::tree<T, count / 2>(op, next));
    }
}

/// Returns the largest power of two below `count`. `count` is at least two.
constexpr offset half_of_tree(offset count)
{
    return static_cast<offset>(std::bit_floor(static_cast<std::size_t>(count - 1)));
}

/// Combines `count` values, at least one, as an adjacent-pair tree. Missing right operands are dropped.
template <class T, class Op, class Next>
T tree(Op& op, offset count, Next&& next)
{
    if (count == 1)
        return next();
    offset const left_count = half_of_tree(count);
    T left = host::tree<T>(op, left_count, next);
    return host::combine<T>(op, std::move(left), host::tree<T>(op, count - left_count, next));
}

/// Combines `count` values, at least one, as a right-aligned tree: the adjacent-pair tree whose last leaf is the last
/// value. Missing left operands are dropped. A doubling (Kogge-Stone) scan computes it at its last position: the first
/// value and then, left to right, a complete tree for every bit that is set in `count - 1`, lowest bit first.
template <class T, class Op, class Next>
T right_aligned_tree(Op& op, offset count, Next&& next)
{
    std::optional<T> aggregate(next());
    for (auto trees = static_cast<std::size_t>(count - 1); trees != 0; trees &= trees - 1)
        host::append<T>(op, aggregate, host::tree<T>(op, static_cast<offset>(trees & (~trees + 1)), next));
    return std::move(*aggregate);
}

/// The same for at most `2 * widest` values, with every tree unrolled.
template <class T, int widest, class Op, class Next>
TILEWISE_INLINE T right_aligned_tree(Op& op, int count, Next&& next)
{
    if constexpr (widest == 0) {
        return next();
    } else {
        T aggregate = host::right_aligned_tree<T, widest / 2>(op, count, next);
        if ((count - 1) & widest)
            aggregate = host::combine<T>(op, std::move(aggregate), host::tree<T, widest>(op, next));
        return aggregate;
    }
}

/// Appends the aggregates of the `tiles` tiles before the last to `carry`: one tree for each digit of `tiles`.
template <class Order, class T, class Op, class NextTile>
void append_tiles(Op& op, std::optional<T>& carry, offset tiles, NextTile&& next_tile)
{
    for (int level = Order::digits(tiles) - 1; level >= 0; --level)
        if (offset const units = Order::digit(tiles, level); units > 0)
            host::append<T>(op, carry, host::tree<T>(op, units << Order::log2_tiles(level), next_tile));
}

/// Appends the last tile, which has `count` elements, to `carry`, in the nesting of a scan's last element: the chunks
/// before that element, then the rows and lane vectors before it, then its lane vector up to and including it.
template <class Order, class T, class Op, class Reader>
T append_last_tile(Op& op, std::optional<T> carry, offset count, Reader& reader)
{
    if constexpr (requires { reader.aggregate(count); }) { // in any order
        return carry ? host::combine<T>(op, std::move(*carry), reader.aggregate(count)) : reader.aggregate(count);
    } else {
        auto const last = Order::locate(count - 1);
        if (last.chunk > 0)
            host::append<T>(op, carry, host::right_aligned_tree<T>(op, last.chunk, [&] { return reader.chunk(); }));
        std::optional<T> in_chunk;
        if (last.row > 0)
            in_chunk.emplace(reader.rows(last.row));
        if (last.lane > 0)
            host::append<T>(op, in_chunk, reader.lanes(last.lane));
        if (in_chunk)
            host::append<T>(op, carry, std::move(*in_chunk));
        host::append<T>(op, carry, reader.elements(last.element + 1));
        return std::move(*carry);
    }
}

} // namespace host
TILEWISE_NAMESPACE_END
