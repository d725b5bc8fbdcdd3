// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A reduction in two kernels, of which the second, a dependent launch (PDL), may begin before the first ends.

#include "bug.hpp"

namespace kernels {

/// Combines the values of the first `valid` lanes in lane order; lane 0 has the result.
template <bug planted = bug::none, class T, class Op>
T warp_reduce(T value, int valid, Op op)
{
    for (int distance = 1; distance < warp_size; distance *= 2) {
        if constexpr (planted == bug::divergent_shuffle) {
            if (lane_index() + distance < valid)
                value = op(value, shuffle_down(value, distance));
        } else {
            T const other = shuffle_down(value, distance);
            if (lane_index() + distance < valid)
                value = planted == bug::swapped_operands ? op(other, value) : op(value, other);
        }
    }
    return value;
}

/// The same for a block; thread 0 has the result.
template <int threads, bug planted = bug::none, class T, class Op>
T block_reduce(T value, int valid, Op op)
{
    constexpr int warps = threads / warp_size;
    TILEWISE_SHARED(partials, T[warps]);
    if constexpr (planted == bug::early_exit)
        if (thread_index() >= valid)
            return value;
    int const warp = warp_index();
    value = warp_reduce<planted>(value, valid - warp * warp_size, op);
    bool const writes = planted != bug::unwritten_shared || warp * warp_size < valid;
    if (lane_index() == 0 && writes)
        partials[planted == bug::past_the_end_of_shared   ? warp + 1
                 : planted == bug::warp_index_in_a_branch ? warp_index()
                                                          : warp] = value;
    if constexpr (planted == bug::barrier_divergence) {
        if (warp * warp_size < valid)
            sync_block();
        else
            sync_block();
    } else if constexpr (planted == bug::barrier_in_a_branch) {
        if (warp * warp_size < valid)
            sync_block();
    } else if constexpr (planted != bug::no_barrier) {
        sync_block();
    }
    if (warp == 0) {
        int const used = planted == bug::unwritten_shared ? warps : (valid + warp_size - 1) / warp_size;
        if (lane_index() < used)
            value = partials[lane_index()];
        value = warp_reduce(value, used, op);
    }
    if constexpr (planted != bug::no_barrier_before_reuse)
        sync_block();
    return value;
}

/// Each block reduces an even share of the tiles.
template <int threads, bug planted, class T, class Op>
TILEWISE_KERNEL(threads, 1)
reduce_shares(T const* input, int size, T* totals, Op op)
{
    int const tiles = (size + threads - 1) / threads, share = (tiles + block_count() - 1) / block_count();
    int const first = block_index() * share * threads;
    int const last = first + share * threads < size ? first + share * threads : size;
    T total{};
    for (int tile = first; tile < last; tile += threads) {
        int const position = tile + thread_index();
        T value{};
        if (position < (planted == bug::past_the_end ? last + 1 : last))
            value = input[position];
        value = block_reduce<threads, planted>(value, last - tile < threads ? last - tile : threads, op);
        if (thread_index() == 0)
            total = tile == first ? value : op(total, value);
    }
    if (thread_index() == 0 && first < last)
        totals[block_index()] = total;
    release_dependents();
}

/// Reduces the results of `reduce_shares`. May start while that kernel is still running.
template <int threads, bug planted, class T, class Op>
TILEWISE_KERNEL(threads, 1)
reduce_totals(T const* totals, int size, T* result, Op op)
{
    if constexpr (planted == bug::wait_in_one_thread) {
        if (thread_index() == 0)
            wait_for_primary();
    } else if constexpr (planted != bug::no_wait_for_primary) {
        wait_for_primary();
    }
    T value{};
    if (thread_index() < size)
        value = totals[thread_index()];
    value = block_reduce<threads>(value, size, op);
    if (thread_index() == 0)
        *result = value;
}

} // namespace kernels
