// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Kernels of a few lines.

#include "bug.hpp"

#include <simt/intrinsics.hpp>

namespace kernels {

/// Adds a value to each element.
template <int threads, bug planted = bug::none>
TILEWISE_KERNEL(threads, 1)
add(int* to, int count, int value)
{
    if constexpr (planted != bug::no_wait_for_primary)
        wait_for_primary(); // if it is a dependent launch
    int const i = block_index() * threads + thread_index();
    if (i < count)
        to[i] += value;
}

/// Counts bytes in a table per block in shared memory.
template <int threads, int bins, bug planted>
TILEWISE_KERNEL(threads, 1)
histogram(unsigned char const* input, int size, unsigned* counts)
{
    TILEWISE_SHARED(table, unsigned[bins]);
    for (int i = thread_index(); i < bins; i += threads)
        table[i] = 0;
    if constexpr (planted != bug::no_barrier_after_clearing)
        sync_block();
    for (int i = block_index() * threads + thread_index(); i < size; i += block_count() * threads) {
        if constexpr (planted == bug::lost_update)
            table[input[i]] += 1;
        else
            simt::atomic_add(&table[input[i]], 1u);
    }
    sync_block();
    for (int i = thread_index(); i < bins; i += threads)
        simt::atomic_add(&counts[i], table[i]);
}

/// Reverses each warp's values through shared memory.
template <bug planted>
TILEWISE_KERNEL(32, 1)
reverse(int const* input, int* output)
{
    TILEWISE_SHARED(values, int[warp_size]);
    int const position = block_index() * warp_size + thread_index();
    values[thread_index()] = input[position];
    if constexpr (planted == bug::vote_as_barrier)
        static_cast<void>(simt::ballot(true));
    else if constexpr (planted == bug::wrong_mask)
        simt::sync_warp(1u, simt::location::current());
    else if constexpr (planted != bug::no_sync_warp)
        simt::sync_warp();
    output[position] = values[warp_size - 1 - thread_index()];
}

} // namespace kernels
