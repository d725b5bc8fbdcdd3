// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reduction of segments of more than a chunk. A block reduces a segment of a few tiles. A longer one is split into
/// units of 2^k tiles, which blocks reduce as if they were segments; then one block folds the aggregates of the units.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/carry.cuh>
#include <tilewise/device/block/last_tile.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/segmented/long.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/segmented/split.cuh>
#include <tilewise/device/segmented/work.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The parts of a segment that is reduced: units of 2^k tiles, and one for each bit of the rest; then the last tile.
template <class Tuning>
struct parts_of_reduction {
    static constexpr offset least_tiles = Tuning::least_split_tiles;
    static constexpr int log2_units_most = Tuning::log2_units_most;
    static constexpr int ends = 3; ///< aggregates that make up the last tile

    TILEWISE_DEVICE static int log2_unit(offset tiles)
    {
        int log2 = Tuning::log2_least_unit;
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

/// Reduces a segment with a block and writes the result.
template <class Segmented, int threads>
TILEWISE_DEVICE void block_reduce_segment(typename Segmented::view const& whole,
                                          typename Segmented::results const& results, segment_span segment,
                                          offset index, typename Segmented::op& op,
                                          optional_value<typename Segmented::value> const& init)
{
    using tiles_of = segment_tiles<Segmented, threads>;
    using T = typename Segmented::value;
    using order = typename Segmented::scan::order;
    constexpr int log2_most = tiles_of::log2_most;
    TILEWISE_SHARED(ends, last_tile_ends<T>);
    auto view = whole.part(segment.begin, segment.count);
    offset const tiles = order::tiles_before_last(segment.count);
    running_carry<order, T, log2_most, 2> trees;
    TILEWISE_NO_UNROLL
    for (offset i = 0; i < tiles >> log2_most; ++i)
        trees.append(op, tiles_of::reduce_some(view, i << log2_most, log2_most, op));
    auto rest = gpu::no_value<T>();
    TILEWISE_NO_UNROLL
    for (int bit = 0; bit < log2_most; ++bit) // from right to left
        if ((tiles >> bit & 1) != 0)
            rest.prepend(op, tiles_of::reduce_some(view, tiles >> (bit + 1) << (bit + 1), bit, op));
    tiles_of::read_last(view, tiles, segment.count, op, ends);
    if (warp_index() == 0) {
        optional_value<T> carry(init);
        trees.append_to(op, carry, rest);
        int const count = static_cast<int>(segment.count - tiles * order::tile);
        if (lane_index() == 0) {
            auto to = results.to;
            gpu::store_one(to, index, gpu::append_last_tile<order>(ends, count, carry, op));
        }
    }
}

/// Reduces the listed segments, and then the units of those that are split, which are shorter.
template <class Segmented, int threads, int blocks_per_multiprocessor, class Split>
TILEWISE_KERNEL(threads, blocks_per_multiprocessor)
reduce_long_segments(typename Segmented::view view, typename Segmented::results results,
                     typename Segmented::segments segments, offset first, initial<typename Segmented::value> init,
                     typename Segmented::op op, listed_segments longer, Split split)
{
    using tiles_of = segment_tiles<Segmented, threads>;
    using T = typename Segmented::value;
    using order = typename Segmented::scan::order;
    TILEWISE_SHARED(ticket, unsigned long long);
    TILEWISE_SHARED(ends, last_tile_ends<T>);
    release_dependents();
    wait_for_primary();
    unsigned long long const listed = *longer.found, work = listed + split.aggregate_count();
    unsigned long long next = 0; // of thread 0: its ticket after this one, in flight meanwhile
    if (thread_index() == 0)
        next = next_ticket(longer.taken);
    for (;;) {
        if (thread_index() == 0)
            ticket = next;
        sync_block();
        unsigned long long const own = ticket;
        if (thread_index() == 0 && own < work)
            next = next_ticket(longer.taken);
        if (own >= work)
            return;
        if (own < listed) {
            offset const index = first + longer[own];
            gpu::block_reduce_segment<Segmented, threads>(view, results, segments.at(index), index, op, init.get());
        } else {
            unsigned long long const aggregate = own - listed;
            split_segment const part = split.segment_of(aggregate);
            segment_span const segment = segments.at(first + part.number);
            offset const tiles = order::tiles_before_last(segment.count),
                         unit = static_cast<offset>(aggregate - part.first),
                         count = Split::parts::units(tiles, part.log2_unit);
            auto from = view.part(segment.begin, segment.count);
            if (unit < count) {
                unit_of_segment const which(tiles, part.log2_unit, unit);
                T const result = tiles_of::reduce(from, which.first, which.log2_tiles, op);
                if (thread_index() == 0)
                    gpu::put(split.aggregates[aggregate], result);
            } else if (unit == count) {
                tiles_of::read_last(from, tiles, segment.count, op, ends);
                auto const last = order::locate(segment.count - 1 - tiles * order::tile);
                if (thread_index() == 0) { // those that there are
                    if (last.chunk > 0)
                        gpu::put(split.aggregates[aggregate], ends.chunks());
                    if (last.row > 0 || last.lane > 0)
                        gpu::put(split.aggregates[aggregate + 1], ends.rows_and_lanes());
                    gpu::put(split.aggregates[aggregate + 2], ends.elements());
                }
            }
        }
        sync_block();
    }
}

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
