// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Scans a complete chunk with its rows side by side, for operators that are not known operators.
///
/// The order leaves out no call of `op`: all partial results of a row are different trees. But all rows of a chunk take
/// the same steps, so each step is a loop over the rows. Values are stored word by word, and the words of all rows at
/// one position are adjacent. The compiler turns such a loop into vector instructions if `op` has no calls, and no
/// branches but those that select a value.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/elements.hpp>
#include <tilewise/host/prefix.hpp>
#include <tilewise/host/simd.hpp>
#include <tilewise/host/simd_scan.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Whether chunks of T are scanned with their rows side by side: a T can be copied word by word, and a chunk stays in
/// the cache.
template <class T>
inline constexpr bool is_of_words =
#if defined(__x86_64__) || defined(__aarch64__) // elsewhere, copying a float may change its bits
    std::is_trivially_copyable_v<T> && std::copyable<T> && (alignof(T) == 4 || alignof(T) == 8) && sizeof(T) <= 32;
#else
    false;
#endif

/// `count` values, word by word: the first words of all values, then the second words, and so on.
template <class T, int count>
class values_by_word {
public:
    using word = std::conditional_t<alignof(T) == 4, float, double>;
    static constexpr int words = int{sizeof(T)} / int{sizeof(word)};

    TILEWISE_INLINE T get(int i) const { return get(i, indices); }
    TILEWISE_INLINE void set(int i, T const& value) { set(i, value, indices); }
    /// Copies `number` values.
    TILEWISE_INLINE void copy(values_by_word const& from, int first, int number, int to)
    {
        for (int w = 0; w < words; ++w)
            for (int i = 0; i < number; ++i)
                words_[w][to + i] = from.words_[w][first + i];
    }
    /// Returns word `i` of the first value.
    TILEWISE_INLINE word* operator[](int i) { return words_[i]; }

private:
    union room {
        room() {}
        T value;
    };
    static constexpr auto indices = std::make_index_sequence<std::size_t{words}>{};

    // A loop over the words would keep g++ from vectorizing loops over values.
    template <std::size_t... w>
    TILEWISE_INLINE T get(int i, std::index_sequence<w...>) const
    {
        room result;
        (copy_word(reinterpret_cast<char*>(std::addressof(result.value)) + w * sizeof(word), words_[w][i]), ...);
        return result.value;
    }
    template <std::size_t... w>
    TILEWISE_INLINE void set(int i, T const& value, std::index_sequence<w...>)
    {
        ((words_[w][i] = word_at(reinterpret_cast<char const*>(std::addressof(value)) + w * sizeof(word))), ...);
    }
    TILEWISE_INLINE static void copy_word(char* to, word value) { __builtin_memcpy(to, &value, sizeof value); }
    TILEWISE_INLINE static word word_at(char const* from)
    {
        word value;
        __builtin_memcpy(&value, from, sizeof value);
        return value;
    }

    alignas(32) word words_[std::size_t{words}][std::size_t{count} + 64 / sizeof(word)]; // off multiples of 4 KiB
};

/// Sets `count` values of `to` to `op(left, right)`. They begin at the indices that are given.
template <int count, class T, class Op, class Values>
TILEWISE_INLINE void combine_values(Op& op, Values const& left, int of_left, Values const& right, int of_right,
                                    Values& to, int of_to)
{
    for (int i = 0; i < count; ++i)
        to.set(of_to + i, host::combine_copies<T>(op, left.get(of_left + i), right.get(of_right + i)));
}

/// Performs the steps of a doubling scan of `count` values, in place, starting with `distance`.
template <int distance, int count, class T, class Op, class Values>
TILEWISE_INLINE void double_up(Op& op, Values& values)
{
    if constexpr (distance < count) {
        for (int first = count - distance; first >= distance; first -= distance)
            host::combine_values<distance, T>(op, values, first - distance, values, first, values, first);
        host::double_up<2 * distance, count, T>(op, values);
    }
}

/// The elements of a chunk by their position in the lane vector: the element of lane vector l of row r has the index
/// `l * rows + r`.
template <class Order, class T>
class chunk_by_rows {
public:
    static constexpr int rows = Order::geometry::rows_per_chunk, lanes = Order::geometry::lanes_per_row;
    static constexpr int per_lane = int{Order::lane_vector}, count = rows * lanes;
    using values = values_by_word<T, count>;
    using word = typename values::word;

    values& operator[](int i) { return elements_[i]; }

