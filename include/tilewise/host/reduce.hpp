// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engines of reduce for seq and par.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/boxed.hpp>
#include <tilewise/host/elements.hpp>
#include <tilewise/host/few_lanes.hpp>
#include <tilewise/host/fold.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/host/reader.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Combines `carry`, if it has a value, the aggregates of the tiles before the last, and the last tile, whose `count`
/// elements begin at `input`.
template <class Order, class T, class Op, class Input>
T combine_all(Op& op, std::optional<T> carry, aggregates<T>& tiles, Input input, offset count)
{
    host::append_tiles<Order, T>(op, carry, static_cast<offset>(tiles.size()),
                                 [tile = tiles.begin()]() mutable { return *std::move(*tile++); });
    auto reader = host::reader_at<Order, T>(std::move(input), op);
    return host::append_last_tile<Order, T>(op, std::move(carry), count, reader);
}

/// Advances past one tile, or to the end of the range if that comes first. Returns the number of elements.
template <class Order, class Input, class Sentinel>
offset step_over_tile(Input& input, Sentinel const& last)
{
    offset count = 0;
    for (; count < Order::tile && !(input == last); ++count)
        ++input;
    return count;
}

/// A range of unknown length that several threads traverse: each advances past one tile at a time and reduces it while
/// others advance. A tile counts as the last until an element is found after it.
template <class Order, class T, class Op, class Input, class Sentinel>
class shared_walk {
public:
    shared_walk(Input input, Sentinel const& last, Op const& op) : last_(last), op_(op), input_(std::move(input)) {}

    /// Reduces tiles until the last one is reached. Every thread calls this function.
    void work(first_exception const& thrown)
    {
        Op op = op_;
        while (!thrown.is_thrown()) {
            auto next = next_tile();
            if (!next)
                return;
            next->aggregate.emplace(host::reader_at<Order, T>(std::move(next->input), op).tile());
        }
    }

    aggregates<T>& tiles() { return tiles_; }         ///< the aggregates of the tiles before the last
    Input const& last_tile() const { return input_; } ///< where the last tile begins
    offset last_count() const { return count_; }      ///< the number of its elements

private:
    struct tile {
        Input input;
        std::optional<T>& aggregate;
    };
    std::optional<tile> next_tile()
    {
        std::lock_guard const lock(mutex_);
        if (is_at_last_)
            return std::nullopt;
        Input next = input_;
        host::isolate([&] { // or an increment that waits for tasks could re-enter this function under the lock
            count_ = host::step_over_tile<Order>(next, last_);
            is_at_last_ = next == last_;
        });
        if (is_at_last_)
            return std::nullopt;
        std::optional<tile> result(tile{input_, tiles_.emplace_back()});
        input_ = std::move(next);
        return result;
    }

    Sentinel const& last_;
    Op const& op_;

    std::mutex mutex_; ///< guards the members below
    Input input_;
    aggregates<T> tiles_;
    offset count_ = 0;
    bool is_at_last_ = false;
};

/// Reduces a range that can be read only once, one buffered tile at a time.
template <class Order, class T, class Op, class Input, class Sentinel>
T reduce_single_pass(Input input, Sentinel last, std::optional<T> init, Op op)
{
    aggregates<T> tiles;
    std::vector<std::optional<T>> tile;
    for (;;) {
        tile.clear();
        while (static_cast<offset>(tile.size()) < Order::tile && !(input == last))
            tile.emplace_back(host::take<T>(input));
        if (input == last)
            return host::combine_all<Order, T>(op, std::move(init), tiles, host::moving_values(tile.begin()),
                                               static_cast<offset>(tile.size()));
        tiles.emplace_back(host::reader_at<Order, T>(host::moving_values(tile.begin()), op).tile());
    }
}

/// Reduces `count` elements on the calling thread.
template <class Order, class T, class Op, class Input>
T reduce_elements(Input input, offset count, std::optional<T> init, Op op)
{
    auto reader = host::reader_at<Order, T>(std::move(input), op);
    if constexpr (known::is_exact<Op, T>) {
        return init ? op(*init, reader.aggregate(count)) : reader.aggregate(count);
    } else {
        offset const tiles = Order::tiles_before_last(count);
        host::append_tiles<Order, T>(op, init, tiles, [&] { return reader.tile(); });
        return host::append_last_tile<Order, T>(op, std::move(init), count - tiles * Order::tile, reader);
    }
}

/// The same, not inlined: its stack frame would take longer to set up than a few elements to reduce.
template <class Order, class T, class Op, class Input>
[[gnu::noinline]] T reduce_many_elements(Input input, offset count, T init, bool has_init, Op op)
{
    return host::reduce_elements<Order, T>(input, count, has_init ? std::optional<T>(init) : std::nullopt, op);
}

/// Reduces on the calling thread.
template <class Geometry, class T, class Op, class Input, class Extent>
T reduce_on(sequenced_policy, Input input, Extent end, std::optional<T> init, Op op)
{
    using order = tilewise::order<T, Geometry>;
    if constexpr (std::same_as<Extent, offset> && takes_few_lanes<T, Op, Input>) {
        if (end > few_reduced<order, T>)
            return host::reduce_many_elements<order, T>(input, end, init.value_or(T()), init.has_value(), op);
        return host::reduce_few_lanes<order, T>(op, host::opaque_input<T>(input), end,
                                                init ? std::addressof(*init) : nullptr);
    } else if constexpr (std::same_as<Extent, offset>) {
        return host::reduce_elements<order, T>(std::move(input), end, std::move(init), std::move(op));
    } else if constexpr (is_forward_input<Input>) {
        aggregates<T> tiles;
        for (;;) {
            Input next = input;
            offset const count = host::step_over_tile<order>(next, end);
            if (next == end)
                return host::combine_all<order, T>(op, std::move(init), tiles, std::move(input), count);
            tiles.emplace_back(host::reader_at<order, T>(input, op).tile());
            input = std::move(next);
        }
    } else {
        return host::reduce_single_pass<order, T>(std::move(input), std::move(end), std::move(init), std::move(op));
    }
}

