// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A scanner reads an input and writes its scan, tile by tile. There are three, as there are readers: one for any type
/// and operator, one for floating-point values in vector registers, one for integers, which may be combined in any
/// order.

#include <tilewise/core/config.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/elements.hpp>
#include <tilewise/host/fold.hpp>
#include <tilewise/host/prefix.hpp>
#include <tilewise/host/row_blocks.hpp>
#include <tilewise/host/scan_chunk.hpp>
#include <tilewise/host/scan_row.hpp>
#include <tilewise/host/simd_scan.hpp>
#include <tilewise/order.hpp>

#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Scans `count` elements of a tile from `at`, at most to its end, and appends the aggregate of the tile to `tiles` if
/// they complete it. `scan_chunk(before, run, count)` scans `count` elements of a chunk after the rows in `run`, and
/// appends their rows to `run`.
template <class Order, class T, class Op, class ScanChunk>
TILEWISE_INLINE void scan_tile(Op& op, carry<Order, T>& tiles, position_in_tile<Order, T>& at, offset count,
                               ScanChunk&& scan_chunk)
{
    std::optional<T> const before = tiles.before_next(op);
    offset chunk_left = Order::chunk - at.index % Order::chunk;
    at.index += count;
    for (; count > 0; count -= std::exchange(chunk_left, Order::chunk)) {
        scan_chunk(host::combine_copies<T>(op, before, at.chunk_prefix), at.run, std::min(count, chunk_left));
        if (count >= chunk_left)
            at.append_chunk(op, std::move(*at.run));
    }
    if (at.index == Order::tile)
        tiles.append(op, std::move(*at.chunk_prefix));
}

/// Scans values of any type one by one.
template <class Order, scan_form form, class T, class Op, class Input, class Out>
class element_scanner {
public:
    element_scanner(Input input, Out out, Op& op) : input_(std::move(input)), out_(std::move(out)), op_(op) {}

    /// Scans `count` elements of a tile, starting at the beginning of the tile or of one of its rows.
    void tile(carry<Order, T>& tiles, offset count)
    {
        position_in_tile<Order, T> at;
        tile(tiles, count, at);
    }
    TILEWISE_INLINE void tile(carry<Order, T>& tiles, offset count, position_in_tile<Order, T>& at)
    {
        host::scan_tile(op_, tiles, at, count, [&](auto&&... arguments) { scan_chunk(arguments...); });
    }
    /// Scans a range of at most one chunk.
    void chunk(std::optional<T> const& init, offset count)
    {
        std::optional<T> run;
        scan_chunk(init, run, count);
    }
    Out end() { return std::move(out_); }

private:
    void scan_chunk(std::optional<T> const& before, std::optional<T>& run, offset count)
    {
        if constexpr (is_of_words<T>) {
            if (count == Order::chunk) {
                run.emplace(host::scan_rows_side_by_side<Order, form, T>(
                    op_, before ? std::addressof(*before) : nullptr, input_, out_));
                host::forget_memory<T>(out_);
                return;
            }
        }
        for (; count > 0; count -= Order::row)
            host::append<T>(
                op_, run, host::scan_row<Order, form, T>(op_, before, run, std::min(count, Order::row), input_, out_));
        host::forget_memory<T>(out_);
    }

    Input input_;
    Out out_;
    Op& op_;
};

/// Scans floating-point values with a known operator, the lane vectors of a row at once.
template <class Order, scan_form form, class T, class Op, class Input, class Out>
class row_scanner {
    static constexpr int lanes = Order::geometry::lanes_per_row;

public:
    row_scanner(Input input, Out out, Op& op) : source_(std::move(input)), sink_(std::move(out)), op_(op) {}

