// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The runs that are too long for `combine_runs`: segments for other kernels.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/by_key/runs.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/segmented/announced.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A run that `combine_runs` does not combine.
struct long_run {
    offset begin, count, index;
};

/// The long runs of a call: segments for the kernels that combine longer ones.
struct long_runs {
    long_run* list;

    static constexpr bool counts_on_device = true;

    TILEWISE_DEVICE segment_span at(offset number) const { return {list[number].begin, list[number].count}; }
};

/// The runs of a call: the listed ones, if there are at most `most`; otherwise the long ones, as `combine_runs`
/// combines the others.
struct runs_or_long_runs {
    run_list all;
    long_runs of_many;
    offset most, elements;
    offset announced = announced_count::unknown; ///< their number, where a kernel has asked for it

    static constexpr bool counts_on_device = true, are_adjacent = true;

    /// Whether that many runs are many. (Not if their number is unknown.)
    TILEWISE_DEVICE bool are_many(offset number) const { return number > most; }
    TILEWISE_DEVICE bool are_many() const { return are_many(number()); }
    TILEWISE_DEVICE segment_span at(offset number) const { return are_many() ? of_many.at(number) : all.at(number); }
    TILEWISE_DEVICE offset start(offset number) const { return all.start(number); } ///< if they are not many
    TILEWISE_DEVICE offset existing(offset first, offset count) const
    {
        offset const runs = number();
        return are_many(runs) ? 0 : gpu::at_most(count, runs - first);
    }
    TILEWISE_DEVICE offset number() const { return announced >= 0 ? announced : *all.number; }
};

/// A sink for the results of a reduction: those of long runs are stored at the index of the run.
template <class Sink>
struct sink_of_runs {
    Sink to;
    runs_or_long_runs segments;

    template <class T, int count>
    TILEWISE_DEVICE static auto pack(registers<T, count> const& values)
    {
        return Sink::pack(values);
    }
    template <class Packed>
    TILEWISE_DEVICE void store_some(offset number, Packed const& value, int, int)
    {
        to.store_some(segments.are_many() ? segments.of_many.list[number].index : number, value, 0, 1);
    }
};

/// Lists long runs for the kernels that combine them.
template <class Order, class Lists>
struct lists_of_long_runs {
    long_runs runs;
    unsigned long long* found; ///< how many there are
    offset least_for_warps;    ///< of so many runs and more, warps combine those of up to a tile
    offset longest_of_few;     ///< of fewer, those of up to so many values, but for the first ones that are found
    unsigned first_ones;       ///< how many these are: as many as blocks combine at once, which takes less time
    Lists to;

    /// Adds one of `count` runs. All lanes take part.
    TILEWISE_DEVICE void add(segment_span span, offset index, offset count) const
    {
        bool const is_first = lane_index() == 0;
        unsigned own = 0;
        if (is_first) {
            own = static_cast<unsigned>(gpu::fetch_add(found, 1ull));
            runs.list[own] = {span.begin, span.count, index};
        }
        offset const of_few = gpu::shuffle(own, 0) < first_ones ? 0 : longest_of_few;
        if (span.count <= (count >= least_for_warps ? Order::tile : of_few)) {
            if (is_first)
                to.medium[gpu::fetch_add(to.medium.found, 1ull)] = own;
            return;
        }
        bool is_shared = false;
        if constexpr (requires { to.far; })
            is_shared = to.far.add(is_first, own, span);
        else if (is_first)
            is_shared = to.split.add(own, Order::tiles_before_last(span.count));
        if (is_first && !is_shared)
            to.longer[gpu::fetch_add(to.longer.found, 1ull)] = own;
    }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
