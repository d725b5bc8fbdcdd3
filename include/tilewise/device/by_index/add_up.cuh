// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sums of integers by cell, where the order of the additions does not matter: each block adds to a table of its own in
/// shared memory, if the cells fit, and what it has there to sums in global memory at the end; otherwise straight to
/// those. Every sample and every value is read once: s + v bytes, so up to 4.4 TB/s if nothing but memory took time.
/// (Not measured. Additions to one and the same cell follow one another: those of a warp in shared memory, all of them
/// in global memory.)

#include <tilewise/config.hpp>
#include <tilewise/device/arch.cuh>
#include <tilewise/device/by_index/cells.cuh>
#include <tilewise/device/segmented.cuh>
#include <tilewise/device/view.cuh>
#include <tilewise/device/warp.cuh>
#include <tilewise/order.hpp>

#include <concepts>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Sums of T are exact, and there are atomic additions for them.
template <class Op, class T>
inline constexpr bool adds_integers =
    std::is_same_v<Op, plus> && std::integral<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8;

/// What sums of T are added up in, modulo its range.
template <class T>
using word_for = std::conditional_t<sizeof(T) <= 4, unsigned, unsigned long long>;

/// Sums in global memory.
template <class Word>
struct sums_in_memory {
    Word* sums;

    static constexpr int words = 0; ///< of shared memory for a cell
    TILEWISE_DEVICE void clear(offset) const {}
    TILEWISE_DEVICE void append(unsigned cell, Word value) const { add(sums + cell, value); }
    TILEWISE_DEVICE void merge(offset) const {}
};

/// A table of `cells` sums in shared memory.
template <class Word, int threads>
struct sums_in_table {
    unsigned* table;
    Word* sums; ///< those in global memory

    static constexpr int words = static_cast<int>(sizeof(Word) / sizeof(unsigned));
    TILEWISE_DEVICE void clear(offset cells) const
    {
        for (offset i = thread_index(); i < cells * words; i += threads)
            table[i] = 0;
    }
    /// Sums of 64 bits are two words: the machine has no additions of 64 bits in shared memory.
    TILEWISE_DEVICE void append(unsigned cell, Word value) const
    {
        auto const low = static_cast<unsigned>(value);
        if constexpr (words == 1) {
            add(table + cell, low);
        } else {
            unsigned const carry = fetch_add(table + 2 * cell, low) + low < low;
            unsigned const high = static_cast<unsigned>(value >> 32) + carry;
            if (high != 0)
                add(table + 2 * cell + 1, high);
        }
    }
    TILEWISE_DEVICE void merge(offset cells) const
    {
        for (offset cell = thread_index(); cell < cells; cell += threads) {
            Word sum = table[cell * words];
            if constexpr (words == 2)
                sum |= Word{table[cell * words + 1]} << 32;
            if (sum != 0)
                add(sums + cell, sum);
        }
    }
};

/// Where blocks add up, how many threads they have, and how many of them fit a multiprocessor.
template <class Tuning>
struct add_up_anywhere {
    static constexpr int threads = Tuning::threads, blocks = Tuning::blocks_per_multiprocessor, table_bytes = 0;
};
template <class Tuning>
struct add_up_in_table : add_up_anywhere<Tuning> {
    static constexpr int table_bytes = Tuning::table_bytes;
};
template <class Tuning>
struct add_up_in_large_table {
    static constexpr int threads = Tuning::large_table_threads, blocks = 1, table_bytes = Tuning::large_table_bytes;
};

/// Where a block adds up.
template <class Home, class Word>
TILEWISE_DEVICE auto home_of_sums(Word* sums, [[maybe_unused]] offset cells)
{
    if constexpr (Home::table_bytes > 0) {
        TILEWISE_SHARED_ARRAY(table, cells * static_cast<int>(sizeof(Word) / sizeof(unsigned)), unsigned);
        return sums_in_table<Word, Home::threads>{table, sums};
    } else {
        return sums_in_memory<Word>{sums};
    }
}

/// Adds up the values of `cells` cells.
template <class Tuning, class Home, class Word, class Source, class Values>
TILEWISE_KERNEL(Home::threads, Home::blocks)
add_up_cells(Source source, Values values, offset cells, Word* sums)
{
    constexpr int threads = Home::threads, items = Tuning::items_added_up, tile = threads * items;
    auto const into = home_of_sums<Home, Word>(sums, cells);
    into.clear(cells);
    sync_block();
    offset const size = source.size();
    auto const share = own_tiles<tile>(size);
    TILEWISE_NO_UNROLL
    for (offset first = share.first * tile; first < share.last * tile; first += tile) {
        registers<typename Source::packet, items> loaded;
        registers<typename Values::packet, items> loaded_values;
        auto const position = [&](int i) { return first + i * threads + thread_index(); };
        TILEWISE_UNROLL
        for (int i = 0; i < items; ++i) {
            loaded[i] = source.fetch(at_most(position(i), size - 1));
            loaded_values[i] = values.fetch(at_most(position(i), size - 1));
        }
        TILEWISE_UNROLL
        for (int i = 0; i < items; ++i) {
            unsigned const cell = position(i) < size ? source.cell(loaded[i]) : left_out;
            if (cell != left_out)
                into.append(cell, static_cast<Word>(values.get(loaded_values[i])));
        }
    }
    sync_block();
    into.merge(cells);
}

/// Writes `init` and the sum of each cell.
template <int threads, class T, class Word, class Sink>
TILEWISE_KERNEL(threads, 1)
write_sums(Word const* sums, offset cells, T init, Sink sink)
{
    plus op;
    for (offset cell = offset{block_index()} * threads + thread_index(); cell < cells;
         cell += offset{block_count()} * threads)
        store_one(sink, cell, combine(op, init, static_cast<T>(sums[cell])));
}

} // namespace gpu
TILEWISE_NAMESPACE_END
