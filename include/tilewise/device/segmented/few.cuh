// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How `reduce_longer_segments` begins: with segments that kernels before it have listed, or, in a call of few
/// segments, with those of the call. Each block lists these for itself then, so that no kernel has to do that before
/// (decision 40).

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/status_memory.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/segmented/split.cuh>
#include <tilewise/device/segmented/unlisted.cuh>
#include <tilewise/device/segmented/warp.cuh>
#include <tilewise/device/segmented/work.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Kernels before this one have listed the segments.
struct listed_before {
    struct lists_of_block {};
    unlisted_segments unlisted; ///< but for these

    template <class Segmented, class Split>
    TILEWISE_DEVICE void list(typename Segmented::view const&, typename Segmented::results const&,
                              typename Segmented::segments&, offset, optional_value<typename Segmented::value> const&,
                              typename Segmented::op&, lists_of_block&, listed_segments&, Split&) const
    {}
};

/// This is the first kernel, for up to 32 segments.
struct few_segments {
    /// What a block lists, in shared memory: the segments that are split, and the others.
    struct lists_of_block {
        unsigned long long found, reserved; ///< as in `listed_segments` and `split_segments`
        unsigned longer[warp_size];
        split_segment split[warp_size];
    };
    int count;
    unsigned long long* counters_of_next_round;

    /// Lists the segments of more than a row, and has `longer` and `split` refer to the lists of the block. The other
    /// segments have a block each, from the last one on, which has the least other work. All threads take part, and
    /// synchronize before they read the lists.
    template <class Segmented, class Split>
    TILEWISE_DEVICE void list(typename Segmented::view const& view, typename Segmented::results const& results,
                              typename Segmented::segments& segments, offset first,
                              optional_value<typename Segmented::value> const& init, typename Segmented::op& op,
                              lists_of_block& to, listed_segments& longer, Split& split) const
    {
        using Scan = typename Segmented::scan;
        gpu::clear_counters_of_next_round(counters_of_next_round);
        if (warp_index() == 0) {
            int const lane = lane_index();
            segment_span const own = lane < count ? segments.at(first + lane) : segment_span{0, 0};
            bool const fits_row = own.count <= Scan::row;
            list_longer<typename Scan::order>(own.count, fits_row, to, split);
            TILEWISE_NO_UNROLL
            for (int i = block_count() - 1 - block_index(); i < count; i += block_count()) {
                segment_span const one = {gpu::shuffle(own.begin, i), gpu::shuffle(own.count, i)};
                if (one.count == 0 && lane == 0) {
                    auto sink = results.to;
                    gpu::store_one(sink, first + i, init.value[0]);
                } else if (one.count > 0 && one.count <= Scan::row) {
                    gpu::warp_combine_short<Segmented>(view, results, one, first + i, 1, op, init, nullptr);
                }
            }
        }
        longer.found = &to.found;
        longer.begin = to.longer;
        split.reserved = &to.reserved;
        split.list = to.split;
    }

private:
    template <class Order, class Split>
    TILEWISE_DEVICE static void list_longer(offset own, bool fits_row, lists_of_block& to, Split const& split)
    {
        using parts = typename Split::parts;
        int const lane = lane_index();
        auto const number = static_cast<unsigned>(lane);
        unsigned const lanes_before = (1u << lane) - 1;
        offset const tiles = Order::tiles_before_last(own);
        bool const is_split = tiles >= parts::least_tiles;
        int const log2_unit = parts::log2_unit(tiles);
        auto const aggregates = is_split ? static_cast<unsigned>(parts::aggregates(tiles, log2_unit)) : 0;
        unsigned const up_to_own = gpu::warp_sums(aggregates), splits = warp_ballot(is_split);
        auto const index = static_cast<unsigned>(count_bits(splits & lanes_before));
        bool const is_listed = is_split && index < split.most_segments,
                   has_room = is_listed && up_to_own <= split.most_aggregates;
        if (is_split)
            to.split[index] =
                Split::entry(number, log2_unit, has_room ? up_to_own - aggregates : Split::no_room, aggregates);
        unsigned const others = warp_ballot(!fits_row && !has_room);
        if ((others >> lane & 1) != 0)
            to.longer[count_bits(others & lanes_before)] = number;
        if (lane == warp_size - 1) {
            to.found = static_cast<unsigned long long>(count_bits(others));
            to.reserved = (static_cast<unsigned long long>(count_bits(splits)) << Split::aggregate_bits) + up_to_own;
        }
    }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
