// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engines of reduce for seq and par.

#include <tilewise/config.hpp>
#include <tilewise/functional.hpp>
#include <tilewise/host/fold.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/host/reader.hpp>
#include <tilewise/input.hpp>
#include <tilewise/iterator.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Combines `init`, the totals of the tiles before the last, and the `count` elements of the last that `input` is at.
template <class Order, class T, class Op, class Input>
T combine_all(Op& op, T init, totals<T>& tiles, Input input, offset count)
{
    std::optional<T> carry(std::move(init));
    append_tiles<Order, T>(op, carry, static_cast<offset>(tiles.size()),
                           [tile = tiles.begin()]() mutable { return *std::move(*tile++); });
    auto reader = reader_at<Order, T>(std::move(input), op);
    return append_last_tile<Order, T>(op, std::move(carry), count, reader);
}

/// Walks a range whose length is not known, and hands the tiles before the last to `run`, each as a task that writes a
/// new element of `tiles`. Leaves `input` at the last tile and returns how many elements that has. A tile is taken for
/// the last one until an element is seen behind it.
template <class Order, class T, class Op, class Input, class Sentinel, class Run>
offset walk_tiles(Op const& op, Input& input, Sentinel const& last, totals<T>& tiles, Run&& run)
{
    for (;;) {
        Input next = input;
        offset count = 0;
        for (; count < Order::tile && !(next == last); ++count)
            ++next;
        if (next == last)
            return count;
        tiles.emplace_back();
        run([op = Op(op), input, &tile = tiles.back()]() mutable {
            tile.emplace(reader_at<Order, T>(input, op).tile());
        });
        input = std::move(next);
    }
}

/// Reads a range that can be read only once, a tile ahead.
template <class Order, class T, class Op, class Input, class Sentinel>
T reduce_single_pass(Input input, Sentinel last, T init, Op op)
{
    totals<T> tiles;
    std::vector<std::optional<T>> tile;
    for (;;) {
        tile.clear();
        while (static_cast<offset>(tile.size()) < Order::tile && !(input == last))
            tile.emplace_back(take<T>(input));
        if (input == last)
            return combine_all<Order>(op, std::move(init), tiles, taken_from(tile.begin()),
                                      static_cast<offset>(tile.size()));
        tiles.emplace_back(reader_at<Order, T>(taken_from(tile.begin()), op).tile());
    }
}

/// Combines `init` and an input that is not empty, on the calling thread.
template <class Geometry, class T, class Op, class Input, class Extent>
T reduce(sequenced_policy, Input input, Extent end, T init, Op op)
{
    using order = tilewise::order<T, Geometry>;
    if constexpr (std::same_as<Extent, offset>) {
        auto reader = reader_at<order, T>(std::move(input), op);
        if constexpr (named::is_exact<Op, T>) {
            return op(init, reader.total(end));
        } else {
            std::optional<T> carry(std::move(init));
            offset const tiles = order::tiles_before_last(end);
            append_tiles<order, T>(op, carry, tiles, [&] { return reader.tile(); });
            return append_last_tile<order, T>(op, std::move(carry), end - tiles * order::tile, reader);
        }
    } else if constexpr (is_forward_input<Input>) {
        totals<T> tiles;
        offset const count = walk_tiles<order, T>(op, input, end, tiles, [](auto task) { task(); });
        return combine_all<order>(op, std::move(init), tiles, std::move(input), count);
    } else {
        return reduce_single_pass<order>(std::move(input), std::move(end), std::move(init), std::move(op));
    }
}

/// The order of a range of lane totals: what the lane vectors of a range of elements become.
template <class Geometry>
struct order_of_lanes : Geometry {
    static constexpr int lane_vector_bytes = 0;
};

/// Combines `init` and an input of `count` elements, all of whose lane vectors are read at once: for elements that take
/// long to compute.
template <class Geometry, class T, class Op, class Input>
T reduce_lanes_first(Input const& input, offset count, T init, Op op)
{
    constexpr offset lane = order<T, Geometry>::lane_vector;
    totals<T> lanes(static_cast<std::size_t>((count + lane - 1) / lane));
    parallel_for(static_cast<offset>(lanes.size()), [&](offset first, offset last) {
        Op own_op = op;
        Input own_input = input + first * lane;
        for (offset i = first; i != last; ++i)
            lanes[static_cast<std::size_t>(i)].emplace(fold<T>(
                own_op, static_cast<int>(std::min(lane, count - i * lane)), [&] { return take<T>(own_input); }));
    });
    return reduce<order_of_lanes<Geometry>>(seq, taken_from(lanes.begin()), static_cast<offset>(lanes.size()),
                                            std::move(init), std::move(op));
}

/// From this many tiles before the last on, all cores are faster than one.
///
/// Threads that sleep take 10 to 20 us to come to help, and cost that much if the work is done before. Speed of two
/// cores over one, Zen 4, threads awake / asleep: i32 sums 16 tiles 1.17 / 0.42, 64 tiles 1.5 / 1.0; f32 sums 8
/// tiles 1.6 / 0.5, 32 tiles 1.9 / 0.8; 2x2 matrices and lambdas 2 tiles 1.2 / 0.4, 8 tiles 1.6 / 0.7 to 0.9.
template <class T, class Op, class Input>
constexpr offset tiles_that_pay()
{
    if constexpr (named::is_twin<Op> && contiguous_of<Input, T>)
        return named::is_exact<Op, T> ? 64 : 12;
    else
        return std::is_trivially_copyable_v<T> ? 4 : 1;
}

/// Combines `init` and an input that is not empty, on all cores.
template <class Geometry, class T, class Op, class Input, class Extent>
T reduce(parallel_policy, Input input, Extent end, T init, Op op)
{
    using order = tilewise::order<T, Geometry>;
    if constexpr (std::same_as<Extent, offset>) {
        offset const count = order::tiles_before_last(end);
        if constexpr (is_computed<Input>) {
            if (count < 8 * concurrency() && takes_long(end, [input]() mutable { return take<T>(input); }))
                return reduce_lanes_first<Geometry>(input, end, std::move(init), std::move(op));
        }
        if (count < tiles_that_pay<T, Op, Input>())
            return reduce<Geometry>(seq, std::move(input), end, std::move(init), std::move(op));
        totals<T> tiles(static_cast<std::size_t>(count));
        parallel_for(count, [&](offset first, offset last) {
            Op own_op = op;
            auto reader = reader_at<order, T>(input + first * order::tile, own_op);
            for (offset tile = first; tile != last; ++tile)
                tiles[static_cast<std::size_t>(tile)].emplace(reader.tile());
        });
        return combine_all<order>(op, std::move(init), tiles, input + count * order::tile, end - count * order::tile);
    } else {
        totals<T> tiles;
        offset count = 0;
        parallel_tasks([&](auto const& run) { count = walk_tiles<order, T>(op, input, end, tiles, run); });
        return combine_all<order>(op, std::move(init), tiles, std::move(input), count);
    }
}

} // namespace host
TILEWISE_NAMESPACE_END
