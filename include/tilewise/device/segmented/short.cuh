// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels for segments that a warp combines. Longer ones are listed.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/status_memory.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/segmented/announced.cuh>
#include <tilewise/device/segmented/by_fours.cuh>
#include <tilewise/device/segmented/rows.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/segmented/unlisted.cuh>
#include <tilewise/device/segmented/warp.cuh>
#include <tilewise/device/segmented/work.cuh>
#include <tilewise/order.hpp>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Where segments are listed that are too long to be reduced at once.
template <class Split>
struct lists_of_reduction {
    using parts = typename Split::parts;
    listed_segments medium, longer; ///< for warps, and for blocks
    Split split;
    unlisted_segments unlisted; ///< that are not listed
    unsigned long long* counters_of_next_round;
    announced_count runs; ///< how many there are, if the segments are runs
};
/// Where segments are listed that are too long to be scanned at once.
template <class Far>
struct lists_of_scan {
    listed_segments medium, longer; ///< for warps, and for blocks
    Far far;
    unsigned long long* counters_of_next_round;
    announced_count runs; ///< how many there are, if the segments are runs
};

/// Asks how many runs there are, if the segments are runs, and that is announced. Returns whether they are too many to
/// be combined as segments. All threads of the block take part.
template <class Segments>
TILEWISE_DEVICE bool are_announced_as_many([[maybe_unused]] Segments& segments,
                                           [[maybe_unused]] announced_count const& runs)
{
    if constexpr (Segments::counts_on_device) {
        segments.announced = runs.of_block();
        return segments.are_many(segments.announced);
    } else {
        return false;
    }
}

/// How many blocks of `scan_short_segments` have room on a multiprocessor at least, if elements are of one range of
/// memory; the registers of others are not limited.
template <class Scan, class Tuning>
inline constexpr int resident_scanning_blocks =
    Scan::batched && Scan::view::bases == 1 ? Tuning::template resident_scanning_blocks<typename Scan::value> : 1;

/// Scans the segments of up to a row among the `count` segments from `first` on, and lists the longer ones: for warps
/// those of up to a tile, if there are many, and for blocks the others.
template <class Segmented, class Tuning, class Lists>
TILEWISE_KERNEL(Tuning::threads, (resident_scanning_blocks<typename Segmented::scan, Tuning>))
scan_short_segments(typename Segmented::view view, typename Segmented::results results,
                    typename Segmented::segments segments, offset first, offset count,
                    initial<typename Segmented::value> init, typename Segmented::op op, Lists to)
{
    using Scan = typename Segmented::scan;
    TILEWISE_SHARED(medium_list, block_list<Tuning::threads / warp_size>);
    TILEWISE_SHARED(long_list, block_list<Tuning::threads / warp_size>);
    TILEWISE_SHARED(
        stages,
        stages_of_warps<are_stored_together<typename Scan::sink, Scan::lane_vector>, Tuning::threads / warp_size>);
    release_dependents();
    if (gpu::are_announced_as_many(segments, to.runs))
        return gpu::end_after_primary();
    wait_for_primary();
    gpu::clear_counters_of_next_round(to.counters_of_next_round);
    int listed_medium = 0, listed_long = 0;
    warp_segments<Tuning, typename Segmented::segments, false> taken(segments, first, count);
    optional_value<typename Scan::value> const before = init.get();
    auto far = to.far;
    if (taken.count > 0 && segments.are_adjacent) {
        offset const elements = gpu::elements_of(segments, first, taken.count);
        if (elements >= taken.count * Scan::tile)
            far.least = Tuning::least_chunks_of_long * Scan::chunk;
        else if (taken.count >= Tuning::least_for_warps &&
                 elements <= Tuning::template few_elements_scanned<typename Scan::value>)
            far.least = Scan::tile / 2;
    }
    offset longest_medium = gpu::longest_for_warps<Scan, Tuning>(taken.count);
    if (far.in_one_pass && longest_medium >= far.least)
        longest_medium = far.least - 1;
    TILEWISE_NO_UNROLL
    while (taken.take()) {
        segment_span const own = taken.own;
        bool const fits_row = own.count <= Scan::row;
        if (any_lane(!fits_row)) {
            bool const is_long = own.count > longest_medium;
            auto const number = static_cast<unsigned>(taken.begin + lane_index());
            bool const is_shared = far.add(is_long, number, own);
            medium_list.add(to.medium, listed_medium, !fits_row && !is_long, number);
            long_list.add(to.longer, listed_long, is_long && !is_shared, number);
        }
        if (any_lane(fits_row && own.count > 0))
            gpu::warp_combine_short<Segmented>(view, results, {own.begin, fits_row ? own.count : 0},
                                               first + taken.begin, taken.valid, op, before, stages.own());
    }
    medium_list.append(to.medium, listed_medium);
    long_list.append(to.longer, listed_long);
}

