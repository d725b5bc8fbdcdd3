// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The scan kernel for long ranges, which reads every element once. Its blocks are persistent and warp-specialized;
/// each has several tiles in flight in stages of shared memory. The tiles are those of one range here; the kernel for
/// long segments has the same blocks.
///
/// The aggregate of a tile is published as soon as its elements have arrived, before any warp waits for the tile's
/// exclusive prefix; so no block waits for long. Requires sm_90 or later.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/carry.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/carry.cuh>
#include <tilewise/device/scan/staged_chunk.cuh>
#include <tilewise/device/scan/stages.cuh>
#include <tilewise/device/scan/tiles_of_range.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Scans tiles with a block until there are none left. `Tiles` has the form of `tiles_of_range`. `in` and `out` are how
/// tiles are accessed of which it does not say that they are aligned.
template <class Scan, class Tuning, access in, access out, class Tiles>
TILEWISE_DEVICE void block_scan_in_one_pass(typename Scan::view const& view, typename Scan::sink const& sink,
                                            initial<typename Scan::value> const& init, typename Scan::op& op,
                                            Tiles tiles, bool overlaps)
{
    using T = typename Scan::value;
    using View = typename Scan::view;
    using geometry = typename Scan::geometry;
    using roles = warp_roles<Scan>;
    using tile_type = typename Tiles::tile;
    using memory_type = stages<Scan, Tuning, tile_type>;
    constexpr int group_size = geometry::tiles_per_group, arrivals = Tuning::every_lane_arrives ? warp_size : 1;
    TILEWISE_LARGE_SHARED(shared, memory_type);
    int const warp = warp_index(), lane = lane_index();
    if (warp == roles::producer && lane == 0)
        tiles.take();

    if (int const i = thread_index(); i <= memory_type::stage_count) {
        shared.tile(i).filled.init(1);
        shared.tile(i).reduced.init(Scan::chunks * arrivals);
        shared.tile(i).carried.init(3 * arrivals);
        if (i < memory_type::stage_count)
            shared.emptied[i].init(Scan::chunks * arrivals);
        if (i == 0)
            shared.moving.init(Scan::chunks * arrivals);
    }
    sync_block();

    auto const elements_of = [&](tile_type const& tile) {
        return static_cast<int>(gpu::at_most(tiles.left(tile), Scan::tile));
    };
    auto const has_next = [&](tile_type const& tile) { return tiles.left(tile) > Scan::tile; };
    auto const is_aligned = [&](tile_type const& tile) { return in == access::aligned || tiles.is_aligned(tile); };
    // The 16-byte vectors at the ends of a tile are copied whole, unless they contain bytes that another block may be
    // writing, or bytes outside the range.
    auto const shared_ends_of = [&](tile_type const& tile) {
        bool const may_share = in != access::aligned && !overlaps;
        return shared_ends{may_share && tile.number > 0, may_share && tiles.left(tile) - Scan::tile >= vector_bytes};
    };
    auto const input_of = [&](tile_type const& tile, int stage) {
        return gpu::tile_in_stage<Scan>(view.from(tiles.begin(tile)), shared.elements(stage), elements_of(tile),
                                        is_aligned(tile), shared_ends_of(tile));
    };
    constexpr bool moves = moves_elements<Scan, Tiles, in>;
    constexpr access how = moves ? access::aligned : in; // writers read stages
    constexpr bool reads_before_carry_in = Tiles::reads_before_carry_in && !moves;
    auto const has_head = [&](tile_type const& tile, int first) { return first == 0 && tiles.head_of(tile).count > 0; };
    ring_cursor<memory_type::stage_count + 1> at;
    ring_cursor<memory_type::stage_count> stage;

    if (warp < roles::reducers) { // writers: the results
        for (;; at.step(), stage.step()) {
            auto& own = shared.tile(at.index);
            own.filled.wait(at.phase);
            if (own.number == no_tile)
                return;
            auto from = input_of(own, stage.index);
            if constexpr (moves)
                gpu::read_moved(from, shared.elements(stage.index));
            auto to = sink.from(tiles.begin(own));
            int const first = warp * Scan::chunk;
            auto const carry_of_chunk = [&] {
                own.carried.wait(at.phase);
                auto carry = gpu::no_value<T>();
                carry.has_value = own.has_carry;
                if (carry.has_value)
                    gpu::put(carry.value[0], own.carry.object());
                if (warp > 0 && first <= from.count)
                    carry.append(op, T(own.chunk_prefixes.object()[warp]));
                if constexpr (Tiles::may_have_head) // its elements have been read, as all chunks have been reduced
                    if (has_head(own, first))
                        return tiles.head_of(own).scan(from.all, to, op, carry);
                return carry;
            };
            bool const is_nearby = from.has_nearby(first, Scan::chunk);
            if constexpr (!Scan::batched) { // its rows would take too many registers
                gpu::write_chunk_by_rows<Scan, Tiles::rows_from_stage, how, out>(from, first, to, op, carry_of_chunk());
                gpu::warp_arrive<Tuning>(shared.emptied[stage.index]);
            } else if (!moves && in != access::aligned && Tiles::may_be_aligned && is_nearby && tiles.is_aligned(own)) {
                gpu::write_whole_chunk<Scan, Tuning, reads_before_carry_in, access::aligned, access::aligned>(
                    from, first, to, op, own, at.phase, shared.emptied[stage.index], carry_of_chunk);
            } else if (is_nearby || (how != access::aligned && first + Scan::chunk <= from.count)) {
                gpu::write_whole_chunk<Scan, Tuning, reads_before_carry_in, how, out>(
                    from, first, to, op, own, at.phase, shared.emptied[stage.index], carry_of_chunk);
            } else { // the last, partial chunk of a range must not raise the register count
                gpu::write_chunk_by_rows<Scan, Tiles::rows_from_stage, how, out>(from, first, to, op, carry_of_chunk());
                gpu::warp_arrive<Tuning>(shared.emptied[stage.index]);
            }
        }
    } else if (warp < roles::producer) { // reducers: the aggregates of the chunks
        [[maybe_unused]] int moved = 0;  // how many tiles
        for (;; at.step(), stage.step()) {
            auto& own = shared.tile(at.index);
            own.filled.wait(at.phase);
            tile_type const tile = own;
            int const first = (warp - roles::reducers) * Scan::chunk;
            if (tile.number != no_tile) {
                auto from = input_of(tile, stage.index);
                registers<T, 1> aggregate;
                if constexpr (moves)
                    gpu::put(aggregate, gpu::move_chunk<Tuning>(from, shared.elements(stage.index), first,
                                                                is_aligned(tile), shared.moving, moved, op));
                else if (first + Scan::chunk <= from.count)
                    gpu::put(aggregate[0],
                             gpu::staged_chunk_aggregate<Scan, Tiles, in>(from, first, is_aligned(tile), op));
                if (first + Scan::chunk <= from.count) {
                    if constexpr (Tiles::may_have_head)
                        if (has_head(tile, first))
                            gpu::put(aggregate[0],
                                     gpu::combine(op, tiles.head_of(tile).aggregate(from.all, op), T(aggregate[0])));
                    if (lane == 0)
                        gpu::put(own.chunk_aggregates.object()[warp - roles::reducers], T(aggregate[0]));
                }
            }
            gpu::warp_arrive<Tuning>(own.reduced);
            if (tile.number == no_tile)
                return;
        }
    } else if (warp == roles::producer) { // producer: the elements
        if (lane >= Tiles::producing_lanes)
            return;
        ring_cursor<memory_type::stage_count + 1> landing;
        for (int begun = 0;; ++begun, at.step(), stage.step()) {
            auto& own = shared.tile(at.index);
            tiles.look_ahead();
            shared.emptied[stage.index].wait(stage.phase ^ 1);
            if (begun >= memory_type::in_flight) {
                shared.tile(landing.index).filled.wait(landing.phase);
                landing.step();
            }
            if (begun > 0 && lane == 0) // only once its stage is empty, as other blocks wait for the tile
                tiles.take();
            tile_type const tile = tiles.find();
            if (lane == 0) {
                static_cast<tile_type&>(own) = tile;
                if (tile.number == no_tile) {
                    own.filled.arrive();
                } else {
                    View const from = view.from(tiles.begin(tile));
                    int bytes = 0;
                    auto const shares = shared_ends_of(tile);
                    from.for_each_copy(shared.elements(stage.index), Scan::tile, elements_of(tile), shares,
                                       [&](unsigned char*, void const*, int size) { bytes += size; });
                    own.filled.arrive_expect(bytes);
                    from.for_each_copy(shared.elements(stage.index), Scan::tile, elements_of(tile), shares,
                                       [&](unsigned char* to, void const* source, int size) {
                                           gpu::bulk_copy(to, source, size, own.filled);
                                       });
                }
            }
            if (tile.number == no_tile)
                return;
        }
    } else if (warp == roles::publisher) { // publisher: the prefixes of the chunks, the aggregate of the tile
        for (;; at.step()) {
            auto& own = shared.tile(at.index);
            own.reduced.wait(at.phase);
            tile_type const tile = own;
            if (tile.number == no_tile)
                return;
            int const whole = elements_of(tile) / Scan::chunk;
            if (whole > 0) {
                registers<T, 1> before;
                T const aggregate =
                    gpu::join_chunks<Scan>(op, own.chunk_aggregates.object()[min_of(lane, whole - 1)], whole, before);
                if (lane == 0 && has_next(tile))
                    tiles.status_of(tile).tiles.publish(tile.number, aggregate);
                if (lane > 0 && lane <= whole && lane < Scan::chunks)
                    gpu::put(own.chunk_prefixes.object()[lane], before[0]);
            }
            gpu::warp_arrive<Tuning>(own.carried);
        }
    } else if (warp == roles::group_publisher) { // group publisher: the aggregates of groups
        for (;; at.step()) {
            auto& own = shared.tile(at.index);
            own.filled.wait(at.phase);
            tile_type const tile = own;
            if (tile.number == no_tile)
                return;
            gpu::warp_arrive<Tuning>(own.carried);
            if (tile.number % group_size == group_size - 1 && has_next(tile)) {
                auto const& status = tiles.status_of(tile);
                registers<T, 1> aggregate;
                gpu::poll_tree<group_size, true>(op, status.tiles, tile.number - (group_size - 1), group_size,
                                                 aggregate);
                if (lane == 0)
                    status.groups.publish(tile.number / group_size, T(aggregate[0]));
            }
        }
    } else { // carry-in: the exclusive prefix of the tile
        constexpr int super_group_size = geometry::groups_per_super_group;
        optional_value<T> super_groups = init.get(); // combined with all complete super-groups so far
        running_carry<typename Scan::order, T, Scan::order::log2_tiles(2)> whole_super_groups;
        offset super_group = 0;
        for (;; at.step()) {
            auto& own = shared.tile(at.index);
            own.filled.wait(at.phase);
            tile_type const current = own;
            offset const tile = current.number, group = tile / group_size;
            if (tile == no_tile)
                return;
            auto const& status = tiles.status_of(current);
            if (tiles.begins_range(current)) {
                gpu::put(super_groups, init.get());
                whole_super_groups.clear();
                super_group = 0;
            }
            for (; super_group < group / super_group_size; ++super_group) {
                registers<T, 1> aggregate;
                gpu::poll_tree<super_group_size, true>(op, status.groups, super_group * super_group_size,
                                                       super_group_size, aggregate);
                whole_super_groups.append(op, T(aggregate[0]));
                gpu::put(super_groups, whole_super_groups.before_next(op, init.get()));
            }
            int const groups = static_cast<int>(group % super_group_size), rest = static_cast<int>(tile % group_size);
            polled_aggregate<T> of_group(status.groups, super_group * super_group_size + lane, lane < groups),
                of_tile(status.tiles, group * group_size + lane, lane < rest);
            gpu::poll_all<true>(of_group, of_tile); // both at once: the latency is high when memory is busy
            registers<T, 1> group_aggregate, tile_aggregate;
            of_group.get(group_aggregate);
            of_tile.get(tile_aggregate);
            T const groups_tree = gpu::warp_tree_of_valid<1, super_group_size>(op, T(group_aggregate[0]), groups);
            T const tiles_tree = gpu::warp_tree_of_valid<1, group_size>(op, T(tile_aggregate[0]), rest);
            if (lane == 0) {
                optional_value<T> carry(super_groups);
                if (groups > 0)
                    carry.append(op, groups_tree);
                if (rest > 0)
                    carry.append(op, tiles_tree);
                own.has_carry = carry.has_value;
                if (carry.has_value)
                    gpu::put(own.carry.object(), carry.value[0]);
            }
            gpu::warp_arrive<Tuning>(own.carried);
        }
    }
}

template <class Scan, class Tuning, access in, access out>
TILEWISE_KERNEL(warp_roles<Scan>::threads, 1)
scan_in_one_pass(typename Scan::view view, typename Scan::sink sink, offset count, int head,
                 initial<typename Scan::value> init, typename Scan::op op, scan_status status, bool overlaps)
{
    gpu::block_scan_in_one_pass<Scan, Tuning, in, out>(view, sink, init, op,
                                                       tiles_of_range<Scan>{status, count, {head}}, overlaps);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
