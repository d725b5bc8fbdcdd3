// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The scan kernel for long ranges, which reads every element once. Its blocks are persistent and warp-specialized;
/// each has several tiles in flight in stages of shared memory.
///
/// The aggregate of a tile is published as soon as its elements have arrived, before any warp waits for the tile's
/// exclusive prefix; so no block waits for long. Requires sm_90 or later.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/carry.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/carry.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The shared memory of a block: stages for the elements of tiles, and the data that the warps exchange about each tile
/// in flight. There is one more tile in flight than there are stages: the results of a tile may be in registers while
/// its stage is filled again.
template <class Scan, class Tuning>
struct stages {
    using T = typename Scan::value;

    struct tile_in_flight {
        mbarrier filled;  ///< the elements and the number of the tile have been written
        mbarrier reduced; ///< the aggregates of the chunks have been written
        mbarrier carried; ///< the prefixes of the chunks and the tile have been written; all have read its number
        offset number;    ///< `no_tile` after the last one
        bool has_carry;
        raw_storage<T[Scan::chunks]> chunk_aggregates, chunk_prefixes;
        raw_storage<T> carry;
    };
    static constexpr int stage_bytes = Scan::view::stage_bytes(Scan::tile);
    static constexpr int bytes_per_tile = int{sizeof(tile_in_flight)} + int{sizeof(mbarrier)};
    static constexpr int count =
        std::min(Tuning::most_stages, (Tuning::stage_memory - bytes_per_tile) / (stage_bytes + bytes_per_tile));
    /// The number of stages that are being filled at the same time.
    static constexpr int in_flight =
        std::clamp(stage_bytes == 0 ? count : Tuning::bytes_in_flight / stage_bytes, 1, std::max(1, count - 1));

