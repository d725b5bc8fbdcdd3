// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How a warp stores results of one or two bytes each, of which its lanes have up to 16 bytes that begin anywhere: in
/// 16-byte vectors, through shared memory. Otherwise, each store of one result for each lane writes a part of up to 16
/// sectors of 32 bytes.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/access.cuh>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <cstdint>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Whether a warp stores vectors of `count` results together.
template <class Sink, int count>
inline constexpr bool are_stored_together = false;
template <class O, int count>
inline constexpr bool are_stored_together<memory_sink<O>, count> = sizeof(O) * count == vector_bytes && alignof(O) < 4;

/// How many results a lane vector of `count` must have in the mean, so that this takes less time than separate stores.
template <int count>
inline constexpr int least_mean_stored_together = count * 3 / 8 + 4;

/// Shared memory of a warp for the results of its lanes, which begin anywhere in the first 16 bytes.
struct alignas(vector_bytes) stage_of_warp {
    unsigned char bytes[(warp_size + 1) * vector_bytes];
};
/// The stages of a block.
template <bool are_needed, int warps>
struct stages_of_warps {
    stage_of_warp of_warp[warps];
    TILEWISE_DEVICE stage_of_warp* own() { return of_warp + warp_index(); }
};
template <int warps>
struct stages_of_warps<false, warps> {
    TILEWISE_DEVICE stage_of_warp* own() { return nullptr; }
};

/// Copies `count` bytes, up to 32 vectors, from a stage to global memory, with all lanes. They begin at `address`, and
/// in the stage at as many bytes behind a multiple of 16.
TILEWISE_DEVICE void copy_from_stage(stage_of_warp const& stage, std::uintptr_t address, int count)
{
    int const begin = static_cast<int>(address % vector_bytes), end = begin + count, lane = lane_index();
    auto* const to = reinterpret_cast<unsigned char*>(address - static_cast<unsigned>(begin));
    if (lane * vector_bytes >= begin && (lane + 1) * vector_bytes <= end)
        reinterpret_cast<vector16*>(to)[lane] = reinterpret_cast<vector16 const*>(stage.bytes)[lane];
    // the first and the last vector may have bytes of others: 16 lanes store one byte each of the first, the others of
    // the last
    int const last = end & -vector_bytes;
    bool const is_in_first = lane < vector_bytes;
    int const at = is_in_first ? lane : last + lane - vector_bytes;
    if (at < end && (is_in_first ? begin > 0 && at >= begin : last > 0 || begin == 0))
        to[at] = stage.bytes[at];
}

/// Stores the results of each lane: the first `count` of `own`, from `begin` on. All lanes take part.
template <int N, class O>
TILEWISE_DEVICE void store_together(memory_sink<O> const& all, offset begin, int count,
                                    typename memory_sink<O>::template vector<N> const& own, stage_of_warp& stage)
{
    int const stored = max_of(gpu::min_of(count, N), 0), lane = lane_index();
    unsigned const lanes = warp_ballot(stored > 0);
    int const last_lane = count_bits(lanes) - 1;
    bool const joins = begin + stored == gpu::shuffle_down(begin, 1); // the next lane's
    offset const first = gpu::shuffle(begin, 0);
    if (lanes == 0 || (lanes & (lanes + 1)) != 0 || any_lane(lane < last_lane && !joins)) { // there are gaps
        all.from(begin).store_some(0, own, 0, count);
        return;
    }
    auto const position = static_cast<int>(begin - first);
    auto const address = all.address_of(first);
    int const bytes = gpu::shuffle(position + stored, last_lane) * static_cast<int>(sizeof(O));
    sync_warp(); // the results that were in the stage have been copied
    memory_sink<O>{reinterpret_cast<O*>(stage.bytes + address % vector_bytes)}.store_some(position, own, 0, count);
    sync_warp();
    gpu::copy_from_stage(stage, address, bytes);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
