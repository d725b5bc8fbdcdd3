// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels that sort values by cell: a stable radix sort by cell number, from the least significant digit on. A
/// digit has up to 8 bits, so up to 256 cells take one pass and up to 65536 take two.
///
/// A pass consists of `count_digits` (each block counts the digits of its share of the elements), `scan_digit_counts`
/// (where each block's elements of a digit begin among all elements of the digit), `begin_digits` (where each digit
/// begins) and `move_by_digit`. The first pass drops the elements that belong to no cell, so the number of elements in
/// the other passes is known only on the GPU.
///
/// Memory traffic for an element with a sample of `s` bytes and an accumulator of `v` bytes (8 in place of `v` if it is
/// wider than 16): the first pass reads 2 s + v and writes v, and 4 for the cell if there are more passes; each of
/// those reads 8 + v and writes 4 + v. The reduction reads v. With s = v = 4 this is 20 bytes for up to 256 cells, and
/// 44 for up to 65536: at 4.2 TB/s that would be 1.7 and 0.76 TB/s of samples and values read, if memory were the only
/// limit. Instructions are: see docs/decisions/0030-weights-are-sorted-by-cell.md.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/by_index/cells.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The digit of the cell numbers that a pass sorts by.
struct radix_digit {
    int shift, bits;

    TILEWISE_PORTABLE int count() const { return 1 << bits; }
    TILEWISE_DEVICE unsigned of(unsigned cell) const { return cell >> shift & ((1u << bits) - 1); }
};

/// Whole cell numbers, in place of a digit.
struct whole_cells {
    int cells;

    TILEWISE_PORTABLE int count() const { return cells; }
    TILEWISE_DEVICE unsigned of(unsigned cell) const { return cell; }
};

/// Returns the sum of the values of all threads before this one. Every thread receives the `total`. `synced`: a barrier
/// has come since the sums of the preceding call were read.
template <int threads, bool synced = false, class Number>
TILEWISE_DEVICE Number block_sum_before(Number value, Number& total)
{
    constexpr int warps = threads / warp_size;
    TILEWISE_SHARED(warp_sums, Number[warps]);
    int const own_warp = warp_index();
    Number sum = value;
    TILEWISE_UNROLL
    for (int distance = 1; distance < warp_size; distance *= 2) {
        Number const left = gpu::shuffle_up(sum, distance);
        if (lane_index() >= distance)
            sum += left;
    }
    if constexpr (!synced)
        sync_block();
    if (lane_index() == warp_size - 1)
        warp_sums[own_warp] = sum;
    sync_block();
    Number before = sum - value;
    total = 0;
    TILEWISE_UNROLL
    for (int warp = 0; warp < warps; ++warp) {
        if (warp < own_warp)
            before += warp_sums[warp];
        total += warp_sums[warp];
    }
    return before;
}

/// Returns a mask whose bit i is set if lane i votes yes and has the caller's value, which has `bits` bits. It takes a
/// ballot for each bit. (`lanes_with` is one instruction, but takes longer, the more values differ.)
template <int bits>
TILEWISE_DEVICE unsigned lanes_with_bits(unsigned value, bool vote)
{
    unsigned same = gpu::warp_ballot(vote);
    TILEWISE_UNROLL
    for (int i = 0; i + 1 < bits; i += 2) {
        unsigned const even = gpu::lanes_with_bit_of(value, i);
        same = gpu::and_of(same, even, gpu::lanes_with_bit_of(value, i + 1));
    }
    if constexpr (bits % 2 == 1)
        same &= gpu::lanes_with_bit_of(value, bits - 1);
    return same;
}

/// The threads of a block that counts: twice as many as of one that sorts, if they can share its tile.
template <int threads, int items>
inline constexpr int counting_threads = items % 2 == 0 ? 2 * threads : threads;

