// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Warp-wide collectives: the order's trees over the values of the lanes.
///
/// Operands keep their order, missing ones are dropped, and a user-defined operator is called only on neighbouring
/// partial results. The library's own operators are total, so lanes may compute results that are discarded.

#include <tilewise/core/config.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A few values of any type in registers, which are not constructed.
template <class T, int count>
union registers {
    TILEWISE_DEVICE registers() {}
    T value[count];
    TILEWISE_DEVICE T& operator[](int i) { return value[i]; }
    TILEWISE_DEVICE T const& operator[](int i) const { return value[i]; }
};

/// Stores a value in place of no object or of a trivial one.
template <class T>
TILEWISE_DEVICE void put(T& target, T const& value)
{
    if constexpr (std::is_copy_assignable_v<T>)
        target = value;
    else
        std::memcpy(static_cast<void*>(&target), &value, sizeof(T));
}

TILEWISE_PORTABLE constexpr int log2_of(int value)
{
    return value <= 1 ? 0 : 1 + log2_of(value / 2);
}
TILEWISE_DEVICE int min_of(int a, int b)
{
    return b < a ? b : a;
}
TILEWISE_DEVICE int max_of(int a, int b)
{
    return a < b ? b : a;
}

/// Returns the lowest lane of a set, or 0 if it is empty.
TILEWISE_DEVICE int lowest_lane(unsigned lanes)
{
    return lanes != 0 ? count_bits((lanes & -lanes) - 1) : 0;
}

/// Returns the lesser of `value` and `limit`.
TILEWISE_DEVICE offset at_most(offset value, offset limit)
{
    return value < limit ? value : limit;
}

/// The library's sum in kernels, which is never fused with a product that a user's transform computed.
struct plus : known::operator_base {
    template <class T>
    TILEWISE_DEVICE T operator()(T const& a, T const& b) const
    {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
            return known::plus{}(a, b);
        else
            return gpu::add_rounded(a, b);
    }
};

/// Returns `op(left, right)` as a T.
template <class T, class Op>
TILEWISE_DEVICE T combine(Op& op, T left, std::type_identity_t<T> right)
{
    if constexpr (std::is_invocable_v<Op&, T&, T&>)
        return static_cast<T>(op(left, right));
    else
        return static_cast<T>(op(std::move(left), std::move(right)));
}

/// Whether an operator may be called on any values, also where the order does not call it.
template <class Op, class T>
inline constexpr bool accepts_any_operand = std::is_base_of_v<known::operator_base, Op> && machine_number<T>;

/// Computes the adjacent-pair tree over each segment of `to / from` lanes, `from` apart; its first lane has the result.
template <int from = 1, int to = warp_size, class T, class Op>
TILEWISE_DEVICE T warp_tree(Op& op, T value)
{
    TILEWISE_UNROLL
    for (int distance = from; distance < to; distance *= 2) {
        T const right = gpu::shuffle_down(value, distance);
        if (accepts_any_operand<Op, T> || (lane_index() & (2 * distance - from)) == 0)
            gpu::put(value, gpu::combine(op, value, right));
    }
    return value;
}

/// The same if only the first `valid` lanes have values.
template <int from = 1, int to = warp_size, class T, class Op>
TILEWISE_DEVICE T warp_tree_of_valid(Op& op, T value, int valid)
{
    TILEWISE_UNROLL
    for (int distance = from; distance < to; distance *= 2) {
        T const right = gpu::shuffle_down(value, distance);
        if ((accepts_any_operand<Op, T> || lane_index() % (2 * distance) == 0) && lane_index() + distance < valid)
            gpu::put(value, gpu::combine(op, value, right));
    }
    return value;
}

/// The same in segments of `width` lanes, a power of two known at run time.
template <class T, class Op>
TILEWISE_DEVICE T warp_tree_of_segments(Op& op, T value, int width, int valid)
{
    TILEWISE_UNROLL
    for (int distance = 1; distance < warp_size; distance *= 2) {
        T const right = gpu::shuffle_down(value, distance);
        if (distance < width && (accepts_any_operand<Op, T> || lane_index() % (2 * distance) == 0) &&
            lane_index() + distance < valid)
            gpu::put(value, gpu::combine(op, value, right));
    }
    return value;
}

/// The inclusive prefix sums over segments of `lanes` lanes, a power of two.
TILEWISE_DEVICE unsigned warp_sums(unsigned value, int lanes = warp_size)
{
    TILEWISE_UNROLL
    for (int distance = 1; distance < warp_size; distance *= 2) {
        unsigned const before = gpu::shuffle_up(value, distance);
        value += (lane_index() & (lanes - 1)) >= distance ? before : 0;
    }
    return value;
}

/// A value that may be missing.
template <class T>
struct optional_value {
    registers<T, 1> value;
    bool has_value;

    template <class Op>
    TILEWISE_DEVICE void append(Op& op, T const& right)
    {
        gpu::put(value[0], has_value ? gpu::combine(op, T(value[0]), right) : right);
        has_value = true;
    }
    template <class Op>
    TILEWISE_DEVICE void prepend(Op& op, T const& left)
    {
        gpu::put(value[0], has_value ? gpu::combine(op, left, T(value[0])) : left);
        has_value = true;
    }
};
template <class T>
TILEWISE_DEVICE optional_value<T> no_value()
{
    optional_value<T> none;
    none.has_value = false;
    return none;
}

