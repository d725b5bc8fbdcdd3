// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The last tile of a reduction, read by a block and combined in the nesting of a scan's last element.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The partial results of a last tile: the aggregates of each row before the last element's row, of the lanes before
/// its lane, and of its lane vector up to itself.
template <class T, class Order>
struct last_tile_parts {
    raw_storage<T[Order::geometry::rows_per_chunk * Order::geometry::chunks_per_tile]> row_storage;
    raw_storage<T> lanes_storage, elements_storage;
    TILEWISE_DEVICE T& row(int i) { return row_storage.object()[i]; }
    TILEWISE_DEVICE T& lanes() { return lanes_storage.object(); }
    TILEWISE_DEVICE T& elements() { return elements_storage.object(); }
};

/// Returns the aggregate of the elements 0..last of a lane vector, left to right.
template <class Layout, class View, class Vector, class Op>
TILEWISE_DEVICE auto vector_aggregate(View& view, Vector const& loaded, Op& op, int last) -> typename Layout::value
{
    using T = typename Layout::value;
    T sum = gpu::operand<T, Op>(view, loaded, 0);
    TILEWISE_UNROLL
    for (int i = 1; i < Layout::lane_vector; ++i) {
        T const element = gpu::operand<T, Op>(view, loaded, i);
        if (i <= last)
            gpu::put(sum, gpu::combine(op, sum, element));
    }
    return sum;
}

/// Writes the parts of the last element's row. Each lane up to `last_lane` passes the aggregate of its lane vector.
template <class T, class Op, class Order>
TILEWISE_DEVICE void put_last_row(Op& op, T aggregate, int last_lane, last_tile_parts<T, Order>& parts)
{
    if (lane_index() == last_lane)
        gpu::put(parts.elements(), aggregate);
    gpu::put(aggregate, gpu::warp_right_aligned_trees(op, aggregate, last_lane));
    if (lane_index() + 1 == last_lane)
        gpu::put(parts.lanes(), aggregate);
}

/// Reads the last tile, which begins at `first` and has `count` elements, row by row: warp `r % warps` reads row `r`.
template <class Layout, int warps, class View, class Op, class T>
TILEWISE_DEVICE void read_rows_one_by_one(View& view, offset first, int count, Op& op,
                                          last_tile_parts<T, typename Layout::order>& parts)
{
    constexpr int N = Layout::lane_vector;
    int const last = count - 1, last_vector = last / N;
    int const last_row = last_vector / warp_size, last_lane = last_vector % warp_size;
    TILEWISE_NO_UNROLL
    for (int row = warp_index(); row <= last_row; row += warps) {
        int const vector = min_of(row * warp_size + lane_index(), last_vector);
        auto const loaded = view.template fetch_clamped<N>(first + vector * N, first + last);
        T aggregate = gpu::vector_aggregate<Layout>(view, loaded, op, vector == last_vector ? last % N : N - 1);
        if (row < last_row) {
            gpu::put(aggregate, gpu::warp_tree(op, aggregate));
            if (lane_index() == 0)
                gpu::put(parts.row(row), aggregate);
        } else {
            gpu::put_last_row(op, aggregate, last_lane, parts);
        }
    }
}

/// The same with all rows of a warp in flight at once.
template <class Layout, access how, int rows_per_warp, int warps, class View, class Op, class T>
TILEWISE_DEVICE void read_rows_at_once(View& view, offset first, int count, Op& op,
                                       last_tile_parts<T, typename Layout::order>& parts)
{
    constexpr int N = Layout::lane_vector;
    using vector_size = typename View::template vector<N>;
    // (Elements of 4 bytes and more are few enough to be loaded one by one, all in flight at once.)
    constexpr access how_lanes =
        how == access::realigned && (!View::template can_realign<N> || View::element_alignment >= 4)
            ? access::elementwise
            : how;
    int const warp = warp_index(), last = count - 1, last_vector = last / N;
    int const last_row = last_vector / warp_size, last_lane = last_vector % warp_size;
    if (warp > last_row)
        return;

    // In place of vectors past the end the last one is read again; a user-defined operator is not called on it.
    registers<vector_size, rows_per_warp> loaded;
    auto const vector_of = [&](int i) { return min_of((i * warps + warp) * warp_size + lane_index(), last_vector); };
    if constexpr (how_lanes == access::elementwise) {
        TILEWISE_UNROLL
        for (int i = 0; i < rows_per_warp; ++i)
            loaded[i] = view.template fetch_clamped<N>(first + vector_of(i) * N, first + last);
    } else {
        // All lanes load without branches, which would wait for the loads before them. In place of a vector that cannot
        // be loaded as a whole, or not realigned, they load the nearest one that can. Those few are then read again.
        int const first_fit = how_lanes == access::realigned && first == 0 ? 1 : 0;
        int const last_fit = count / N - (how_lanes == access::realigned ? 2 : 1);
        auto const position_of = [&](int i) {
            return first + gpu::max_of(gpu::min_of(vector_of(i), last_fit), first_fit) * N;
        };
        if (first_fit <= last_fit) {
            TILEWISE_UNROLL
            for (int i = 0; i < rows_per_warp; ++i)
                loaded[i] = view.template fetch<how_lanes, N>(position_of(i));
            TILEWISE_UNROLL
            for (int i = 0; i < rows_per_warp; ++i)
                view.template finish<how_lanes, N>(loaded[i], position_of(i));
        }
        if constexpr (how_lanes == access::aligned && N > 1) {
            if (last_fit < last_vector) { // only one vector is ragged
                vector_size const ragged = view.template fetch_clamped<N>(first + last_vector * N, first + last);
                TILEWISE_UNROLL
                for (int i = 0; i < rows_per_warp; ++i)
                    if (vector_of(i) == last_vector)
                        loaded[i] = ragged;
            }
        } else if constexpr (how_lanes == access::realigned) {
            TILEWISE_UNROLL
            for (int i = 0; i < rows_per_warp; ++i)
                if (vector_of(i) < first_fit || vector_of(i) > last_fit)
                    loaded[i] = view.template fetch_clamped<N>(first + vector_of(i) * N, first + last);
        }
    }

    registers<T, rows_per_warp> aggregate;
    TILEWISE_UNROLL
    for (int i = 0; i < rows_per_warp; ++i)
        gpu::put(aggregate[i],
                 gpu::vector_aggregate<Layout>(view, loaded[i], op, vector_of(i) == last_vector ? last % N : N - 1));

    if (last_row % warps == warp) {
        T own(aggregate[0]);
        TILEWISE_UNROLL
        for (int i = 1; i < rows_per_warp; ++i)
            gpu::put(own, gpu::select(i == last_row / warps, aggregate[i], own));
        gpu::put_last_row(op, own, last_lane, parts);
    }
    int const whole = (last_row - warp + warps - 1) / warps; // rows of this warp before the last row
    T const trees = gpu::warp_row_trees_of_valid<rows_per_warp>(op, aggregate, whole);
    int const row = gpu::lane_of_row<rows_per_warp>(lane_index());
    if (lane_index() < rows_per_warp && row < whole)
        gpu::put(parts.row(row * warps + warp), trees);
}