/// Counts the digits of each block's share of the elements, in tiles of `tile`, and writes them to row `digit` and
/// column `block` of `counts`.
template <int threads, int blocks, int tile, int digits, class Source, class Radix>
TILEWISE_KERNEL(threads, blocks)
count_digits(Source source, Radix radix, offset* counts)
{
    constexpr int items = tile / threads;
    TILEWISE_SHARED(table, unsigned[digits]);
    for (int digit = thread_index(); digit < radix.count(); digit += threads)
        table[digit] = 0;
    sync_block();
    offset const size = source.size();
    auto const share = gpu::own_tiles<tile>(size);
    TILEWISE_NO_UNROLL
    for (offset first = share.first * tile; first < share.last * tile; first += tile) {
        registers<typename Source::load_type, items> loaded;
        int const valid = static_cast<int>(gpu::at_most(size - first, tile)), own_valid = valid - thread_index();
        gpu::fetch_tile<tile, threads>(loaded, source, first, valid, thread_index());
        TILEWISE_UNROLL
        for (int i = 0; i < items; ++i) {
            auto const found = source.locate(loaded[i]);
            if (found.inside && i * threads < own_valid)
                gpu::add_one(&table[radix.of(found.cell)]);
        }
    }
    sync_block();
    for (int digit = thread_index(); digit < radix.count(); digit += threads)
        counts[offset{digit} * block_count() + block_index()] = table[digit];
}

/// Writes the exclusive prefix sums of `count(0)`, ..., `count(size - 1)` to `sums`, and returns the sum of all.
/// `count(i)` may read `sums[i]`.
template <int threads, class Count>
TILEWISE_DEVICE offset block_exclusive_sums(int size, Count const& count, offset* sums)
{
    offset before = 0;
    TILEWISE_NO_UNROLL
    for (int first = 0; first < size; first += threads) {
        int const i = first + thread_index();
        offset const own = i < size ? count(i) : 0;
        offset total;
        offset const inside = gpu::block_sum_before<threads>(own, total);
        if (i < size)
            sums[i] = before + inside;
        before += total;
    }
    return before;
}

/// Replaces each block's count of a digit by the sum of the counts of the blocks before it, and writes the total of the
/// digit: one block per digit.
template <int threads>
TILEWISE_KERNEL(threads, 1)
scan_digit_counts(offset* counts, int columns, offset* totals)
{
    offset* const row = counts + offset{block_index()} * columns;
    offset const total = gpu::block_exclusive_sums<threads>(columns, [row](int column) { return row[column]; }, row);
    if (thread_index() == 0)
        totals[block_index()] = total;
}

/// Writes the positions where the digits begin, followed by the end of the last one, in units of `n` elements, of which
/// a digit's last one may be incomplete: one block.
template <int threads>
TILEWISE_KERNEL(threads, 1)
begin_digits(int digits, offset const* totals, int n, offset* begins)
{
    auto const units_of = [totals, n](int digit) { return (totals[digit] + n - 1) / n; };
    offset const end = gpu::block_exclusive_sums<threads>(digits, units_of, begins);
    if (thread_index() == 0)
        begins[digits] = end;
}