/// Computes, for each lane, the adjacent-pair tree over the lanes before it. Only the first `valid` lanes have values.
template <int lanes = warp_size, class T, class Op>
TILEWISE_DEVICE optional_value<T> warp_trees_before(Op& op, T value, int valid)
{
    auto before = gpu::no_value<T>();
    TILEWISE_UNROLL
    for (int distance = 1; distance < lanes; distance *= 2) {
        // the first of `distance` lanes has their aggregate
        T const left = gpu::shuffle(value, max_of(0, lane_index() / distance - 1) * distance);
        if (lane_index() & distance && lane_index() <= valid)
            before.prepend(op, left);
        T const right = gpu::shuffle_down(value, distance);
        if ((accepts_any_operand<Op, T> || lane_index() % (2 * distance) == 0) && lane_index() + distance < valid)
            gpu::put(value, gpu::combine(op, value, right));
    }
    return before;
}

/// Computes, for each lane l below `valid`, the right-aligned tree over the lanes 0..l: a doubling (Kogge-Stone) scan.
template <int lanes = warp_size, class T, class Op>
TILEWISE_DEVICE T warp_right_aligned_trees(Op& op, T value, int valid)
{
    TILEWISE_UNROLL
    for (int distance = 1; distance < lanes; distance *= 2) {
        T const left = gpu::shuffle_up(value, distance);
        if (lane_index() >= distance && lane_index() < valid)
            gpu::put(value, gpu::combine(op, left, value));
    }
    return value;
}

/// Returns the lane of a segment that has the aggregate of row `row` after `warp_row_trees`: its bits in reverse. Also
/// the inverse: the row of a lane.
template <int rows>
TILEWISE_DEVICE constexpr int lane_of_row(int row)
{
    int lane = 0;
    for (int bit = 1; bit < rows; bit *= 2)
        lane = 2 * lane + (row & bit ? 1 : 0);
    return lane;
}

/// Divides two rows between two lanes that are `distance` apart: the lower lane gets both lanes' values of row `a`,
/// combined, the upper lane those of row `b`. They are combined only if the row exists, that is, if `has_right` is
/// true.
template <class T, class Op>
TILEWISE_DEVICE T exchange_halves(Op& op, T const& a, T const& b, int distance, bool has_right = true)
{
    bool const upper = lane_index() & distance;
    T const keep = gpu::select(upper, b, a);
    T const theirs = gpu::shuffle_xor(gpu::select(upper, a, b), distance);
    return has_right ? gpu::combine(op, gpu::select(upper, theirs, keep), gpu::select(upper, keep, theirs)) : keep;
}

/// The first steps of `warp_row_trees`, which leave each lane one of `rows` rows: row `own`, if it is below `valid`.
template <int rows, int distance = 1, class T, class Op>
TILEWISE_DEVICE T halve_rows(Op& op, registers<T, rows> const& row, int own = 0, int valid = rows)
{
    if constexpr (rows == 1) {
        return row[0];
    } else {
        constexpr int half = rows / 2;
        int const kept = own / half * half; // the first row of the half that this lane keeps
        registers<T, half> next;
        TILEWISE_UNROLL
        for (int i = 0; i < half; ++i)
            gpu::put(next[i], gpu::exchange_halves(op, row[i], row[i + half], distance, kept + i < valid));
        return gpu::halve_rows<half, 2 * distance>(op, next, own - kept, valid - kept);
    }
}

/// Computes the adjacent-pair trees of several rows at once, over segments of `width` lanes that have one value of each
/// row. Each step halves the rows of a lane and doubles the lanes that a value covers. 8 rows of 32 lanes take 9
/// exchanges and calls of `op` instead of 40: this gained 3 to 24 % for f16 and matrix sums up to 2^24, and made
/// user-defined operators three times cheaper.
template <int rows, int width, class T, class Op>
TILEWISE_DEVICE T warp_row_trees(Op& op, registers<T, rows> const& row)
{
    static_assert(rows <= width);
    return gpu::warp_tree<rows, width>(op, gpu::halve_rows<rows>(op, row));
}

/// The same over all lanes, if only the first `valid` rows exist.
template <int rows, class T, class Op>
TILEWISE_DEVICE T warp_row_trees_of_valid(Op& op, registers<T, rows> const& row, int valid)
{
    if constexpr (accepts_any_operand<Op, T>) {
        return gpu::warp_row_trees<rows, warp_size>(op, row);
    } else {
        int const own = gpu::lane_of_row<rows>(lane_index() % rows); // the row that this lane has in the end
        T aggregate = gpu::halve_rows<rows>(op, row, own, valid);
        TILEWISE_UNROLL
        for (int distance = rows; distance < warp_size; distance *= 2) {
            T const right = gpu::shuffle_down(aggregate, distance);
            if (own < valid && (lane_index() & (2 * distance - rows)) == 0)
                gpu::put(aggregate, gpu::combine(op, aggregate, right));
        }
        return aggregate;
    }
}

/// Combines the aggregates of the rows of a segment, left to right; every lane of the segment has the result.
template <int rows, int width, class T, class Op>
TILEWISE_DEVICE T warp_fold_rows(Op& op, T const& aggregate)
{
    int const segment = lane_index() & ~(width - 1);
    T sum = gpu::shuffle(aggregate, segment);
    TILEWISE_UNROLL
    for (int row = 1; row < rows; ++row)
        gpu::put(sum, gpu::combine(op, sum, gpu::shuffle(aggregate, segment + gpu::lane_of_row<rows>(row))));
    return sum;
}

} // namespace gpu
TILEWISE_NAMESPACE_END
