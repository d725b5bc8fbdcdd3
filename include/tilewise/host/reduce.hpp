// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engines of reduce for seq and par.
///
/// A reader turns an input into totals of the order's units, from left to right. There are three: one for any type and
/// operator, one for floating-point values in vector registers, one for integers, which may be combined in any order.

#include <tilewise/config.hpp>
#include <tilewise/functional.hpp>
#include <tilewise/host/fold.hpp>
#include <tilewise/host/opaque.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/host/simd.hpp>
#include <tilewise/input.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// The next element as a T, and a step.
template <class T, class Input>
TILEWISE_INLINE T take(Input& input)
{
    T value = static_cast<T>(*input);
    make_opaque(value);
    ++input;
    return value;
}

/// Reads values of any type one by one.
template <class Order, class T, class Op, class Input>
class element_reader {
    using geometry = typename Order::geometry;

public:
    element_reader(Input input, Op& op) : input_(std::move(input)), op_(op) {}

    T elements(int count)
    {
        return fold<T>(op_, count, [&] { return take<T>(input_); });
    }
    T lanes(int count)
    {
        if constexpr (std::is_trivially_copyable_v<T>)
            return lanes_in_place(count);
        else
            return right_aligned_tree<T>(op_, count, [&] { return lane(); });
    }
    T rows(int count)
    {
        return fold<T>(op_, count, [&] { return row(); });
    }
    T chunk() { return rows(geometry::rows_per_chunk); }
    T tile()
    {
        return tree<T>(op_, offset{geometry::chunks_per_tile}, [&] { return chunk(); });
    }

private:
    TILEWISE_INLINE T lane()
    {
        return fold<T, int{Order::lane_vector}>(op_, [&] { return take<T>(input_); });
    }
    T row()
    {
        if constexpr (std::is_trivially_copyable_v<T>)
            return row_in_place();
        else
            return tree<T>(op_, offset{geometry::lanes_per_row}, [&] { return lane(); });
    }

    /// Room for values that are not there yet.
    template <std::size_t count>
    union storage {
        storage() {}
        T value[count];
    };

    /// A row with `op` compiled into it, which matters more than anything else for operators of a few instructions. The
    /// loop keeps the copies few enough for larger ones: g++ and clang, 2x2 float matrices 14 to 24 GB/s and three
    /// doubles 75; as one unrolled tree 5 to 13 and 10 to 67; with a stack in place of trees 4 to 9 and 7 to 25.
    [[gnu::flatten]] T row_in_place()
    {
        constexpr std::size_t quads = geometry::lanes_per_row / 4;
        storage<quads> quad;
        for (std::size_t i = 0; i < quads; ++i)
            std::construct_at(quad.value + i, tree<T, 4>(op_, [&] { return lane(); }));
        if constexpr (std::is_class_v<T>)
            return tree<T, quads>(op_, [next = quad.value]() mutable -> T&& { return std::move(*next++); });
        else
            return halve(quad.value, quads);
    }

    /// The right-aligned tree of `count` lanes with `op` compiled into it.
    [[gnu::flatten]] T lanes_in_place(int count)
    {
        storage<geometry::lanes_per_row> lanes;
        std::construct_at(lanes.value, lane());
        for (int i = 1; i < count; ++i)
            std::construct_at(lanes.value + i, lane());
        return halve(lanes.value, count);
    }

    /// Combines neighbours, and the results, until one is left: the adjacent-pair tree aligned at the last value.
    TILEWISE_INLINE T halve(T* values, int count)
    {
        while (count > 1) {
            int const alone = count % 2;
            for (int i = alone; i < alone + count / 2; ++i)
                replace(values[i],
                        combine<T>(op_, std::move(values[2 * i - alone]), std::move(values[2 * i - alone + 1])));
            count = count / 2 + alone;
        }
        return std::move(values[0]);
    }
    TILEWISE_INLINE static void replace(T& value, T by)
    {
        if constexpr (std::is_move_assignable_v<T>)
            value = std::move(by);
        else
            std::construct_at(&value, std::move(by));
    }

    Input input_;
    Op& op_;
};

/// The elements of an input as arrays: where they stand already, or in a buffer that they pass through on the way. The
/// buffer also keeps a transform's products apart from the sums that follow.
template <class T, std::size_t capacity, class Input>
class array_source {
public:
    static constexpr offset at_once = static_cast<offset>(capacity); ///< as many as one array may have

