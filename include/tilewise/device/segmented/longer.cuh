// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The segments that the kernels of short ones list, and the launches of the kernels that combine those.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/status_memory.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/device/segmented/announced.cuh>
#include <tilewise/device/segmented/few.cuh>
#include <tilewise/device/segmented/fold.cuh>
#include <tilewise/device/segmented/long_reduction.cuh>
#include <tilewise/device/segmented/long_scan.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/segmented/short.cuh>
#include <tilewise/device/segmented/single_pass.cuh>
#include <tilewise/device/segmented/split.cuh>
#include <tilewise/device/segmented/unlisted.cuh>
#include <tilewise/device/segmented/work.cuh>
#include <tilewise/order.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// How many bytes the aggregates of segments that are split take; the prefixes of scans take as many, the status words
/// of reductions twice that, and so does the list.
template <class Tuning>
std::size_t split_bytes_for(device_call const& call)
{
    return call.budget() == 0 ? Tuning::split_bytes : std::min(Tuning::split_bytes, call.budget() / 256);
}

/// The memory for the groups of segments that are split to be scanned.
template <class T>
struct memory_of_groups {
    scratch<T> values, prefixes;
    memory_of_groups(device_call const& by, offset count) : values(by, count), prefixes(by, count) {}
};
/// In place of that, for reductions.
struct no_groups {
    no_groups(device_call const&, offset) {}
};

/// In place of `segments_in_one_pass`, for reductions.
struct no_single_pass {
    template <class View, class Sink>
    no_single_pass(device_call const&, View const&, Sink const&, offset, offset, offset)
    {}
    bool is_possible() const { return false; }
};

/// Lists segments that are reduced, and combines them.
template <class Segmented, class Tuning>
class longer_segments {
    using Scan = typename Segmented::scan;
    using T = typename Segmented::value;
    using order = typename Scan::order;
    static constexpr bool reduces = Segmented::results::reduces;
    static constexpr bool can_list_few = reduces && !Segmented::segments::counts_on_device;
    static_assert(Tuning::most_few_segments <= warp_size);
    using units_type = parts_of_reduction<Tuning, Tuning::template log2_least_unit<T, Scan::view::widest>>;
    using split_type = split_segments<T, std::conditional_t<reduces, units_type, parts_of_scan<order, Tuning>>>;
    static constexpr bool are_runs = Segmented::segments::counts_on_device;
    using others_type = std::conditional_t<are_runs, scanned_by_warps<Segmented>, scanned_before>;
    using one_pass_type = std::conditional_t<reduces, no_single_pass, segments_in_one_pass<Scan, Tuning, others_type>>;
    using groups_type = std::conditional_t<reduces, no_groups, memory_of_groups<T>>;

public:
    /// What the kernels of short segments list the others in.
    using lists_type =
        std::conditional_t<reduces, lists_of_reduction<split_type>, lists_of_scan<long_segments<order, split_type>>>;

    /// For rounds of up to `at_once` segments, of which up to `most_listed` are listed. Segments have up to `longest`
    /// elements; those that are scanned have so many together.
    ///
    /// `only_long_runs`: the segments are the long ones of few runs. These are scanned by as few kernels as possible.
    /// Those that are not listed for warps have tickets, however short they are, and the warps of the single pass scan
    /// the others, too.
    longer_segments(device_call& by, typename Segmented::view const& view, typename Segmented::results const& results,
                    offset at_once, offset most_listed, offset longest, bool only_long_runs, bool announces_runs)
        : call_(by), one_pass_(by, view, results.to, at_once, longest, only_long_runs ? at_once : 0),
          only_long_runs_(only_long_runs), announces_runs_(announces_runs),
          in_one_kernel_(only_long_runs && one_pass_.is_possible()),
          split_bytes_(one_pass_.is_possible() ? 0 : gpu::split_bytes_for<Tuning>(by)),
          most_split_(std::min(offset{Tuning::most_split_segments},
                               static_cast<offset>(2 * split_bytes_ / sizeof(split_segment)))),
          most_aggregates_(static_cast<offset>(split_bytes_ / std::max(sizeof(T), sizeof(unsigned)))),
          most_listed_(most_listed), counters_(by), list_(by, most_listed), split_list_(by, most_split_ + 1),
          groups_(by, most_aggregates_ + 1) // there may be no room at all
    {}

