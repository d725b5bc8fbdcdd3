// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Totals of arithmetic values in vector registers, in portable vector types of g++ and clang.
///
/// The order folds a row of 32 lane vectors into one value, which would need a shuffle per addition. So rows stand side
/// by side: a register holds the same place of several rows, one 16-byte block for as many rows as a lane vector has
/// elements. Transposing the blocks costs the only shuffles; everything after is one plain operation per step of the
/// order. The width of the registers, and thus the processor, changes how many rows are in flight and no bit of any.

#include <tilewise/config.hpp>
#include <tilewise/functional.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// The integer types under whose names registers hold integers of any name.
template <int bytes, bool is_signed>
using integer_of_size = std::conditional_t<
    bytes == 1, std::conditional_t<is_signed, std::int8_t, std::uint8_t>,
    std::conditional_t<bytes == 2, std::conditional_t<is_signed, std::int16_t, std::uint16_t>,
                       std::conditional_t<bytes == 4, std::conditional_t<is_signed, std::int32_t, std::uint32_t>,
                                          std::conditional_t<is_signed, std::int64_t, std::uint64_t>>>>;

/// What a register holds for values of type T under Op. Sums and products are unsigned, so that they wrap.
template <class T, class Op>
struct register_element {
    using type = integer_of_size<sizeof(T), std::is_signed_v<T> && (std::same_as<Op, named::minimum> ||
                                                                    std::same_as<Op, named::maximum>)>;
};
template <std::floating_point T, class Op>
struct register_element<T, Op> {
    using type = T;
};

template <class T, int bytes>
using vector_register __attribute__((vector_size(bytes))) = T;

/// Loads one block of 16 bytes from each of several places `stride` elements apart.
template <int bytes, class Element, class T>
TILEWISE_INLINE void load_blocks(vector_register<Element, bytes>& blocks, T const* first, offset stride)
{
    if constexpr (bytes == 16) {
        __builtin_memcpy(&blocks, first, 16);
    } else {
        vector_register<Element, bytes / 2> low, high;
        load_blocks<bytes / 2, Element>(low, first, stride);
        load_blocks<bytes / 2, Element>(high, first + bytes / 32 * stride, stride);
        [&]<std::size_t... i>(std::index_sequence<i...>) TILEWISE_INLINE_LAMBDA {
            blocks = __builtin_shufflevector(low, high, i...);
        }(std::make_index_sequence<bytes / sizeof(Element)>{});
    }
}

/// Interleaves the lower or upper halves of the blocks of two registers.
template <bool upper, std::size_t block, class Vector, std::size_t... i>
TILEWISE_INLINE void interleave(Vector& result, Vector const& even, Vector const& odd, std::index_sequence<i...>)
{
    constexpr std::size_t width = sizeof...(i);
    result = __builtin_shufflevector(
        even, odd, (i / block * block + (upper ? block / 2 : 0) + i % block / 2 + (i % 2 ? width : 0))...);
}

/// Transposes the square matrices that `count` registers of blocks of `count` elements hold, one per block.
template <std::size_t elements, std::size_t count, class Vector>
TILEWISE_INLINE void transpose(Vector (&rows)[count])
{
    constexpr auto indices = std::make_index_sequence<elements>{};
    for (std::size_t stage = 1; stage < count; stage *= 2) {
        Vector mixed[count];
        for (std::size_t i = 0; i < count / 2; ++i) {
            interleave<false, count>(mixed[2 * i], rows[i], rows[i + count / 2], indices);
            interleave<true, count>(mixed[2 * i + 1], rows[i], rows[i + count / 2], indices);
        }
        for (std::size_t i = 0; i < count; ++i)
            rows[i] = mixed[i];
    }
}

/// Combines `lanes` lane vectors of several rows side by side as an adjacent-pair tree.
template <int lanes, class Op, class Element, int bytes, class T>
TILEWISE_INLINE void tree_of_lanes(vector_register<Element, bytes>& total, T const*& lane, offset stride)
{
    if constexpr (lanes == 1) {
        constexpr offset per_block = 16 / sizeof(T);
        vector_register<Element, bytes> block[16 / sizeof(T)];
        for (offset i = 0; i < per_block; ++i)
            load_blocks<bytes, Element>(block[i], lane + i * stride, per_block * stride);
        transpose<bytes / sizeof(T)>(block);
        for (offset i = 1; i < per_block; ++i)
            Op::append(block[0], block[i]);
        total = block[0];
        lane += per_block;
    } else {
        vector_register<Element, bytes> right;
        tree_of_lanes<lanes / 2, Op, Element, bytes>(total, lane, stride);
        tree_of_lanes<lanes / 2, Op, Element, bytes>(right, lane, stride);
        Op::append(total, right);
    }
}

