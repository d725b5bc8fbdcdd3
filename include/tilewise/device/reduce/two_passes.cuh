// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reduction in two passes: a block per aligned subtree of tiles, then one block that combines the partial results.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/carry.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/reduce/one_tile.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Pass 1: block `b` reduces subtree `b`, of `iterations` work units per warp, to `partials[b]`.
template <class Layout, access how, int shift, class Tuning, class View, class T, class Op>
TILEWISE_KERNEL(Tuning::threads, Tuning::blocks_per_multiprocessor)
reduce_subtrees(View view, offset units, int iterations, Op op, T* partials)
{
    release_dependents();
    constexpr int warps = Tuning::threads / warp_size;
    TILEWISE_SHARED(warp_aggregates, raw_storage<T[warps]>);
    offset const before = offset{block_index()} * iterations * warps;
    T const aggregate = gpu::block_subtree<Layout, how, shift, Tuning::threads>(
        view, before * Layout::chunks * Layout::order::chunk, units - before, iterations, op, warp_aggregates.object());
    if (thread_index() == 0)
        gpu::put(partials[block_index()], aggregate);
}

/// Pass 2: reads the last tile, and then combines the partial results, of `2^log2_tiles` tiles each, into groups,
/// super-groups and the carry. A round combines up to `fold_super_groups` super-groups; every round but the last is a
/// complete binary tree.
template <class Layout, access how, class Tuning, class View, class T, class Init, class Op, class Out>
TILEWISE_KERNEL(Tuning::fold_threads, 1)
fold_subtrees(View view, offset count, offset tiles, int log2_tiles, T const* partials, Init init, Op op, Out out)
{
    using order = typename Layout::order;
    using geometry = typename Layout::geometry;
    constexpr int warps = Tuning::fold_threads / warp_size,
                  super_groups = Tuning::template fold_super_groups<T, geometry>,
                  super_group_size = geometry::groups_per_super_group, groups_at_once = super_groups * super_group_size,
                  rows = geometry::rows_per_chunk * geometry::chunks_per_tile;
    static_assert((super_groups & (super_groups - 1)) == 0 && super_groups <= super_group_size,
                  "a round is a whole binary tree");
    static_assert(sizeof(T) * (last_tile_ends<T>::count + groups_at_once + super_groups + rows + 2) <= 47 * 1024,
                  "a block has 48 KiB of static shared memory");
    TILEWISE_SHARED(ends, last_tile_ends<T>);
    TILEWISE_SHARED(group_aggregates, raw_storage<T[groups_at_once]>);
    TILEWISE_SHARED(super_group_aggregates, raw_storage<T[super_groups]>);
    auto& group_aggregate = group_aggregates.object();
    auto& super_group_aggregate = super_group_aggregates.object();
    int const warp = warp_index();
    auto const partial_count = static_cast<int>((tiles + (offset{1} << log2_tiles) - 1) >> log2_tiles);
    int const log2_partials = gpu::log2_of(geometry::tiles_per_group) - log2_tiles; // per group
    auto const whole_groups = static_cast<int>(tiles / geometry::tiles_per_group);
    int const last_count = static_cast<int>(count - tiles * order::tile);
    gpu::block_last_tile<Layout, how, (rows + warps - 1) / warps, warps>(view, tiles * order::tile, last_count, op,
                                                                         ends);
    wait_for_primary();

    running_carry<order, T, order::log2_tiles(2) + gpu::log2_of(super_groups)> rounds; // in warp 0
    for (int first_group = 0;; first_group += groups_at_once) {
        // groups: a warp combines one partial result per lane
        int const first_partial = first_group << log2_partials;
        int const valid = min_of(partial_count - first_partial, groups_at_once << log2_partials);
        constexpr int batch = Tuning::template fold_batch<T>;
        for (int i = warp * warp_size; i < valid; i += batch * Tuning::fold_threads) {
            registers<T, batch> partial; // whose loads are in flight together
            TILEWISE_UNROLL
            for (int k = 0; k < batch; ++k)
                gpu::put(
                    partial[k],
                    T(partials[first_partial + gpu::min_of(i + k * Tuning::fold_threads + lane_index(), valid - 1)]));
            TILEWISE_UNROLL
            for (int k = 0; k < batch; ++k) {
                int const own = i + k * Tuning::fold_threads + lane_index();
                T const aggregate =
                    gpu::warp_tree_of_segments(op, T(partial[k]), 1 << log2_partials, valid - own + lane_index());
                if (own < valid && own >> log2_partials << log2_partials == own)
                    gpu::put(group_aggregate[own >> log2_partials], aggregate);
            }
        }
        sync_block();
        // super-groups: a warp each; the last one may be incomplete
        int const groups = min_of(whole_groups - first_group, groups_at_once), whole = groups / super_group_size;
        int const used = (groups + super_group_size - 1) / super_group_size;
        for (int super_group = warp; super_group < used; super_group += warps) {
            int const first = super_group * super_group_size;
            int const own = lane_index() < super_group_size && first + lane_index() < groups ? lane_index() : 0;
            T const aggregate =
                gpu::warp_tree_of_valid<1, super_group_size>(op, T(group_aggregate[first + own]), groups - first);
            if (lane_index() == 0)
                gpu::put(super_group_aggregate[super_group], aggregate);
        }
        if (used > 1)
            sync_block();
        bool const is_last = (first_group + groups_at_once) << log2_partials >= partial_count;
        if (warp == 0) {
            auto rest = gpu::no_value<T>(); // the complete super-groups of an incomplete round
            if (whole > 0) {
                sync_warp();
                gpu::append_tree<super_groups>(op, rest, T(super_group_aggregate[min_of(lane_index(), whole - 1)]),
                                               whole);
            }
            if (whole == super_groups) {
                rounds.append(op, T(rest.value[0]));
                rest.has_value = false;
            }
            if (is_last) {
                auto carry = gpu::no_value<T>();
                carry.append(op, T(init));
                rounds.append_to(op, carry, rest);
                if (lane_index() == 0) {
                    if (groups % super_group_size != 0)
                        carry.append(op, T(super_group_aggregate[whole]));
                    if (tiles % geometry::tiles_per_group != 0)
                        carry.append(op, T(group_aggregate[groups]));
                    gpu::write_result(out, gpu::append_last_tile<order>(ends, last_count, T(carry.value[0]), op));
                }
            }
        }
        if (is_last)
            break;
        sync_block();
    }
    if constexpr (reads_again<Out>) {
        sync_block();
        out.read_again();
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
