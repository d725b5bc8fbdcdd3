// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of the scans for the device policy: four algorithms with the same bits, chosen by size.
///
/// * `scan_one_tile`: one block.
/// * `scan_in_cluster`: the blocks of one cluster, one tile each.
/// * `scan_tile_per_block`: one block per tile, as long as each can fold the aggregates of all tiles before it at once.
/// * `scan_in_one_pass`: persistent blocks, which take one tile after the other.
///
/// The last two support accumulators of up to 32 bytes; the last one, elements of about as many, and GPUs from sm_90
/// on. The others take three passes: `reduce_tiles`, `carry_groups`, `scan_with_carries`.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/launch.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/cuda/status_memory.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/scan/single_pass.cuh>
#include <tilewise/device/scan/tile_per_block.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <bit>
#include <cstdint>
#include <optional>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Chooses and launches the kernels for one type of scan.
template <class Scan, class Tuning>
class scanner {
    using T = typename Scan::value;
    using View = typename Scan::view;
    using Sink = typename Scan::sink;
    using Op = typename Scan::op;
    using geometry = typename Scan::geometry;
    static constexpr int N = Scan::lane_vector;

    /// How memory is accessed that is not aligned for the widest loads and stores. (Elements of 4 bytes and more are
    /// few per vector: a lane loads them one by one, and none of a neighbouring tile.)
    static constexpr access unaligned_stage = Scan::unaligned_stage, unaligned_output = Scan::unaligned_output;
    static constexpr access unaligned_input = View::element_alignment < 4 ? unaligned_stage : access::elementwise;

public:
    device_call& call;
    View view;
    Sink sink;
    offset count;
    initial<T> init;
    Op op;

    /// Launches the kernels.
    void start()
    {
        offset const tiles = tiles_of(count);
        if (tiles > std::max({offset{1}, offset{Tuning::cluster_blocks}, tile_per_block_limit})) {
            int const head = head_of_range<Scan>::before_aligned(view, sink, count);
            scanner rest = from(head);
            if (gpu::misalignment_of(rest.view) == 0 && rest.output_misalignment() % Sink::template alignment<N> == 0) {
                if (rest.template starts_one_pass<access::aligned, access::aligned>(head))
                    return;
            } else if (rest.template starts_one_pass<unaligned_stage, unaligned_output>(head)) {
                return;
            }
        }
        if (is_aligned())
            start_tiles<access::aligned, access::aligned>(tiles);
        else
            start_tiles<unaligned_input, unaligned_output>(tiles);
    }

    /// Scans pieces of `at_once` elements, which are whole groups, in three passes each. Only one piece is staged at a
    /// time.
    void run_in_pieces(offset at_once)
    {
        three_passes const passes(call, tiles_of(count));
        for (offset begin = 0; begin < count; begin += at_once) {
            scanner piece = from(begin);
            piece.count = std::min(at_once, piece.count);
            staging staged(call);
            staged.stage_in_first(piece.view, piece.count);
            staged.stage_out(piece.sink, piece.count);
            if (piece.is_aligned())
                piece.template start_three_passes<access::aligned, access::aligned>(passes, begin / Scan::tile);
            else
                piece.template start_three_passes<unaligned_input, unaligned_output>(passes, begin / Scan::tile);
            staged.copy_out();
            call.report_progress(begin + piece.count, count);
        }
    }

    /// Scans a part of a longer range, which begins where a tile begins there: `tiles_before_group` tiles onto their
    /// `prefixes`, and the tiles behind them, group by group, onto the prefixes of groups, which follow. The first
    /// group has none if the range begins there and has no `init`.
    void start_part(offset tiles_before_group, T const* prefixes, T const* tile_aggregates)
    {
        if (is_aligned())
            start_part<access::aligned, access::aligned>(tiles_before_group, prefixes, tile_aggregates);
        else
            start_part<unaligned_input, unaligned_output>(tiles_before_group, prefixes, tile_aggregates);
    }

private:
    /// Up to how many tiles `scan_tile_per_block` scans.
    static constexpr offset tile_per_block_limit = sizeof(T) <= 16    ? Tuning::tile_per_block_limit
                                                   : Scan::keeps_tile ? Tuning::tile_per_block_limit / 2
                                                                      : 0;

