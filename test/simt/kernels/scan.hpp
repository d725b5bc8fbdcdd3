// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A single-pass scan, in which each block waits for the preceding tile.

#include "bug.hpp"

#include <simt/intrinsics.hpp>

namespace kernels {

/// The global memory through which the blocks of a scan exchange their results.
template <class T>
struct scan_state {
    unsigned* ticket;
    unsigned* flags; ///< 0: not published; 1: `totals` has the inclusive prefix of the tile
    T* totals;
};
enum class order { acquire_release, fences };

template <order how, bug planted>
void publish(unsigned* flag)
{
    if constexpr (how == order::acquire_release) {
        if constexpr (planted == bug::no_fence)
            simt::store_relaxed(flag, 1u);
        else
            simt::store_release(flag, 1u);
    } else {
        if constexpr (planted == bug::block_fence)
            simt::fence_block();
        else if constexpr (planted != bug::no_fence)
            simt::fence_device();
        simt::store_volatile(flag, 1u);
    }
}

template <order how>
bool is_published(unsigned const* flag)
{
    if constexpr (how == order::acquire_release)
        return simt::load_acquire(flag) != 0;
    unsigned const seen = simt::load_volatile(flag);
    simt::fence_device();
    return seen != 0;
}

/// A single-pass inclusive scan: each tile waits for the inclusive prefix of the preceding tile.
template <int threads, order how, bug planted, class T, class Op>
TILEWISE_KERNEL(threads, 1)
scan(T const* input, T* output, int size, scan_state<T> state, Op op)
{
    TILEWISE_SHARED(tile, unsigned);
    TILEWISE_SHARED(values, T[threads]);
    TILEWISE_SHARED(prefix, T);
    if (thread_index() == 0)
        tile =
            planted == bug::blocks_in_order ? static_cast<unsigned>(block_index()) : simt::atomic_add(state.ticket, 1u);
    sync_block();
    int const position = static_cast<int>(tile) * threads + thread_index();
    int const valid =
        size - static_cast<int>(tile) * threads < threads ? size - static_cast<int>(tile) * threads : threads;
    if (position < size)
        values[thread_index()] = input[position];
    if constexpr (planted != bug::no_barrier)
        sync_block();
    T value{};
    for (int i = 0; i <= thread_index() && i < valid; ++i)
        value = i == 0 ? values[0] : op(value, values[i]);
    if (thread_index() == valid - 1) {
        T total = value;
        if (tile > 0) {
            while (!is_published<how>(state.flags + tile - 1))
                simt::pause();
            prefix = state.totals[tile - 1];
            total = op(prefix, value);
        }
        if constexpr (planted == bug::early_publication) {
            publish<how, planted>(state.flags + tile);
            state.totals[tile] = total;
        } else {
            state.totals[tile] = total;
            publish<how, planted>(state.flags + tile);
        }
    }
    if constexpr (planted != bug::no_barrier_before_reuse)
        sync_block();
    if (position < size)
        output[position] = tile > 0 ? op(prefix, value) : value;
}

} // namespace kernels