/// Combines `init` and an input of `count` elements, all of whose lane vectors are computed in parallel: for elements
/// that take long to compute.
template <class Geometry, class T, class Op, class Input>
T reduce_lanes_first(Input const& input, offset count, std::optional<T> init, Op op)
{
    constexpr offset lane = order<T, Geometry>::lane_vector;
    aggregates<T> lanes(static_cast<std::size_t>((count + lane - 1) / lane));
    host::parallel_for(static_cast<offset>(lanes.size()), [&](offset first, offset last) {
        Op own_op = op;
        Input own_input = input + first * lane;
        for (offset i = first; i != last; ++i)
            lanes[static_cast<std::size_t>(i)].emplace(host::fold<T>(
                own_op, static_cast<int>(std::min(lane, count - i * lane)), [&] { return host::take<T>(own_input); }));
    });
    return host::reduce_on<order_of_lanes<Geometry>, T>(
        seq, host::moving_values(lanes.begin()), static_cast<offset>(lanes.size()), std::move(init), std::move(op));
}

/// Returns the number of tiles before the last at which all cores become faster than one.
///
/// Sleeping threads take 10 to 20 us to wake up, and cost that much if the work is done before then. Speedup of two
/// cores over one, Zen 4, threads awake / asleep: i32 sums 16 tiles 1.17 / 0.42, 64 tiles 1.5 / 1.0; f32 sums 8 tiles
/// 1.6 / 0.5, 32 tiles 1.9 / 0.8; 2x2 matrices and lambdas 2 tiles 1.2 / 0.4, 8 tiles 1.6 / 0.7 to 0.9.
template <class T, class Op, class Input>
constexpr offset tiles_that_pay()
{
    if constexpr (known::is_operator<Op> && contiguous_of<Input, T>)
        return known::is_exact<Op, T> ? 64 : 12;
    else
        return std::is_trivially_copyable_v<T> ? 4 : 1;
}

/// Reduces on all cores.
template <class Geometry, class T, class Op, class Input, class Extent>
T reduce_on(parallel_policy, Input input, Extent end, std::optional<T> init, Op op)
{
    using order = tilewise::order<T, Geometry>;
    if constexpr (std::same_as<Extent, offset>) {
        offset const count = order::tiles_before_last(end);
        if constexpr (is_computed<Input>) {
            if (count < 8 * concurrency() && host::takes_long(end, [input]() mutable { return host::take<T>(input); }))
                return host::reduce_lanes_first<Geometry, T>(input, end, std::move(init), std::move(op));
        }
        if (count < host::tiles_that_pay<T, Op, Input>())
            return host::reduce_on<Geometry, T>(seq, std::move(input), end, std::move(init), std::move(op));
        aggregates<T> tiles(static_cast<std::size_t>(count));
        host::parallel_for(count, [&](offset first, offset last) {
            Op own_op = op;
            auto reader = host::reader_at<order, T>(tilewise::advanced(input, first * order::tile), own_op);
            for (offset tile = first; tile != last; ++tile)
                tiles[static_cast<std::size_t>(tile)].emplace(reader.tile());
        });
        return host::combine_all<order, T>(op, std::move(init), tiles, tilewise::advanced(input, count * order::tile),
                                           end - count * order::tile);
    } else {
        Input next = input;
        offset const count = host::step_over_tile<order>(next, end);
        if (next == end) {
            aggregates<T> none;
            return host::combine_all<order, T>(op, std::move(init), none, std::move(input), count);
        }
        shared_walk<order, T, Op, Input, Extent> walk(std::move(input), end, op);
        host::work_together(concurrency(), [&](first_exception const& thrown) { walk.work(thrown); });
        return host::combine_all<order, T>(op, std::move(init), walk.tiles(), walk.last_tile(), walk.last_count());
    }
}

/// What the engines keep of an `init`: on the heap, if it is large.
template <class T>
using kept_init = std::optional<std::conditional_t<is_large<T>, box<T>, T>>;

/// Combines `init`, if it has a value, and a non-empty input.
template <class Geometry, class T, class Policy, class Op, class Input, class Extent>
T reduce_after(Policy policy, Input input, Extent end, kept_init<T> init, Op op)
{
    auto elements = tilewise::unwrap_input(std::move(input), end);
    if constexpr (is_large<T>)
        return std::move(*host::reduce_on<order_of_lanes<Geometry>, box<T>>(
            policy, boxed_input<T, decltype(elements)>(std::move(elements)), std::move(end), std::move(init),
            boxed_op<T, Op>{std::move(op)}));
    else
        return host::reduce_on<Geometry, T>(policy, std::move(elements), std::move(end), std::move(init),
                                            std::move(op));
}

/// Combines `init` and a non-empty input.
template <class Geometry, class T, class Policy, class Op, class Input, class Extent>
T reduce(Policy policy, Input input, Extent end, T init, Op op)
{
    if constexpr (is_large<T>)
        return host::reduce_after<Geometry, T>(policy, std::move(input), std::move(end),
                                               box<T>::of([&]() -> T { return std::move(init); }), std::move(op));
    else
        return host::reduce_after<Geometry, T>(policy, std::move(input), std::move(end),
                                               std::optional<T>(std::move(init)), std::move(op));
}

} // namespace host
TILEWISE_NAMESPACE_END
