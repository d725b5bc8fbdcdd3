// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernel for long ranges, which reads every element once: blocks that stay, each with several tiles under way in
/// stages of shared memory, and a squad of warps for each thing that happens to a tile.
///
/// A tile's total is published as soon as its elements have landed, before anything waits for what comes before it; so
/// nobody waits for long. From sm_90 on.

#include <tilewise/config.hpp>
#include <tilewise/device/arch.cuh>
#include <tilewise/device/scan/carry.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/warp.cuh>
#include <tilewise/order.hpp>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The shared memory of a block: stages, and what its warps tell each other about them.
template <class Scan, class Tuning>
struct stages {
    using T = typename Scan::value;
    static constexpr int chunks = Scan::chunks;
    static constexpr int stage_bytes = Scan::view::stage_bytes(Scan::tile);
    static constexpr int count =
        stage_bytes == 0 ? Tuning::most_stages : std::min(Tuning::most_stages, Tuning::stage_memory / stage_bytes);
    /// Stages that are being filled at once.
    static constexpr int under_way =
        std::clamp(stage_bytes == 0 ? count : Tuning::bytes_under_way / stage_bytes, 1, std::max(1, count - 1));

    struct stage {
        mbarrier filled;  ///< the elements are there, and the number of their tile
        mbarrier totaled; ///< the totals of the chunks are there
        mbarrier carried; ///< what comes before each chunk in the tile, and what before the tile
        mbarrier emptied; ///< the results are on their way
        offset tile;      ///< none is the end
        bool carry_there;
        raw_storage<T[chunks]> chunk_totals, chunks_before;
        raw_storage<T> carry;
    };
    static constexpr int stage_count = std::max(1, count); // where there is none, the kernel is not for this scan
    alignas(128) unsigned char memory[stage_count * (stage_bytes > 0 ? stage_bytes : granule_bytes)];
    raw_storage<stage[stage_count]> stage_storage;

    TILEWISE_DEVICE stage& operator[](int i) { return stage_storage.object()[i]; }
    TILEWISE_DEVICE unsigned char* elements(int i) { return memory + i * stage_bytes; }
};

/// Steps through the stages and the phases of their barriers.
template <int count>
struct stage_cursor {
    int index = 0, phase = 0;
    TILEWISE_DEVICE void step()
    {
        if (++index == count) {
            index = 0;
            phase ^= 1;
        }
    }
};

/// The roles of warps: two squads with a warp for every chunk, and three warps of their own.
template <class Scan>
struct warp_roles {
    static constexpr int writers = 0, adders = Scan::chunks, filler = 2 * Scan::chunks, publisher = filler + 1,
                         carrier = filler + 2, count = filler + 3;
    static constexpr int threads = count * warp_size;
};

inline constexpr offset no_tile = -1;

