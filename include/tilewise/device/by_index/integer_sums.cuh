// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sums of integers by cell, for which the order of the additions does not matter. If the cells fit shared memory, each
/// block adds to privatized sums there, and adds these to the sums in global memory at the end; otherwise it adds to
/// global memory directly. Every sample and every value is read once: s + v bytes, at most 4.4 TB/s. Measured with 2^28
/// floats and 32-bit integers in 256 cells: 2.6 TB/s, 1.9 if all are in one cell. Additions to the same cell are
/// serialized: those of a block in shared memory, those of all blocks in global memory.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/axis_tables.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/by_index/cells.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/launch.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/order.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Whether `Op` is a sum of integers: it is exact, and there are atomic additions for it.
template <class Op, class T>
inline constexpr bool adds_integers =
    std::is_same_v<Op, plus> && std::integral<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8;

/// The unsigned type in which sums of T are computed, modulo its range.
template <class T>
using word_for = std::conditional_t<sizeof(T) <= 4, unsigned, unsigned long long>;

/// Sums in global memory, with warp-aggregated atomics where many lanes add to the same cell.
template <class Word>
struct sums_in_memory {
    Word* sums;

    static constexpr int contending_lanes = 8; ///< combining fewer takes longer than serializing them
    TILEWISE_DEVICE void clear(offset) const {}
    TILEWISE_DEVICE void append(unsigned cell, Word value) const
    {
        unsigned const same = lanes_with(cell);
        unsigned contended = warp_ballot(cell != invalid_key && count_bits(same) >= contending_lanes);
        TILEWISE_NO_UNROLL
        while (contended != 0) {
            int const first = count_bits((contended & (0u - contended)) - 1);
            unsigned const contended_cell = shuffle(cell, first);
            Word sum = cell == contended_cell ? value : 0;
            TILEWISE_UNROLL
            for (int distance = 1; distance < warp_size; distance *= 2)
                sum += gpu::shuffle_xor(sum, distance);
            if (lane_index() == first)
                gpu::add(sums + cell, sum);
            contended &= ~shuffle(same, first);
            if (cell == contended_cell)
                cell = invalid_key;
        }
        if (cell != invalid_key)
            gpu::add(sums + cell, value);
    }
    TILEWISE_DEVICE void merge(offset) const {}
};