    static constexpr int stage_count = std::max(1, count); // if there is no room for one, this kernel is not used
    alignas(128) unsigned char memory[stage_count * (stage_bytes > 0 ? stage_bytes : vector_bytes)];
    raw_storage<tile_in_flight[stage_count + 1]> tile_storage;
    mbarrier emptied[stage_count]; ///< the elements are in registers, or the results have been stored

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

inline constexpr offset no_tile = -1;

/// Arrives at a barrier once for the whole warp. `Tuning::every_lane_arrives` makes every lane arrive, for a tool that
/// does not know that `sync_warp` orders the accesses of the other lanes before the arrival.
template <class Tuning>
TILEWISE_DEVICE void warp_arrive(mbarrier& barrier)
{
    sync_warp();
    if (Tuning::every_lane_arrives || lane_index() == 0)
        barrier.arrive();
}

template <class Scan, class Tuning, access in, access out>
TILEWISE_KERNEL(warp_roles<Scan>::threads, 1)
scan_in_one_pass(typename Scan::view view, typename Scan::sink sink, offset count, initial<typename Scan::value> init,
                 typename Scan::op op, scan_status status, bool overlaps)
{
    using T = typename Scan::value;
    using View = typename Scan::view;
    using geometry = typename Scan::geometry;
    using roles = warp_roles<Scan>;
    using memory_type = stages<Scan, Tuning>;
    constexpr int group_size = geometry::tiles_per_group, arrivals = Tuning::every_lane_arrives ? warp_size : 1;
    TILEWISE_LARGE_SHARED(shared, memory_type);
    offset const tiles = (count + Scan::tile - 1) / Scan::tile;
    int const warp = warp_index(), lane = lane_index();
    offset ticket = 0;
    if (warp == roles::producer && lane == 0)
        ticket = status.take_tile();

    if (int const i = thread_index(); i <= memory_type::stage_count) {
        shared.tile(i).filled.init(1);
        shared.tile(i).reduced.init(Scan::chunks * arrivals);
        shared.tile(i).carried.init(3 * arrivals);
        if (i < memory_type::stage_count)
            shared.emptied[i].init(Scan::chunks * arrivals);
    }
    sync_block();

    auto const elements_of = [&](offset tile) {
        return static_cast<int>(gpu::at_most(count - tile * Scan::tile, Scan::tile));
    };
    // The 16-byte vectors at the ends of a tile are read whole, unless they contain bytes that another block may be
    // writing or bytes outside the range.
    auto const shared_ends_of = [&](offset tile) {
        bool const may_share = in != access::aligned && !overlaps;
        return shared_ends{may_share && tile > 0, may_share && count - (tile + 1) * Scan::tile >= vector_bytes};
    };
    auto const input_of = [&](offset tile, int stage) {
        View const all = view.from(tile * Scan::tile);
        int const valid = elements_of(tile);
        constexpr int alone = shared_with_others<View>;
        auto const shares = shared_ends_of(tile);
        bool const all_of_it = valid == Scan::tile && (in == access::aligned || shares.end);
        int const begin = in == access::aligned || shares.begin ? 0 : alone;
        int const end = all_of_it ? valid : (valid - alone) / Scan::lane_vector * Scan::lane_vector;
        return tile_input<Scan>{all, all.staged(shared.elements(stage), Scan::tile), valid, begin, end};
    };
    ring_cursor<memory_type::stage_count + 1> at;
    ring_cursor<memory_type::stage_count> stage;

    if (warp < roles::reducers) { // writers: the results
        for (;; at.step(), stage.step()) {
            auto& own = shared.tile(at.index);
            own.filled.wait(at.phase);
            if (own.number == no_tile)
                return;
            auto from = input_of(own.number, stage.index);
            auto to = sink.from(own.number * Scan::tile);
            int const first = warp * Scan::chunk;
            auto const carry_of_chunk = [&] {
                own.carried.wait(at.phase);
                auto carry = gpu::no_value<T>();
                carry.has_value = own.has_carry;
                if (carry.has_value)
                    gpu::put(carry.value[0], own.carry.object());
                if (warp > 0 && first <= from.count)
                    carry.append(op, T(own.chunk_prefixes.object()[warp]));
                return carry;
            };
            if (from.count == Scan::tile) {
                warp_chunk<Scan, true, in, memory::shared, chunk_storage::kept> chunk;
                chunk.read(from, first, op);
                own.reduced.wait(at.phase); // the reducers have read it, too
                gpu::warp_arrive<Tuning>(shared.emptied[stage.index]);
                chunk.template write<out>(from, first, to, op, carry_of_chunk());
            } else { // the last, partial tile must not raise the register count
                warp_chunk<Scan, false, in, memory::shared, chunk_storage::none> chunk;
                chunk.template write<out>(from, first, to, op, carry_of_chunk());
                gpu::warp_arrive<Tuning>(shared.emptied[stage.index]);
            }
        }
    } else if (warp < roles::producer) { // reducers: the aggregates of the chunks
        for (;; at.step(), stage.step()) {
            auto& own = shared.tile(at.index);
            own.filled.wait(at.phase);
            offset const tile = own.number;
            int const first = (warp - roles::reducers) * Scan::chunk;
            if (tile != no_tile) {
                auto from = input_of(tile, stage.index);
                if (first + Scan::chunk <= from.count) {
                    T const aggregate = from.count == Scan::tile
                                            ? gpu::chunk_aggregate<Scan, true, in, memory::shared>(from, first, op)
                                            : gpu::chunk_aggregate<Scan, false, in, memory::shared>(from, first, op);
                    if (lane == 0)
                        gpu::put(own.chunk_aggregates.object()[warp - roles::reducers], aggregate);
                }
            }
            gpu::warp_arrive<Tuning>(own.reduced);
            if (tile == no_tile)
                return;
        }
    } else if (warp == roles::producer) { // producer: the elements
        if (lane != 0)
            return;
        ring_cursor<memory_type::stage_count + 1> landing;
        for (int begun = 0;; ++begun, at.step(), stage.step()) {
            auto& own = shared.tile(at.index);
            shared.emptied[stage.index].wait(stage.phase ^ 1);
            if (begun >= memory_type::in_flight) {
                shared.tile(landing.index).filled.wait(landing.phase);
                landing.step();
            }
            if (begun > 0) // only once its stage is empty, as other blocks wait for the tile
                ticket = status.take_tile();
            offset const tile = ticket;
            own.number = tile < tiles ? tile : no_tile;
            if (tile >= tiles) {
                own.filled.arrive();
                return;
            }
            View const from = view.from(tile * Scan::tile);
            int bytes = 0;
            auto const shares = shared_ends_of(tile);
            from.for_each_copy(shared.elements(stage.index), Scan::tile, elements_of(tile), shares,
                               [&](unsigned char*, void const*, int size) { bytes += size; });
            own.filled.arrive_expect(bytes);
            from.for_each_copy(
                shared.elements(stage.index), Scan::tile, elements_of(tile), shares,
                [&](unsigned char* to, void const* source, int size) { gpu::bulk_copy(to, source, size, own.filled); });
        }
    } else if (warp == roles::publisher) { // publisher: the prefixes of the chunks, the aggregate of the tile
        for (;; at.step()) {
            auto& own = shared.tile(at.index);
            own.reduced.wait(at.phase);
            offset const tile = own.number;
            if (tile == no_tile)
                return;
            int const whole = elements_of(tile) / Scan::chunk;
            if (whole > 0) {
                registers<T, 1> before;
                T const aggregate =
                    gpu::join_chunks<Scan>(op, own.chunk_aggregates.object()[min_of(lane, whole - 1)], whole, before);
                if (lane == 0 && tile + 1 < tiles)
                    status.tiles.publish(tile, aggregate);
                if (lane > 0 && lane <= whole && lane < Scan::chunks)
                    gpu::put(own.chunk_prefixes.object()[lane], before[0]);
            }
            gpu::warp_arrive<Tuning>(own.carried);
        }
    } else if (warp == roles::group_publisher) { // group publisher: the aggregates of groups
        for (;; at.step()) {
            auto& own = shared.tile(at.index);
            own.filled.wait(at.phase);
            offset const tile = own.number;
            if (tile == no_tile)
                return;
            gpu::warp_arrive<Tuning>(own.carried);
            if (tile % group_size == group_size - 1 && tile + 1 < tiles) {
                registers<T, 1> aggregate;
                gpu::poll_tree<group_size>(op, status.tiles, tile - (group_size - 1), group_size, aggregate);
                if (lane == 0)
                    status.groups.publish(tile / group_size, T(aggregate[0]));
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
            offset const tile = own.number, group = tile / group_size;
            if (tile == no_tile)
                return;
            for (; super_group < group / super_group_size; ++super_group) {
                registers<T, 1> aggregate;
                gpu::poll_tree<super_group_size>(op, status.groups, super_group * super_group_size, super_group_size,
                                                 aggregate);
                whole_super_groups.append(op, T(aggregate[0]));
                super_groups = whole_super_groups.before_next(op, init.get());
            }
            int const groups = static_cast<int>(group % super_group_size), rest = static_cast<int>(tile % group_size);
            polled_aggregate<T> of_group(status.groups, super_group * super_group_size + lane, lane < groups),
                of_tile(status.tiles, group * group_size + lane, lane < rest);
            gpu::poll_all(of_group, of_tile); // both at once: the latency is high when memory is busy
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

} // namespace gpu
TILEWISE_NAMESPACE_END
