// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of the scans for the device policy: four ways to the same bits, chosen by size.
///
/// * `scan_one_tile`: one block.
/// * `scan_in_cluster`: the blocks of one cluster, a tile each.
/// * `scan_side_by_side`: a block for every tile, as long as each can fold all totals before it at once.
/// * `scan_in_one_pass`: blocks that stay, and take one tile after the other.
///
/// What those cannot do (accumulators of more than 16 bytes, GPUs before sm_90) takes three passes: `total_tiles`,
/// `carry_groups`, `scan_after_totals`.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/launch.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/cuda/workspace.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/scan/single_pass.cuh>
#include <tilewise/device/scan/tile_per_block.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The kernels for one kind of scan, and the choice among them.
template <class Scan, class Tuning>
class scanner {
    using T = typename Scan::value;
    using View = typename Scan::view;
    using Sink = typename Scan::sink;
    using Op = typename Scan::op;
    using geometry = typename Scan::geometry;
    static constexpr int N = Scan::lane_vector;

    /// What reads and writes memory that is not aligned for the widest loads and stores. (A lane reads the few elements
    /// of 4 bytes and more in its vector one by one, and passes none of a neighbouring tile's.)
    static constexpr bool covers = View::bases > 0 && View::template can_cover<N>;
    static constexpr access unaligned_stage = covers ? access::covering : access::elementwise;
    static constexpr access unaligned_input = View::element_alignment < 4 ? unaligned_stage : access::elementwise;
    static constexpr access unaligned_output =
        Scan::batched && Sink::template can_cover<N> ? access::covering : access::elementwise;

public:
    View view;
    Sink sink;
    offset count;
    initial<T> init;
    Op op;

    /// Scans pieces of `at_once` elements, whole groups, one after the other in three passes, with copies of one at a
    /// time.
    template <class Policy>
    void run_in_pieces(Policy const& policy, current_device const& device, call const& by, offset at_once)
    {
        three_passes const passes(policy, device, false, (count + Scan::tile - 1) / Scan::tile);
        for (offset begin = 0; begin < count; begin += at_once) {
            scanner piece{view.from(begin), sink.from(begin), std::min(at_once, count - begin), init, op};
            stand_ins stand_in(by.algorithm, policy, device, false);
            stand_in.bring(piece.view, piece.count);
            stand_in.take(piece.sink, piece.count);
            if (piece.is_aligned())
                piece.template run_three_passes<access::aligned, access::aligned>(by, passes, begin / Scan::tile);
            else
                piece.template run_three_passes<unaligned_input, unaligned_output>(by, passes, begin / Scan::tile);
            stand_in.deliver();
        }
    }

    template <class Policy>
    void run(Policy const& policy, current_device const& device, call const& by, bool captured)
    {
        std::uintptr_t inputs = 0;
        view.for_each_base(
            [&](void const* base, offset) { inputs |= reinterpret_cast<std::uintptr_t>(base) % granule_bytes; });
        auto const output = reinterpret_cast<std::uintptr_t>(sink.base()) % granule_bytes;

        offset const tiles = (count + Scan::tile - 1) / Scan::tile;
        if (tiles > std::max({offset{1}, offset{Tuning::cluster_blocks}, Tuning::tiles_side_by_side})) {
            if (inputs == 0 && output % Sink::template alignment<N> == 0) {
                if (run_in_one_pass<access::aligned, access::aligned>(policy, device, by, captured, tiles))
                    return;
            } else if (run_in_one_pass<unaligned_stage, unaligned_output>(policy, device, by, captured, tiles)) {
                return;
            }
        }
        if (is_aligned())
            run_tile_per_block<access::aligned, access::aligned>(policy, device, by, captured, tiles);
        else
            run_tile_per_block<unaligned_input, unaligned_output>(policy, device, by, captured, tiles);
    }

private:
    bool is_aligned() const
    {
        std::uintptr_t inputs = 0;
        view.for_each_base(
            [&](void const* base, offset) { inputs |= reinterpret_cast<std::uintptr_t>(base) % granule_bytes; });
        auto const output = reinterpret_cast<std::uintptr_t>(sink.base()) % granule_bytes;
        return inputs % View::template alignment<N> == 0 && output % Sink::template alignment<N> == 0;
    }

