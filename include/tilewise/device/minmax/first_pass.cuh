// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The passes of a search for extremes in memory: the first one finds the chunks that contain the best values; the
/// second one, `fold_subtrees`, combines the results of blocks, and finds the positions in these chunks.

#include <tilewise/core/config.hpp>
#include <tilewise/core/extremes.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/minmax/values.cuh>
#include <tilewise/device/reduce/one_tile.cuh>
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

/// The warps that find elements: of two extremes, warp 0 finds the smallest one, and warp 1 the largest one.
template <class Answer>
inline constexpr int warps_to_find = 1;
template <class E>
inline constexpr int warps_to_find<extremes<candidate<E>>> = 2;

template <class Position>
TILEWISE_DEVICE Position sought_by(int, Position const& one)
{
    return one;
}
template <class Position>
TILEWISE_DEVICE Position sought_by(int warp, extremes<Position> const& both)
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

/// Finds the best elements of a chunk, of which the values are known: first their lane vectors in the chunk, then their
/// positions in the lane vectors. (A candidate for each element of the chunk would take more registers than there are
/// for bytes.)
template <class Layout, access how, int shift, class E, class Op, class Better, class Answer>
struct chunk_search {
    memory_view<E> view; ///< at any alignment
    offset index;        ///< of the first element
    Op op;
    Better better;

    static constexpr int rows = Layout::rows, n = Layout::lane_vector;
    using loaded_rows = chunk_rows<Layout, memory_view<E>>;

    /// Returns the element that a warp looks for.
    TILEWISE_DEVICE candidate<E> find(int warp, candidate<E> const& sought)
    {
        if (!gpu::any_lane(!sought.is_found()))
            return sought;
        offset const chunk = sought.unit();
        auto const loaded = gpu::load_chunks<Layout, how, shift>(view, chunk - index);
        if constexpr (std::integral<E> && !std::same_as<Op, Better>)
            return equal_element(warp, sought.value, chunk, loaded);
        else
            return best_element(warp, chunk + lane_index() * n, loaded);
    }

private:
    /// Finds a value that is an integer: the last one, if it is the larger one of both, else the first.
    TILEWISE_DEVICE candidate<E> equal_element(int warp, E const& value, offset chunk, loaded_rows const& loaded)
    {
        auto const end_of = [&](unsigned bits) { return gpu::highest_bit(warp == 0 ? bits & -bits : bits); };
        unsigned lanes[rows], rows_with_value = 0;
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row) {
            auto const best = gpu::candidates_of<E>(gpu::load_aggregate<Layout>(view, loaded[row], op), 0);
            lanes[row] = gpu::warp_ballot(gpu::sought_by(warp, best).value == value);
            rows_with_value |= lanes[row] != 0 ? 1u << row : 0;
        }
        int const row = end_of(rows_with_value);
        unsigned lanes_of_row = lanes[0];
        TILEWISE_UNROLL
        for (int i = 1; i < rows; ++i)
            lanes_of_row = row == i ? lanes[i] : lanes_of_row;
        offset const first = chunk + row * Layout::segment + end_of(lanes_of_row) * n;
        bool const is_equal = view.first[first - index + lane_index() % n] == value;
        return {value, first + end_of(gpu::warp_ballot(is_equal && lane_index() < n))};
    }

    /// Finds the element that the comparison chooses.
    TILEWISE_DEVICE candidate<E> best_element(int warp, offset own, loaded_rows const& loaded)
    {
        registers<Answer, rows> best;
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row) {
            auto const value = gpu::load_aggregate<Layout>(view, loaded[row], op);
            gpu::put(best[row],
                     Answer(gpu::candidates_of<E>(value, candidate<E>::in_unit_at(own + row * Layout::segment))));
        }
        Answer const trees = gpu::warp_row_trees<rows, warp_size>(better, best);
        auto const in_vector = gpu::sought_by(warp, gpu::warp_fold_rows<rows, warp_size, Answer>(better, trees));
        engine::candidates<E const*, E> const elements{view.first + (in_vector.unit() - index), in_vector.unit()};
        Answer answer(elements[0]);
        TILEWISE_UNROLL
        for (int i = 1; i < n; ++i)
            gpu::put(answer, gpu::combine(better, answer, Answer(elements[i])));
        return gpu::sought_by(warp, answer);
    }
};

/// Where pass 2 writes the best values, of which it then finds the elements.
template <class Search, class Answer>
struct found_answer {
    Search search;
    Answer* found;

    /// The best values, which one thread writes.
    TILEWISE_DEVICE Answer& operator*() const
    {
        TILEWISE_SHARED(best, raw_storage<Answer>);
        return best.object();
    }
    TILEWISE_DEVICE void read_again()
    {
        int const warp = warp_index();
        if (warp >= warps_to_find<Answer>)
            return;
        auto const answer = search.find(warp, gpu::sought_by(warp, **this));
        if (lane_index() == 0)
            gpu::write_found(warp, *found, answer);
    }
};
template <class Search, class Answer>
inline constexpr bool reads_again<found_answer<Search, Answer>> = true;

} // namespace gpu
TILEWISE_NAMESPACE_END