    template <access in, access out>
    void start_part(offset tiles_before_group, T const* prefixes, T const* tile_aggregates)
    {
        offset const tiles = tiles_of(count), alone = std::min(tiles, tiles_before_group),
                     before = std::min(count, alone * Scan::tile);
        if (alone > 0)
            call.launch(&scan_after_prefixes<Scan, in, out>, "scan_after_prefixes",
                        {static_cast<int>(alone), Scan::threads}, view, sink, before, op, prefixes);
        if (tiles > alone)
            call.launch(&scan_with_carries<Scan, in, out>, "scan_with_carries",
                        {static_cast<int>(tiles - alone), Scan::threads}, view.from(before), sink.from(before),
                        count - before, init.has_value || alone > 0, op, tile_aggregates + alone, prefixes + alone);
    }

    scanner from(offset first) const { return {call, view.from(first), sink.from(first), count - first, init, op}; }

    static offset tiles_of(offset elements) { return (elements + Scan::tile - 1) / Scan::tile; }
    int output_misalignment() const
    {
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(sink.base()) % vector_bytes);
    }
    bool is_aligned() const
    {
        return gpu::misalignment_of(view) % View::template alignment<N> == 0 &&
               output_misalignment() % Sink::template alignment<N> == 0;
    }

    /// Launches the kernels in which a block scans one tile.
    template <access in, access out>
    void start_tiles(offset tiles)
    {
        constexpr offset super_group = offset{geometry::tiles_per_group} * geometry::groups_per_super_group;
        if (tiles <= 1)
            return call.launch(&scan_one_tile<Scan, in, out>, "scan_one_tile", {1, Scan::threads}, view, sink, count,
                               init, op);
        if constexpr (Tuning::clusters && Tuning::cluster_blocks <= geometry::tiles_per_group) {
            auto const blocks = static_cast<int>(std::bit_ceil(static_cast<std::size_t>(tiles)));
            if (tiles <= Tuning::cluster_blocks &&
                call.launch_cluster<&scan_in_cluster<Scan, in, out>>("scan_in_cluster", blocks, Scan::threads, view,
                                                                     sink, count, init, op))
                return;
        }
        if constexpr (tile_per_block_limit > 0) {
            if (tiles <= std::min(tile_per_block_limit, super_group)) {
                status_memory memory(call, words_for(tiles));
                call.launch(&scan_tile_per_block<Scan, Tuning, in, out>, "scan_tile_per_block",
                            {static_cast<int>(tiles), Scan::threads}, view, sink, count, init, op,
                            status_in(memory, tiles));
                return memory.record_tickets(tiles);
            }
        }
        start_three_passes<in, out>(three_passes(call, tiles), 0);
    }

    /// Launches the single pass, in which the first tile follows `head` elements.
    template <access in, access out>
    bool starts_one_pass(int head)
    {
        using memory_type = stages<Scan, Tuning, tile_number>;
        if constexpr (Tuning::bulk_copies && memory_type::is_supported) {
            constexpr auto kernel = &scan_in_one_pass<Scan, Tuning, in, out>;
            constexpr int threads = warp_roles<Scan>::threads, shared = static_cast<int>(sizeof(memory_type));
            offset const resident = gpu::resident_blocks_with<kernel>(call.device(), threads, shared);
            if (resident == 0)
                return false;
            offset const tiles = tiles_of(count);
            int const blocks = static_cast<int>(std::min(resident, tiles));
            status_memory memory(call, words_for(tiles));
            call.launch_with_array<kernel>("scan_in_one_pass", {blocks, threads, 1, false, shared}, shared, view, sink,
                                           count, head, init, op, status_in(memory, tiles), may_overlap());
            memory.record_tickets(tiles + blocks);
            return true;
        } else {
            return false;
        }
    }

    /// The memory through which three passes over a range of `tiles` tiles pass results on: the aggregates of all whole
    /// units before the last tile, level by level, and the exclusive prefixes of the groups.
    struct three_passes {
        offset before_last;
        scratch<T> memory;
        T *tile_aggregates, *units, *carries;

        three_passes(device_call const& by, offset tiles)
            : before_last(tiles - 1),
              memory(by, before_last + units_in(before_last) + before_last / geometry::tiles_per_group + 1),
              tile_aggregates(memory.begin()), units(tile_aggregates + before_last),
              carries(units + units_in(before_last))
        {}

    private:
        /// Returns the number of whole groups and of whole units of the levels above.
        static offset units_in(offset tiles)
        {
            offset sum = 0;
            for (int level = 1; level < Scan::order::digits(tiles); ++level)
                sum += tiles >> Scan::order::log2_tiles(level);
            return sum;
        }
    };

    /// Scans a range, or a piece of it that begins at tile `first`, which is the first of a group.
    template <access in, access out>
    void start_three_passes(three_passes const& of_all, offset first)
    {
        offset const tiles = tiles_of(count), with_aggregate = std::min(tiles, of_all.before_last - first),
                     first_group = first / geometry::tiles_per_group;
        T* const tile_aggregates = of_all.tile_aggregates + first;
        if (with_aggregate > 0)
            call.launch(&reduce_tiles<Scan, in>, "reduce_tiles", {static_cast<int>(with_aggregate), Scan::threads},
                        view, op, tile_aggregates);
        call.launch(&carry_groups<Scan, Tuning::carry_threads>, "carry_groups", {1, Tuning::carry_threads},
                    static_cast<T const*>(of_all.tile_aggregates), of_all.before_last, first, first + with_aggregate,
                    init, op, of_all.units, of_all.carries);
        call.launch(&scan_with_carries<Scan, in, out>, "scan_with_carries", {static_cast<int>(tiles), Scan::threads},
                    view, sink, count, init.has_value || first > 0, op, static_cast<T const*>(tile_aggregates),
                    static_cast<T const*>(of_all.carries + first_group));
    }

    /// Whether results may overwrite elements that are yet to be read.
    bool may_overlap() const
    {
        auto const begin = reinterpret_cast<std::uintptr_t>(sink.base());
        auto const end = begin + static_cast<std::uintptr_t>(sink.bytes(count));
        bool overlap = sink.base() == nullptr; // an iterator, whose memory is unknown
        view.for_each_base([&](void const* base, offset bytes) {
            auto const first = reinterpret_cast<std::uintptr_t>(base);
            overlap = overlap || (first < end && begin < first + static_cast<std::uintptr_t>(bytes));
        });
        return overlap;
    }

    static offset words_for(offset tiles)
    {
        return (tiles + tiles / geometry::tiles_per_group) * offset{status_words::words_of<T>};
    }
    static scan_status status_in(status_memory& memory, offset tiles)
    {
        return {{memory.counter(), memory.tickets()},
                {memory.words(), memory.epoch()},
                {memory.words() + tiles * status_words::words_of<T>, memory.epoch()}};
    }
};

