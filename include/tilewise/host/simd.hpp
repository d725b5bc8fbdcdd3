// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Aggregates of arithmetic values in vector registers, with the portable vector types of g++ and clang.
///
/// The order folds a row of 32 lane vectors into one value, which would need a shuffle per addition. Therefore several
/// rows are combined side by side: a register holds the same position of several rows, one 16-byte block for as many
/// rows as a lane vector has elements. Only transposing the blocks takes shuffles; after that, each step of the order
/// is one plain operation. The width of the registers, and thus the processor, changes the number of rows in flight,
/// but no bits.

#include <tilewise/core/config.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/order.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// The integer type of a size, by which registers represent all integer types of that size.
template <int bytes, bool is_signed>
using integer_of_size = std::conditional_t<
    bytes == 1, std::conditional_t<is_signed, std::int8_t, std::uint8_t>,
    std::conditional_t<bytes == 2, std::conditional_t<is_signed, std::int16_t, std::uint16_t>,
                       std::conditional_t<bytes == 4, std::conditional_t<is_signed, std::int32_t, std::uint32_t>,
                                          std::conditional_t<is_signed, std::int64_t, std::uint64_t>>>>;

/// The element type of registers for values of type T under Op. Sums and products are unsigned, so that they wrap.
template <class T, class Op>
struct register_element {
    static constexpr bool wraps = std::same_as<Op, known::plus> || std::same_as<Op, known::multiplies>;
    using type = integer_of_size<sizeof(T), std::is_signed_v<T> && !wraps>;
};
template <std::floating_point T, class Op>
struct register_element<T, Op> {
    using type = T;
};

/// A register of `bytes` bytes. (It is a member type because nvcc ignores the attribute of an alias template.)
template <class T, int bytes>
struct register_of {
    using type __attribute__((vector_size(bytes))) = T;
};
template <class T, int bytes>
using vector_register = typename register_of<T, bytes>::type;

/// Selects the elements `i...` of two registers, numbered from the first of `a` to the last of `b`.
template <class Result, class Vector, std::size_t... i>
TILEWISE_INLINE void shuffle(Result& result, Vector const& a, Vector const& b, std::index_sequence<i...>)
{
#ifdef __CUDACC__ // its front end does not expand packs in a builtin
    constexpr int from[] = {static_cast<int>(i)...};
    static_assert(std::has_single_bit(sizeof...(i)) && sizeof...(i) >= 2 && sizeof...(i) <= 32);
    if constexpr (sizeof...(i) == 2)
        result = __builtin_shufflevector(a, b, from[0], from[1]);
    else if constexpr (sizeof...(i) == 4)
        result = __builtin_shufflevector(a, b, from[0], from[1], from[2], from[3]);
    else if constexpr (sizeof...(i) == 8)
        result = __builtin_shufflevector(a, b, from[0], from[1], from[2], from[3], from[4], from[5], from[6], from[7]);
    else if constexpr (sizeof...(i) == 16)
        result = __builtin_shufflevector(a, b, from[0], from[1], from[2], from[3], from[4], from[5], from[6], from[7],
                                         from[8], from[9], from[10], from[11], from[12], from[13], from[14], from[15]);
    else
        result =
            __builtin_shufflevector(a, b, from[0], from[1], from[2], from[3], from[4], from[5], from[6], from[7],
                                    from[8], from[9], from[10], from[11], from[12], from[13], from[14], from[15],
                                    from[16], from[17], from[18], from[19], from[20], from[21], from[22], from[23],
                                    from[24], from[25], from[26], from[27], from[28], from[29], from[30], from[31]);
#else
    result = __builtin_shufflevector(a, b, i...);
#endif
}

/// Loads 16-byte blocks from addresses that are `stride` elements apart.
template <int bytes, class Element, class T>
TILEWISE_INLINE void load_blocks(vector_register<Element, bytes>& blocks, T const* first, offset stride)
{
    if constexpr (bytes == 16) {
        __builtin_memcpy(&blocks, first, 16);
    } else {
        vector_register<Element, bytes / 2> low, high;
        host::load_blocks<bytes / 2, Element>(low, first, stride);
        host::load_blocks<bytes / 2, Element>(high, first + bytes / 32 * stride, stride);
        host::shuffle(blocks, low, high, std::make_index_sequence<bytes / sizeof(Element)>());
    }
}

