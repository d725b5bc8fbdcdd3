// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The shared memory and the warp roles of a block of a single-pass scan.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The shared memory of a block: stages for the elements of tiles, and the data that the warps exchange about each tile
/// in flight. There is one more tile in flight than there are stages: the results of a tile may be in registers while
/// its stage is filled again. `Tile` is what the producer writes about a tile: its number in its range, at least.
template <class Scan, class Tuning, class Tile>
struct stages {
    using T = typename Scan::value;

    struct barriers {
        mbarrier filled;  ///< the elements and the number of the tile have been written
        mbarrier reduced; ///< the aggregates of the chunks have been written
        mbarrier carried; ///< the prefixes of the chunks and the tile have been written; all have read its number
    };
    struct tile_in_flight : barriers, Tile {
        bool has_carry;
        raw_storage<T[Scan::chunks]> chunk_aggregates, chunk_prefixes;
        raw_storage<T> carry;
    };
    static constexpr int stage_bytes = Scan::view::stage_bytes(Scan::tile);
    static constexpr int bytes_per_tile = int{sizeof(tile_in_flight)} + int{sizeof(mbarrier)};
    static constexpr int count =
        std::min(Tuning::most_stages, (Tuning::stage_memory - bytes_per_tile) / (stage_bytes + bytes_per_tile));
    /// Whether the single pass is used: there is room for a tile that is filled while another one is scanned. A chunk
    /// that is not kept in registers stays in its stage for longer.
    static constexpr bool is_supported = Scan::batched ? count >= 2 : sizeof(T) <= 32 && count >= 3;
    /// The number of stages that are being filled at the same time.
    static constexpr int in_flight = std::max(
        1, std::min(count - 1,
                    stage_bytes == 0 ? count : std::max(Scan::batched ? 1 : 2, Tuning::bytes_in_flight / stage_bytes)));

    static constexpr int stage_count = std::max(1, count); // if there is no room for one, this kernel is not used
    alignas(128) unsigned char memory[stage_count * (stage_bytes > 0 ? stage_bytes : vector_bytes)];
    raw_storage<tile_in_flight[stage_count + 1]> tile_storage;
    mbarrier emptied[stage_count]; ///< the elements are in registers, or the results have been stored
    mbarrier moving;               ///< the reducers have read the elements of a misaligned tile, which they move

    TILEWISE_DEVICE tile_in_flight& tile(int i) { return tile_storage.object()[i]; }
    TILEWISE_DEVICE unsigned char* elements(int i) { return memory + i * stage_bytes; }
};

/// An index into a ring buffer, and the phase of the barriers there.
template <int count>
struct ring_cursor {
    int index = 0, phase = 0;
    TILEWISE_DEVICE void step(int steps = 1) // at most `count`
    {
        index += steps;
        if (index >= count) {
            index -= count;
            phase ^= 1;
        }
    }
};

/// The first warp of each role: writers (from warp 0 on) and reducers, one per chunk; a producer, which fills stages; a
/// publisher of tile aggregates and one of group aggregates; and a carry-in warp, which computes the exclusive prefix
/// of a tile.
template <class Scan>
struct warp_roles {
    static constexpr int reducers = Scan::chunks, producer = 2 * Scan::chunks, publisher = producer + 1,
                         group_publisher = producer + 2, carry_in = producer + 3;
    static constexpr int threads = (carry_in + 1) * warp_size;
};

/// Arrives at a barrier once for the whole warp. `Tuning::every_lane_arrives` makes every lane arrive, for a tool that
/// does not know that `sync_warp` orders the accesses of the other lanes before the arrival.
template <class Tuning>
TILEWISE_DEVICE void warp_arrive(mbarrier& barrier)
{
    sync_warp();
    if (Tuning::every_lane_arrives || lane_index() == 0)
        barrier.arrive();
}

} // namespace gpu
TILEWISE_NAMESPACE_END