    /// Scans `count` elements of a tile, starting at the beginning of the tile or of one of its rows.
    void tile(carry<Order, T>& tiles, offset count)
    {
        position_in_tile<Order, T> at;
        tile(tiles, count, at);
    }
    TILEWISE_INLINE void tile(carry<Order, T>& tiles, offset count, position_in_tile<Order, T>& at)
    {
        host::scan_tile(op_, tiles, at, count, [&](auto&&... arguments) { scan_chunk(arguments...); });
    }
    /// Scans a range of at most one chunk.
    void chunk(std::optional<T> const& init, offset count)
    {
        std::optional<T> run;
        scan_chunk(init, run, count);
    }
    Out end() { return sink_.end(); }

private:
    void scan_chunk(std::optional<T> const& before, std::optional<T>& run, offset count)
    {
        T const* first = source_.next(count);
        T* out = sink_.room();
        auto const rows = static_cast<int>(count / Order::row);
        if (rows > 0) {
            complete_rows<T, lanes> complete(first, out);
            host::scan_rows<lanes, form, Op>(complete, rows, before, run);
        }
        if (offset const rest = count % Order::row; rest > 0) {
            part_of_row<T> part(first + rows * Order::row, rest, out + rows * Order::row);
            scan_part_of_row<lanes>(part, rest, before, run);
            part.finish();
        }
        sink_.written(count);
    }

    /// Scans a part of a row, with half of the lanes where that suffices. Elements past its end do not affect those
    /// before them.
    template <int lane_count>
    static void scan_part_of_row(part_of_row<T>& part, offset count, std::optional<T> const& before,
                                 std::optional<T>& run)
    {
        if constexpr (lane_count * int{sizeof(T)} > 16) {
            if (count <= lane_count * Order::lane_vector / 2)
                return scan_part_of_row<lane_count / 2>(part, count, before, run);
        }
        host::scan_rows<lane_count, form, Op>(part, 1, before, run);
    }

    array_source<T, Order::chunk, Input> source_;
    array_sink<T, Order::chunk, Out> sink_;
    Op& op_;
};

/// The exclusive prefix of a tile of integers, which may be combined in any order.
template <class T, class Op>
class exact_carry {
public:
    explicit exact_carry(std::optional<T> init) : value_(init.value_or(Op::template identity<T>)) {}
    T& value() { return value_; }
    std::optional<T> before_next(Op&) const { return value_; }
    void append(Op& op, T tile) { value_ = op(value_, tile); }

private:
    T value_;
};

/// Scans integers with a known operator: every order of combination gives the same bits.
template <class Order, scan_form form, class T, class Op, class Input, class Out>
class exact_scanner {
public:
    exact_scanner(Input input, Out out, Op&) : source_(std::move(input)), sink_(std::move(out)) {}

    void tile(exact_carry<T, Op>& tiles, offset count)
    {
        constexpr offset at_once = std::min(decltype(source_)::at_once, decltype(sink_)::at_once);
        for (offset part; count > 0; count -= part) {
            part = std::min(count, at_once);
            tiles.value() = host::exact_scan<form, Op>(source_.next(part), part, tiles.value(), sink_.room());
            sink_.written(part);
        }
    }
    Out end() { return sink_.end(); }

private:
    array_source<T, Order::chunk, Input> source_;
    array_sink<T, Order::chunk, Out> sink_;
};

/// The carry for scans of T with Op.
template <class Order, class T, class Op>
using carry_for = std::conditional_t<known::is_exact<Op, T>, exact_carry<T, Op>, carry<Order, T>>;

template <class Order, scan_form form, class T, class Op, class Input, class Out>
auto element_scanner_at(Input input, Out out, Op& op)
{
    return element_scanner<Order, form, T, Op, Input, Out>(std::move(input), std::move(out), op);
}

template <class Order, scan_form form, class T, class Op, class Input, class Out>
auto scanner_at(Input input, Out out, Op& op)
{
    if constexpr (known::is_exact<Op, T>)
        return exact_scanner<Order, form, T, Op, Input, Out>(std::move(input), std::move(out), op);
    else if constexpr (known::is_operator<Op> && Order::lane_vector * sizeof(T) == 16)
        return row_scanner<Order, form, T, Op, Input, Out>(std::move(input), std::move(out), op);
    else
        return host::element_scanner_at<Order, form, T>(host::opaque_input<T>(std::move(input)), std::move(out), op);
}

} // namespace host
TILEWISE_NAMESPACE_END