/// Interleaves the lower or upper halves of the blocks of two registers.
template <bool upper, std::size_t block, class Vector, std::size_t... i>
TILEWISE_INLINE void interleave(Vector& result, Vector const& even, Vector const& odd, std::index_sequence<i...>)
{
    constexpr std::size_t width = sizeof...(i);
    host::shuffle(
        result, even, odd,
        std::index_sequence<(i / block * block + (upper ? block / 2 : 0) + i % block / 2 + (i % 2 ? width : 0))...>());
}

/// Transposes one square matrix per block, in `count` registers whose blocks have `count` elements each.
template <std::size_t elements, std::size_t count, class Vector>
TILEWISE_INLINE void transpose(Vector (&rows)[count])
{
    constexpr auto indices = std::make_index_sequence<elements>{};
    for (std::size_t stage = 1; stage < count; stage *= 2) {
        Vector mixed[count];
        for (std::size_t i = 0; i < count / 2; ++i) {
            host::interleave<false, count>(mixed[2 * i], rows[i], rows[i + count / 2], indices);
            host::interleave<true, count>(mixed[2 * i + 1], rows[i], rows[i + count / 2], indices);
        }
        for (std::size_t i = 0; i < count; ++i)
            rows[i] = mixed[i];
    }
}

/// Loads and transposes a square of values per block: `block[i]` has element i of each of several runs that are
/// `stride` elements apart.
template <int bytes, class Element, class T>
TILEWISE_INLINE void load_transposed(vector_register<Element, bytes> (&block)[16 / sizeof(T)], T const* first,
                                     offset stride)
{
    constexpr offset per_block = 16 / sizeof(T);
    for (offset i = 0; i < per_block; ++i)
        host::load_blocks<bytes, Element>(block[i], first + i * stride, per_block * stride);
    host::transpose<bytes / sizeof(T)>(block);
}

/// How far ahead a reduction prefetches: one and a half chunks, chosen by measurements on an Intel Xeon and
/// an AMD EPYC (decision 4 has all distances). Hardware prefetchers stop at the end of a page, and wait while the rows
/// of a chunk are combined.
inline constexpr int prefetch_bytes = 6144;

/// Writes the aggregates of lane vectors, each folded left to right: as many of the `count` as fill whole registers.
/// Returns their number.
template <int bytes, class Op, class T>
TILEWISE_INLINE int aggregates_of_lanes(T const* first, int count, T* aggregates)
{
    using element = typename register_element<T, Op>::type;
    constexpr offset per_block = 16 / sizeof(T);
    constexpr int at_once = bytes / int{sizeof(T)};
    int done = 0;
    for (; done + at_once <= count; done += at_once) {
        vector_register<element, bytes> block[16 / sizeof(T)];
        auto const* const position = reinterpret_cast<char const*>(first + done * per_block);
        for (int line = 0; line < 16 * at_once; line += 64)
            __builtin_prefetch(position + prefetch_bytes + line); // may be past the end, which is harmless
        host::load_transposed<bytes, element>(block, first + done * per_block, per_block);
        for (offset i = 1; i < per_block; ++i)
            Op::append(block[0], block[i]);
        __builtin_memcpy(aggregates + done, &block[0], bytes);
    }
    return done;
}

/// Combines `width` values of each of several runs as an adjacent-pair tree, all runs side by side.
template <int width, class Op, class Element, int bytes, class T>
TILEWISE_INLINE void tree_of_values(vector_register<Element, bytes>& aggregate, T const* value, offset stride)
{
    constexpr int per_block = 16 / int{sizeof(T)};
    if constexpr (width == per_block) {
        vector_register<Element, bytes> block[16 / sizeof(T)];
        host::load_transposed<bytes, Element>(block, value, stride);
        for (int step = 1; step < per_block; step *= 2)
            for (int i = 0; i < per_block; i += 2 * step)
                Op::append(block[i], block[i + step]);
        aggregate = block[0];
    } else {
        vector_register<Element, bytes> right;
        host::tree_of_values<width / 2, Op, Element, bytes>(aggregate, value, stride);
        host::tree_of_values<width / 2, Op, Element, bytes>(right, value + width / 2, stride);
        Op::append(aggregate, right);
    }
}