    /// Whether no kernel before has to list so many segments, of up to `longest` elements.
    static bool lists_few(offset count, offset longest)
    {
        return can_list_few && count <= Tuning::most_few_segments && longest > Scan::row;
    }
    /// Begins a round of `count` segments, before its first kernel is launched.
    void begin(offset longest, offset count)
    {
        count_ = count;
        counters_.begin();
        // Leased around all launches: what clears new memory, and the nodes of a capture that allocate and free it,
        // would keep a kernel and its dependent launch (PDL) from overlapping.
        statuses_.reset();
        if (longest > Scan::row && (reduces || one_pass_.is_possible()))
            statuses_.emplace(call_, status_words_needed());
    }
    lists_type lists() const
    {
        if constexpr (reduces)
            return {medium(), longer(), split(), unlisted(), counters_.of_next(), announced_runs()};
        else
            return {
                medium(),
                longer(),
                {one_pass_.is_possible(), in_one_kernel_ ? 1 : Scan::tile + 1, one_pass_.segments(counter(4)), split()},
                counters_.of_next(),
                announced_runs()};
    }

    /// A counter of the round that is 0, for the caller.
    unsigned long long* further_counter() const { return counter(5); }
    /// Where a kernel of the caller announces the number of runs, if it does.
    announced_count announced_runs() const { return {announces_runs_ ? counter(8) : nullptr}; }

