// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Kernels that reduce a part of a range to the aggregates of its units.
///
/// * `reduce_ends`: a warp for each unit smaller than a tile, at either end of the part, and for the last element.
/// * `reduce_middle`: a block for each tile before the first complete subtree, for each subtree, and for each tile
///   after the last one.
/// * `fold_middle`: a warp for every 32 subtrees of a large part. A scan, which keeps the aggregates of all tiles,
///   combines them into groups.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/last_tile.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/reduce/one_tile.cuh>
#include <tilewise/host/fragment.hpp>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The units smaller than a tile: those before the first complete tile of a part, then those after the last one.
template <class Order>
struct end_units {
    using geometry = typename Order::geometry;
    static constexpr int most_per_end = static_cast<int>(Order::lane_vector - 1) + (geometry::lanes_per_row - 1) +
                                        (geometry::rows_per_chunk - 1) + (geometry::chunks_per_tile - 1);

    int count = 0, count_before = 0;         ///< of all units, and of those before the tiles
    offset tiles_end = 0;                    ///< where the units after the tiles begin, relative to the part
    int begin[2 * most_per_end + 1];         ///< relative to the part, or to `tiles_end`
    signed char level[2 * most_per_end + 1]; ///< of `host::unit`

    /// Appends the units in [first, last), with positions relative to `origin`.
    void append(offset first, offset last, offset origin)
    {
        offset at = first;
        host::unit<Order>::for_each(first, last, [&](int unit_level) {
            begin[count] = static_cast<int>(at - origin);
            level[count++] = static_cast<signed char>(unit_level);
            at += host::unit<Order>::size(unit_level);
        });
    }
    TILEWISE_PORTABLE offset position(int i) const { return (i < count_before ? 0 : tiles_end) + begin[i]; }
};

/// Returns the aggregate of the unit at `first`, of up to a chunk. Lane 0 has it.
template <class Layout, class T, class View, class Op>
TILEWISE_DEVICE T warp_unit(View& view, offset first, int level, Op& op)
{
    using order = typename Layout::order;
    using unit = host::unit<order>;
    constexpr int N = Layout::lane_vector;
    int const rows = level == unit::chunk ? Layout::rows : 1, last = level == unit::element ? 0 : N - 1;
    first += level >= unit::row ? lane_index() * N : 0;
    registers<T, 1> aggregate;
    TILEWISE_NO_UNROLL
    for (int row = 0; row < rows; ++row) {
        offset const at = first + row * order::row;
        auto const loaded = view.template fetch_clamped<N>(at, at + last);
        T row_aggregate = gpu::vector_aggregate<Layout>(view, loaded, op, last);
        if (level >= unit::row)
            gpu::put(row_aggregate, gpu::warp_tree(op, row_aggregate));
        gpu::put(aggregate[0], row == 0 ? row_aggregate : gpu::combine(op, T(aggregate[0]), row_aggregate));
    }
    return T(aggregate[0]);
}

/// Reduces the units smaller than a tile, with one warp per unit. Between the results of the units before the tiles and
/// of those after them it leaves room for the `middle` results of the tiles.
template <class Layout, int threads, class View, class T, class Op>
TILEWISE_KERNEL(threads, 1)
reduce_ends(View view, end_units<typename Layout::order> units, int middle, Op op, T* results)
{
    release_dependents();
    int const i = block_index() * (threads / warp_size) + warp_index();
    if (i >= units.count)
        return;
    T const aggregate = gpu::warp_unit<Layout, T>(view, units.position(i), units.level[i], op);
    if (lane_index() == 0)
        gpu::put(results[i < units.count_before ? i : i + middle], aggregate);
}

/// The complete tiles of a part: `before` single tiles, then `subtrees` subtrees of `2^log2_tiles` tiles each, then
/// `behind` single tiles.
struct middle_units {
    int before, subtrees, behind, log2_tiles;

    int count() const { return before + subtrees + behind; }
};

/// Reduces the tiles and subtrees, which are contiguous in `view`. Block `b` writes to `results[b]`.
template <class Layout, access how, int shift, class Tuning, class View, class T, class Op>
TILEWISE_KERNEL(Tuning::threads, Tuning::blocks_per_multiprocessor)
reduce_middle(View view, middle_units units, Op op, T* results)
{
    release_dependents();
    constexpr int warps = Tuning::threads / warp_size;
    TILEWISE_SHARED(warp_aggregates, raw_storage<T[warps]>);
    int const block = block_index(), in_subtrees = block - units.before;
    offset tiles = block;
    int size = 1;
    if (in_subtrees >= units.subtrees) {
        tiles += (offset{1} << units.log2_tiles) * units.subtrees - units.subtrees;
    } else if (in_subtrees >= 0) {
        tiles += ((offset{1} << units.log2_tiles) - 1) * in_subtrees;
        size = 1 << units.log2_tiles;
    }
    int const work = static_cast<int>(gpu::work_units_of<Layout>(size)), iterations = (work + warps - 1) / warps;
    T const aggregate = gpu::block_subtree<Layout, how, shift, Tuning::threads>(
        view, tiles * Layout::order::tile, work, iterations, op, warp_aggregates.object());
    wait_for_primary(); // so that the stream continues only after both kernels
    if (thread_index() == 0)
        gpu::put(results[block], aggregate);
}

/// Combines `size * folded` results, `size` at a time, into `folded` results. Copies the `before` results that precede
/// them and the `behind` results that follow them.
template <int threads, int size, class T, class Op>
TILEWISE_KERNEL(threads, 1)
fold_middle(T const* from, int before, int folded, int behind, Op op, T* to)
{
    wait_for_primary();
    int const warp = block_index() * (threads / warp_size) + warp_index();
    if (warp < folded) {
        T const own(from[before + warp * size + min_of(lane_index(), size - 1)]);
        T const aggregate = gpu::warp_tree_of_valid<1, size>(op, own, size);
        if (lane_index() == 0)
            gpu::put(to[before + warp], aggregate);
    } else if (int const i = (warp - folded) * warp_size + lane_index(); i < before + behind) {
        gpu::put(to[i < before ? i : i + folded], T(from[i < before ? i : i + folded * size]));
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
