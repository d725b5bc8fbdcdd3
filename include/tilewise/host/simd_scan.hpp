// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Scans arithmetic values in vector registers.
///
/// Transposing puts the lane vectors of a row side by side: a register holds the same element of neighbouring lane
/// vectors. So each step of the order within them is one operation for all of them, and the doubling scan of their
/// aggregates shifts registers by lanes. As in simd.hpp, the width of the registers changes no bits.

#include <tilewise/core/config.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/simd.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <optional>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Sets each element to the one `distance` positions to its left, across the boundary of two registers.
template <std::size_t distance, class Vector, std::size_t... i>
TILEWISE_INLINE void shift(Vector& result, Vector const& before, Vector const& current, std::index_sequence<i...>)
{
    host::shuffle(result, before, current, std::index_sequence<(sizeof...(i) - distance + i)...>());
}

/// Takes the first `count` elements from one register, and the others from another.
template <std::size_t count, class Vector, std::size_t... i>
TILEWISE_INLINE void join(Vector& result, Vector const& first, Vector const& others, std::index_sequence<i...>)
{
    host::shuffle(result, first, others, std::index_sequence<(i < count ? i : sizeof...(i) + i)...>());
}

/// Copies element `from` of a register to every position.
template <std::size_t from, class Vector, std::size_t... i>
TILEWISE_INLINE void broadcast(Vector& result, Vector const& vector, std::index_sequence<i...>)
{
    host::shuffle(result, vector, vector, std::index_sequence<(i - i + from)...>());
}

/// Copies a value to every position.
template <class Vector, class Element, std::size_t... i>
TILEWISE_INLINE void fill(Vector& result, Element value, std::index_sequence<i...> indices)
{
    Vector first = {};
    first[0] = value;
    host::broadcast<0>(result, first, indices);
}

/// Stores 16-byte blocks to addresses that are `stride` elements apart.
template <int bytes, class Element, class T, std::size_t... i>
TILEWISE_INLINE void store_blocks(vector_register<Element, bytes> const& blocks, T* first, offset stride,
                                  std::index_sequence<i...> half)
{
    if constexpr (bytes == 16) {
        __builtin_memcpy(first, &blocks, 16);
    } else {
        vector_register<Element, bytes / 2> low, high;
        host::shuffle(low, blocks, blocks, half);
        host::shuffle(high, blocks, blocks, std::index_sequence<(sizeof...(i) + i)...>());
        constexpr auto quarter = std::make_index_sequence<sizeof...(i) / 2>{};
        host::store_blocks<bytes / 2, Element>(low, first, stride, quarter);
        host::store_blocks<bytes / 2, Element>(high, first + bytes / 32 * stride, stride, quarter);
    }
}

/// Loads lane vectors `lane`, `lane + 16 / sizeof(Element)` and so on of a row, one to each 16-byte block.
template <int bytes, class Element, class Rows>
TILEWISE_INLINE void load_lanes(vector_register<Element, bytes>& blocks, Rows const& rows, offset lane)
{
    if constexpr (bytes == 16) {
        __builtin_memcpy(&blocks, rows.source(lane), 16);
    } else {
        vector_register<Element, bytes / 2> low, high;
        host::load_lanes<bytes / 2, Element>(low, rows, lane);
        host::load_lanes<bytes / 2, Element>(high, rows, lane + bytes / 32 * (16 / offset{sizeof(Element)}));
        host::shuffle(blocks, low, high, std::make_index_sequence<bytes / sizeof(Element)>());
    }
}

/// Stores such blocks.
template <int bytes, class Element, class Rows, std::size_t... i>
TILEWISE_INLINE void store_lanes(vector_register<Element, bytes> const& blocks, Rows& rows, offset lane,
                                 std::index_sequence<i...> half)
{
    if constexpr (bytes == 16) {
        __builtin_memcpy(rows.destination(lane), &blocks, 16);
    } else {
        vector_register<Element, bytes / 2> low, high;
        host::shuffle(low, blocks, blocks, half);
        host::shuffle(high, blocks, blocks, std::index_sequence<(sizeof...(i) + i)...>());
        constexpr auto quarter = std::make_index_sequence<sizeof...(i) / 2>{};
        host::store_lanes<bytes / 2, Element>(low, rows, lane, quarter);
        host::store_lanes<bytes / 2, Element>(high, rows, lane + bytes / 32 * (16 / offset{sizeof(Element)}), quarter);
    }
}

