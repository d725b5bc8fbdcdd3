// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Kernels in which a block scans one tile, for ranges of one tile, ranges that fit a cluster, ranges with a tile per
/// block, and scans in three passes.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/carry.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/carry.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Scans a tile with a block, one warp per chunk. All threads call `carry_in(aggregate)`, which returns the exclusive
/// prefix of the tile. Its argument is the aggregate of the tile, and is valid only if the tile is complete.
template <class Scan, bool whole, access in, access out,
          chunk_storage storage = Scan::keeps_tile ? chunk_storage::kept : chunk_storage::none, class CarryIn>
TILEWISE_DEVICE void block_scan_tile(typename Scan::view const& view, typename Scan::sink const& sink, offset tile,
                                     int count, typename Scan::op& op, CarryIn const& carry_in)
{
    using T = typename Scan::value;
    TILEWISE_SHARED(chunk_aggregates, raw_storage<T[Scan::chunks]>);
    int const warp = warp_index(), first = warp * Scan::chunk,
              whole_chunks = whole ? Scan::chunks : count / Scan::chunk;
    auto from = gpu::tile_in_memory<Scan, in>(view, tile * Scan::tile, count);
    auto to = sink.from(tile * Scan::tile);

    warp_chunk<Scan, whole, in, memory::global, storage> chunk;
    optional_value<T> const aggregate = chunk.read(from, first, op);
    if (warp < whole_chunks && lane_index() == 0)
        gpu::put(chunk_aggregates.object()[warp], aggregate.value[0]);
    sync_block();
    registers<T, 1> before, tile_aggregate;
    if (whole_chunks > 0)
        gpu::put(tile_aggregate[0],
                 gpu::join_chunks<Scan>(op, chunk_aggregates.object()[min_of(lane_index(), whole_chunks - 1)],
                                        whole_chunks, before));
    optional_value<T> carry = carry_in(tile_aggregate[0]);
    if (warp > 0 && warp <= whole_chunks)
        carry.append(op, gpu::shuffle(before[0], warp));
    chunk.template write<out>(from, first, to, op, carry);
}

/// The same for a tile that may be the last one of a range of `count` elements.
template <class Scan, access in, access out, class CarryIn>
TILEWISE_DEVICE void block_scan_any_tile(typename Scan::view const& view, typename Scan::sink const& sink, offset tile,
                                         offset count, typename Scan::op& op, CarryIn const& carry_in)
{
    offset const left = count - tile * Scan::tile;
    if (left >= Scan::tile)
        gpu::block_scan_tile<Scan, true, in, out>(view, sink, tile, Scan::tile, op, carry_in);
    else
        gpu::block_scan_tile<Scan, false, in, out>(view, sink, tile, static_cast<int>(left), op, carry_in);
}

/// Scans a range of up to one tile with one block.
template <class Scan, access in, access out>
TILEWISE_KERNEL(Scan::threads, 1)
scan_one_tile(typename Scan::view view, typename Scan::sink sink, offset count, initial<typename Scan::value> init,
              typename Scan::op op)
{
    auto const carry_in = [&](auto const&) { return init.get(); };
    if (count <= few_rows<Scan> * Scan::row)
        gpu::block_scan_tile<Scan, false, in, out, chunk_storage::first_rows>(view, sink, 0, static_cast<int>(count),
                                                                              op, carry_in);
    else
        gpu::block_scan_any_tile<Scan, in, out>(view, sink, 0, count, op, carry_in);
}

/// Scans a range of at most as many tiles as the cluster has blocks. The blocks exchange the aggregates of their tiles
/// through distributed shared memory.
template <class Scan, access in, access out>
TILEWISE_KERNEL(Scan::threads, 1)
scan_in_cluster(typename Scan::view view, typename Scan::sink sink, offset count, initial<typename Scan::value> init,
                typename Scan::op op)
{
    using T = typename Scan::value;
    TILEWISE_SHARED(tile_aggregates, raw_storage<T[warp_size]>);
    int const tile = block_index();
    auto const exchange = [&](bool has_aggregate, T const& aggregate) {
        cluster_wait();
        if (has_aggregate && warp_index() == 0 && lane_index() > tile && lane_index() < block_count())
            gpu::store_in_block(lane_index(), &tile_aggregates.object()[tile], aggregate);
        cluster_arrive();
        cluster_wait();
    };
    cluster_announce();
    if (offset const left = count - offset{tile} * Scan::tile; left <= 0) {
        cluster_wait();
        cluster_arrive();
        cluster_wait();
    } else {
        gpu::block_scan_any_tile<Scan, in, out>(view, sink, tile, count, op, [&](T const& aggregate) {
            exchange(left >= Scan::tile, aggregate);
            optional_value<T> carry = init.get();
            if (tile > 0) {
                T const own(tile_aggregates.object()[min_of(lane_index(), tile - 1)]);
                gpu::append_tree(op, carry, own, tile);
            }
            return carry;
        });
    }
}

