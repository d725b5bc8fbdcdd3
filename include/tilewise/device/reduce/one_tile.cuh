// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reduction of up to one tile by one block, and of the last tile of a range by a block of another kernel.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/block/last_tile.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Stores `value` through `out`, converted to the type of the output.
template <class Out, class T>
TILEWISE_DEVICE void write_result(Out out, T const& value)
{
    using stored = std::remove_reference_t<decltype(*out)>;
    nested_calls<Out, T>::guard();
    if constexpr (std::is_same_v<stored, T>)
        gpu::put(*out, value);
    else
        *out = tilewise::as_stored<stored>(value);
}

/// Whether the block that has written a result through an `Out` goes on with `out.read_again()`, in all its threads.
template <class Out>
inline constexpr bool reads_again = false;

/// Writes `init`, the result of an empty range.
template <class T, class Out>
TILEWISE_KERNEL(warp_size, 1)
write_init(T init, Out out)
{
    if (thread_index() == 0)
        gpu::write_result(out, init);
}

/// Whether a view reads a last tile in its own way, by `view.read_last_tile`.
template <class View>
inline constexpr bool reads_last_tile = false;

/// Reads the last tile, which begins at `first`, with all warps of the block, and leaves its partial results in `ends`.
/// Warp 0 may read `ends` at once, the other warps after a barrier.
template <class Layout, access how, int rows_per_warp, int warps, class View, class Op, class T>
TILEWISE_DEVICE void block_last_tile(View& view, offset first, int count, Op& op, last_tile_ends<T>& ends)
{
    using order = typename Layout::order;
    if constexpr (reads_last_tile<View>) {
        view.template read_last_tile<order, rows_per_warp, warps>(first, count, op, ends);
    } else {
        TILEWISE_SHARED(parts, last_tile_parts<T, order>);
        gpu::read_last_tile<Layout, how, rows_per_warp, warps>(view, first, count, op, parts);
        sync_block();
        if (warp_index() == 0)
            gpu::join_last_tile<order>(parts, count, op, ends);
    }
    sync_warp();
}

/// Reduces a range of up to one tile: warp `r % warps` reads row `r`.
template <class Layout, access how, int rows_per_warp, class View, class T, class Op, class Out>
TILEWISE_KERNEL(warp_size* warp_size, 1)
reduce_one_tile(View view, int count, T init, Op op, Out out)
{
    TILEWISE_SHARED(ends, last_tile_ends<T>);
    gpu::block_last_tile<Layout, how, rows_per_warp, warp_size>(view, 0, count, op, ends);
    if (thread_index() == 0)
        gpu::write_result(out, gpu::append_last_tile<typename Layout::order>(ends, count, init, op));
}

/// The number of work units in `tiles` tiles. A work unit is the chunks that a warp reads in one iteration.
template <class Layout>
TILEWISE_PORTABLE constexpr offset work_units_of(offset tiles)
{
    return tiles * Layout::geometry::chunks_per_tile / Layout::chunks;
}

} // namespace gpu
TILEWISE_NAMESPACE_END