    template <int bytes, class Input>
    TILEWISE_INLINE void load(Input& input)
    {
        if constexpr (has_squares<bytes> && std::is_same_v<Input, opaque_elements<T>>) {
            T const* const first = std::addressof(*input);
            for_each_square<bytes, false>(first + Order::chunk, [&](offset position, auto at) {
                vector_register<word, bytes> square[squares::size()];
                host::load_transposed<bytes, word>(square, reinterpret_cast<word const*>(first) + position, row_words);
                copy_columns<bytes>(at, square, squares{});
            });
            input = Input(first + Order::chunk);
        } else {
            for (int row = 0; row < rows; ++row)
                for (int lane = 0; lane < lanes; ++lane)
                    for (values& elements : elements_)
                        elements.set(lane * rows + row, host::take<T>(input));
        }
    }
    template <int bytes, class Out>
    TILEWISE_INLINE void store(Out& out)
    {
        if constexpr (has_squares<bytes> && std::is_same_v<Out, T*>) {
            for_each_square<bytes, true>(out + Order::chunk, [&](offset position, auto at) {
                vector_register<word, bytes> square[squares::size()];
                copy_to_columns<bytes>(square, at, squares{});
                host::transpose<bytes / sizeof(word)>(square);
                word* to = reinterpret_cast<word*>(out) + position;
                for (int i = 0; i < per_block; ++i, to += row_words)
                    host::store_blocks<bytes, word>(square[i], to, per_block * row_words,
                                                    std::make_index_sequence<bytes / sizeof(word) / 2>());
            });
            out += Order::chunk;
        } else {
            for (int row = 0; row < rows; ++row)
                for (int lane = 0; lane < lanes; ++lane)
                    for (values const& elements : elements_)
                        host::put<T>(out, elements.get(lane * rows + row));
        }
    }

private:
    static constexpr int per_block = 16 / int{sizeof(word)}, lane_words = per_lane * values::words;
    static constexpr offset row_words = lanes * lane_words;
    using squares = std::make_index_sequence<std::size_t{per_block}>;

    /// Whether lane vectors consist of 16-byte blocks, and the rows fill registers, so that transposing blocks puts the
    /// words of all rows side by side.
    template <int bytes>
    static constexpr bool has_squares = lane_words % per_block == 0 && rows * int{sizeof(word)} % bytes == 0;

    /// Calls `visit(position, at)` for each square of words that is transposed: `position` is that of its first word in
    /// the chunk, and `at(column)` the address of its words in this object. Before each, prefetches as much of the next
    /// chunk, for writing if `writes`: hardware prefetchers do not follow eight rows at once. (Prefetching past the end
    /// of the range is harmless.)
    template <int bytes, bool writes, class Visit>
    TILEWISE_INLINE void for_each_square(T const* next_chunk, Visit visit)
    {
        constexpr int square_bytes = bytes * per_block, line = 64;
        auto const* next = reinterpret_cast<char const*>(next_chunk);
        for (int i = 0; i < lane_words; i += per_block)
            for (int row = 0; row < rows; row += bytes / int{sizeof(word)})
                for (int lane = 0; lane < lanes; ++lane, next += square_bytes) {
                    for (int at = 0; at < square_bytes; at += line)
                        __builtin_prefetch(next + at, writes ? 1 : 0);
                    visit((row * lanes + lane) * lane_words + i, [this, row, lane, i](std::size_t column) {
                        int const w = i + static_cast<int>(column);
                        return elements_[w / values::words][w % values::words] + lane * rows + row;
                    });
                }
    }
    // (A loop over the columns would keep g++ from using registers.)
    template <int bytes, class Square, class At, std::size_t... column>
    TILEWISE_INLINE static void copy_columns(At at, Square const& square, std::index_sequence<column...>)
    {
        (__builtin_memcpy(at(column), &square[column], bytes), ...);
    }
    template <int bytes, class Square, class At, std::size_t... column>
    TILEWISE_INLINE static void copy_to_columns(Square& square, At at, std::index_sequence<column...>)
    {
        (__builtin_memcpy(&square[column], at(column), bytes), ...);
    }

    values elements_[std::size_t{per_lane}];
};

