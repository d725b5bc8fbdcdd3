// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of the segmented algorithms for the device policy.
///
/// * `reduce_short_segments` and `scan_short_segments` combine segments of up to a row, with a lane for each lane
///   vector, and list the longer ones.
/// * Reductions of many adjacent segments of a few lane vectors to a few rows in the mean: `reduce_segments_by_fours`
///   combines segments of up to four rows in place of `reduce_short_segments`, with a lane for every four lane vectors.
/// * Reductions: `reduce_longer_segments` reduces the others: with warps those of up to a tile, if segments are many,
///   with blocks the longer ones, of which some are not listed (`unlisted_segments`). Segments of many tiles are split
///   before that, and their parts are folded in the end (`fold_split_segments`). Of few segments, it is the first
///   kernel, and takes them all.
/// * Scans: warps scan the segments of up to a tile, if segments are many (`scan_medium_segments`); if these have few
///   elements, of less than half a tile. All blocks share the tiles of the longer ones (`scan_segments_in_one_pass`),
///   and a block scans each of the others (`scan_long_segments`). These kernels run concurrently (`awaited_lists`).
///   Where the single pass is not supported, a block scans a segment of up to a group, tile by tile; of longer ones,
///   blocks reduce the groups first (`reduce_groups_of_segments`) and find their prefixes (`carry_groups_of_segments`).
///
/// A segment may begin at any element. Its elements are read one by one, or in 16-byte vectors that are inside it.
/// Nothing beside them is read, except that segments which are adjacent share such vectors.
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
#include <tilewise/device/segmented/longer.cuh>
#include <tilewise/device/segmented/reach.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/segmented/short.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

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

/// In place of kernels that are launched before the others, and list segments, too.
struct no_first_kernels {
    static constexpr bool launch_any = false;
    static constexpr offset most_listed() { return 0; }
    /// Otherwise, they list all that are left, in one round.
    static constexpr bool leave_short_segments() { return true; }
    /// Whether one of them announces how many runs there are.
    static constexpr bool announces_runs() { return false; }
    template <class Longer>
    void start(Longer const&) const
    {}
};

/// The kernel for short segments.
template <class Segmented, class Tuning, class Lists>
inline constexpr auto short_kernel = [] {
    if constexpr (Segmented::results::reduces)
        return &reduce_short_segments<Segmented, Tuning, Lists>;
    else
        return &scan_short_segments<Segmented, Tuning, Lists>;
}();

/// Launches the kernels for `count` segments of up to `longest` elements, which segments that are scanned have
/// together, for a limited number at a time so that the lists stay short.
template <class Segmented, class Tuning, class First = no_first_kernels>
void start_segmented(device_call& call, typename Segmented::view const& view,
                     typename Segmented::results const& results, typename Segmented::segments const& segments,
                     offset count, offset longest, std::optional<typename Segmented::value> const& init,
                     typename Segmented::op const& op, First const& first_kernels = {})
{
    constexpr bool reduces = Segmented::results::reduces;
    constexpr int warps = Tuning::threads / warp_size;
    using Scan = typename Segmented::scan;
    bool const has_short = first_kernels.leave_short_segments();
    offset const at_once =
        has_short ? std::min(count, gpu::segments_at_once<typename Segmented::segments, Tuning>) : count;
    offset const rounds = (count + at_once - 1) / at_once,
                 longer_ones = gpu::most_longer(segments, at_once, Scan::order::row);
    using longer_type = longer_segments<Segmented, Tuning>;
    longer_type longer(call, view, results, at_once, std::max(longer_ones, first_kernels.most_listed()), longest,
                       !has_short, first_kernels.announces_runs());
    initial<typename Segmented::value> const before(init);
    for (offset round = 0; round < rounds; ++round) {
        offset const first = round * at_once, left = std::min(at_once, count - first);
        auto const blocks = [&](int each) {
            return gpu::blocks_for(left, gpu::segments_per_warp(left, Tuning::warps_wanted) * warps,
                                   offset{call.multiprocessors()} * each);
        };
        bool const are_few = !First::launch_any && longer_type::lists_few(left, longest);
        longer.begin(longest, left);
        if (round == 0)
            first_kernels.start(longer);
        if (has_short && !are_few) {
            constexpr auto combine_short = short_kernel<Segmented, Tuning, typename longer_type::lists_type>;
            call.launch(combine_short, reduces ? "reduce_short_segments" : "scan_short_segments",
                        {blocks(reduces ? 2 * Tuning::reducing_short_blocks : Tuning::scanning_short_blocks),
                         Tuning::threads, 1,
                         First::launch_any && round == 0 && call.template can_launch_dependent<combine_short>()},
                        view, results, segments, first, left, before, op, longer.lists());
            if constexpr (reduces && can_reduce_by_fours<Scan>) {
                constexpr auto by_fours =
                    &reduce_segments_by_fours<Segmented, Tuning, typename longer_type::lists_type>;
                if (segments.are_adjacent && left >= Tuning::least_for_warps)
                    call.launch(by_fours, "reduce_segments_by_fours",
                                {blocks(Tuning::by_fours_blocks), Tuning::threads, 1,
                                 call.template can_launch_dependent<by_fours>()},
                                view, results, segments, first, left, before, op, longer.lists());
            }
        }
        longer.start(view, results, segments, first, left, !are_few, longest, before, op);
    }
}

/// Whether the second view begins at the second element of the first one.
template <class First, class Second>
bool follows(First const&, Second const&)
{
    return false;
}
template <class E>
bool follows(memory_view<E> const& first, memory_view<E> const& second)
{
    return second.first == first.first + 1;
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

    using order_type = std::conditional_t<results_type::reduces, order_of_reduction<decltype(view), T, Op, Geometry>,
                                          order<T, Geometry>>;
    using scan_type = scan_of<decltype(view), typename results_type::sink, T, Op, form, order_type>;
    using list_type = segment_list<decltype(first), decltype(last)>;
    using segmented = segmented_of<scan_type, results_type, list_type>;
    list_type const segments = {first, last, gpu::follows(first, last)};
    if (bytes_each == 0) {
        gpu::start_segmented<segmented, Tuning>(call, view, results_type{sink}, segments, count, unknown_length, init,
                                                op);
    } else if constexpr (Policy::waits) {
        auto& reach = *call.line<segment_reach>();
        offset guess = count, now = 0;
        for (offset done = 0; done < count; done += now, guess = 2 * now) {
            list_type const left =
                done == 0 ? segments : list_type{first.from(done), last.from(done), segments.are_adjacent};
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
