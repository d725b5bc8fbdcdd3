// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sums of integers by cell, where the order of the additions does not matter: each block adds to a table of its own in
/// shared memory, if the cells fit, and what it has there to sums in global memory at the end; otherwise straight to
/// those. Every sample and every value is read once: s + v bytes, so up to 4.4 TB/s if nothing but memory took time.
/// Measured, 2^28 floats with integers of 32 bits in 256 cells: 2.6 TB/s, 1.9 if all are of one cell. Additions to one
/// and the same cell follow one another: those of a block in shared memory, all of them in global memory.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/by_index/cells.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/segmented.cuh>
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

/// Sums in global memory, where additions to one and the same cell are slow: the lanes of a warp that would crowd at
/// one join their values first.
template <class Word>
struct sums_in_memory {
    Word* sums;

    static constexpr int crowd = 8; ///< lanes; fewer cost more to join than to wait for
    TILEWISE_DEVICE void clear(offset) const {}
    TILEWISE_DEVICE void append(unsigned cell, Word value) const
    {
        unsigned const same = lanes_with(cell);
        unsigned crowded = lanes_that(cell != left_out && count_bits(same) >= crowd);
        TILEWISE_NO_UNROLL
        while (crowded != 0) {
            int const first = count_bits((crowded & (0u - crowded)) - 1);
            unsigned const crowded_cell = shuffle(cell, first);
            Word sum = cell == crowded_cell ? value : 0;
            TILEWISE_UNROLL
            for (int distance = 1; distance < warp_size; distance *= 2)
                sum += gpu::shuffle_xor(sum, distance);
            if (lane_index() == first)
                gpu::add(sums + cell, sum);
            crowded &= ~shuffle(same, first);
            if (cell == crowded_cell)
                cell = left_out;
        }
        if (cell != left_out)
            gpu::add(sums + cell, value);
    }
    TILEWISE_DEVICE void merge(offset) const {}
};

/// Words of shared memory that a sum takes.
template <class Word>
inline constexpr int words_of_sum = static_cast<int>(sizeof(Word) / sizeof(unsigned));

/// A table of sums in shared memory: all low words, then all high words, if there are any.
template <class Word, int threads>
struct sums_in_table {
    unsigned *low_words, *high_words;
    Word* sums; ///< those in global memory

    static constexpr int words = words_of_sum<Word>;
    TILEWISE_DEVICE void clear(offset cells) const
    {
        for (offset i = thread_index(); i < cells * words; i += threads) // the high words follow
            low_words[i] = 0;
    }
    /// Sums of 64 bits are two words: the machine has no additions of 64 bits in shared memory.
    TILEWISE_DEVICE void append(unsigned cell, Word value) const
    {
        if (cell == left_out)
            return;
        auto const low = static_cast<unsigned>(value);
        if constexpr (words == 1) {
            add(low_words + cell, low);
        } else {
            unsigned const carry = fetch_add(low_words + cell, low) + low < low;
            unsigned const high = static_cast<unsigned>(value >> 32) + carry;
            if (high != 0)
                add(high_words + cell, high);
        }
    }
    TILEWISE_DEVICE void merge(offset cells) const
    {
        for (offset cell = thread_index(); cell < cells; cell += threads) {
            Word sum = low_words[cell];
            if constexpr (words == 2)
                sum |= Word{high_words[cell]} << 32;
            if (sum != 0)
                gpu::add(sums + cell, sum);
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
        TILEWISE_SHARED_ARRAY(table, cells * words_of_sum<Word>, unsigned);
        return sums_in_table<Word, Home::threads>{table, table + cells, sums};
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
    auto const into = gpu::home_of_sums<Home, Word>(sums, cells);
    into.clear(cells);
    sync_block();
    offset const size = source.size();
    auto const share = gpu::own_tiles<tile>(size);
    TILEWISE_NO_UNROLL
    for (offset first = share.first * tile; first < share.last * tile; first += tile) {
        registers<typename Source::packet, items> loaded;
        registers<typename Values::packet, items> loaded_values;
        auto const position = [&](int i) { return first + i * threads + thread_index(); };
        TILEWISE_UNROLL
        for (int i = 0; i < items; ++i) {
            loaded[i] = source.fetch(gpu::at_most(position(i), size - 1));
            loaded_values[i] = values.fetch(gpu::at_most(position(i), size - 1));
        }
        TILEWISE_UNROLL
        for (int i = 0; i < items; ++i) {
            unsigned const cell = position(i) < size ? source.cell(loaded[i]) : left_out;
            into.append(cell, cell != left_out ? static_cast<Word>(values.get(loaded_values[i])) : Word{0});
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
        gpu::store_one(sink, cell, gpu::combine(op, init, static_cast<T>(sums[cell])));
}

} // namespace gpu
TILEWISE_NAMESPACE_END
