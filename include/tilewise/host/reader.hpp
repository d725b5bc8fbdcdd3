// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How engines read an input: a reader turns it into aggregates of the order's units, from left to right. There are
/// three: one for any type and operator, one for floating-point values in vector registers, one for integers, which may
/// be combined in any order.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/elements.hpp>
#include <tilewise/host/fold.hpp>
#include <tilewise/host/ones.hpp>
#include <tilewise/host/simd.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <deque>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Reads values of any type one by one.
template <class Order, class T, class Op, class Input>
class element_reader {
    using geometry = typename Order::geometry;

public:
    element_reader(Input input, Op& op) : input_(std::move(input)), op_(op) {}

    T elements(int count)
    {
        return host::fold<T>(op_, count, [&] { return host::take<T>(input_); });
    }
    T lanes(int count)
    {
        if constexpr (std::is_trivially_copyable_v<T>)
            return lanes_in_place(count);
        else
            return host::right_aligned_tree<T>(op_, count, [&] { return lane(); });
    }
    T rows(int count)
    {
        return host::fold<T>(op_, count, [&] { return row(); });
    }
    T chunk() { return rows(geometry::rows_per_chunk); }
    T tile()
    {
        return host::tree<T>(op_, offset{geometry::chunks_per_tile}, [&] { return chunk(); });
    }

private:
    TILEWISE_INLINE T lane()
    {
        return host::fold<T, int{Order::lane_vector}>(op_, [&] { return host::take<T>(input_); });
    }
    T row()
    {
        if constexpr (std::is_trivially_copyable_v<T>)
            return row_in_place();
        else
            return host::tree<T>(op_, offset{geometry::lanes_per_row}, [&] { return lane(); });
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
            std::construct_at(quad.value + i, host::tree<T, 4>(op_, [&] { return lane(); }));
        if constexpr (std::is_class_v<T>)
            return host::tree<T, quads>(op_, [next = quad.value]() mutable -> T&& { return std::move(*next++); });
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
                        host::combine<T>(op_, std::move(values[2 * i - alone]), std::move(values[2 * i - alone + 1])));
            count = count / 2 + alone;
        }
        return std::move(values[0]);
    }
    TILEWISE_INLINE static void replace(T& value, T by)
    {
        if constexpr (std::is_move_assignable_v<T>)
            value = std::move(by);
        else
            std::construct_at(std::addressof(value), std::move(by));
    }

    Input input_;
    Op& op_;
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
        return host::fold<T>(op_, count, [&] { return *element++; });
    }
    T lanes(int count)
    {
        T aggregates[geometry::lanes_per_row];
        reduce_lanes(source_.next(count * Order::lane_vector), count, aggregates);
        return host::right_aligned_tree<T, geometry::lanes_per_row / 2>(
            op_, count, [aggregate = aggregates]() mutable { return *aggregate++; });
    }
    T rows(int count)
    {
        T aggregates[geometry::rows_per_chunk];
        reduce_rows(count, aggregates);
        return host::fold<T>(op_, count, [aggregate = aggregates]() mutable { return *aggregate++; });
    }
    T chunk()
    {
        T aggregates[geometry::rows_per_chunk];
        reduce_rows(geometry::rows_per_chunk, aggregates);
        return host::fold<T, geometry::rows_per_chunk>(op_,
                                                       [aggregate = aggregates]() mutable { return *aggregate++; });
    }
    T tile()
    {
        return host::tree<T, geometry::chunks_per_tile>(op_, [&] { return chunk(); });
    }

private:
    /// Writes the aggregates of `count` rows, in a chunk's worth of room.
    void reduce_rows(int count, T* aggregates)
    {
        constexpr int rows = geometry::rows_per_chunk, width = geometry::lanes_per_row;
        T lanes[geometry::rows_per_chunk * geometry::lanes_per_row];
        reduce_lanes(source_.next(count * Order::row), count * width, lanes);
        std::fill(lanes + count * width, lanes + rows * width, T()); // rows that do not exist fill the registers
        for (int done = host::row_aggregates<width, Op>(lanes, rows, aggregates); done < rows; ++done)
            aggregates[done] = host::tree<T, width>(op_, [lane = lanes + done * width]() mutable { return *lane++; });
    }
    void reduce_lanes(T const* first, int count, T* aggregates)
    {
        for (int done = host::lane_aggregates<Op>(first, count, aggregates); done < count; ++done)
            aggregates[done] = host::fold<T, int{Order::lane_vector}>(
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

    T aggregate(offset count)
    {
        T sum = reduce_next(std::min(count, source_.at_once));
        while ((count -= source_.at_once) > 0)
            sum = op_(sum, reduce_next(std::min(count, source_.at_once)));
        return sum;
    }
    T tile() { return aggregate(Order::tile); }

private:
    T reduce_next(offset count) { return host::reduce_exactly<Op>(source_.next(count), count); }

    array_source<T, Order::chunk, Input> source_;
    Op& op_;
};

template <class Order, class T, class Op, class Input>
auto element_reader_at(Input input, Op& op)
{
    return element_reader<Order, T, Op, Input>(std::move(input), op);
}

/// The reader that suits the type and the operator, positioned at an input.
template <class Order, class T, class Op, class Input>
auto reader_at(Input input, Op& op)
{
    if constexpr (sums_up_ones<Op, T, Input>)
        return ones_reader<Order, T, Input>(input);
    else if constexpr (known::is_exact<Op, T>)
        return exact_reader<Order, T, Op, Input>(std::move(input), op);
    else if constexpr (known::is_operator<Op> &&
                       Order::lane_vector * sizeof(T) == 16) // which fills a block of a register
        return row_reader<Order, T, Op, Input>(std::move(input), op);
    else
        return host::element_reader_at<Order, T>(host::opaque_input<T>(std::move(input)), op);
}

/// Values that are found in any order, to be taken from left to right.
template <class T>
using aggregates = std::deque<std::optional<T>>;

/// An input that moves such values out.
template <class It>
auto moving_values(It first)
{
    return transformed([](auto& value) -> decltype(auto) { return *std::move(value); }, first);
}

} // namespace host
TILEWISE_NAMESPACE_END
