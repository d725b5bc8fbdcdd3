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
        return right_aligned_tree<T>(op_, count, [&] { return lane(); });
    }
    T rows(int count)
    {
        return fold<T>(op_, count, [&] { return row(); });
    }
    T chunk()
    {
        return fold<T, geometry::rows_per_chunk>(op_, [&] { return row(); });
    }
    T tile()
    {
        return tree<T, geometry::chunks_per_tile>(op_, [&] { return chunk(); });
    }

private:
    T lane()
    {
        return fold<T, int{Order::lane_vector}>(op_, [&] { return take<T>(input_); });
    }
    T row()
    {
        return tree<T, geometry::lanes_per_row>(op_, [&] { return lane(); });
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
        for (offset i = 0; i < count; ++i, ++input_)
            buffer_[i] = static_cast<T>(*input_);
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
    static_assert(Order::lane_vector * offset{sizeof(T)} == 16, "tilewise: a lane vector fills a block of a register");

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
        return right_aligned_tree<T>(op_, count, [total = totals]() mutable { return *total++; });
    }
    T rows(int count)
    {
        T totals[geometry::rows_per_chunk];
        total_rows(source_.next(count * Order::row), count, totals);
        return fold<T>(op_, count, [total = totals]() mutable { return *total++; });
    }
    T chunk() { return rows(geometry::rows_per_chunk); }
    T tile()
    {
        constexpr int rows = geometry::chunks_per_tile * geometry::rows_per_chunk;
        constexpr int rows_at_once = decltype(source_)::at_once >= Order::tile ? rows : geometry::rows_per_chunk;
        T totals[geometry::chunks_per_tile * geometry::rows_per_chunk];
        for (int row = 0; row < rows; row += rows_at_once)
            total_rows(source_.next(rows_at_once * Order::row), rows_at_once, totals + row);
        T const* total = totals;
        auto const next_chunk = [&] { return fold<T, geometry::rows_per_chunk>(op_, [&] { return *total++; }); };
        return tree<T, geometry::chunks_per_tile>(op_, next_chunk);
    }

private:
    void total_rows(T const* row, int count, T* totals)
    {
        for (int done = lane_totals<geometry::lanes_per_row, Op>(row, count, totals); done < count; ++done) {
            T lanes[geometry::lanes_per_row];
            total_lanes(row + done * Order::row, geometry::lanes_per_row, lanes);
            totals[done] = tree<T, geometry::lanes_per_row>(op_, [lane = lanes]() mutable { return *lane++; });
        }
    }
    void total_lanes(T const* lane, int count, T* totals)
    {
        for (int done = lane_totals<1, Op>(lane, count, totals); done < count; ++done)
            totals[done] = fold<T, int{Order::lane_vector}>(
                op_, [element = lane + done * Order::lane_vector]() mutable { return *element++; });
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
        offset const first_count = std::min(count, source_.at_once);
        T sum = exact_total<Op>(source_.next(first_count), first_count);
        for (count -= first_count; count > 0; count -= std::min(count, source_.at_once))
            sum = op_(sum, exact_total<Op>(source_.next(std::min(count, source_.at_once)), std::min(count, source_.at_once)));
        return sum;
    }
    T tile() { return total(Order::tile); }

private:
    array_source<T, Order::chunk, Input> source_;
    Op& op_;
};

/// The reader that suits the type and the operator, positioned at an input.
template <class Order, class T, class Op, class Input>
auto reader_at(Input input, Op& op)
{
    if constexpr (named::is_exact<Op, T>)
        return exact_reader<Order, T, Op, Input>(std::move(input), op);
    else if constexpr (named::is_twin<Op>)
        return row_reader<Order, T, Op, Input>(std::move(input), op);
    else
        return element_reader<Order, T, Op, Input>(std::move(input), op);
}

/// The totals of tiles that may be found in any order, taken from left to right.
template <class T>
using tile_totals = std::deque<std::optional<T>>;

