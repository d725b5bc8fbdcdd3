// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The first pass of a search for extremes in memory, which finds the chunks that contain the best values. (The second
/// one, `fold_subtrees`, combines them, and finds the elements.)

#include <tilewise/core/config.hpp>
#include <tilewise/core/extremes.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/minmax/values.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Returns what is best of the chunk from `position` on, to all lanes of the warp.
template <class Layout, access how, int shift, class Better, class E, class Op>
TILEWISE_DEVICE auto best_of_chunk(memory_view<E>& view, offset position, Op& op) -> typename Layout::value
{
    if constexpr (has_bounds_or_nan<E, Better>) {
        auto const loaded = gpu::load_chunks<Layout, how, shift>(view, position);
        typename bounds_for<E, Better, minimum_or_nan, maximum_or_nan>::type bounds;
        auto const found = gpu::shuffle(gpu::combine_chunks<Layout>(view, loaded, bounds), 0);
        return gpu::is_nan(found) ? gpu::shuffle(gpu::combine_chunks<Layout>(view, loaded, op), 0) : found;
    } else {
        return gpu::shuffle(gpu::warp_chunks<Layout, how, shift>(view, position, op), 0);
    }
}

/// Pass 1: block `b` reduces the values of subtree `b`, of `iterations` chunks per warp, to `partials[b]`, and says
/// which chunk they are from.
template <class Layout, access how, int shift, class Tuning, class E, class Op, class Better, class Answer>
TILEWISE_KERNEL(Tuning::threads, Tuning::blocks_per_multiprocessor)
best_of_subtrees(memory_view<E> view, offset index, offset chunks, int iterations, Op op, Better better,
                 Answer* partials)
{
    release_dependents();
    constexpr int warps = Tuning::threads / warp_size;
    constexpr offset chunk = Layout::order::chunk;
    TILEWISE_SHARED(warp_best, raw_storage<Answer[warps]>);
    offset const before = offset{block_index()} * iterations * warps;
    int const warp = warp_index(), valid = static_cast<int>(at_most(chunks - before, warps * iterations));
    int const own = min_of(valid - warp * iterations, iterations);
    if (own > 0) {
        offset const first = (before + warp * iterations) * chunk;
        registers<typename Layout::value, 1> values;
        TILEWISE_NO_UNROLL
        for (int i = 0; i < own; ++i) {
            auto const next = gpu::best_of_chunk<Layout, how, shift, Better>(view, first + i * chunk, op);
            if (lane_index() == i || i == 0)
                gpu::put(values[0], next);
        }
        offset const own_chunk = index + first + min_of(lane_index(), own - 1) * chunk;
        Answer best = gpu::candidates_of<E>(values[0], candidate<E>::in_unit_at(own_chunk));
        if (iterations > 1)
            gpu::put(best, gpu::warp_tree_of_valid<1, 8>(better, best, own));
        if (lane_index() == 0)
            gpu::put(warp_best.object()[warp], best);
    }
    sync_block();
    int const used = (valid + iterations - 1) / iterations;
    Answer const best(warp_best.object()[lane_index() < used ? lane_index() : 0]);
    Answer const aggregate = gpu::warp_tree_of_valid<1, warps>(better, best, used);
    if (thread_index() == 0)
        gpu::put(partials[block_index()], aggregate);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