/// One arrival of a warp at a barrier, after all of its lanes; `every_lane` is for a tool that does not know that the
/// lanes before it are ordered by `sync_warp`.
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
                 typename Scan::op op, total_board board)
{
    using T = typename Scan::value;
    using View = typename Scan::view;
    using geometry = typename Scan::geometry;
    using roles = warp_roles<Scan>;
    using memory_type = stages<Scan, Tuning>;
    constexpr int group_size = geometry::tiles_per_group, arrivals = Tuning::every_lane_arrives ? warp_size : 1;
    TILEWISE_LARGE_SHARED(stage, memory_type);
    offset const tiles = (count + Scan::tile - 1) / Scan::tile;
    int const warp = warp_index(), lane = lane_index();

    if (thread_index() < memory_type::stage_count) {
        auto& own = stage[thread_index()];
        own.filled.init(1);
        own.totaled.init(Scan::chunks * arrivals);
        own.carried.init(2 * arrivals);
        own.emptied.init(Scan::chunks * arrivals);
    }
    sync_block();

    auto const elements_of = [&](offset tile) { return static_cast<int>(at_most(count - tile * Scan::tile, Scan::tile)); };
    auto const input_of = [&](int index, offset tile) {
        View const all = view.from(tile * Scan::tile);
        int const there = elements_of(tile);
        constexpr int alone = shared_with_others<View>;
        int const begin = in == access::aligned ? 0 : alone;
        int const end = in == access::aligned && there == Scan::tile ? there
                                                                     : (there - alone) / Scan::lane_vector * Scan::lane_vector;
        return tile_input<Scan>{all, all.staged(stage.elements(index), Scan::tile), there, begin, end};
    };
    stage_cursor<memory_type::stage_count> at;

    if (warp < roles::adders) { // the results
        for (;; at.step()) {
            auto& own = stage[at.index];
            own.filled.wait(at.phase);
            offset const tile = own.tile;
            if (tile == no_tile)
                return;
            auto from = input_of(at.index, tile);
            auto to = sink.from(tile * Scan::tile);
            int const first = warp * Scan::chunk;
            auto const finish = [&](auto whole) {
                warp_chunk<Scan, whole.value, in, memory::shared> chunk;
                chunk.read(from, first, op);
                own.carried.wait(at.phase);
                auto carry = nothing<T>();
                carry.there = own.carry_there;
                if (carry.there)
                    put(carry.value[0], own.carry.object());
                if (warp > 0 && first <= from.count)
                    carry.append(op, T(own.chunks_before.object()[warp]));
                warp_arrive<Tuning>(own.emptied);
                chunk.template write<out>(from, first, to, op, carry);
            };
            if (from.count == Scan::tile)
                finish(std::true_type());
            else
                finish(std::false_type());
        }
    } else if (warp < roles::filler) { // the totals of the chunks
        for (;; at.step()) {
            auto& own = stage[at.index];
            own.filled.wait(at.phase);
            offset const tile = own.tile;
            int const first = (warp - roles::adders) * Scan::chunk;
            if (tile != no_tile) {
                auto from = input_of(at.index, tile);
                if (first + Scan::chunk <= from.count) {
                    T const total = from.count == Scan::tile
                                        ? chunk_total<Scan, true, in, memory::shared>(from, first, op)
                                        : chunk_total<Scan, false, in, memory::shared>(from, first, op);
                    if (lane == 0)
                        put(own.chunk_totals.object()[warp - roles::adders], total);
                }
            }
            warp_arrive<Tuning>(own.totaled);
            if (tile == no_tile)
                return;
        }
    } else if (warp == roles::filler) { // the elements
        if (lane != 0)
            return;
        stage_cursor<memory_type::stage_count> landing;
        for (int begun = 0;; ++begun, at.step()) {
            auto& own = stage[at.index];
            own.emptied.wait(at.phase ^ 1);
            if (begun >= memory_type::under_way) {
                stage[landing.index].filled.wait(landing.phase);
                landing.step();
            }
            offset const tile = board.draw_tile(); // not before there is a stage for it: others would wait for it
            own.tile = tile < tiles ? tile : no_tile;
            if (tile >= tiles) {
                own.filled.arrive();
                return;
            }
            View const from = view.from(tile * Scan::tile);
            int bytes = 0;
            from.for_each_copy(stage.elements(at.index), elements_of(tile),
                               [&](unsigned char*, void const*, int size) { bytes += size; });
            own.filled.arrive_expect(bytes);
            from.for_each_copy(stage.elements(at.index), elements_of(tile),
                               [&](unsigned char* to, void const* source, int size) {
                                   bulk_copy(to, source, size, own.filled);
                               });
        }
    } else if (warp == roles::publisher) { // what comes before the chunks, and the totals of tiles for all to hear
        for (;; at.step()) {
            auto& own = stage[at.index];
            own.totaled.wait(at.phase);
            offset const tile = own.tile;
            if (tile == no_tile)
                return;
            int const whole = elements_of(tile) / Scan::chunk;
            if (whole > 0) {
                registers<T, 1> before;
                T const total = join_chunks<Scan>(op, own.chunk_totals.object()[min_of(lane, whole - 1)], whole, before);
                if (lane == 0 && tile + 1 < tiles)
                    board.tell(tile, total);
                if (lane > 0 && lane <= whole && lane < Scan::chunks)
                    put(own.chunks_before.object()[lane], before[0]);
            }
            warp_arrive<Tuning>(own.carried);
        }
    } else { // what comes before the tiles
        constexpr int at_once = Tuning::groups_at_once;
        running_carry<Scan> carry(init.get());
        for (;; at.step()) {
            auto& own = stage[at.index];
            own.filled.wait(at.phase);
            offset const tile = own.tile;
            if (tile == no_tile)
                return;
            auto const group = static_cast<int>(tile / group_size);
            int const rest = static_cast<int>(tile % group_size);
            for (bool found = false; !found;) {
                int const first = carry.groups(); // several groups per look, which takes long when memory is busy
                registers<T, at_once> totals;
                unsigned wanted = 0;
                TILEWISE_UNROLL
                for (int i = 0; i < at_once; ++i)
                    if (lane < (first + i < group ? group_size : first + i == group ? rest : 0))
                        wanted |= 1u << i;
                board.hear<at_once>(offset{first} * group_size + lane, group_size, wanted, totals);
                sync_warp();
                TILEWISE_UNROLL
                for (int distance = 1; distance < group_size; distance *= 2) {
                    TILEWISE_UNROLL
                    for (int i = 0; i < at_once; ++i) { // side by side
                        T const right = shuffle_down(totals[i], distance);
                        if ((is_total<typename Scan::op, T> || lane % (2 * distance) == 0) && wanted >> i & 1 && lane + distance < (first + i < group ? group_size : rest))
                            put(totals[i], combine(op, T(totals[i]), right));
                    }
                }
                TILEWISE_UNROLL
                for (int i = 0; i < at_once; ++i) {
                    if (first + i > group)
                        break;
                    T const total = shuffle(totals[i], 0);
                    if (first + i < group) {
                        carry.add_group(op, total);
                    } else {
                        maybe<T> before = carry.before_group(op);
                        if (rest > 0)
                            before.append(op, total);
                        if (lane == 0) {
                            own.carry_there = before.there;
                            if (before.there)
                                put(own.carry.object(), before.value[0]);
                        }
                        found = true;
                    }
                }
            }
            warp_arrive<Tuning>(own.carried);
        }
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