/// Reads the last tile. Synchronise the block before `join_last_tile`.
template <class Layout, access how, int rows_per_warp, int warps, class View, class Op, class T>
TILEWISE_DEVICE void read_last_tile(View& view, offset first, int count, Op& op,
                                    last_tile_parts<T, typename Layout::order>& parts)
{
    if constexpr (Layout::batched)
        gpu::read_rows_at_once<Layout, how, rows_per_warp, warps>(view, first, count, op, parts);
    else
        gpu::read_rows_one_by_one<Layout, warps>(view, first, count, op, parts);
}

/// What `append_last_tile` appends to the carry: the aggregates of the chunks before the last element's chunk, of the
/// rows and lanes before its lane, and of its lane vector up to itself. An aggregate of no elements has no value.
template <class T>
struct last_tile_ends {
    static constexpr int count = 3;
    raw_storage<T[count]> aggregates;
    TILEWISE_DEVICE T& chunks() { return aggregates.object()[0]; }
    TILEWISE_DEVICE T& rows_and_lanes() { return aggregates.object()[1]; }
    TILEWISE_DEVICE T& elements() { return aggregates.object()[2]; }

    /// Whether aggregate `i` of a tile of `elements` elements has a value.
    template <class Order>
    TILEWISE_DEVICE static bool has(int i, int elements)
    {
        auto const last = Order::locate(elements - 1);
        return i == 0 ? last.chunk > 0 : i == 2 || last.row > 0 || last.lane > 0;
    }
};

/// Combines the parts of a last tile of `count` elements to `ends`. For one warp.
template <class Order, class Parts, class Op, class T>
TILEWISE_DEVICE void join_last_tile(Parts& parts, int count, Op& op, last_tile_ends<T>& ends)
{
    using geometry = typename Order::geometry;
    constexpr int rows = geometry::rows_per_chunk;
    auto const last = Order::locate(count - 1);
    // One lane per chunk. All loads come first, and without branches: in place of an aggregate that has no value they
    // read that of the lane vector, which always has one.
    int const chunk = gpu::min_of(lane_index(), last.chunk);
    int const whole = chunk < last.chunk ? rows : last.row;
    T const elements(parts.elements());
    T const lanes(last.lane > 0 ? T(parts.lanes()) : T(parts.elements()));
    registers<T, rows> row;
    TILEWISE_UNROLL
    for (int i = 0; i < rows; ++i)
        gpu::put(row[i], i < whole ? T(parts.row(chunk * rows + i)) : T(parts.elements()));

    T aggregate(row[0]);
    TILEWISE_UNROLL
    for (int i = 1; i < rows; ++i)
        if (i < whole)
            gpu::put(aggregate, gpu::combine(op, aggregate, T(row[i])));
    if (lane_index() == last.chunk) {
        gpu::put(ends.elements(), elements);
        if (last.lane > 0)
            gpu::put(ends.rows_and_lanes(), last.row > 0 ? gpu::combine(op, aggregate, lanes) : lanes);
        else if (last.row > 0)
            gpu::put(ends.rows_and_lanes(), aggregate);
    }
    if (last.chunk > 0) {
        T const trees = gpu::warp_right_aligned_trees<geometry::chunks_per_tile>(op, aggregate, last.chunk);
        if (lane_index() + 1 == last.chunk)
            gpu::put(ends.chunks(), trees);
    }
}

/// Returns `carry` combined with a last tile of `count` elements, in the nesting of a scan's last element.
template <class Order, class T, class Op>
TILEWISE_DEVICE T append_last_tile(last_tile_ends<T>& ends, int count, T carry, Op& op)
{
    if (last_tile_ends<T>::template has<Order>(0, count))
        gpu::put(carry, gpu::combine(op, carry, T(ends.chunks())));
    if (last_tile_ends<T>::template has<Order>(1, count))
        gpu::put(carry, gpu::combine(op, carry, T(ends.rows_and_lanes())));
    return gpu::combine(op, carry, T(ends.elements()));
}

} // namespace gpu
TILEWISE_NAMESPACE_END
