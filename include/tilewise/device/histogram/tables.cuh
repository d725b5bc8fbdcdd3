// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The histogram kernel for cells that fit a table of 32-bit counters in shared memory.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/axis_tables.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/histogram/samples.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Clears the counters. The dependent launch (PDL) that counts may start at once, but has to wait before it adds to
/// them.
template <class Tuning, class Counter>
TILEWISE_KERNEL(Tuning::clearing_threads, 1)
clear_counters(Counter* counts, offset cells)
{
    release_dependents();
    for (offset i = offset{block_index()} * Tuning::clearing_threads + thread_index(); i < cells;
         i += offset{block_count()} * Tuning::clearing_threads)
        counts[i] = 0;
}

/// The number of words in a table for `cells` cells, rounded up to 16-byte vectors. It includes at least one word that
/// counts the samples outside the cells: a branch around them would delay the other samples.
TILEWISE_PORTABLE constexpr unsigned table_words(unsigned cells)
{
    return (cells + 4) / 4 * 4;
}

/// Copies the tables of an axis to shared memory, and makes the axis use the copies. Synchronise the block afterwards.
template <int threads, class Bins>
TILEWISE_DEVICE void block_copy_tables(Bins& bins, void* room)
{
    auto* to = static_cast<unsigned char*>(room);
    bins.for_each_table([&]<class T>(T const*& table, offset count) {
        auto* const copy = reinterpret_cast<T*>(to);
        for (offset i = thread_index(); i < count; i += threads)
            copy[i] = table[i];
        table = copy;
        to += gpu::room_of_table<T>(count);
    });
}

/// Counts in a table per block in shared memory, and then adds the table to the counters. The hardware merges a warp's
/// increments of the same word, so the distribution of the samples does not matter. With `copies` the tables of the
/// axis are in shared memory, too: there, reads of different addresses by the lanes of a warp are ten times as fast.
template <class Placement, access how, bool copies, class View, class Bins, class Counter>
TILEWISE_KERNEL(Placement::threads, Placement::blocks_per_multiprocessor)
count_in_table(View view, offset count, Bins bins, unsigned cells, Counter* counts)
{
    TILEWISE_SHARED_ARRAY(table, table_words(cells) + (copies ? gpu::room_of_tables(bins) / 4 : 0), unsigned);
    gpu::block_clear<Placement::threads>(table, table_words(cells));
    if constexpr (copies)
        gpu::block_copy_tables<Placement::threads>(bins, table + table_words(cells));
    sync_block();
    shared_samples<Placement, how, View>(view, count).for_each([&](auto const& sample) {
        auto const found = gpu::locate(bins, sample, cells);
        gpu::add_one(&table[found.inside ? found.cell : gpu::extent_of(bins, cells)]);
    });
    sync_block();
    wait_for_primary();
    gpu::block_merge<Placement::threads>(table, cells, counts);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