/// Moves the payloads, and the cells unless `moved_cells` is null, to the positions of their digits. Each tile is first
/// sorted in shared memory, so that its elements of a digit are written contiguously.
template <class Tuning, int items, class Source, class Values>
TILEWISE_KERNEL(Tuning::threads, Tuning::moving_blocks_per_multiprocessor)
move_by_digit(Source source, Values values, radix_digit radix, offset const* counts, offset const* begins,
              typename Values::type* moved, unsigned* moved_cells)
{
    using value = typename Values::type;
    constexpr int threads = Tuning::threads, warps = threads / warp_size, tile = threads * items;
    constexpr int digits = 1 << Tuning::digit_bits;
    static_assert(digits <= threads, "a thread for every digit");
    TILEWISE_SHARED(counters, unsigned[warps][digits]); // elements per warp and digit, then where they begin
    TILEWISE_SHARED(targets, offset[digits]);           // in bytes, per digit, minus where it begins in the tile
    TILEWISE_SHARED(stage, raw_storage<value[tile + threads]>); // at the end, a place per thread for what is dropped
    TILEWISE_SHARED(stage_cells, unsigned[tile + threads]);
    int const digit = thread_index(), lane = lane_index(), warp = warp_index();
    offset next = 0; // where the block's next element of this thread's digit goes
    if (digit < radix.count())
        next = begins[digit] + counts[offset{digit} * block_count() + block_index()];

    offset const size = source.size();
    auto const share = gpu::own_tiles<tile>(size);
    TILEWISE_NO_UNROLL
    for (offset first = share.first * tile; first < share.last * tile; first += tile) {
        registers<typename Source::load_type, items> loaded;
        registers<typename Values::load_type, items> loaded_values;
        int const begin_of_own = warp * items * warp_size + lane;
        int const valid = static_cast<int>(gpu::at_most(size - first, tile));
        gpu::fetch_tile<tile, warp_size>(loaded, source, first, valid, begin_of_own);
        gpu::fetch_tile<tile, warp_size>(loaded_values, values, first, valid, begin_of_own);
        TILEWISE_UNROLL
        for (int i = lane; i < digits; i += warp_size)
            counters[warp][i] = 0;
        sync_warp();

        // The rank of each element among the warp's elements of the same digit
        unsigned cells[items], ranks[items];
        TILEWISE_UNROLL
        for (int i = 0; i < items; ++i) {
            auto const found = source.locate(loaded[i]);
            bool const belongs = found.inside && begin_of_own + i * warp_size < valid;
            cells[i] = belongs ? found.cell : invalid_key;
            unsigned const own = radix.of(found.cell);
            unsigned const same = gpu::lanes_with_bits<Tuning::digit_bits>(own, belongs),
                           before = same & ((1u << lane) - 1);
            unsigned const known = counters[warp][own];
            ranks[i] = known + static_cast<unsigned>(count_bits(before));
            sync_warp();
            if (belongs && before == 0)
                counters[warp][own] = known + static_cast<unsigned>(count_bits(same));
            sync_warp();
        }
        sync_block(); // also: the stage of the preceding tile has been read

        unsigned before_warp[warps], own_count = 0, tile_count = 0;
        TILEWISE_UNROLL
        for (int i = 0; i < warps; ++i) {
            before_warp[i] = own_count;
            own_count += digit < radix.count() ? counters[i][digit] : 0;
        }
        unsigned const begin = gpu::block_sum_before<threads>(own_count, tile_count);
        if (digit < radix.count()) {
            TILEWISE_UNROLL
            for (int i = 0; i < warps; ++i)
                counters[i][digit] = begin + before_warp[i];
            targets[digit] = (next - begin) * offset{sizeof(value)};
            next += own_count;
        }
        sync_block();

        TILEWISE_UNROLL
        for (int i = 0; i < items; ++i) {
            bool const belongs = cells[i] != invalid_key;
            unsigned const place = counters[warp][radix.of(cells[i])] + ranks[i],
                           to = belongs ? place : static_cast<unsigned>(tile + thread_index());
            if (Values::is_loaded || belongs) { // without a branch, if it saves nothing
                stage_cells[to] = cells[i];
                gpu::put(stage.object()[to], values.get(loaded_values[i]));
            }
        }
        sync_block();
        TILEWISE_UNROLL_BY_4
        for (int i = thread_index(); i < static_cast<int>(tile_count); i += threads) {
            unsigned const cell = stage_cells[i];
            auto* const to = reinterpret_cast<value*>(reinterpret_cast<unsigned char*>(moved) +
                                                      (targets[radix.of(cell)] + i * offset{sizeof(value)}));
            gpu::put(*to, stage.object()[i]);
            if (moved_cells != nullptr)
                moved_cells[to - moved] = cell;
        }
    }
}

/// Finds where each of `cells` cells begins in the sorted cell numbers, and where the last one ends.
template <int threads>
TILEWISE_KERNEL(threads, 1)
find_cells(known_cells sorted, offset cells, offset* begins)
{
    offset const size = sorted.size();
    for (offset cell = offset{block_index()} * threads + thread_index(); cell <= cells;
         cell += offset{block_count()} * threads) {
        offset low = 0, high = size;
        while (low < high) {
            offset const middle = low + (high - low) / 2;
            if (offset{sorted.numbers[middle]} < cell)
                low = middle + 1;
            else
                high = middle;
        }
        begins[cell] = low;
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