/// Writes the totals of `count` runs of `lanes` lane vectors each, as many side by side as a register has room for.
/// Returns how many it wrote: all of them, unless there are fewer than the narrowest register takes.
template <int bytes, int lanes, class Op, class T>
TILEWISE_INLINE int totals_side_by_side(T const* first, int count, T* totals)
{
    using element = typename register_element<T, Op>::type;
    constexpr int at_once = bytes / int{sizeof(T)};
    constexpr offset stride = offset{lanes} * 16 / offset{sizeof(T)};
    if (count < at_once) {
        if constexpr (bytes > 16)
            return totals_side_by_side<bytes / 2, lanes, Op>(first, count, totals);
        else
            return 0;
    }
    for (int done = 0; done < count; done += at_once) {
        if (done > count - at_once)
            done = count - at_once; // some of the last ones twice
        vector_register<element, bytes> total;
        T const* lane = first + done * stride;
        tree_of_lanes<lanes, Op, element, bytes>(total, lane, stride);
        __builtin_memcpy(totals + done, &total, bytes);
    }
    return count;
}

/// Combines `count` values, at least one, in whatever order is fastest.
template <int bytes, class Op, class T>
TILEWISE_INLINE T total_in_any_order(T const* first, offset count)
{
    using element = typename register_element<T, Op>::type;
    constexpr int elements = bytes / int{sizeof(T)};
    constexpr int at_once = 4;
    T const* const last = first + count;
    T total = *first++;
    if (last - first >= at_once * elements) {
        vector_register<element, bytes> sums[at_once];
        __builtin_memcpy(&sums, first, sizeof sums);
        for (first += at_once * elements; last - first >= at_once * elements; first += at_once * elements)
            for (int i = 0; i < at_once; ++i) {
                vector_register<element, bytes> next;
                __builtin_memcpy(&next, first + i * elements, bytes);
                Op::append(sums[i], next);
            }
        Op::append(sums[0], sums[1]);
        Op::append(sums[2], sums[3]);
        Op::append(sums[0], sums[2]);
        for (int i = 0; i < elements; ++i)
            total = Op{}(total, static_cast<T>(sums[0][i]));
    }
    while (first != last)
        total = Op{}(total, *first++);
    return total;
}

// The same, compiled for what the processor has: chosen where the program runs unless the whole program may assume it.
// 256-bit registers: f32 plus in cache runs at twice the speed of 128-bit ones.

#if defined(__x86_64__) && !defined(__AVX2__)
#define TILEWISE_CHOOSES_REGISTERS
/// The processor has 256-bit registers for every type.
inline bool const has_avx2 = __builtin_cpu_supports("avx2");

template <int lanes, class Op, class T>
[[gnu::target("avx2")]] int totals_with_avx2(T const* first, int count, T* totals)
{
    return totals_side_by_side<32, lanes, Op>(first, count, totals);
}
template <class Op, class T>
[[gnu::target("avx2")]] T total_with_avx2(T const* first, offset count)
{
    return total_in_any_order<32, Op>(first, count);
}
#endif

#if defined(__AVX2__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

/// Writes the totals of `count` runs of `lanes` lane vectors each, and returns how many it wrote: all or, when there are
/// too few of them for the registers, none.
template <int lanes, class Op, class T>
int lane_totals(T const* first, int count, T* totals)
{
#ifdef TILEWISE_CHOOSES_REGISTERS
    if (has_avx2)
        return totals_with_avx2<lanes, Op>(first, count, totals);
#endif
    return totals_side_by_side<register_bytes, lanes, Op>(first, count, totals);
}

/// Combines `count` values, at least one, whose combination is the same in every order.
template <class Op, class T>
T exact_total(T const* first, offset count)
{
#ifdef TILEWISE_CHOOSES_REGISTERS
    if (has_avx2)
        return total_with_avx2<Op>(first, count);
#endif
    return total_in_any_order<register_bytes, Op>(first, count);
}

} // namespace host
TILEWISE_NAMESPACE_END
