// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of the segmented algorithms for the device policy.
///
/// * Reductions: `reduce_short_segments` reduces segments of up to a row, with a lane for each lane vector, and lists
///   the longer ones. Warps reduce those of up to a chunk, and where there are many, of up to a tile
///   (`reduce_medium_segments`); blocks reduce the others (`reduce_long_segments`). Segments of many tiles are split
///   before that, and their parts are folded afterwards (`fold_split_segments`).
/// * Scans: `scan_short_segments` scans segments of up to a row, with a lane for each lane vector, and of up to a
///   chunk, with a warp for each. It lists the longer ones: all blocks share the tiles of those of more than a tile
///   (`scan_segments_in_one_pass`), and a block scans each of the others (`scan_long_segments`). Where the single pass
///   is not supported, a block scans a segment of up to a group, tile by tile; of longer ones, blocks reduce the groups
///   first (`reduce_groups_of_segments`) and find their prefixes (`carry_groups_of_segments`).
///
/// A segment may begin at any element, so its elements are read one by one, except in a single pass. Nothing beside
/// them is read.
///
/// Of elements in host memory, those that segments cover (`find_reach`) are staged, if necessary for some segments at a
/// time.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/launch.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/cuda/status_memory.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/segmented/long_reduction.cuh>
#include <tilewise/device/segmented/long_scan.cuh>
#include <tilewise/device/segmented/reach.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/segmented/short.cuh>
#include <tilewise/device/segmented/single_pass.cuh>
#include <tilewise/device/segmented/split.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// How many bytes the aggregates of segments that are split take; their prefixes take as many, and the list twice that.
template <class Tuning>
std::size_t split_bytes_for(device_call const& call)
{
    return call.budget() == 0 ? Tuning::split_bytes : std::min(Tuning::split_bytes, call.budget() / 256);
}

/// In place of `segments_in_one_pass`, for reductions.
struct no_single_pass {
    template <class Sink>
    no_single_pass(device_call const&, Sink const&, offset, offset)
    {}
    bool is_possible() const { return false; }
};

/// How many segments are combined at once. The lists of the longer ones have room for all of them, unless they are
/// runs, of which few can be long.
template <class Segments, class Tuning>
inline constexpr offset segments_at_once = Segments::counts_on_device ? Tuning::runs_at_once : Tuning::segments_at_once;

/// Returns how many of so many segments may have more than `length` elements.
template <class Segments>
offset most_longer([[maybe_unused]] Segments const& segments, offset count, [[maybe_unused]] offset length)
{
    if constexpr (Segments::counts_on_device)
        return std::min(count, segments.elements / length + 1);
    else
        return count;
}

