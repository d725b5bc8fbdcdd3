// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The lane vectors of each cell, whose elements are in the shares of one or several blocks, and how those are put
/// together that are not whole in one of them (see combine_lane_vectors.cuh).

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <bit>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The elements of a lane vector, some of which may not exist.
template <class T, int n>
struct alignas(std::has_single_bit(n * sizeof(T)) ? n * sizeof(T) : alignof(T)) lane_vector_elements {
    registers<T, n> values;
};

/// Copies the elements [first, last) of a lane vector: the others may not exist.
template <class T, int n>
TILEWISE_DEVICE void copy_elements(lane_vector_elements<T, n>& to, lane_vector_elements<T, n> const& from, int first,
                                   int last)
{
    TILEWISE_UNROLL
    for (int i = 0; i < n; ++i)
        if (i >= first && i < last)
            gpu::put(to.values[i], from.values[i]);
}

/// The cells' elements in each block, and where the aggregates go.
template <class T, int n>
struct lane_vectors_by_cell {
    using vector = lane_vector_elements<T, n>;

    offset const* counts; ///< of the elements in earlier blocks: a row per cell, a column per block
    offset const* totals; ///< of the elements
    offset const* begins; ///< of the cell's lane vectors in `aggregates`
    T* aggregates;
    vector* heads; ///< the lane vectors that began in earlier blocks: of each block, one per cell
    vector* tails; ///< those that do not end in the block

    /// The number of elements of a cell in the blocks before `block`.
    TILEWISE_DEVICE offset before(int cell, int block, int blocks) const
    {
        return block < blocks ? counts[offset{cell} * blocks + block] : totals[cell];
    }
};

/// Writes the aggregates of the other lane vectors: a thread for each cell and block, which combines the one that
/// begins in the block and does not end in it.
template <int threads, int n, class T, class Op>
TILEWISE_KERNEL(threads, 1)
join_lane_vectors(int cells, int blocks, lane_vectors_by_cell<T, n> of, Op op)
{
    int const total = cells * blocks;
    for (int i = block_index() * threads + thread_index(); i < total; i += block_count() * threads) {
        int const cell = i / blocks, block = i % blocks;
        offset const begin = of.before(cell, block, blocks), end = of.before(cell, block + 1, blocks),
                     first = end / n * n, last = gpu::at_most(first + n, of.totals[cell]);
        if (end == first || first < begin)
            continue;
        T sum = of.tails[offset{block} * cells + cell].values[0];
        int holder = block;
        for (offset position = first + 1; position < last; ++position) {
            while (position >= of.before(cell, holder + 1, blocks))
                ++holder;
            bool const is_head = of.before(cell, holder + 1, blocks) >= first + n;
            auto const& held = (is_head ? of.heads : of.tails)[offset{holder} * cells + cell];
            gpu::put(sum, gpu::combine(op, sum, T(held.values[static_cast<int>(position - first)])));
        }
        gpu::put(of.aggregates[of.begins[cell] + first / n], sum);
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