/// Whether `reduce_segments_by_fours` reduces `count` adjacent segments of so many elements, and not
/// `reduce_short_segments`: their mean length decides.
template <class Scan, class Tuning>
TILEWISE_DEVICE bool is_mean_by_fours(offset count, offset elements)
{
    return can_reduce_by_fours<Scan> && count >= Tuning::least_for_warps &&
           elements >= count * least_mean_by_fours<Scan, Tuning> &&
           elements <= count * Tuning::most_mean_by_fours * Scan::lane_vector;
}
template <class Scan, class Tuning, class Segments>
TILEWISE_DEVICE bool are_reduced_by_fours(Segments& segments, offset first, offset count)
{
    return segments.are_adjacent && count >= Tuning::least_for_warps &&
           gpu::is_mean_by_fours<Scan, Tuning>(count, gpu::elements_of(segments, first, count));
}

/// Whether it is announced that another kernel reduces all of the `count` segments from `first` on, which are runs. All
/// threads of the block take part.
template <class Scan, class Tuning, bool by_fours, class Segments>
TILEWISE_DEVICE bool are_announced_for_others(Segments& segments, [[maybe_unused]] offset first,
                                              [[maybe_unused]] offset count, announced_count const& runs)
{
    if (gpu::are_announced_as_many(segments, runs))
        return true;
    if constexpr (Segments::counts_on_device)
        if (first == 0 && segments.announced >= 0 && segments.announced <= count) // otherwise, there are more rounds
            return by_fours != gpu::is_mean_by_fours<Scan, Tuning>(segments.announced, segments.elements);
    return false;
}

/// Up to this mean length, bytes are summed in lane vectors of four (decision 40).
inline constexpr int most_mean_of_short_vectors = 10;

/// Reduces segments of up to a row, as `warp_combine_short`. A lane issues a load for each element that its lane vector
/// may have, so bytes of very short segments are summed in lane vectors of four.
template <class Segmented>
TILEWISE_DEVICE void warp_reduce_short(typename Segmented::view const& view, typename Segmented::results const& results,
                                       segment_span own, offset first, int valid, typename Segmented::op& op,
                                       optional_value<typename Segmented::value> const& init)
{
    using Short = with_short_lane_vectors<Segmented>;
    if constexpr (!std::is_same_v<Short, Segmented>) {
        int const count = static_cast<int>(own.count); // 0 from lane `valid` on
        if (warp_max(count) <= Short::scan::row &&
            static_cast<int>(warp_total(static_cast<unsigned>(count))) <= most_mean_of_short_vectors * valid) {
            gpu::warp_combine_short<Short>(view, results, own, first, valid, op, init, nullptr);
            return;
        }
    }
    gpu::warp_combine_short<Segmented>(view, results, own, first, valid, op, init, nullptr);
}

/// Reduces those of the segments that a warp takes several of at once, and lists the longer ones, if they are not
/// split: for warps those of up to a tile, if there are many, and for blocks the others. The lists are in shared
/// memory.
template <class Segmented, class Tuning, bool by_fours, class Lists, class List>
TILEWISE_DEVICE void
reduce_several_at_once(typename Segmented::view const& view, typename Segmented::results const& results,
                       typename Segmented::segments const& segments, offset first, offset count,
                       optional_value<typename Segmented::value> const& init, typename Segmented::op& op,
                       Lists const& to, List& medium_list, List& long_list)
{
    using Scan = typename Segmented::scan;
    constexpr offset longest = by_fours ? longest_by_fours<Scan> : Scan::row;
    warp_segments<Tuning, typename Segmented::segments, by_fours> taken(segments, first, count);
    int const lane = lane_index();
    int listed_medium = 0, listed_long = 0;
    offset const longest_medium = by_fours ? offset{Scan::tile} : gpu::longest_for_warps<Scan, Tuning>(taken.count);
    TILEWISE_NO_UNROLL
    while (taken.take()) {
        segment_span const own = taken.own;
        offset const index = first + taken.begin;
        bool const fits = own.count <= longest;
        bool const some_are_special = gpu::any_lane(lane < taken.valid && !(fits && own.count > 0)); // empty, or longer
        if (some_are_special) { // one branch: where all are short, instructions are the limit
            if (lane < taken.valid && own.count == 0) {
                auto sink = results.to;
                gpu::store_one(sink, index + lane, init.value[0]);
            }
            auto const number = static_cast<unsigned>(taken.begin + lane);
            bool const is_medium = !fits && own.count <= longest_medium;
            bool const is_long = own.count > longest_medium &&
                                 !to.unlisted.template has<Scan, Tuning, typename Lists::parts>(number, own.count) &&
                                 !to.split.add(number, Scan::order::tiles_before_last(own.count));
            medium_list.add(to.medium, listed_medium, is_medium, number);
            long_list.add(to.longer, listed_long, is_long, number);
        }
        if (!some_are_special || any_lane(fits && own.count > 0)) {
            if constexpr (by_fours)
                gpu::warp_reduce_by_fours<Segmented>(view, results, own, taken.around, index, taken.valid, op, init);
            else
                gpu::warp_reduce_short<Segmented>(view, results, {own.begin, fits ? own.count : 0}, index, taken.valid,
                                                  op, init);
        }
    }
    medium_list.append(to.medium, listed_medium);
    long_list.append(to.longer, listed_long);
}