/// Launches the kernels for `count` segments of up to `longest` elements, which segments that are scanned have
/// together, for a limited number at a time so that the lists stay short.
template <class Segmented, class Tuning>
void start_segmented(device_call& call, typename Segmented::view const& view,
                     typename Segmented::results const& results, typename Segmented::segments const& segments,
                     offset count, offset longest, std::optional<typename Segmented::value> const& init,
                     typename Segmented::op const& op)
{
    using T = typename Segmented::value;
    constexpr bool reduces = Segmented::results::reduces;
    constexpr int warps = Tuning::threads / warp_size;
    using order = typename Segmented::scan::order;
    offset const at_once = std::min(count, gpu::segments_at_once<typename Segmented::segments, Tuning>);
    offset const rounds = (count + at_once - 1) / at_once,
                 most_listed = gpu::most_longer(segments, at_once, reduces ? order::row : order::chunk);
    using split_type =
        split_segments<T, std::conditional_t<reduces, parts_of_reduction<Tuning>, parts_of_scan<order, Tuning>>>;
    std::conditional_t<reduces, no_single_pass, segments_in_one_pass<typename Segmented::scan, Tuning>> one_pass(
        call, results.to, at_once, longest);
    std::size_t const split_bytes = one_pass.is_possible() ? 0 : gpu::split_bytes_for<Tuning>(call);
    auto const most_split = std::min(offset{Tuning::most_split_segments},
                                     static_cast<offset>(2 * split_bytes / sizeof(split_segment))),
               most_aggregates = static_cast<offset>(split_bytes / sizeof(T));
    constexpr int counters_per_round = 5;
    auto const counter_bytes = static_cast<std::size_t>(rounds) * counters_per_round * sizeof(unsigned long long);
    scratch<unsigned char> const memory(call,
                                        static_cast<offset>(counter_bytes) + most_listed * offset{sizeof(unsigned)});
    scratch<split_segment> const split_list(call, most_split + 1); // there may be no room at all
    scratch<T> const split_aggregates(call, most_aggregates + 1), prefixes(call, reduces ? 1 : most_aggregates + 1);
    auto* const counters = reinterpret_cast<unsigned long long*>(memory.begin());
    call.clear(counters, counter_bytes);
    offset const most_long_blocks = offset{call.multiprocessors()} * Tuning::long_blocks_per_multiprocessor;

    initial<typename Segmented::value> const before(init);
    for (offset round = 0; round < rounds; ++round) {
        offset const first = round * at_once, left = std::min(at_once, count - first);
        unsigned long long* const own_counters = counters + counters_per_round * round;
        auto* const list = reinterpret_cast<unsigned*>(counters + counters_per_round * rounds);
        listed_segments const longer = {own_counters, own_counters + 1, list, 1};
        int const per_warp = gpu::segments_per_warp(left, Tuning::warps_wanted);
        split_type const split = {own_counters + 2,
                                  split_list.begin(),
                                  split_aggregates.begin(),
                                  prefixes.begin(),
                                  static_cast<unsigned long long>(most_split),
                                  static_cast<unsigned long long>(most_aggregates)};
        int const long_blocks = static_cast<int>(most_long_blocks),
                  short_blocks = gpu::blocks_for(
                      left, per_warp * warps, offset{call.multiprocessors()} * Tuning::short_blocks_per_multiprocessor),
                  folding_blocks = static_cast<int>(std::min(left, offset{call.multiprocessors()}));
        if constexpr (reduces) {
            listed_segments const medium = {own_counters + 3, own_counters + 4, list + most_listed - 1, -1};
            call.launch(&reduce_short_segments<Segmented, Tuning, split_type>, "reduce_short_segments",
                        {short_blocks, Tuning::threads}, view, results, segments, first, left, before, op, medium,
                        longer, split);
            if (longest <= Segmented::scan::row)
                continue;
            constexpr auto reduce_medium = &reduce_medium_segments<Segmented, Tuning::threads>;
            constexpr auto reduce_long =
                &reduce_long_segments<Segmented, Tuning::threads, Tuning::long_blocks_per_multiprocessor, split_type>;
            constexpr auto fold_split = &fold_split_segments<Segmented, Tuning::threads, split_type>;
            call.launch(reduce_medium, "reduce_medium_segments",
                        {gpu::blocks_for(left, warps, most_long_blocks), Tuning::threads, 1,
                         call.can_launch_dependent<reduce_medium>()},
                        view, results, segments, first, before, op, medium);
            if (longest <= Segmented::scan::chunk)
                continue;
            call.launch(reduce_long, "reduce_long_segments",
                        {long_blocks, Tuning::threads, 1, call.can_launch_dependent<reduce_long>()}, view, results,
                        segments, first, before, op, longer, split);
            call.launch(fold_split, "fold_split_segments",
                        {folding_blocks, Tuning::threads, 1, call.can_launch_dependent<fold_split>()}, results,
                        segments, first, before, op, split);
        } else {
            using far_type = long_segments<order, split_type>;
            far_type const far = {one_pass.is_possible(), one_pass.segments(own_counters + 4), split};
            constexpr auto scan_long = &scan_long_segments<Segmented, split_type>;
            // Leased around all launches: what clears new memory, and the nodes of a capture that allocate and free
            // it, would keep a kernel and its dependent launch (PDL) from overlapping.
            std::optional<status_memory> statuses;
            if (one_pass.is_possible() && longest > Segmented::scan::chunk)
                statuses.emplace(call, one_pass.status_words_needed());
            call.launch(&scan_short_segments<Segmented, Tuning, far_type>, "scan_short_segments",
                        {short_blocks, Tuning::threads}, view, results, segments, first, left, before, op, longer, far);
            if (longest <= Segmented::scan::chunk)
                continue;
            if (statuses) {
                one_pass.start(view, results.to, before, op, far.tickets, *statuses, own_counters + 3);
            } else {
                call.launch(&reduce_groups_of_segments<Segmented, Tuning::threads,
                                                       Tuning::long_blocks_per_multiprocessor, split_type>,
                            "reduce_groups_of_segments", {long_blocks, Tuning::threads}, view, segments, first, op,
                            split);
                call.launch(&carry_groups_of_segments<Segmented, Tuning::threads, split_type>,
                            "carry_groups_of_segments", {folding_blocks, Tuning::threads}, segments, first, before, op,
                            split);
            }
            call.launch(scan_long, "scan_long_segments",
                        {long_blocks, Segmented::scan::threads, 1, statuses && call.can_launch_dependent<scan_long>()},
                        view, results, segments, first, before, op, longer, split);
        }
    }
}