/// Computes the exclusive prefix of each lane vector, given the inclusive ones in their rows, which are complete.
/// `before` is the exclusive prefix of the chunk, or null if it has none. The first lane vector has none then. Returns
/// the aggregate of the chunk.
template <int rows, int count, class T, class Op, class Values>
TILEWISE_INLINE T prefixes_of_lane_vectors(Op& op, T const* before, Values const& sums, Values& prefixes)
{
    Values left;
    T run = sums.get(count - rows); // the rows before each row; the first has none
    for (int row = 1; row < rows; ++row) {
        left.set(row, run);
        run = host::combine_copies<T>(op, run, sums.get(count - rows + row));
    }
    if (before != nullptr) {
        left.set(0, *before); // so that all rows take the same step; row 0 takes it again below
        for (int first = rows; first < count; first += rows)
            left.copy(left, 0, rows, first);
        host::combine_values<count - rows, T>(op, left, rows, sums, 0, prefixes, rows);
        for (int first = rows; first < count; first += rows)
            prefixes.copy(sums, first - rows, 1, first);
        for (int i = rows; i < count; ++i)
            prefixes.set(i, host::combine_copies<T>(op, *before, prefixes.get(i)));
        prefixes.set(0, *before);
        for (int row = 1; row < rows; ++row)
            prefixes.set(row, host::combine_copies<T>(op, *before, left.get(row)));
    } else {
        for (int row = 1; row < rows; ++row)
            prefixes.copy(left, row, 1, row);
        for (int first = rows; first < count; first += rows) {
            prefixes.copy(sums, first - rows, 1, first);
            for (int row = 1; row < rows; ++row)
                prefixes.set(first + row, host::combine_copies<T>(op, left.get(row), sums.get(first - rows + row)));
        }
    }
    return run;
}

/// Scans a chunk in registers of `bytes` bytes. `before` is its exclusive prefix, or null if it has none. Returns its
/// aggregate.
template <int bytes, class Order, scan_form form, class T, class Op, class Input, class Out>
TILEWISE_INLINE T scan_rows_side_by_side(Op& op, T const* before, Input& input, Out& out)
{
    using chunk = chunk_by_rows<Order, T>;
    constexpr int rows = chunk::rows, per_lane = chunk::per_lane, count = chunk::count;
    chunk k;
    typename chunk::values sums, prefixes;
    k.template load<bytes>(input);
    for (int j = 1; j < per_lane; ++j)
        host::combine_values<count, T>(op, k[j - 1], 0, k[j], 0, k[j], 0);
    sums.copy(k[per_lane - 1], 0, rows, 0);
    host::combine_values<count - rows, T>(op, k[per_lane - 1], 0, k[per_lane - 1], rows, sums, rows);
    host::double_up<2 * rows, count, T>(op, sums);
    T const aggregate = host::prefixes_of_lane_vectors<rows, count>(op, before, sums, prefixes);

    if (before == nullptr)
        prefixes.copy(prefixes, rows, 1, 0); // the first lane vector has no prefix; it takes the second one's steps
    for (int j = per_lane - 1; j >= 0; --j) {
        if (form == scan_form::exclusive && j == 0) {
            k[0].copy(prefixes, 0, count, 0);
        } else {
            auto& last = k[form == scan_form::exclusive ? j - 1 : j];
            T const first = last.get(0);
            if (before == nullptr)
                last.copy(last, rows, 1, 0);
            host::combine_values<count, T>(op, prefixes, 0, last, 0, k[j], 0);
            if (before == nullptr) // only in an inclusive scan
                k[j].set(0, first);
        }
    }
    k.template store<bytes>(out);
    return aggregate;
}

#ifdef TILEWISE_CHOOSES_REGISTERS
template <class Order, scan_form form, class T, class Op, class Input, class Out>
[[gnu::target("avx2"), gnu::flatten]] T scan_rows_with_avx2(Op& op, T const* before, Input& input, Out& out)
{
    return host::scan_rows_side_by_side<32, Order, form, T>(op, before, input, out);
}
#endif

/// Scans a chunk. `before` is its exclusive prefix, or null if it has none. Returns its aggregate.
template <class Order, scan_form form, class T, class Op, class Input, class Out>
[[gnu::flatten]] T scan_rows_side_by_side(Op& op, T const* before, Input& input, Out& out)
{
#ifdef TILEWISE_CHOOSES_REGISTERS
    if (has_avx2)
        return host::scan_rows_with_avx2<Order, form, T>(op, before, input, out);
#endif
    return host::scan_rows_side_by_side<register_bytes, Order, form, T>(op, before, input, out);
}

} // namespace host
TILEWISE_NAMESPACE_END
