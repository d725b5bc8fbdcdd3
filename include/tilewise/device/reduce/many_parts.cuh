// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reduction of many parts of ranges, whose elements are anywhere in one view, to the aggregates of their units.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/pinned_ring.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/host_values.cuh>
#include <tilewise/device/reduce/one_tile.cuh>
#include <tilewise/device/reduce/units.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/host/fragment.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A unit of up to a tile, anywhere in a view: it begins at `first`, whatever the position of that in the order.
struct unit_in_view {
    offset first;
    int level;
};

/// Reduces units, with one warp per unit.
template <class Layout, int threads, class View, class T, class Op>
TILEWISE_KERNEL(threads, 1)
reduce_units(View view, unit_in_view const* units, offset count, Op op, T* results)
{
    using order = typename Layout::order;
    using unit = host::unit<order>;
    constexpr int warps = threads / warp_size, chunks = order::geometry::chunks_per_tile;
    for (offset i = offset{block_index()} * warps + warp_index(); i < count; i += offset{block_count()} * warps) {
        unit_in_view const own = units[i];
        registers<T, 1> aggregate;
        if (own.level < unit::tile) {
            gpu::put(aggregate[0], gpu::warp_unit<Layout, T>(view, own.first, own.level, op));
        } else {
            TILEWISE_NO_UNROLL
            for (int c = 0; c < chunks; ++c) { // lane c gets the aggregate of chunk c
                T const of_chunk =
                    gpu::shuffle(gpu::warp_unit<Layout, T>(view, own.first + c * order::chunk, unit::chunk, op), 0);
                if (c == 0 || lane_index() == c)
                    gpu::put(aggregate[0], of_chunk);
            }
            gpu::put(aggregate[0], gpu::warp_tree_of_valid<1, chunks>(op, T(aggregate[0]), chunks));
        }
        if (lane_index() == 0)
            gpu::put(results[i], T(aggregate[0]));
    }
}

/// Returns the aggregates of units. Waits for them.
template <class Order, class T, class Tuning = reduce_tuning, class View, class Op>
host_values<T> reduce_units_of(device_call& call, View const& view, std::vector<unit_in_view> const& units,
                               Op const& op)
{
    using layout = row_layout<View, T, Op, Order, Tuning>;
    constexpr int warps = Tuning::threads / warp_size;
    auto const count = static_cast<offset>(units.size());
    host_values<T> results(count);
    if (count == 0)
        return results;
    offset const most_blocks = offset{call.multiprocessors()} * Tuning::blocks_per_multiprocessor;
    int const blocks = static_cast<int>(std::min((count + warps - 1) / warps, most_blocks));
    scratch<T> const aggregates(call, count);
    {
        staging staged(call);
        call.launch(&reduce_units<layout, Tuning::threads, View, T, Op>, "reduce_units", {blocks, Tuning::threads},
                    view, staged.stage_in(units.data(), count), count, op, aggregates.begin());
    }
    leased_ring ring(call.device());
    ring->copy_to_host(results.data(), aggregates.begin(), static_cast<std::size_t>(count) * sizeof(T), call.stream());
    return results;
}

} // namespace gpu
TILEWISE_NAMESPACE_END