/// Of the longest segment, where only the device has the offsets.
inline constexpr offset unknown_length = std::numeric_limits<offset>::max();

/// The common part of the segmented algorithms. `Results` determines what is written.
template <template <class> class Results, class Geometry, scan_form form, class T, class Tuning, class Policy,
          class Input, class Begins, class Ends, class Out, class Op>
void combine_segments(char const* algorithm, Policy const& policy, Input const& input, Begins const& begins,
                      Ends const& ends, offset count, Out const& out, std::optional<T> const& init, Op const& op)
{
    if (count <= 0)
        return;
    device_call call(algorithm, count, policy);
    auto view = gpu::view_of(input, 0); // its size is unused where elements are read one by one
    auto sink = gpu::sink_of(out);
    auto first = gpu::view_of(begins, count);
    auto last = gpu::view_of(ends, count);
    using results_type = Results<decltype(sink)>;
    view.for_each_memory([](auto& memory) { memory.size = memory.first != nullptr; }); // null if there are no elements
    staging staged(call);
    std::size_t bytes_each = staged.bytes_per_element(view),
                of_segments = staged.bytes_per_element(first) + staged.bytes_per_element(last);
    staged.stage_in(first);
    staged.stage_in(last);
    if constexpr (results_type::reduces) {
        of_segments += staged.bytes_per_result(sink);
        staged.stage_out(sink, count);
    } else if (sink.base() != nullptr) {
        bytes_each += staged.bytes_per_result(sink);
    }
    of_segments = of_segments * static_cast<std::size_t>(count) + 4 * gpu::split_bytes_for<Tuning>(call);

    using scan_type = scan_of<decltype(view), typename results_type::sink, T, Op, form, order<T, Geometry>>;
    using list_type = segment_list<decltype(first), decltype(last)>;
    using segmented = segmented_of<scan_type, results_type, list_type>;
    list_type const segments = {first, last};
    if (bytes_each == 0) {
        gpu::start_segmented<segmented, Tuning>(call, view, results_type{sink}, segments, count, unknown_length, init,
                                                op);
    } else if constexpr (Policy::waits) {
        auto& reach = *call.line<segment_reach>();
        offset guess = count, now = 0;
        for (offset done = 0; done < count; done += now, guess = 2 * now) {
            list_type const left = done == 0 ? segments : list_type{first.from(done), last.from(done)};
            for (now = std::min(guess, count - done);; now = (now + 1) / 2) { // until they fit or one is left
                call.set_items(now);
                call.launch(&find_reach<list_type, Tuning::threads>, "find_reach", {1, Tuning::threads}, left, now,
                            &reach);
                call.finish();
                std::size_t const wanted = static_cast<std::size_t>(reach.count()) * bytes_each + of_segments;
                if (now == 1 || wanted <= staged.budget_for(wanted))
                    break;
            }
            auto elements = view;
            auto results = sink;
            staging of_reach(call);
            of_reach.stage_in_part(elements, reach.begin, reach.count());
            if constexpr (!results_type::reduces)
                of_reach.stage_out_part(results, reach.begin, reach.count());
            else if (done > 0)
                results = sink.from(done);
            gpu::start_segmented<segmented, Tuning>(call, elements, results_type{results}, left, now, reach.count(),
                                                    init, op);
            of_reach.copy_out();
            if (now < count)
                call.report_progress(done + now, count);
        }
    }
    staged.copy_out();
    call.finish();
}

/// Combines `init` and the elements of each of `count` segments to a value, in the policy's stream.
template <class Geometry, class Tuning = segmented_tuning, class Policy, class Input, class Begins, class Ends,
          class Out, class T, class Op>
void segmented_reduce(Policy const& policy, Input const& input, Begins const& begins, Ends const& ends, offset count,
                      Out const& out, T const& init, Op const& op)
{
    gpu::combine_segments<result_per_segment, Geometry, scan_form::inclusive, T, Tuning>(
        "segmented_reduce", policy, input, begins, ends, count, out, std::optional<T>(init), op);
}

/// Scans each of `count` segments, from `init` on if there is one, in the policy's stream.
template <class Geometry, scan_form form, class T, class Tuning = segmented_tuning, class Policy, class Input,
          class Begins, class Ends, class Out, class Op>
void segmented_scan(Policy const& policy, Input const& input, Begins const& begins, Ends const& ends, offset count,
                    Out const& out, std::optional<T> const& init, Op const& op)
{
    gpu::combine_segments<result_per_element, Geometry, form, T, Tuning>(
        form == scan_form::inclusive ? "segmented_inclusive_scan" : "segmented_exclusive_scan", policy, input, begins,
        ends, count, out, init, op);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
