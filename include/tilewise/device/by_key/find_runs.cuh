// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernel that finds the runs of equal keys. It reads the keys once, and writes what is asked for about each run.
///
/// A block takes one tile of keys. Its threads find the keys that begin a run; the block publishes their number, lists
/// their positions in shared memory, and meanwhile looks back for the number of runs before the tile. Then neighboring
/// threads write the results of neighboring runs.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/by_key/key_tile.cuh>
#include <tilewise/device/by_key/run_status.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/order.hpp>

#include <cstdint>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The runs that begin before some key of a call.
struct runs_so_far {
    offset runs; ///< how many
    offset last; ///< where the last one begins, if there is one
};

/// Where the number of runs is written.
struct number_targets {
    runs_so_far* so_far; ///< for later kernels
    offset* line;        ///< for the host, if not null
    void* user;          ///< an integer of so many bytes, if not null
    int user_bytes;

    TILEWISE_DEVICE void put(runs_so_far const& found, bool are_all) const
    {
        *so_far = found;
        if (are_all && line != nullptr)
            *line = found.runs;
        if (are_all && user != nullptr) {
            if (user_bytes == 8)
                *static_cast<std::int64_t*>(user) = found.runs;
            else
                *static_cast<std::int32_t*>(user) = static_cast<std::int32_t>(found.runs);
        }
    }
};

/// What the threads of a block exchange about a tile.
template <int keys, int warps>
struct shared_runs {
    offset tile;
    run_count before; ///< in the launch, before the tile
    unsigned runs_of_warp[warps];
    int last_of_warp[warps];      ///< -1 if there is none
    std::uint16_t position[keys]; ///< in the tile, of each key that begins a run
    static_assert(keys <= 1 << 16);
};

template <class Keys, class Pred, class Out, class Tuning, bool loads_vectors>
TILEWISE_KERNEL(Tuning::threads, (key_tile<Keys, Tuning, loads_vectors>::blocks_per_multiprocessor))
find_runs(Keys keys, Pred is_same, key_range range, Out out, run_status status, offset tiles,
          runs_so_far const* earlier, number_targets targets)
{
    using tile_type = key_tile<Keys, Tuning, loads_vectors>;
    constexpr int warps = Tuning::threads / warp_size;
    static_assert(warps <= warp_size);
    using shared_type = shared_runs<tile_type::keys, warps>;
    TILEWISE_SHARED(shared, shared_type);
    offset tile = 0;
    if (tiles > 1) {
        if (thread_index() == 0)
            shared.tile = status.take_tile();
        sync_block();
        tile = shared.tile;
    }
    offset const first = range.origin + tile * tile_type::keys;
    int const lane = lane_index(), warp = warp_index();

    tile_type own;
    own.read(keys, is_same, first, range);
    int const last_of_warp = own.last();
    if (lane == 0) {
        shared.runs_of_warp[warp] = static_cast<unsigned>(own.runs());
        shared.last_of_warp[warp] = last_of_warp;
    }
    sync_block();
    unsigned const up_to_warp = gpu::warp_sums(lane < warps ? shared.runs_of_warp[lane] : 0);
    int const last = gpu::warp_max(lane < warps ? shared.last_of_warp[lane] : -1);
    auto const in_launch = static_cast<unsigned>(first + last - range.begin);
    run_count const aggregate = {gpu::shuffle(up_to_warp, warps - 1), in_launch};
    bool const is_last = tile + 1 == tiles;
    if (thread_index() == 0 && !is_last)
        (tile > 0 ? status.tiles : status.prefixes()).publish(tile, aggregate);

    int const before_warp = static_cast<int>(gpu::shuffle(up_to_warp, max_of(0, warp - 1)));
    own.for_each_start(warp > 0 ? before_warp : 0,
                       [&](int rank, int position) { shared.position[rank] = static_cast<std::uint16_t>(position); });
    if (warp == 0) {
        run_count const before = tile > 0 ? status.before(tile) : run_count{0, 0};
        if (lane == 0) {
            if (tile > 0 && !is_last)
                status.prefixes().publish(tile, aggregate.after(before));
            shared.before = before;
        }
    }
    sync_block();

    runs_so_far before = earlier != nullptr ? *earlier : runs_so_far{0, 0};
    before.runs += shared.before.runs;
    if (shared.before.runs > 0)
        before.last = range.begin + shared.before.last;
    int const count = static_cast<int>(aggregate.runs);
    // All keys of a batch are loaded before a result is stored: the compiler has to assume that it changes a key.
    constexpr int batch = sizeof(typename Out::key) <= vector_bytes ? 4 : 1;
    for (int begin = thread_index(); begin < count; begin += batch * Tuning::threads) {
        registers<typename Out::key, batch> loaded;
        int position[batch];
        TILEWISE_UNROLL
        for (int b = 0; b < batch; ++b) {
            position[b] = shared.position[gpu::min_of(begin + b * Tuning::threads, count - 1)];
            out.load(loaded, b, keys, first + position[b]);
        }
        TILEWISE_UNROLL
        for (int b = 0; b < batch; ++b) {
            int const i = begin + b * Tuning::threads;
            if (i < count) {
                offset const start = first + position[b], index = before.runs + i;
                out.begin(index, start, loaded, b);
                if (index > 0)
                    out.end(index - 1, i > 0 ? first + shared.position[i - 1] : before.last, start);
            }
        }
    }
    if (is_last && thread_index() == 0) {
        runs_so_far const found = {before.runs + count, count > 0 ? first + last : before.last};
        bool const are_all = range.end == range.count;
        if (are_all) {
            out.end(found.runs - 1, found.last, range.count);
            out.finish(found.runs, range.count);
        }
        targets.put(found, are_all);
    }
}

/// Writes the number of runs: what is at `number`, or 0 if that is null.
template <class Sink>
TILEWISE_KERNEL(1, 1)
write_number_of_runs(Sink to, offset const* number)
{
    gpu::store_one(to, 0, number != nullptr ? *number : offset{0});
}

} // namespace gpu
TILEWISE_NAMESPACE_END
