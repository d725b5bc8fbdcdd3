// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The ladder of histograms: bytes, counted in 256 bins. See docs/ladder-of-histograms.md.

#include "machine.cuh"

#include <algorithm>
#include <cstddef>

namespace ladder::histogram {

/// The input and output of a version.
struct task {
    unsigned char const* in;
    offset count;
    unsigned* counts;
    unsigned* work; ///< a table for each thread of `private_threads`
    int multiprocessors;
    cudaStream_t stream;
};

inline constexpr int bins = 256;
inline constexpr int threads = 256;               ///< per block
inline constexpr int private_threads = 64 * 1024; ///< the maximum number of threads with a table each

inline void clear(unsigned* counts, offset tables, cudaStream_t stream)
{
    TILEWISE_CUDA(cudaMemsetAsync, counts, 0, static_cast<std::size_t>(tables) * bins * sizeof *counts, stream);
}

//! [serial]
/// One thread.
static TILEWISE_KERNEL(warp_size, 1) count_by_one_thread(unsigned char const* in, offset count, unsigned* counts)
{
    if (thread_index() == 0)
        for (offset i = 0; i < count; ++i)
            ++counts[in[i]];
}

inline void serial(task const& t)
{
    clear(t.counts, 1, t.stream);
    launch_version(t.stream, &count_by_one_thread, 1, warp_size, t.in, t.count, t.counts);
}
//! [serial]

//! [racy]
/// Wrong: two threads may read the same count, and both write that count plus one.
static TILEWISE_KERNEL(threads, 1) count_and_lose(unsigned char const* in, offset count, unsigned* counts)
{
    for (offset i = thread_of_grid(threads); i < count; i += threads_of_grid(threads))
        ++counts[in[i]];
}

inline void racy(task const& t)
{
    clear(t.counts, 1, t.stream);
    launch_version(t.stream, &count_and_lose, t.multiprocessors * 8, threads, t.in, t.count, t.counts);
}
//! [racy]

//! [global_atomics]
/// Correct, with atomic additions. All blocks add to the same 256 words; if all samples are equal, to one word.
static TILEWISE_KERNEL(threads, 1) count_in_global_memory(unsigned char const* in, offset count, unsigned* counts)
{
    for (offset i = thread_of_grid(threads); i < count; i += threads_of_grid(threads))
        add_one(&counts[in[i]]);
}

inline void global_atomics(task const& t)
{
    clear(t.counts, 1, t.stream);
    launch_version(t.stream, &count_in_global_memory, t.multiprocessors * 8, threads, t.in, t.count, t.counts);
}
//! [global_atomics]

//! [table_per_thread]
/// A table for each thread in global memory, without atomics. The counters of a bin are contiguous for all threads.
static TILEWISE_KERNEL(threads, 1) count_for_each_thread(unsigned char const* in, offset count, unsigned* tables)
{
    offset const all = threads_of_grid(threads), own = thread_of_grid(threads);
    for (offset i = own; i < count; i += all)
        ++tables[in[i] * all + own];
}

/// Sums the counters of a bin over all threads, with one block per bin.
static TILEWISE_KERNEL(threads, 1) add_up_tables(unsigned const* tables, offset count, unsigned* counts)
{
    TILEWISE_SHARED(total, unsigned);
    if (thread_index() == 0)
        total = 0;
    sync_block();
    unsigned own = 0;
    for (offset i = thread_index(); i < count; i += threads)
        own += tables[block_index() * count + i];
    add(&total, own);
    sync_block();
    if (thread_index() == 0)
        counts[block_index()] = total;
}

inline void table_per_thread(task const& t)
{
    offset const blocks = std::min(parts_of(private_threads, threads), std::max(offset{1}, parts_of(t.count, threads)));
    clear(t.work, blocks * threads, t.stream);
    launch_version(t.stream, &count_for_each_thread, blocks, threads, t.in, t.count, t.work);
    launch_version(t.stream, &add_up_tables, bins, threads, t.work, blocks * threads, t.counts);
}
//! [table_per_thread]

//! [table_per_block]
/// A table for each block in shared memory, which is added to the result once.
static TILEWISE_KERNEL(threads, 1) count_in_shared_memory(unsigned char const* in, offset count, unsigned* counts)
{
    static_assert(threads == bins);
    TILEWISE_SHARED(table, unsigned[bins]);
    table[thread_index()] = 0;
    sync_block();
    for (offset i = thread_of_grid(threads); i < count; i += threads_of_grid(threads))
        add_one(&table[in[i]]);
    sync_block();
    add(&counts[thread_index()], table[thread_index()]);
}

inline void table_per_block(task const& t)
{
    clear(t.counts, 1, t.stream);
    launch_version(t.stream, &count_in_shared_memory, t.multiprocessors * 8, threads, t.in, t.count, t.counts);
}
//! [table_per_block]

} // namespace ladder::histogram
