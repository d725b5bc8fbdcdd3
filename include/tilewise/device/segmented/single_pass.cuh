// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Scans of segments of more than a tile, which read every element once: the blocks of the single-pass scan of one
/// range take the tiles of all these segments, and look back within the segment of a tile only. Requires sm_90 or
/// later.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/launch.cuh>
#include <tilewise/device/cuda/memory_kind.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/status_memory.cuh>
#include <tilewise/device/scan/carry.cuh>
#include <tilewise/device/scan/single_pass.cuh>
#include <tilewise/device/scan/stages.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/device/segmented/announced.cuh>
#include <tilewise/device/segmented/tickets.cuh>
#include <tilewise/order.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Scans the segments that have tickets. `in` and `out` are how those are accessed that are not aligned. A warp that
/// has nothing to do any more takes part in the scans of `others`.
template <class Scan, class Tuning, access in, access out, class Others>
TILEWISE_KERNEL(warp_roles<Scan>::threads, 1)
scan_segments_in_one_pass(typename Scan::view view, typename Scan::sink sink, initial<typename Scan::value> init,
                          typename Scan::op op, segment_tickets segments, scan_status status, bool overlaps,
                          Others others, awaited_lists lists)
{
    release_dependents();
    if (!lists.wait())
        return;
    tiles_of_segments<Scan> const tiles(segments, status);
    if (tiles.segments() == 0 && !others.any())
        return;
    gpu::block_scan_in_one_pass<Scan, Tuning, in, out>(view, sink, init, op, tiles, overlaps);
    others.template scan<warp_roles<Scan>::threads>(view, init.get(), op);
}

/// Launches that kernel, and has the memory for it.
template <class Scan, class Tuning, class Others>
class segments_in_one_pass {
    using T = typename Scan::value;
    using View = typename Scan::view;
    using Sink = typename Scan::sink;
    using memory_type = stages<Scan, typename Tuning::scan, tile_of_segment>;
    static constexpr int words = status_words::words_of<T>, group_size = Scan::geometry::tiles_per_group;
    static constexpr bool is_supported = Tuning::scan::bulk_copies && memory_type::is_supported;

public:
    /// For `count` segments of up to `elements` elements together, or an unknown number, whose results `sink` takes:
    /// for those of more than a tile, or, if these are fewer, for `shorter` segments of any length.
    segments_in_one_pass(device_call& by, View const& view, Sink const& sink, offset count, offset elements,
                         offset shorter)
        : call_(by), aligned_every_(aligned_every(view, sink)), blocks_(resident_blocks(by)),
          wanted_tiles_(wanted_tiles(count, elements, shorter)),
          most_tiles_(std::min(wanted_tiles_, room_for_tiles(by, sink, elements))),
          most_segments_(blocks_ == 0 ? 0
                                      : std::max(std::min(count, most_tiles_ / 2 + 1), std::min(shorter, most_tiles_))),
          list_(by, most_segments_ + 1)
    {}

    /// Whether the GPU supports the kernel.
    bool is_possible() const { return blocks_ > 0; }

    /// Whether there is room for all such segments, however long each of them is.
    bool has_room_for_all() const { return is_possible() && most_tiles_ == wanted_tiles_; }

    /// Where a kernel lists segments of more than a tile, given a counter that is 0.
    segment_tickets segments(unsigned long long* reserved) const
    {
        return {reserved,
                list_.begin(),
                static_cast<unsigned long long>(most_segments_),
                static_cast<unsigned long long>(most_tiles_),
                aligned_every_,
                Scan::sums_integers};
    }

    /// How many status words a launch needs.
    offset status_words_needed() const { return (most_tiles_ + most_tiles_ / group_size) * words; }