/// The number of 32-bit words that a sum takes in shared memory.
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
        for (offset i = thread_index(); i < cells * words; i += threads) // the high words follow the low ones
            low_words[i] = 0;
    }
    /// Adds a value to the sum of a cell. A 64-bit sum is two words, because the hardware has no 64-bit additions in
    /// shared memory.
    TILEWISE_DEVICE void append(unsigned cell, Word value) const
    {
        if (cell == invalid_key)
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

/// Placements of the sums of a block: the threads per block, the blocks per multiprocessor, and the size of the table
/// in shared memory.
template <class Tuning>
struct sum_in_memory {
    static constexpr int threads = Tuning::threads, blocks = Tuning::blocks_per_multiprocessor, table_bytes = 0;
};
template <class Tuning>
struct sum_in_table : sum_in_memory<Tuning> {
    static constexpr int table_bytes = Tuning::table_bytes;
};
template <class Tuning>
struct sum_in_large_table {
    static constexpr int threads = Tuning::large_table_threads, blocks = 1, table_bytes = Tuning::large_table_bytes;
};

/// Returns the sums that a block adds to.
template <class Placement, class Word>
TILEWISE_DEVICE auto sums_of_block(Word* sums, [[maybe_unused]] offset cells)
{
    if constexpr (Placement::table_bytes > 0) {
        TILEWISE_SHARED_ARRAY(table, cells * words_of_sum<Word>, unsigned);
        return sums_in_table<Word, Placement::threads>{table, table + cells, sums};
    } else {
        return sums_in_memory<Word>{sums};
    }
}

/// Adds the values of each of `cells` cells to its sum.
template <class Tuning, class Placement, class Word, class Source, class Values>
TILEWISE_KERNEL(Placement::threads, Placement::blocks)
sum_cells(Source source, Values values, offset cells, Word* sums)
{
    constexpr int threads = Placement::threads, items = Tuning::items_summed, tile = threads * items;
    auto const into = gpu::sums_of_block<Placement, Word>(sums, cells);
    into.clear(cells);
    sync_block();
    offset const size = source.size();
    auto const share = gpu::own_tiles<tile>(size);
    TILEWISE_NO_UNROLL
    for (offset first = share.first * tile; first < share.last * tile; first += tile) {
        registers<typename Source::load_type, items> loaded;
        registers<typename Values::load_type, items> loaded_values;
        int const valid = static_cast<int>(gpu::at_most(size - first, tile));
        gpu::fetch_tile<tile, threads>(loaded, source, first, valid, thread_index());
        gpu::fetch_tile<tile, threads>(loaded_values, values, first, valid, thread_index());
        TILEWISE_UNROLL
        for (int i = 0; i < items; ++i) {
            auto const found = source.locate(loaded[i]);
            unsigned const cell = found.inside && thread_index() + i * threads < valid ? found.cell : invalid_key;
            into.append(cell, cell != invalid_key ? static_cast<Word>(values.get(loaded_values[i])) : Word{0});
        }
    }
    sync_block();
    into.merge(cells);
}

/// Writes `init` plus the sum of each cell.
template <int threads, class T, class Word, class Sink>
TILEWISE_KERNEL(threads, 1)
write_sums(Word const* sums, offset cells, T init, Sink sink)
{
    plus op;
    for (offset cell = offset{block_index()} * threads + thread_index(); cell < cells;
         cell += offset{block_count()} * threads)
        gpu::store_one(sink, cell, gpu::combine(op, init, static_cast<T>(sums[cell])));
}

/// Sums integers by cell.
template <class Tuning, class Samples, class Axis, class Values, class Sink, class T>
class integer_sums {
    static constexpr int threads = Tuning::threads;
    using source_type = cells_of_samples<Samples, Axis>;
    using word = word_for<T>;

public:
    device_call& call;
    source_type source;
    Values values;
    Sink sink;
    T init;
    int multiprocessors;

    /// Starts the kernels. If `at_once` is less than the number of elements, stages the input in pieces of that size.
    void start(offset at_once)
    {
        scratch<word> const sums(call, cells());
        tables_on_device const tables(source.axis, call);
        call.clear(sums.begin(), static_cast<std::size_t>(cells()) * sizeof(word));
        if (at_once == count())
            add_to(sums.begin());
        else
            for (offset begin = 0; begin < count(); begin += at_once) {
                integer_sums piece{call, source, values.from(begin), sink, init, multiprocessors};
                piece.source.samples = source.samples.from(begin);
                piece.source.count = std::min(at_once, count() - begin);
                staging staged(call);
                staged.stage_in_first(piece.source.samples, piece.count());
                staged.stage_in_first(piece.values, piece.count());
                piece.add_to(sums.begin());
                call.report_progress(begin + piece.count(), count());
            }
        call.launch(&write_sums<threads, T, word, Sink>, "write_sums",
                    {gpu::blocks_for(cells(), threads, multiprocessors * 8), threads},
                    static_cast<word const*>(sums.begin()), cells(), init, sink);
    }

private:
    offset cells() const { return source.cells; }
    offset count() const { return source.count; }

    /// Adds the elements to `sums`.
    void add_to(word* sums)
    {
        if (count() == 0)
            return;
        using values_type = converted_values<Values, T>;
        using small_table = sum_in_table<Tuning>;
        using large_table = sum_in_large_table<Tuning>;
        using anywhere = sum_in_memory<Tuning>;
        // No block may merge more sums than it adds elements.
        auto const blocks = [&](int block_threads, offset most) {
            return gpu::blocks_for(count(), std::max(offset{block_threads} * Tuning::items_summed, cells()), most);
        };
        auto const bytes = static_cast<std::size_t>(cells()) * sizeof(word);
        constexpr auto with_large_table = &sum_cells<Tuning, large_table, word, source_type, values_type>;
        int const shared_bytes = static_cast<int>(std::min(bytes, std::size_t{large_table::table_bytes} + 1));
        offset const most_blocks = offset{multiprocessors} * Tuning::blocks_per_multiprocessor;
        if (shared_bytes <= small_table::table_bytes)
            return call.launch(&sum_cells<Tuning, small_table, word, source_type, values_type>, "sum_few_cells",
                               {blocks(threads, most_blocks), threads, 1, false, shared_bytes}, source,
                               values_type{values}, cells(), sums);
        offset large_blocks = 0;
        if (shared_bytes <= large_table::table_bytes)
            large_blocks = gpu::resident_blocks_with<with_large_table>(call.device(), large_table::threads,
                                                                       large_table::table_bytes);
        if (large_blocks > 0)
            return call.launch_with_array<with_large_table>(
                "sum_some_cells",
                {blocks(large_table::threads, large_blocks), large_table::threads, 1, false, shared_bytes},
                large_table::table_bytes, source, values_type{values}, cells(), sums);
        call.launch(&sum_cells<Tuning, anywhere, word, source_type, values_type>, "sum_many_cells",
                    {gpu::blocks_for(count(), offset{threads} * Tuning::items_summed, most_blocks), threads}, source,
                    values_type{values}, cells(), sums);
    }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
