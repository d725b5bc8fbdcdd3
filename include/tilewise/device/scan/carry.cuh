// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The exclusive prefix of a tile, from the aggregates of the tiles and groups before it, which blocks publish in
/// status words. Every block combines them itself, in the order of combination: no block waits for the prefix that
/// another block computes.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/status_words.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The state that the blocks of a launch share: a ticket counter, and status words for the aggregates of tiles and of
/// groups.
struct scan_status {
    ticket_counter tickets;
    status_words tiles, groups;

    /// Takes a ticket: the number of a tile that no other block has.
    TILEWISE_DEVICE offset take_tile() const { return static_cast<offset>(tickets.take() - tickets.before); }
};

/// Combines the aggregates of the chunks of a tile, one per lane, of which the first `whole` chunks are complete.
/// `before` receives the exclusive prefix of each chunk within the tile, in the lane of the chunk. Returns the
/// aggregate of the tile in every lane, if all chunks are complete.
template <class Scan>
TILEWISE_DEVICE auto join_chunks(typename Scan::op& op, typename Scan::value const& chunk_aggregate, int whole,
                                 registers<typename Scan::value, 1>& before) -> typename Scan::value
{
    using T = typename Scan::value;
    T const trees = gpu::warp_right_aligned_trees<Scan::chunks>(op, T(chunk_aggregate), whole);
    gpu::put(before[0], gpu::shuffle_up(trees, 1));
    return gpu::shuffle(trees, Scan::chunks - 1);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
