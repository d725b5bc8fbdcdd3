// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The number of runs before a tile of keys, by decoupled look-back: integers may be added in any order, so a block
/// takes the inclusive prefix of the nearest tile that has published one, and the aggregates of the tiles in between.
/// It waits for aggregates only, never for a prefix. (D. Merrill, M. Garland: Single-pass Parallel Prefix Scan with
/// Decoupled Look-back, 2016)

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/carry.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The runs that begin among some consecutive keys of a launch.
struct run_count {
    unsigned runs; ///< how many
    unsigned last; ///< where the last one begins, if there is one

    /// Returns this after the runs `before`.
    TILEWISE_DEVICE run_count after(run_count before) const
    {
        return {before.runs + runs, runs > 0 ? last : before.last};
    }
};

/// The state that the blocks of a launch share: a ticket counter, and status words for the aggregates and for the
/// inclusive prefixes of the tiles.
struct run_status : scan_status {
    static constexpr int words_per_tile = 2 * status_words::words_of<run_count>;

    TILEWISE_DEVICE status_words const& prefixes() const { return groups; }

    /// Returns the runs before a tile, which is not the first one. All lanes of a warp take part and have the result.
    TILEWISE_DEVICE run_count before(offset tile) const
    {
        run_count found = {0, 0};
        for (offset end = tile;; end -= warp_size) {
            offset const own = end - 1 - lane_index();
            polled_aggregate<run_count> aggregate(tiles, own, own >= 0), prefix(prefixes(), own, own >= 0);
            int const nearest = poll(aggregate, prefix);
            bool const is_nearest = lane_index() == nearest;
            registers<run_count, 1> seen;
            gpu::put(seen[0], run_count{0, 0});
            if (own >= 0 && is_nearest)
                prefix.get(seen);
            else if (own >= 0 && lane_index() < nearest)
                aggregate.get(seen);
            run_count const one = seen[0];
            unsigned const begin_runs = warp_ballot(one.runs > 0);
            found = found.after({gpu::warp_total(one.runs), gpu::shuffle(one.last, gpu::lowest_lane(begin_runs))});
            if (nearest < warp_size)
                return found;
        }
    }

private:
    /// Polls until a lane has a prefix, and all lanes below it have an aggregate, or until all have one. Returns that
    /// lane, or the number of lanes. A lane without a tile counts as one with a prefix.
    TILEWISE_DEVICE static int poll(polled_aggregate<run_count>& aggregate, polled_aggregate<run_count>& prefix)
    {
        for (;;) {
            aggregate.poll();
            prefix.poll();
            unsigned const with_prefix = warp_ballot(prefix.is_ready()),
                           with_aggregate = warp_ballot(aggregate.is_ready());
            unsigned const below = with_prefix == 0 ? ~0u : (with_prefix & -with_prefix) - 1;
            if ((with_aggregate & below) == below)
                return count_bits(below);
            pause_briefly();
        }
    }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