    /// Scans the segments that are listed, given memory for status words and a second counter that is 0.
    void start(View const& view, Sink const& sink, initial<T> const& init, typename Scan::op const& op,
               segment_tickets const& segments, status_memory& memory, unsigned long long* taken, Others const& others,
               awaited_lists const& lists)
    {
        if constexpr (is_supported) {
            scan_status const status = {
                {taken, 0}, {memory.words(), memory.epoch()}, {memory.words() + most_tiles_ * words, memory.epoch()}};
            auto const launch = [&]<access in, access out> {
                constexpr auto start = kernel<in, out>;
                constexpr int shared = sizeof(memory_type);
                call_.template launch_with_array<start>(
                    "scan_segments_in_one_pass",
                    {static_cast<int>(std::min(blocks_, most_tiles_ + 1)), warp_roles<Scan>::threads, 1,
                     call_.template can_launch_dependent<start>(), shared},
                    shared, view, sink, init, op, segments, status, is_in_place(view, sink), others, lists);
            };
            bool const all_are_aligned = may_all_be_aligned && aligned_every_ == 1;
            if constexpr (may_all_be_aligned)
                if (all_are_aligned)
                    launch.template operator()<access::aligned, access::aligned>();
            if (!all_are_aligned)
                launch.template operator()<Scan::unaligned_stage, Scan::unaligned_output>();
            memory.record_tickets(0); // they are counted elsewhere
        }
    }

private:
    /// Whether all segments are aligned if the memory is. Their kernel has code for nothing else.
    static constexpr bool may_all_be_aligned =
        elements_keep_alignment<View> && is_memory<Sink> &&
        gpu::elements_between(Sink::template alignment<Scan::lane_vector>, Sink::bytes(1)) == 1;

    template <access in, access out>
    static constexpr auto kernel = &scan_segments_in_one_pass<Scan, typename Tuning::scan, in, out, Others>;

    static int resident_blocks([[maybe_unused]] device_call const& by)
    {
        int blocks = 0;
        if constexpr (is_supported) {
            auto const blocks_of = [&]<access in, access out> {
                return gpu::resident_blocks_with<kernel<in, out>>(by.device(), warp_roles<Scan>::threads,
                                                                  static_cast<int>(sizeof(memory_type)));
            };
            blocks = blocks_of.template operator()<Scan::unaligned_stage, Scan::unaligned_output>();
            if constexpr (may_all_be_aligned)
                blocks = std::min(blocks, blocks_of.template operator()<access::aligned, access::aligned>());
        }
        return blocks;
    }

    /// Returns how many tiles such segments can have.
    static offset wanted_tiles(offset count, offset elements, offset shorter)
    {
        offset const whole = elements / Scan::tile;
        return std::max(offset{1}, whole + std::max(std::min(whole, count), shorter));
    }

    /// Returns for how many tiles there may be status words. Segments do not overlap, so they have no more elements
    /// than the memory of their results. Of mapped memory CUDA may know one part only, so results that may be in such
    /// memory get some status words whatever it knows.
    static offset room_for_tiles(device_call const& by, Sink const& sink, offset elements)
    {
        constexpr offset bytes_per_tile = 8 * words, unknown = std::numeric_limits<offset>::max();
        constexpr std::size_t least_mapping = std::size_t{2} << 20; // no part of mapped memory is smaller
        offset room = offset{Tuning::most_status_bytes} / bytes_per_tile;
        if (by.budget() != 0)
            room = std::min(room, static_cast<offset>(by.budget() / 256) / bytes_per_tile);
        if (elements == unknown) {
            std::size_t const allocated = sink.base() == nullptr ? 0 : gpu::allocated_bytes(sink.base());
            offset tiles = 2 * (static_cast<offset>(allocated) / std::max(offset{1}, Sink::bytes(1)) / Scan::tile);
            if (allocated == 0 || allocated >= least_mapping)
                tiles = std::max(tiles, offset{Tuning::least_status_bytes} / bytes_per_tile);
            room = std::min(room, tiles);
        }
        return std::max(offset{1}, room);
    }

    /// Every which segment is aligned for the widest loads and stores; 0 if none is known to be.
    static offset aligned_every(View const& view, Sink const& sink)
    {
        constexpr int to = Sink::template alignment<Scan::lane_vector>;
        if (reinterpret_cast<std::uintptr_t>(sink.base()) % to != 0)
            return 0;
        offset const of_input = gpu::aligned_every(view);
        return of_input == 0 ? 0 : std::max(of_input, gpu::elements_between(to, Sink::bytes(1)));
    }

    /// Whether results may overwrite elements. Those of a segment are nowhere else than its elements, or apart from the
    /// elements of all segments, as anything else would be a race.
    static bool is_in_place(View const& view, Sink const& sink)
    {
        bool overlaps = sink.base() == nullptr; // an iterator, whose memory is unknown
        view.for_each_base([&](void const* base, offset) { overlaps = overlaps || base == sink.base(); });
        return overlaps;
    }

    device_call& call_;
    offset aligned_every_, blocks_, wanted_tiles_, most_tiles_, most_segments_;
    scratch<ticketed_segment> list_;
};

} // namespace gpu
TILEWISE_NAMESPACE_END