/// Combines `init`, the totals of the tiles before the last, and the `count` elements of the last that `input` is at.
template <class Order, class T, class Op, class Input>
T combine_all(Op& op, T init, tile_totals<T>& totals, Input input, offset count)
{
    std::optional<T> carry(std::move(init));
    append_tiles<Order, T>(op, carry, static_cast<offset>(totals.size()),
                           [total = totals.begin()]() mutable { return std::move(**total++); });
    auto reader = reader_at<Order, T>(std::move(input), op);
    return append_last_tile<Order, T>(op, std::move(carry), count, reader);
}

/// Walks a range whose length is not known, and hands the tiles before the last to `run`, each as a task that writes a
/// new element of `totals`. Leaves `input` at the last tile and returns how many elements that has, none if the range
/// is empty. A tile counts as the last one until an element is seen behind it.
template <class Order, class T, class Op, class Input, class Sentinel, class Run>
offset walk_tiles(Op const& op, Input& input, Sentinel const& last, tile_totals<T>& totals, Run&& run)
{
    for (;;) {
        Input next = input;
        offset count = 0;
        for (; count < Order::tile && !(next == last); ++count)
            ++next;
        if (next == last)
            return count;
        totals.emplace_back();
        run([op = Op(op), input, &total = totals.back()]() mutable { total.emplace(reader_at<Order, T>(input, op).tile()); });
        input = std::move(next);
    }
}

/// Reads a range that can be read only once, a tile ahead.
template <class Order, class T, class Op, class Input, class Sentinel>
T reduce_single_pass(Input input, Sentinel last, T init, Op op)
{
    tile_totals<T> totals;
    std::vector<std::optional<T>> tile;
    for (;;) {
        tile.clear();
        while (static_cast<offset>(tile.size()) < Order::tile && !(input == last))
            tile.emplace_back(take<T>(input));
        transformed values{[](std::optional<T>& value) -> T&& { return *std::move(value); }, tile.begin()};
        if (input == last)
            return combine_all<Order>(op, std::move(init), totals, values, static_cast<offset>(tile.size()));
        totals.emplace_back(reader_at<Order, T>(values, op).tile());
    }
}

/// Fewer tiles are combined faster by the calling thread alone.
/// TODO measure
template <class Op>
inline constexpr offset tiles_that_pay = named::is_twin<Op> ? 32 : 4;

/// Combines `init` and a nonempty input in the order, on the calling thread.
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
        tile_totals<T> totals;
        offset const count = walk_tiles<order, T>(op, input, end, totals, [](auto task) { task(); });
        return combine_all<order>(op, std::move(init), totals, std::move(input), count);
    } else {
        return reduce_single_pass<order>(std::move(input), std::move(end), std::move(init), std::move(op));
    }
}

/// Combines `init` and a nonempty input in the order, on all cores.
template <class Geometry, class T, class Op, class Input, class Extent>
T reduce(parallel_policy, Input input, Extent end, T init, Op op)
{
    using order = tilewise::order<T, Geometry>;
    tile_totals<T> totals;
    if constexpr (std::same_as<Extent, offset>) {
        offset const tiles = order::tiles_before_last(end);
        if (tiles < tiles_that_pay<Op>)
            return reduce<Geometry>(seq, std::move(input), end, std::move(init), std::move(op));
        totals.resize(static_cast<std::size_t>(tiles));
        parallel_for(tiles, [&](offset first, offset last) {
            Op own_op = op;
            auto reader = reader_at<order, T>(input + first * order::tile, own_op);
            for (offset tile = first; tile != last; ++tile)
                totals[static_cast<std::size_t>(tile)].emplace(reader.tile());
        });
        return combine_all<order>(op, std::move(init), totals, input + tiles * order::tile, end - tiles * order::tile);
    } else {
        offset count = 0;
        parallel_tasks([&](auto const& run) { count = walk_tiles<order, T>(op, input, end, totals, run); });
        return combine_all<order>(op, std::move(init), totals, std::move(input), count);
    }
}

} // namespace host
TILEWISE_NAMESPACE_END