    /// Launches the kernels for the segments of the round that have been listed, of `count` segments from `first` on,
    /// and ends the round. `are_listed`: otherwise, they are few, and the first of these kernels lists them.
    void start(typename Segmented::view const& view, typename Segmented::results const& results,
               typename Segmented::segments const& segments, offset first, offset count, bool are_listed,
               offset longest, initial<T> const& before, typename Segmented::op const& op)
    {
        start_kernels(view, results, segments, first, count, are_listed, longest, before, op);
        counters_.end();
        announces_runs_ = false; // in the first round only
    }

private:
    void start_kernels(typename Segmented::view const& view, typename Segmented::results const& results,
                       typename Segmented::segments const& segments, offset first, offset count,
                       [[maybe_unused]] bool are_listed, offset longest, initial<T> const& before,
                       typename Segmented::op const& op)
    {
        constexpr int threads = Tuning::threads;
        if (longest <= Scan::row)
            return;
        if constexpr (reduces) {
            auto const reduce_longer = [&](auto const& begun) {
                using First = std::decay_t<decltype(begun)>;
                offset const aligned_every = gpu::aligned_every(view);
                auto const launch = [&]<class Kind>(std::type_identity<Kind>) {
                    constexpr auto kernel = &reduce_longer_segments<Kind, Tuning, split_type, First>;
                    call_.launch(kernel, "reduce_longer_segments",
                                 {reducing_blocks(), threads, 1, are_listed && call_.can_launch_dependent<kernel>()},
                                 view, results, segments, first, before, op, medium(), longer(), split(), aligned_every,
                                 begun);
                };
                using View = typename Scan::view;
                if constexpr (elements_keep_alignment<View> && View::element_alignment < vector_bytes)
                    if (aligned_every == 1) // as elements of larger alignment always are
                        return launch(
                            std::type_identity<segmented_of<with_aligned_segments<Scan>, typename Segmented::results,
                                                            typename Segmented::segments>>());
                launch(std::type_identity<Segmented>());
            };
            if (are_listed)
                reduce_longer(listed_before{unlisted()});
            else if constexpr (can_list_few)
                reduce_longer(few_segments{static_cast<int>(count), counters_.of_next()});
            statuses_->record_tickets(0); // they are counted elsewhere
        } else {
            bool const are_for_warps = (count >= Tuning::least_for_warps || only_long_runs_) && !in_one_kernel_;
            announced_count const for_blocks = {statuses_ ? counter(9) : nullptr};
            if (are_for_warps) {
                constexpr int each = Tuning::scanning_blocks_per_multiprocessor;
                constexpr auto scan_medium = &scan_medium_segments<Segmented, threads, each>;
                offset const most_blocks = offset{call_.multiprocessors()} * each;
                call_.launch(scan_medium, "scan_medium_segments",
                             {gpu::blocks_for(count, threads / warp_size, most_blocks), threads, 1,
                              call_.can_launch_dependent<scan_medium>()},
                             view, results, segments, first, before, op, medium(), gpu::aligned_every(view),
                             only_long_runs_ ? announced_count() : announced_runs(), offset{Tuning::least_for_warps},
                             awaited_lists{longer().found, for_blocks, true});
            }
            constexpr auto scan_long = &scan_long_segments<Segmented, split_type>;
            constexpr int long_each = Tuning::template long_blocks_per_multiprocessor<T>;
            static_assert(long_each > 1);
            int const long_blocks = call_.multiprocessors() * long_each;
            if (statuses_) {
                others_type others = {};
                if constexpr (are_runs)
                    others = {results, segments, first, in_one_kernel_ ? medium() : listed_segments{},
                              gpu::aligned_every(view)};
                one_pass_.start(view, results.to, before, op, one_pass_.segments(counter(4)), *statuses_, counter(3),
                                others, awaited_lists{longer().found, for_blocks, !are_for_warps});
            } else {
                call_.launch(&reduce_groups_of_segments<Segmented, threads, long_each, split_type>,
                             "reduce_groups_of_segments", {long_blocks, threads}, view, segments, first, op, split());
                call_.launch(&carry_groups_of_segments<Segmented, threads, split_type>, "carry_groups_of_segments",
                             {static_cast<int>(std::min(count, offset{long_blocks})), threads}, segments, first, before,
                             op, split());
            }
            if (!in_one_kernel_ || !one_pass_.has_room_for_all())
                call_.launch(scan_long, "scan_long_segments",
                             {long_blocks, Scan::threads, 1, statuses_ && call_.can_launch_dependent<scan_long>()},
                             view, results, segments, first, before, op, longer(), split(), for_blocks);
        }
    }

    offset status_words_needed() const
    {
        if constexpr (reduces)
            return (most_aggregates_ + 1) * status_words::words_of<T>;
        else
            return one_pass_.status_words_needed();
    }
    unsigned long long* counter(int i) const { return counters_.of_round() + i; }
    int reducing_blocks() const { return call_.multiprocessors() * resident_reducing_blocks<Scan, Tuning>; }
    unlisted_segments unlisted() const
    {
        return are_runs ? unlisted_segments() : unlisted_segments{reducing_blocks(), count_};
    }
    listed_segments longer() const { return {counter(0), counter(1), list_.begin(), 1}; }
    listed_segments medium() const { return {counter(6), counter(7), list_.begin() + most_listed_ - 1, -1}; }
    split_type split() const
    {
        split_type split = {counter(2),
                            split_list_.begin(),
                            {},
                            static_cast<unsigned long long>(most_split_),
                            static_cast<unsigned long long>(most_aggregates_)};
        if constexpr (!reduces)
            split.aggregates = {groups_.values.begin(), groups_.prefixes.begin()};
        else if (statuses_)
            split.aggregates = {statuses_->words(), statuses_->epoch()};
        return split;
    }

    device_call& call_;
    one_pass_type one_pass_;
    bool only_long_runs_, announces_runs_, in_one_kernel_;
    std::size_t split_bytes_;
    offset most_split_, most_aggregates_, most_listed_, count_ = 0;
    round_counters counters_;
    scratch<unsigned> list_;
    scratch<split_segment> split_list_;
    groups_type groups_;
    std::optional<status_memory> statuses_;
};

} // namespace gpu
TILEWISE_NAMESPACE_END