/// Performs the steps of a doubling scan of the values in `count` registers, starting with `distance`.
template <std::size_t distance, class Op, class Vector, std::size_t count, std::size_t... i>
TILEWISE_INLINE void double_up(Vector (&values)[count], std::index_sequence<i...> indices)
{
    constexpr std::size_t width = sizeof...(i);
    if constexpr (distance < width) {
        for (std::size_t k = count - 1; k > 0; --k) {
            Vector left;
            host::shift<distance>(left, values[k - 1], values[k], indices);
            Op::append(left, values[k]);
            values[k] = left;
        }
        Vector left;
        host::shift<distance>(left, values[0], values[0], indices);
        Op::append(left, values[0]);
        host::join<distance>(values[0], values[0], left, indices); // the first values have no left operand
        host::double_up<2 * distance, Op>(values, indices);
    } else if constexpr (distance < width * count) {
        for (std::size_t k = count - 1; k >= distance / width; --k) {
            Vector left = values[k - distance / width];
            Op::append(left, values[k]);
            values[k] = left;
        }
        host::double_up<2 * distance, Op>(values, indices);
    }
}

/// Scans `count` rows of `lanes` lane vectors. `before` is the exclusive prefix of the chunk, or null if it has none.
/// `run` is the aggregate of the rows of the chunk so far, if `has_run`. Each row is read before it is written.
template <int bytes, int lanes, scan_form form, class Op, class Rows, class T>
TILEWISE_INLINE void scan_rows_in_registers(Rows& rows, int count, T const* before, T& run, bool has_run)
{
    using vector = vector_register<T, bytes>;
    constexpr std::size_t per_lane = 16 / sizeof(T), width = bytes / sizeof(T), registers = lanes / width;
    constexpr auto indices = std::make_index_sequence<width>{};
    for (; count > 0; --count, rows.next_row()) {
        vector run_of_lane[registers][per_lane], sums[registers];
        for (std::size_t k = 0; k < registers; ++k) {
            for (std::size_t j = 0; j < per_lane; ++j)
                host::load_lanes<bytes, T>(run_of_lane[k][j], rows, static_cast<offset>(k * width + j));
            host::transpose<width>(run_of_lane[k]);
            for (std::size_t j = 1; j < per_lane; ++j) {
                vector left = run_of_lane[k][j - 1];
                Op::append(left, run_of_lane[k][j]);
                run_of_lane[k][j] = left;
            }
            sums[k] = run_of_lane[k][per_lane - 1];
        }
        host::double_up<1, Op>(sums, indices);
        T aggregate = sums[registers - 1][width - 1];

        // The exclusive prefix of each lane vector. That of the first one in the row has no part from the row.
        for (std::size_t k = registers - 1; k > 0; --k)
            host::shift<1>(sums[k], sums[k - 1], sums[k], indices);
        host::shift<1>(sums[0], sums[0], sums[0], indices);
        T before_first{};
        if (has_run) {
            vector left;
            host::fill(left, run, indices);
            for (vector& sum : sums) {
                vector off = left;
                Op::append(off, sum);
                sum = off;
            }
            before_first = run;
            aggregate = Op{}(run, aggregate);
        }
        if (before != nullptr) {
            vector left;
            host::fill(left, *before, indices);
            for (vector& sum : sums) {
                vector base = left;
                Op::append(base, sum);
                sum = base;
            }
            before_first = has_run ? Op{}(*before, before_first) : *before;
        }
        sums[0][0] = before_first;
        run = aggregate;

        for (std::size_t k = 0; k < registers; ++k) {
            vector results[per_lane];
            for (std::size_t j = 0; j < per_lane; ++j) {
                results[j] = sums[k];
                if (form == scan_form::inclusive)
                    Op::append(results[j], run_of_lane[k][j]);
                else if (j > 0)
                    Op::append(results[j], run_of_lane[k][j - 1]);
            }
            if (form == scan_form::inclusive && k == 0 && !has_run && before == nullptr)
                for (std::size_t j = 0; j < per_lane; ++j)
                    host::join<1>(results[j], run_of_lane[0][j], results[j], indices);
            host::transpose<width>(results);
            for (std::size_t j = 0; j < per_lane; ++j)
                host::store_lanes<bytes, T>(results[j], rows, static_cast<offset>(k * width + j),
                                            std::make_index_sequence<width / 2>());
        }
        has_run = true;
    }
}