/// Reduces the segments of up to a row among the `count` segments from `first` on, and lists the longer ones.
template <class Segmented, class Tuning, class Lists>
TILEWISE_KERNEL(Tuning::threads, Segmented::scan::batched ? Tuning::reducing_short_blocks : 1)
reduce_short_segments(typename Segmented::view view, typename Segmented::results results,
                      typename Segmented::segments segments, offset first, offset count,
                      initial<typename Segmented::value> init, typename Segmented::op op, Lists to)
{
    using Scan = typename Segmented::scan;
    TILEWISE_SHARED(medium_list, block_list<Tuning::threads / warp_size>);
    TILEWISE_SHARED(long_list, block_list<Tuning::threads / warp_size>);
    release_dependents();
    if (gpu::are_announced_for_others<Scan, Tuning, false>(segments, first, count, to.runs))
        return gpu::end_after_primary();
    wait_for_primary();
    gpu::clear_counters_of_next_round(to.counters_of_next_round);
    if (!gpu::are_reduced_by_fours<Scan, Tuning>(segments, first, gpu::existing_segments(segments, first, count)))
        gpu::reduce_several_at_once<Segmented, Tuning, false>(view, results, segments, first, count, init.get(), op, to,
                                                              medium_list, long_list);
}

/// Reduces adjacent segments of up to four rows among the `count` segments from `first` on, and lists the longer ones,
/// if the mean length is one for which this takes less time than `reduce_short_segments`. It does not wait for that
/// kernel, which does nothing then, except where the offsets come from kernels before.
template <class Segmented, class Tuning, class Lists>
TILEWISE_KERNEL(Tuning::threads, Tuning::by_fours_blocks)
reduce_segments_by_fours(typename Segmented::view view, typename Segmented::results results,
                         typename Segmented::segments segments, offset first, offset count,
                         initial<typename Segmented::value> init, typename Segmented::op op, Lists to)
{
    using Scan = typename Segmented::scan;
    TILEWISE_SHARED(medium_list, block_list<Tuning::threads / warp_size>);
    TILEWISE_SHARED(long_list, block_list<Tuning::threads / warp_size>);
    constexpr bool waits_first = Segmented::segments::counts_on_device; // otherwise, that kernel writes nothing for it
    release_dependents();
    if (gpu::are_announced_for_others<Scan, Tuning, true>(segments, first, count, to.runs))
        return gpu::end_after_primary();
    if (waits_first)
        wait_for_primary();
    if (gpu::are_reduced_by_fours<Scan, Tuning>(segments, first, gpu::existing_segments(segments, first, count)))
        gpu::reduce_several_at_once<Segmented, Tuning, true>(view, results, segments, first, count, init.get(), op, to,
                                                             medium_list, long_list);
    if (!waits_first)
        gpu::end_after_primary();
}

/// Fetches the beginning of each lane's segment to the L2 cache, up to a kilobyte, if it is in one range of memory.
template <class View>
TILEWISE_DEVICE void prefetch_begin(View const& view, segment_span own)
{
    if constexpr (View::bases == 1) {
        auto const* const first = reinterpret_cast<unsigned char const*>(view.base().address_of(own.begin));
        offset const bytes = own.count * View::widest;
        TILEWISE_UNROLL
        for (int at = 0; at < 8 * line_bytes; at += line_bytes)
            if (at < bytes)
                prefetch_line(first + at);
    }
}

