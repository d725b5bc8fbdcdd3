// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The first and the last pass of a search for extremes in memory: the first one finds the chunks that contain the best
/// values, the last one their positions in these chunks. (Between them, `fold_subtrees` combines the results of
/// blocks.)

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
            auto const next = gpu::shuffle(gpu::warp_chunks<Layout, how, shift>(view, first + i * chunk, op), 0);
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

/// Returns the best value of the chunk whose first element has the index `chunk`, and in which lane vector it is.
template <class Answer, class Layout, access how, class E, class Op, class Better>
TILEWISE_DEVICE Answer best_lane_vector_of_chunk(memory_view<E>& view, offset index, offset chunk, Op& op,
                                                 Better& better)
{
    constexpr int rows = Layout::rows, n = Layout::lane_vector;
    offset const own = chunk + lane_index() * n;
    registers<typename memory_view<E>::template vector<n>, rows> loaded;
    TILEWISE_UNROLL
    for (int row = 0; row < rows; ++row)
        loaded[row] = view.template fetch<how, n>(own - index + row * Layout::segment);
    registers<Answer, rows> best;
    TILEWISE_UNROLL
    for (int row = 0; row < rows; ++row) {
        auto const value = gpu::load_aggregate<Layout>(view, loaded[row], op);
        gpu::put(best[row],
                 Answer(gpu::candidates_of<E>(value, candidate<E>::in_unit_at(own + row * Layout::segment))));
    }
    Answer const trees = gpu::warp_row_trees<rows, warp_size>(better, best);
    return gpu::warp_fold_rows<rows, warp_size, Answer>(better, trees);
}

/// Returns the best of the `n` elements from `first` on.
template <class Answer, int n, class Elements, class Better>
TILEWISE_DEVICE Answer best_of_lane_vector(Elements const& first, Better& better)
{
    Answer best(first[0]);
    TILEWISE_UNROLL
    for (int i = 1; i < n; ++i)
        gpu::put(best, gpu::combine(better, best, Answer(first[i])));
    return best;
}

/// The warps of pass 3: of two extremes, warp 0 finds the smallest element, and warp 1 the largest one.
template <class Answer>
inline constexpr int warps_to_find = 1;
template <class E>
inline constexpr int warps_to_find<extremes<candidate<E>>> = 2;

template <class E>
TILEWISE_DEVICE candidate<E> sought_by(int, candidate<E> const& one)
{
    return one;
}
template <class E>
TILEWISE_DEVICE candidate<E> sought_by(int warp, extremes<candidate<E>> const& both)
{
    return gpu::select(warp == 0, both.smallest, both.largest);
}

template <class E>
TILEWISE_DEVICE void write_found(int, candidate<E>& one, candidate<E> const& found)
{
    gpu::put(one, found);
}
template <class E>
TILEWISE_DEVICE void write_found(int warp, extremes<candidate<E>>& both, candidate<E> const& found)
{
    gpu::put(warp == 0 ? both.smallest : both.largest, found);
}

/// Pass 3: finds the lane vector of the best element in its chunk, and then its position in the lane vector. (A
/// candidate for each element of the chunk would take more registers than there are for bytes.)
template <class Layout, access how, class E, class Op, class Better, class Answer>
TILEWISE_KERNEL(warps_to_find<Answer>* warp_size, 1)
find_in_chunk(memory_view<E> view, offset index, Op op, Better better, Answer const* best, Answer* found)
{
    wait_for_primary();
    int const warp = warp_index();
    engine::candidates<E const*, E> const numbered{view.first, index};
    auto const in_vector = engine::found_in_units(gpu::sought_by(warp, *best), [&](offset chunk) {
        return gpu::sought_by(warp,
                              gpu::best_lane_vector_of_chunk<Answer, Layout, how>(view, index, chunk, op, better));
    });
    auto const answer = engine::found_in_units(in_vector, [&](offset first) {
        auto const elements = numbered + (first - index);
        return gpu::sought_by(warp, gpu::best_of_lane_vector<Answer, Layout::lane_vector>(elements, better));
    });
    if (lane_index() == 0)
        gpu::write_found(warp, *found, answer);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