/// Performs the steps of a doubling scan of a register's values, in place, starting with `distance`.
template <std::size_t distance, class Op, class Vector, std::size_t... i>
TILEWISE_INLINE void accumulate(Vector& values, Vector const& identity, std::index_sequence<i...> indices)
{
    if constexpr (distance < sizeof...(i)) {
        Vector left;
        host::shift<distance>(left, identity, values, indices);
        Op::append(left, values);
        values = left;
        host::accumulate<2 * distance, Op>(values, identity, indices);
    }
}

/// Scans `count` values after `before`, in whatever order is fastest. Returns the exclusive prefix of the next value.
template <int bytes, scan_form form, class Op, class T>
TILEWISE_INLINE T scan_any_order_in_registers(T const* first, offset count, T before, T* out)
{
    using element = typename register_element<T, Op>::type;
    using vector = vector_register<element, bytes>;
    constexpr offset width = bytes / sizeof(T);
    constexpr auto indices = std::make_index_sequence<static_cast<std::size_t>(width)>{};
    if (count >= width) {
        vector aggregate, identity;
        host::fill(aggregate, static_cast<element>(before), indices);
        host::fill(identity, static_cast<element>(Op::template identity<T>), indices);
        for (; count >= width; count -= width, first += width, out += width) {
            vector values, sum;
            __builtin_memcpy(&values, first, bytes);
            host::accumulate<1, Op>(values, identity, indices);
            host::broadcast<indices.size() - 1>(sum, values, indices);
            if (form == scan_form::exclusive)
                host::shift<1>(values, identity, values, indices);
            vector result = aggregate;
            Op::append(result, values);
            Op::append(aggregate, sum);
            __builtin_memcpy(out, &result, bytes);
        }
        before = static_cast<T>(aggregate[0]);
    }
    for (; count > 0; --count, (void)++first, (void)++out) {
        T const next = Op{}(before, *first);
        *out = form == scan_form::inclusive ? next : before;
        before = next;
    }
    return before;
}

// The same functions compiled for AVX2, as in simd.hpp.

#ifdef TILEWISE_CHOOSES_REGISTERS
template <int bytes, int lanes, scan_form form, class Op, class Rows, class T>
[[gnu::target("avx2")]] void scan_rows_with_avx2(Rows& rows, int count, T const* before, T& run, bool has_run)
{
    host::scan_rows_in_registers<bytes, lanes, form, Op>(rows, count, before, run, has_run);
}
template <scan_form form, class Op, class T>
[[gnu::target("avx2")]] T scan_any_order_with_avx2(T const* first, offset count, T before, T* out)
{
    return host::scan_any_order_in_registers<32, form, Op>(first, count, before, out);
}
#endif

/// Scans `count` rows of a chunk, at least one, each of `lanes` lane vectors of 16 bytes. `before` is the exclusive
/// prefix of the chunk. `run` is the aggregate of the rows of the chunk so far, to which these rows are appended.
template <int lanes, scan_form form, class Op, class Rows, class T>
void scan_rows(Rows& rows, int count, std::optional<T> const& before, std::optional<T>& run)
{
    constexpr int row_bytes = lanes * int{sizeof(T)};
    bool const has_run = run.has_value();
    if (!has_run)
        run.emplace();
    T const* const chunk = before ? &*before : nullptr;
#ifdef TILEWISE_CHOOSES_REGISTERS
    if (row_bytes > 16 && has_avx2)
        return host::scan_rows_with_avx2<std::min(32, row_bytes), lanes, form, Op>(rows, count, chunk, *run, has_run);
#endif
    host::scan_rows_in_registers<std::min(register_bytes, row_bytes), lanes, form, Op>(rows, count, chunk, *run,
                                                                                       has_run);
}

/// Scans `count` values after `before`. Every order of combination must give the same bits. Returns the exclusive
/// prefix of the next value.
template <scan_form form, class Op, class T>
T exact_scan(T const* first, offset count, T before, T* out)
{
#ifdef TILEWISE_CHOOSES_REGISTERS
    if (has_avx2)
        return host::scan_any_order_with_avx2<form, Op>(first, count, before, out);
#endif
    return host::scan_any_order_in_registers<register_bytes, form, Op>(first, count, before, out);
}

} // namespace host
TILEWISE_NAMESPACE_END