    explicit array_source(Input input) : input_(std::move(input)) {}
    T const* next(offset count)
    {
        for_each(input_, count, [this](offset i, auto&& element) { buffer_[i] = static_cast<T>(element); });
        return opaque_memory(buffer_);
    }

private:
    Input input_;
    T buffer_[capacity];
};

template <class T, std::size_t capacity, contiguous_of<T> Input>
class array_source<T, capacity, Input> {
public:
    static constexpr offset at_once = std::numeric_limits<offset>::max();

    explicit array_source(Input input) : position_(opaque_memory(std::to_address(input))) {}
    T const* next(offset count) { return std::exchange(position_, position_ + count); }

private:
    T const* position_;
};

/// Reads floating-point values for an operator known by name, several rows at a time.
template <class Order, class T, class Op, class Input>
class row_reader {
    using geometry = typename Order::geometry;

public:
    row_reader(Input input, Op& op) : source_(std::move(input)), op_(op) {}

    T elements(int count)
    {
        T const* element = source_.next(count);
        return fold<T>(op_, count, [&] { return *element++; });
    }
    T lanes(int count)
    {
        T totals[geometry::lanes_per_row];
        total_lanes(source_.next(count * Order::lane_vector), count, totals);
        return right_aligned_tree<T, geometry::lanes_per_row / 2>(op_, count,
                                                                  [total = totals]() mutable { return *total++; });
    }
    T rows(int count)
    {
        T totals[geometry::rows_per_chunk];
        total_rows(count, totals);
        return fold<T>(op_, count, [total = totals]() mutable { return *total++; });
    }
    T chunk()
    {
        T totals[geometry::rows_per_chunk];
        total_rows(geometry::rows_per_chunk, totals);
        return fold<T, geometry::rows_per_chunk>(op_, [total = totals]() mutable { return *total++; });
    }
    T tile()
    {
        return tree<T, geometry::chunks_per_tile>(op_, [&] { return chunk(); });
    }

private:
    /// Writes the totals of `count` rows, in a chunk's worth of room.
    void total_rows(int count, T* totals)
    {
        constexpr int rows = geometry::rows_per_chunk, width = geometry::lanes_per_row;
        T lanes[geometry::rows_per_chunk * geometry::lanes_per_row];
        total_lanes(source_.next(count * Order::row), count * width, lanes);
        std::fill(lanes + count * width, lanes + rows * width, T()); // rows that do not exist fill the registers
        for (int done = row_totals<width, Op>(lanes, rows, totals); done < rows; ++done)
            totals[done] = tree<T, width>(op_, [lane = lanes + done * width]() mutable { return *lane++; });
    }
    void total_lanes(T const* first, int count, T* totals)
    {
        for (int done = lane_totals<Op>(first, count, totals); done < count; ++done)
            totals[done] = fold<T, int{Order::lane_vector}>(
                op_, [element = first + done * Order::lane_vector]() mutable { return *element++; });
    }

    array_source<T, Order::chunk, Input> source_;
    Op& op_;
};

/// Reads integers for an operator known by name: no order can change their bits.
template <class Order, class T, class Op, class Input>
class exact_reader {
public:
    exact_reader(Input input, Op& op) : source_(std::move(input)), op_(op) {}

    T total(offset count)
    {
        T sum = total_of_next(std::min(count, source_.at_once));
        while ((count -= source_.at_once) > 0)
            sum = op_(sum, total_of_next(std::min(count, source_.at_once)));
        return sum;
    }
    T tile() { return total(Order::tile); }

private:
    T total_of_next(offset count) { return exact_total<Op>(source_.next(count), count); }

    array_source<T, Order::chunk, Input> source_;
    Op& op_;
};

/// The reader that suits the type and the operator, positioned at an input.
template <class Order, class T, class Op, class Input>
auto reader_at(Input input, Op& op)
{
    if constexpr (named::is_exact<Op, T>)
        return exact_reader<Order, T, Op, Input>(std::move(input), op);
    else if constexpr (named::is_twin<Op> && Order::lane_vector * sizeof(T) == 16) // which fills a block of a register
        return row_reader<Order, T, Op, Input>(std::move(input), op);
    else
        return element_reader<Order, T, Op, Input>(std::move(input), op);
}

/// Values that are found in any order, to be taken from left to right.
template <class T>
using totals = std::deque<std::optional<T>>;

/// An input of such values, which spends them.
template <class It>
auto taken_from(It first)
{
    return transformed([](auto& value) -> decltype(auto) { return *std::move(value); }, first);
}

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
