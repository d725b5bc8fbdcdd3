// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernel for all cells that a table of words in shared memory has room for.

#include <tilewise/config.hpp>
#include <tilewise/device/arch.cuh>
#include <tilewise/device/histogram/samples.cuh>
#include <tilewise/device/view.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Clears the counters; what counts in them may start at once, but has to wait before it does.
template <class Tuning, class Counter>
TILEWISE_KERNEL(Tuning::clearing_threads, 1)
clear_counters(Counter* counts, offset cells)
{
    release_dependents();
    for (offset i = offset{block_index()} * Tuning::clearing_threads + thread_index(); i < cells;
         i += offset{block_count()} * Tuning::clearing_threads)
        counts[i] = 0;
}

/// Counts in a table of the block, in shared memory, and then adds it to the counters. The machine merges a warp's
/// additions of one to the same word, so that it does not matter how the samples are distributed.
template <class Home, access how, class View, class Bins, class Counter>
TILEWISE_KERNEL(Home::threads, Home::blocks_per_multiprocessor)
count_in_table(View view, offset count, Bins bins, unsigned cells, Counter* counts)
{
    TILEWISE_SHARED_ARRAY(table, cells, unsigned);
    block_clear<Home::threads>(table, cells);
    sync_block();
    shared_samples<Home, how, View>(view, count).for_each([&](auto const& sample) {
        unsigned const cell = cell_of(bins, sample);
        if (cell < cells)
            add_one(&table[cell]);
    });
    sync_block();
    wait_for_primary();
    block_merge<Home::threads>(table, cells, counts);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