    template <access in, access out, class Policy>
    void run_tile_per_block(Policy const& policy, current_device const& device, call const& by, bool captured,
                            offset tiles)
    {
        constexpr offset super = offset{geometry::tiles_per_group} * geometry::groups_per_super;
        if (tiles <= 1)
            gpu::launch<&scan_one_tile<Scan, in, out>>(by, "scan_one_tile", {1, Scan::threads}, view, sink, count, init,
                                                       op);
        else if (run_in_cluster<in, out>(device, by, captured, tiles))
            return;
        else if (sizeof(T) <= 16 && tiles <= std::min(Tuning::tiles_side_by_side, super))
            run_side_by_side<in, out>(policy, device, by, captured, tiles);
        else
            run_three_passes<in, out>(by, three_passes(policy, device, captured, tiles), 0);
    }

    template <access in, access out>
    bool run_in_cluster(current_device const& device, call const& by, bool captured, offset tiles)
    {
        if constexpr (Tuning::clusters && Tuning::cluster_blocks <= geometry::tiles_per_group) {
            constexpr auto kernel = &scan_in_cluster<Scan, in, out>;
            if (tiles > Tuning::cluster_blocks)
                return false;
            int const cluster = static_cast<int>(std::bit_ceil(static_cast<std::size_t>(tiles)));
            if (!gpu::fits_cluster<kernel>(device, cluster, Scan::threads))
                return false;
            return gpu::launch_cluster<kernel>(by, captured, "scan_in_cluster", {cluster, Scan::threads, cluster}, view,
                                               sink, count, init, op);
        } else {
            return false;
        }
    }

    template <access in, access out, class Policy>
    void run_side_by_side(Policy const& policy, current_device const& device, call const& by, bool captured,
                          offset tiles)
    {
        if constexpr (sizeof(T) <= 16) {
            board_memory memory(policy, device, captured, words_for(tiles));
            gpu::launch<&scan_side_by_side<Scan, Tuning, in, out>>(by, "scan_side_by_side",
                                                                   {static_cast<int>(tiles), Scan::threads}, view, sink,
                                                                   count, init, op, boards_in(memory, tiles));
            memory.will_draw(static_cast<unsigned long long>(tiles));
        }
    }

    template <access in, access out, class Policy>
    bool run_in_one_pass(Policy const& policy, current_device const& device, call const& by, bool captured,
                         offset tiles)
    {
        using memory_type = stages<Scan, Tuning>;
        if constexpr (Tuning::bulk_copies && Scan::batched && sizeof(T) <= 16 && memory_type::count >= 2) {
            constexpr auto kernel = &scan_in_one_pass<Scan, Tuning, in, out>;
            constexpr int threads = warp_roles<Scan>::threads, shared = static_cast<int>(sizeof(memory_type));
            offset const resident = gpu::resident_blocks_with<kernel>(device, threads, shared);
            if (resident == 0)
                return false;
            int const blocks = static_cast<int>(std::min(resident, tiles));
            board_memory memory(policy, device, captured, words_for(tiles));
            gpu::launch<kernel>(by, "scan_in_one_pass", {blocks, threads, 1, false, shared}, view, sink, count, init,
                                op, boards_in(memory, tiles), may_overlap());
            memory.will_draw(static_cast<unsigned long long>(tiles + blocks));
            return true;
        } else {
            return false;
        }
    }

    /// What three passes tell each other, of a whole range of `tiles` tiles.
    struct three_passes {
        offset before_last, groups;
        scratch memory;
        T *tile_totals, *group_totals, *carries;

        template <class Policy>
        three_passes(Policy const& policy, current_device const& device, bool captured, offset tiles)
            : before_last(tiles - 1), groups(before_last / geometry::tiles_per_group),
              memory(policy, device, captured, static_cast<std::size_t>(before_last + 2 * groups + 1) * sizeof(T)),
              tile_totals(static_cast<T*>(memory.begin())), group_totals(tile_totals + before_last),
              carries(group_totals + groups)
        {}
    };

