// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The units of segments that are split to be reduced, and how their aggregates are folded.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/segmented/split.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The parts of a segment that is reduced: units of 2^k tiles, and one for each bit of the rest; then the last tile.
template <class Tuning, int log2_least_unit>
struct parts_of_reduction {
    static constexpr offset least_tiles = Tuning::least_split_tiles;
    static constexpr int log2_units_most = Tuning::log2_units_most;
    static constexpr int ends = 3; ///< aggregates that make up the last tile

    TILEWISE_DEVICE static int log2_unit(offset tiles)
    {
        int log2 = log2_least_unit;
        while (tiles >> log2 >= offset{1} << log2_units_most)
            ++log2;
        return log2;
    }
    TILEWISE_DEVICE static offset units(offset tiles, int log2_unit)
    {
        return (tiles >> log2_unit) + count_bits(static_cast<unsigned>(tiles & ((offset{1} << log2_unit) - 1)));
    }
    TILEWISE_DEVICE static offset aggregates(offset tiles, int log2_unit) { return units(tiles, log2_unit) + ends; }
};

/// The tiles of a unit of a segment.
struct unit_of_segment {
    offset first;
    int log2_tiles;

    /// Unit `index` of a segment with so many tiles before its last one.
    TILEWISE_DEVICE unit_of_segment(offset tiles, int log2_unit, offset index)
    {
        offset const whole = tiles >> log2_unit;
        first = (index < whole ? index : whole) << log2_unit;
        log2_tiles = log2_unit;
        for (offset left = index - whole; left >= 0; --left) { // the bits of the rest, from the highest on
            first += log2_tiles < log2_unit ? offset{1} << log2_tiles : 0;
            do
                --log2_tiles;
            while ((tiles >> log2_tiles & 1) == 0);
        }
    }
};

/// Leaves the trees over the values of the first `count` lanes, fewer than 32, in `trees`: one for each bit of `count`.
template <class T, class Op>
TILEWISE_DEVICE void put_trees_of_bits(Op& op, T value, int count, T* trees)
{
    TILEWISE_NO_UNROLL
    for (int bit = 0; count >> bit != 0; ++bit) {
        if ((count >> bit & 1) != 0 && lane_index() == count >> (bit + 1) << (bit + 1))
            gpu::put(trees[bit], value);
        T const right = gpu::shuffle_down(value, 1 << bit);
        if (lane_index() % (2 << bit) == 0 && lane_index() + (2 << bit) <= count)
            gpu::put(value, gpu::combine(op, value, right));
    }
}

/// Folds the aggregates of the segments that are split, one with each block, and writes the results.
template <class Segmented, int threads, class Split>
TILEWISE_KERNEL(threads, 1)
fold_split_segments(typename Segmented::results results, typename Segmented::segments segments, offset first,
                    initial<typename Segmented::value> init, typename Segmented::op op, Split split)
{
    using T = typename Segmented::value;
    using order = typename Segmented::scan::order;
    constexpr int warps = threads / warp_size, log2_warp = gpu::log2_of(warp_size),
                  most = (1 << Split::parts::log2_units_most) / warp_size,
                  levels = (Split::parts::log2_units_most + log2_warp - 1) / log2_warp;
    static_assert(levels <= 3 && most <= warp_size * warp_size);
    TILEWISE_SHARED(folded, raw_storage<T[most + most / warp_size + 1]>); // 32 units each, then 1024 each
    TILEWISE_SHARED(trees, raw_storage<T[levels * log2_warp]>);
    wait_for_primary();
    for (int index = block_index(); index < split.count(); index += block_count()) {
        split_segment const part = split.list[index];
        if (!split.has_room(part))
            return;
        segment_span const segment = segments.at(first + part.number);
        offset const tiles = order::tiles_before_last(segment.count);
        auto const whole = static_cast<int>(tiles >> part.log2_unit);
        T const* below = split.aggregates + part.first;
        T* here = folded.object();
        for (int level = 0, units = whole; units > 0; ++level, units >>= log2_warp) {
            int const next = units >> log2_warp;
            for (int i = warp_index(); i <= next; i += warps) {
                int const values = gpu::min_of(units - i * warp_size, warp_size);
                if (values <= 0)
                    continue;
                T const own(below[i * warp_size + gpu::min_of(lane_index(), values - 1)]);
                if (i < next) {
                    T const tree = gpu::warp_tree(op, own);
                    if (lane_index() == 0)
                        gpu::put(here[i], tree);
                } else {
                    gpu::put_trees_of_bits(op, own, values, trees.object() + level * log2_warp);
                }
            }
            sync_block();
            below = here;
            here += next;
        }
        if (thread_index() == 0) {
            T const* const own = split.aggregates + part.first;
            optional_value<T> carry = init.get();
            int const rest = (1 << part.log2_unit) - 1, rest_units = count_bits(static_cast<unsigned>(tiles) & rest);
            for (int level = order::digits(tiles) - 1; level >= 0; --level) {
                auto tree = gpu::no_value<T>();
                for (int bit = order::log2_tiles(level); bit < order::log2_tiles(level + 1) && tiles >> bit != 0; ++bit)
                    if ((tiles >> bit & 1) != 0) {
                        if (bit >= part.log2_unit)
                            tree.prepend(op, T(trees.object()[bit - part.log2_unit]));
                        else // how many of the rest are as large or larger
                            tree.prepend(
                                op,
                                T(own[whole + count_bits(static_cast<unsigned>(tiles) & rest & ~((2u << bit) - 1))]));
                    }
                if (tree.has_value)
                    carry.append(op, T(tree.value[0]));
            }
            T const* const ends = own + whole + rest_units;
            auto const last = order::locate(segment.count - 1 - tiles * order::tile);
            if (last.chunk > 0)
                carry.append(op, T(ends[0]));
            if (last.row > 0 || last.lane > 0)
                carry.append(op, T(ends[1]));
            carry.append(op, T(ends[2]));
            auto to = results.to;
            gpu::store_one(to, first + part.number, T(carry.value[0]));
        }
        sync_block();
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