/// Writes the aggregates of rows, given those of their `width` lanes: as many of the `count` as fill whole registers.
/// Returns their number.
template <int bytes, int width, class Op, class T>
TILEWISE_INLINE int aggregates_of_rows(T const* lanes, int count, T* aggregates)
{
    using element = typename register_element<T, Op>::type;
    constexpr int at_once = bytes / int{sizeof(T)};
    int done = 0;
    for (; done + at_once <= count; done += at_once) {
        vector_register<element, bytes> aggregate;
        host::tree_of_values<width, Op, element, bytes>(aggregate, lanes + done * width, width);
        __builtin_memcpy(aggregates + done, &aggregate, bytes);
    }
    return done;
}

/// Combines `count` values, at least one, in whatever order is fastest.
template <int bytes, class Op, class T>
TILEWISE_INLINE T reduce_in_any_order(T const* first, offset count)
{
    using element = typename register_element<T, Op>::type;
    constexpr int elements = bytes / int{sizeof(T)};
    constexpr int at_once = 4;
    T const* const last = first + count;
    T aggregate = *first++;
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
            aggregate = Op{}(aggregate, static_cast<T>(sums[0][i]));
    }
    while (first != last)
        aggregate = Op{}(aggregate, *first++);
    return aggregate;
}

// The same functions compiled for AVX2, selected at run time unless the whole program is compiled for AVX2.
// With 256-bit registers, f32 plus in cache runs at twice the speed of 128-bit ones.

#if defined(__x86_64__) && !defined(__AVX2__)
#define TILEWISE_CHOOSES_REGISTERS
/// Whether the processor has 256-bit registers for every type.
inline bool const has_avx2 = __builtin_cpu_supports("avx2");

template <class Op, class T>
[[gnu::target("avx2")]] int lanes_with_avx2(T const* first, int count, T* aggregates)
{
    return host::aggregates_of_lanes<32, Op>(first, count, aggregates);
}
template <int width, class Op, class T>
[[gnu::target("avx2")]] int rows_with_avx2(T const* lanes, int count, T* aggregates)
{
    return host::aggregates_of_rows<32, width, Op>(lanes, count, aggregates);
}
template <class Op, class T>
[[gnu::target("avx2")]] T reduce_with_avx2(T const* first, offset count)
{
    return host::reduce_in_any_order<32, Op>(first, count);
}
#endif

#if defined(__AVX2__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

/// Writes the aggregates of as many of `count` lane vectors as fill whole registers. Returns their number.
template <class Op, class T>
int lane_aggregates(T const* first, int count, T* aggregates)
{
#ifdef TILEWISE_CHOOSES_REGISTERS
    if (has_avx2)
        return host::lanes_with_avx2<Op>(first, count, aggregates);
#endif
    return host::aggregates_of_lanes<register_bytes, Op>(first, count, aggregates);
}

/// Writes the aggregates of as many of `count` rows as fill whole registers, given those of their `width` lanes.
/// Returns their number.
template <int width, class Op, class T>
int row_aggregates(T const* lanes, int count, T* aggregates)
{
#ifdef TILEWISE_CHOOSES_REGISTERS
    if (has_avx2)
        return host::rows_with_avx2<width, Op>(lanes, count, aggregates);
#endif
    return host::aggregates_of_rows<register_bytes, width, Op>(lanes, count, aggregates);
}

/// Combines `count` values, at least one. Every order of combination must give the same bits.
template <class Op, class T>
T reduce_exactly(T const* first, offset count)
{
#ifdef TILEWISE_CHOOSES_REGISTERS
    if (has_avx2)
        return host::reduce_with_avx2<Op>(first, count);
#endif
    return host::reduce_in_any_order<register_bytes, Op>(first, count);
}

} // namespace host
TILEWISE_NAMESPACE_END