/// How many tiles are resident on a multiprocessor.
template <class Scan, class Tuning>
inline constexpr int resident_tiles = Tuning::template blocks_per_multiprocessor<typename Scan::value>;

/// Scans a range of up to a super-group with a block per tile. Each block polls the aggregates of the tiles before its
/// own.
template <class Scan, class Tuning, access in, access out>
TILEWISE_KERNEL(Scan::threads, (resident_tiles<Scan, Tuning>))
scan_tile_per_block(typename Scan::view view, typename Scan::sink sink, offset count,
                    initial<typename Scan::value> init, typename Scan::op op, scan_status status)
{
    using T = typename Scan::value;
    using geometry = typename Scan::geometry;
    constexpr int group_size = geometry::tiles_per_group;
    TILEWISE_SHARED(next_tile_index, offset);
    TILEWISE_SHARED(group_aggregates, raw_storage<T[geometry::groups_per_super_group]>);
    if (thread_index() == 0)
        next_tile_index = status.take_tile();
    if (block_count() <= Tuning::prefetched_tiles)
        gpu::prefetch_tile<Scan>(view, block_index(), count); // most likely the block's own
    sync_block();
    offset const tile = next_tile_index;
    bool const has_aggregate = count - tile * Scan::tile >= Scan::tile;
    gpu::block_scan_any_tile<Scan, in, out>(view, sink, tile, count, op, [&](T const& aggregate) {
        if (has_aggregate && thread_index() == 0)
            status.tiles.publish(tile, aggregate);
        int const groups = static_cast<int>(tile) / group_size, rest = static_cast<int>(tile) % group_size;
        for (int group = warp_index(); group < groups + (rest > 0); group += Scan::chunks) {
            int const valid = group < groups ? group_size : rest;
            registers<T, 1> group_aggregate;
            gpu::poll_tree<group_size, false>(op, status.tiles, offset{group} * group_size, valid, group_aggregate);
            if (lane_index() == 0)
                gpu::put(group_aggregates.object()[group], group_aggregate[0]);
        }
        sync_block();
        optional_value<T> carry = init.get();
        if (groups > 0) {
            T const own(group_aggregates.object()[min_of(lane_index(), groups - 1)]);
            gpu::append_tree<geometry::groups_per_super_group>(op, carry, own, groups);
        }
        if (rest > 0)
            carry.append(op, T(group_aggregates.object()[groups]));
        return carry;
    });
}

/// @name Three passes, for any type and any GPU
/// @{

/// Pass 1: writes the aggregate of each tile except the last.
template <class Scan, access in>
TILEWISE_KERNEL(Scan::threads, 1)
reduce_tiles(typename Scan::view view, typename Scan::op op, typename Scan::value* tile_aggregates)
{
    using T = typename Scan::value;
    TILEWISE_SHARED(chunk_aggregates, raw_storage<T[Scan::chunks]>);
    int const warp = warp_index();
    auto from = gpu::tile_in_memory<Scan, in>(view, offset{block_index()} * Scan::tile, Scan::tile);
    T const aggregate = gpu::chunk_aggregate<Scan, true, in, memory::global>(from, warp * Scan::chunk, op);
    if (lane_index() == 0)
        gpu::put(chunk_aggregates.object()[warp], aggregate);
    sync_block();
    if (warp == 0) {
        T const own(chunk_aggregates.object()[gpu::min_of(lane_index(), Scan::chunks - 1)]);
        T const tile_aggregate = gpu::warp_tree_of_valid<1, Scan::chunks>(op, own, Scan::chunks);
        if (lane_index() == 0)
            gpu::put(tile_aggregates[block_index()], tile_aggregate);
    }
}