    /// Scans a range, or the piece of one that begins at tile `first`, where a group begins.
    template <access in, access out>
    void run_three_passes(call const& by, three_passes const& of_all, offset first)
    {
        offset const tiles = (count + Scan::tile - 1) / Scan::tile,
                     with_total = std::min(tiles, of_all.before_last - first),
                     first_group = first / geometry::tiles_per_group;
        T* const tile_totals = of_all.tile_totals + first;
        if (with_total > 0)
            gpu::launch<&total_tiles<Scan, in>>(by, "total_tiles", {static_cast<int>(with_total), Scan::threads}, view,
                                                op, tile_totals);
        gpu::launch<&carry_groups<Scan, Tuning::carry_threads>>(
            by, "carry_groups", {1, Tuning::carry_threads}, static_cast<T const*>(of_all.tile_totals), first_group,
            first + with_total, init, op, of_all.group_totals, of_all.carries);
        gpu::launch<&scan_after_totals<Scan, in, out>>(by, "scan_after_totals",
                                                       {static_cast<int>(tiles), Scan::threads}, view, sink, count,
                                                       init.there || first > 0, op, static_cast<T const*>(tile_totals),
                                                       static_cast<T const*>(of_all.carries + first_group));
    }

    /// Whether results may be written where elements are still to be read.
    bool may_overlap() const
    {
        auto const begin = reinterpret_cast<std::uintptr_t>(sink.base());
        auto const end = begin + static_cast<std::uintptr_t>(sink.bytes(count));
        bool overlap = sink.base() == nullptr; // who knows
        view.for_each_base([&](void const* base, offset bytes) {
            auto const first = reinterpret_cast<std::uintptr_t>(base);
            overlap = overlap || (first < end && begin < first + static_cast<std::uintptr_t>(bytes));
        });
        return overlap;
    }

    static std::size_t words_for(offset tiles)
    {
        return static_cast<std::size_t>(tiles + tiles / geometry::tiles_per_group) * total_board::words_of<T>;
    }
    static scan_boards boards_in(board_memory& memory, offset tiles)
    {
        return {memory.counter(),
                memory.drawn(),
                {memory.words(), memory.tag()},
                {memory.words() + tiles * total_board::words_of<T>, memory.tag()}};
    }
};

/// Scans `count` elements of an input to what begins at `out`, in the policy's stream.
template <class Geometry, scan_form form, class T, class Tuning = scan_tuning, class Policy, class Input, class Out,
          class Op>
void scan(Policy const& policy, Input const& input, offset count, Out const& out, std::optional<T> const& init,
          Op const& op)
{
    if (count <= 0)
        return;
    constexpr char const* name = form == scan_form::inclusive ? "inclusive_scan" : "exclusive_scan";
    profiler_range const range(form == scan_form::inclusive ? "tilewise::inclusive_scan" : "tilewise::exclusive_scan");
    reject_earlier_error();
    auto view = gpu::view_of(input, count);
    auto sink = gpu::sink_of(out);
    device_call<Policy> started(name, count, policy);
    bool const captured = started.captured();
    current_device const& device = started.device();
    call const& by = started.by();
    using scan_type = scan_of<decltype(view), decltype(sink), T, Op, form, order<T, Geometry>>;
    using scanner_type = scanner<scan_type, Tuning>;
    stand_ins stand_in(name, policy, device, captured);
    std::size_t const bytes_each = stand_in.bytes_per_element(view) + stand_in.bytes_per_result(sink);
    if constexpr (Policy::waits) {
        offset const at_once = gpu::elements_at_once(policy, count, bytes_each, scan_type::order::group);
        if (at_once < count) {
            scanner_type{view, sink, count, initial<T>(init), op}.run_in_pieces(policy, device, by, at_once);
            return started.finish();
        }
    }
    if (bytes_each > 0) {
        stand_in.bring(view);
        stand_in.take(sink, count);
    }
    scanner_type{view, sink, count, initial<T>(init), op}.run(policy, device, by, captured);
    stand_in.deliver();
    started.finish();
}

} // namespace gpu
TILEWISE_NAMESPACE_END