/// Combines the segments that are listed for warps, which take a few at a time. Each lane reads one of these.
/// `aligned_every`: segments that begin at such multiples can be read in the widest loads; none can if it is 0.
template <class Segmented, int threads>
TILEWISE_DEVICE void
combine_medium_segments(typename Segmented::view const& view, typename Segmented::results const& results,
                        typename Segmented::segments& segments, offset first,
                        optional_value<typename Segmented::value> const& init, typename Segmented::op& op,
                        listed_segments const& medium, offset aligned_every)
{
    using Scan = typename Segmented::scan;
    constexpr bool scans_rows = !Segmented::results::reduces || !Scan::batched; // the last result is the reduction
    auto const found = static_cast<offset>(*medium.found);
    offset const warps = offset{block_count()} * (threads / warp_size);
    int wanted = 1; // segments, of about two chunks together
    for (offset left = found; left > 0;) {
        auto const at_once = static_cast<int>(gpu::at_most(1 + left / (2 * warps), wanted)); // in the end, fewer
        offset begin = 0;
        if (lane_index() == 0)
            begin = static_cast<offset>(fetch_add(medium.taken, static_cast<unsigned long long>(at_once)));
        begin = shuffle(begin, 0);
        left = found - begin;
        if (left <= 0)
            return;
        int const count = static_cast<int>(gpu::at_most(left, at_once));
        offset const own = first + medium[static_cast<unsigned long long>(begin) + min_of(lane_index(), count - 1)];
        segment_span const own_segment = segments.at(own);
        bool const has_own = lane_index() < count;
        wanted =
            gpu::min_of(1 + 2 * Scan::chunk * count /
                                static_cast<int>(warp_total(has_own ? static_cast<unsigned>(own_segment.count) : 0)),
                        warp_size / 2);
        if (Segmented::results::reduces && count > 1 && has_own) // a scan is a little slower with it
            gpu::prefetch_begin(view, own_segment);
        [[maybe_unused]] row_starts<Scan> starts;
        if constexpr (scans_rows) // of all segments at once: one by one, they took up to 5 % longer
            starts.find(own_segment, aligned_every);
        TILEWISE_NO_UNROLL
        for (int i = 0; i < count; ++i) {
            segment_span const segment = {shuffle(own_segment.begin, i), shuffle(own_segment.count, i)};
            offset const index = shuffle(own, i);
            if constexpr (!scans_rows) {
                gpu::warp_reduce_chunks<Segmented>(view, results, segment, index, op, init);
            } else {
                gpu::warp_scan_segment<Segmented>(view, results, segment, index, starts.head(i), starts.are_aligned(i),
                                                  op, init);
            }
        }
    }
}

/// The segments that are listed for warps, which the warps of a kernel scan in the end, unless `medium` is null: then
/// another kernel scans them.
template <class Segmented>
struct scanned_by_warps {
    typename Segmented::results results;
    typename Segmented::segments segments;
    offset first;
    listed_segments medium;
    offset aligned_every;

    TILEWISE_DEVICE bool any() const { return medium.found != nullptr && *medium.found > 0; }
    template <int threads>
    TILEWISE_DEVICE void scan(typename Segmented::view const& view,
                              optional_value<typename Segmented::value> const& init, typename Segmented::op& op)
    {
        if (medium.found != nullptr)
            gpu::combine_medium_segments<Segmented, threads>(view, results, segments, first, init, op, medium,
                                                             aligned_every);
    }
};
/// In place of these, if another kernel always scans them.
struct scanned_before {
    TILEWISE_DEVICE static bool any() { return false; }
    template <int threads, class View, class Init, class Op>
    TILEWISE_DEVICE void scan(View const&, Init const&, Op&) const
    {}
};

/// Scans the segments that are listed for warps: if there are `least_for_warps` of all lengths. Announces how many are
/// listed for blocks.
template <class Segmented, int threads, int blocks_per_multiprocessor>
TILEWISE_KERNEL(threads, blocks_per_multiprocessor)
scan_medium_segments(typename Segmented::view view, typename Segmented::results results,
                     typename Segmented::segments segments, offset first, initial<typename Segmented::value> init,
                     typename Segmented::op op, listed_segments medium, offset aligned_every, announced_count runs,
                     offset least_for_warps, awaited_lists lists)
{
    release_dependents();
    bool nothing = gpu::are_announced_as_many(segments, runs);
    if constexpr (Segmented::segments::counts_on_device)
        nothing = nothing || (segments.announced >= 0 && segments.announced < least_for_warps);
    if (nothing && block_index() > 0)
        return;
    lists.wait();
    if (nothing)
        return;
    gpu::combine_medium_segments<Segmented, threads>(view, results, segments, first, init.get(), op, medium,
                                                     aligned_every);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