/// Computes the exclusive prefix of each group of `tiles` tiles with a block, including the incomplete group. First it
/// writes the aggregates of all complete units to `units`, level by level, beginning with the groups; those of the
/// levels below `lowest` are already there. So are the aggregates and prefixes of the units before tile `first`, where
/// a group begins. All pieces of the range together have `all` tiles.
template <class Order, int threads, class T, class Op>
TILEWISE_DEVICE void block_carry_groups(T const* tile_aggregates, offset all, offset first, offset tiles, int lowest,
                                        optional_value<T> const& init, Op& op, T* units, T* carries)
{
    constexpr int super_group_size = Order::geometry::groups_per_super_group;
    auto const begin_of = [&](int level) {
        offset begin = 0;
        for (int below = 1; below < level; ++below)
            begin += all >> Order::log2_tiles(below);
        return begin;
    };
    auto const aggregates = [&](int level) -> T const* {
        return level == 0 ? tile_aggregates : units + begin_of(level);
    };
    for (int level = lowest; level < Order::digits(tiles); ++level) {
        int const parts = 1 << (Order::log2_tiles(level) - Order::log2_tiles(level - 1));
        T const* const below = aggregates(level - 1);
        T* const here = units + begin_of(level);
        for (offset unit = (first >> Order::log2_tiles(level)) + warp_index(); unit < tiles >> Order::log2_tiles(level);
             unit += threads / warp_size) {
            T const aggregate =
                gpu::warp_tree_of_valid(op, T(below[unit * parts + min_of(lane_index(), parts - 1)]), parts);
            if (lane_index() == 0)
                gpu::put(here[unit], aggregate);
        }
        sync_block();
    }
    offset const groups = tiles >> Order::log2_tiles(1);
    for (offset super_group = (first >> Order::log2_tiles(2)) + warp_index(); super_group * super_group_size <= groups;
         super_group += threads / warp_size) {
        int const valid = static_cast<int>(at_most(groups - super_group * super_group_size, super_group_size));
        optional_value<T> carry(init);
        gpu::append_units<Order>(op, carry, super_group << Order::log2_tiles(2), 2, aggregates);
        registers<T, 1> own;
        if (valid > 0)
            gpu::put(own[0], units[super_group * super_group_size + min_of(lane_index(), valid - 1)]);
        if (optional_value<T> const before = gpu::warp_trees_before<super_group_size>(op, T(own[0]), valid);
            before.has_value)
            carry.append(op, T(before.value[0]));
        if (lane_index() < super_group_size && lane_index() <= valid && carry.has_value)
            gpu::put(carries[super_group * super_group_size + lane_index()], carry.value[0]);
    }
}

/// Pass 2: one block.
template <class Scan, int threads>
TILEWISE_KERNEL(threads, 1)
carry_groups(typename Scan::value const* tile_aggregates, offset all, offset first, offset tiles,
             initial<typename Scan::value> init, typename Scan::op op, typename Scan::value* units,
             typename Scan::value* carries)
{
    gpu::block_carry_groups<typename Scan::order, threads>(tile_aggregates, all, first, tiles, 1, init.get(), op, units,
                                                           carries);
}

/// Pass 3: scans every tile, given the exclusive prefixes of the groups and the aggregates of the tiles.
template <class Scan, access in, access out>
TILEWISE_KERNEL(Scan::threads, 1)
scan_with_carries(typename Scan::view view, typename Scan::sink sink, offset count, bool has_init, typename Scan::op op,
                  typename Scan::value const* tile_aggregates, typename Scan::value const* carries)
{
    using T = typename Scan::value;
    constexpr int group_size = Scan::geometry::tiles_per_group;
    offset const tile = block_index(), group = tile / group_size;
    int const rest = static_cast<int>(tile % group_size);
    gpu::block_scan_any_tile<Scan, in, out>(view, sink, tile, count, op, [&](T const&) {
        auto carry = gpu::no_value<T>();
        carry.has_value = has_init || group > 0;
        if (carry.has_value)
            gpu::put(carry.value[0], carries[group]);
        if (rest > 0) {
            T const own(tile_aggregates[group * group_size + min_of(lane_index(), rest - 1)]);
            gpu::append_tree<group_size>(op, carry, own, rest);
        }
        return carry;
    });
}

/// Scans every tile, given its exclusive prefix.
template <class Scan, access in, access out>
TILEWISE_KERNEL(Scan::threads, 1)
scan_after_prefixes(typename Scan::view view, typename Scan::sink sink, offset count, typename Scan::op op,
                    typename Scan::value const* prefixes)
{
    using T = typename Scan::value;
    offset const tile = block_index();
    gpu::block_scan_any_tile<Scan, in, out>(view, sink, tile, count, op, [&](T const&) {
        auto carry = gpu::no_value<T>();
        carry.append(op, T(prefixes[tile]));
        return carry;
    });
}
/// @}

} // namespace gpu
TILEWISE_NAMESPACE_END