/// Scans `count` elements of an input, and writes the results from `out` on, in the policy's stream.
template <class Geometry, scan_form form, class T, class Tuning = scan_tuning, class Policy, class Input, class Out,
          class Op>
void scan(Policy const& policy, Input const& input, offset count, Out const& out, std::optional<T> const& init,
          Op const& op)
{
    if (count <= 0)
        return;
    device_call call(form == scan_form::inclusive ? "inclusive_scan" : "exclusive_scan", count, policy);
    auto view = gpu::view_of(input, count);
    auto sink = gpu::sink_of(out);
    using scan_type = scan_of<decltype(view), decltype(sink), T, Op, form, order<T, Geometry>>;
    using scanner_type = scanner<scan_type, Tuning>;
    staging staged(call);
    std::size_t const bytes_each = staged.bytes_per_element(view) + staged.bytes_per_result(sink);
    offset const at_once = staged.elements_at_once(count, bytes_each, scan_type::order::group);
    if (at_once < count) {
        scanner_type{call, view, sink, count, initial<T>(init), op}.run_in_pieces(at_once);
        return call.finish();
    }
    if (bytes_each > 0) {
        staged.stage_in(view);
        staged.stage_out(sink, count);
    }
    scanner_type{call, view, sink, count, initial<T>(init), op}.start();
    staged.copy_out();
    call.finish();
}

} // namespace gpu
TILEWISE_NAMESPACE_END
