// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Kernels with stores to the shared memory of other blocks, and with bulk copies.

#include "bug.hpp"

#include <simt/kernel.hpp>

namespace kernels {

/// Each block of a cluster stores its index in the shared memory of the first block, which writes all of them.
template <bug planted>
TILEWISE_KERNEL(32, 1)
gather_in_cluster(int* output)
{
    constexpr int most = 8;
    TILEWISE_SHARED(slots, int[most]);
    int const rank = simt::cluster_rank();
    if (thread_index() < most)
        slots[thread_index()] = -1;
    if constexpr (planted != bug::store_before_arrival) {
        cluster_arrive();
        cluster_wait();
    }
    if (thread_index() == 0)
        store_in_block(0, &slots[rank], block_index());
    cluster_arrive();
    if constexpr (planted == bug::no_last_cluster_wait)
        if (rank == 0)
            return;
    if constexpr (planted != bug::no_second_cluster_wait)
        cluster_wait();
    if (rank == 0 && thread_index() < block_count())
        output[thread_index()] = slots[thread_index()];
}

/// Copies tiles to shared memory ahead of their use, and sums their elements per thread.
template <int threads, bug planted>
TILEWISE_KERNEL(threads, 1)
sum_of_copies(unsigned const* input, int tiles, unsigned* sums)
{
    TILEWISE_SHARED(stage, unsigned[2][threads]);
    TILEWISE_SHARED(full, mbarrier[2]);
    constexpr int bytes = threads * static_cast<int>(sizeof(unsigned));
    auto const fetch = [&](int tile) {
        full[tile % 2].arrive_expect(planted == bug::too_few_bytes ? bytes - 16 : bytes);
        bulk_copy(stage[tile % 2], input + tile * threads, bytes, full[tile % 2]);
    };
    if (thread_index() == 0) {
        full[0].init(1);
        full[1].init(1);
        fetch(0);
    }
    sync_block();
    unsigned sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        if (thread_index() == 0 && tile + 1 < tiles)
            fetch(tile + 1);
        if constexpr (planted != bug::no_mbarrier_wait)
            full[tile % 2].wait(tile / 2 % 2);
        sum += stage[tile % 2][(thread_index() + 1) % threads];
        if constexpr (planted != bug::overlapping_copy)
            sync_block(); // before the stage is filled again
    }
    sums[thread_index()] = sum;
    if constexpr (planted == bug::no_mbarrier_wait)
        for (int i = 0; i < 2; ++i)
            full[i].wait((tiles - 1 - i) / 2 % 2);
}

} // namespace kernels
