// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The units of segments that are split to be reduced, and how their aggregates are folded: by a warp or a block that
/// takes them from status words, as soon as the blocks that reduce the units have published them.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/last_tile.cuh>
#include <tilewise/device/block/status_words.cuh>
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
    static constexpr int ends = last_tile_ends<char>::count; ///< of the last tile, which has one ticket
    static constexpr int without_ticket = ends - 1;
    template <class T>
    using aggregates_of = status_words;

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

/// Whether the last tile of a segment of `count` elements has aggregate `i`.
template <class T, class Order>
TILEWISE_DEVICE bool has_end(offset count, int i)
{
    auto const last = static_cast<int>(count - Order::tiles_before_last(count) * Order::tile);
    return last_tile_ends<T>::template has<Order>(i, last);
}

/// Appends the parts of a segment of `count` elements: the trees over units, one for each bit of their number, and the
/// other parts as they are. `tree(bit)`, `rest(i)` and `end(i)` return them.
template <class Order, class T, class Op, class Tree, class Rest, class End>
TILEWISE_DEVICE void append_parts(Op& op, optional_value<T>& carry, offset count, int log2_unit, Tree const& tree,
                                  Rest const& rest, End const& end)
{
    offset const tiles = Order::tiles_before_last(count);
    int const behind_units = static_cast<int>(tiles) & ((1 << log2_unit) - 1);
    TILEWISE_NO_UNROLL
    for (int level = Order::digits(tiles) - 1; level >= 0; --level) {
        auto digit = gpu::no_value<T>();
        TILEWISE_NO_UNROLL
        for (int bit = Order::log2_tiles(level); bit < Order::log2_tiles(level + 1) && tiles >> bit != 0; ++bit)
            if ((tiles >> bit & 1) != 0) // of the rest, as many come before as are larger
                digit.prepend(op, bit >= log2_unit ? tree(bit - log2_unit)
                                                   : rest(count_bits(static_cast<unsigned>(behind_units >> bit >> 1))));
        if (digit.has_value)
            carry.append(op, T(digit.value[0]));
    }
    TILEWISE_UNROLL
    for (int i = 0; i < last_tile_ends<T>::count; ++i)
        if (gpu::has_end<T, Order>(count, i))
            carry.append(op, end(i));
}

/// Calls `visit(bit, tree)` for each bit of `count`, with the tree over so many of the values of the first `count`
/// lanes. All lanes of a warp take part.
template <class T, class Op, class Visit>
TILEWISE_DEVICE void for_trees_of_bits(Op& op, T value, int count, Visit const& visit)
{
    TILEWISE_NO_UNROLL
    for (int bit = 0; count >> bit != 0; ++bit) {
        if ((count >> bit & 1) != 0)
            visit(bit, gpu::shuffle(value, count >> (bit + 1) << (bit + 1)));
        T const right = gpu::shuffle_down(value, 1 << bit);
        if (lane_index() % (2 << bit) == 0 && lane_index() + (2 << bit) <= count)
            gpu::put(value, gpu::combine(op, value, right));
    }
}

/// Of a segment with so many tickets, a lane can have each aggregate.
template <class Split>
inline constexpr unsigned most_tickets_of_warp = warp_size - Split::parts::without_ticket;

/// Folds the aggregates of a split segment with a warp, and writes the result, as soon as they have been published.
template <class Segmented, class Split>
TILEWISE_DEVICE void warp_fold_split(typename Segmented::results const& results, typename Segmented::segments& segments,
                                     offset first, optional_value<typename Segmented::value> const& init,
                                     typename Segmented::op& op, Split const& split, split_segment const& part)
{
    using T = typename Segmented::value;
    using order = typename Segmented::scan::order;
    offset const count = segments.at(first + part.number).count, tiles = order::tiles_before_last(count);
    auto const whole = static_cast<int>(tiles >> part.log2_unit), units = static_cast<int>(part.tickets) - 1;
    int const lane = lane_index();
    T const own = gpu::polled<T, true>(
        split.aggregates, static_cast<offset>(part.first) + lane,
        lane < units || (lane < units + Split::parts::ends && gpu::has_end<T, order>(count, lane - units)));
    registers<T, 1> tree_of_lane;
    gpu::for_trees_of_bits(op, own, whole, [&](int bit, T const& tree) {
        if (lane == bit)
            gpu::put(tree_of_lane[0], tree);
    });
    optional_value<T> carry(init);
    gpu::append_parts<order>(
        op, carry, count, part.log2_unit, [&](int bit) { return gpu::shuffle(tree_of_lane[0], bit); },
        [&](int i) { return gpu::shuffle(own, whole + i); }, [&](int i) { return gpu::shuffle(own, units + i); });
    if (lane == 0) {
        auto to = results.to;
        gpu::store_one(to, first + part.number, T(carry.value[0]));
    }
}

/// The same with a block, for a segment of many units.
template <class Segmented, int threads, class Split>
TILEWISE_DEVICE void block_fold_split(typename Segmented::results const& results,
                                      typename Segmented::segments& segments, offset first,
                                      optional_value<typename Segmented::value> const& init, typename Segmented::op& op,
                                      Split const& split, split_segment const& part)
{
    using T = typename Segmented::value;
    using order = typename Segmented::scan::order;
    constexpr int warps = threads / warp_size, log2_warp = gpu::log2_of(warp_size),
                  most = (1 << Split::parts::log2_units_most) / warp_size,
                  levels = (Split::parts::log2_units_most + log2_warp - 1) / log2_warp;
    static_assert(levels <= 3 && most <= warp_size * warp_size);
    TILEWISE_SHARED(folded, raw_storage<T[most + most / warp_size + 1]>); // 32 units each, then 1024 each
    TILEWISE_SHARED(trees, raw_storage<T[levels * log2_warp]>);
    offset const count = segments.at(first + part.number).count, tiles = order::tiles_before_last(count);
    auto const whole = static_cast<int>(tiles >> part.log2_unit), units = static_cast<int>(part.tickets) - 1;
    auto const begin = static_cast<offset>(part.first);
    T* here = folded.object();
    auto const values = [](int left, int i) { return gpu::min_of(left - i * warp_size, warp_size); };
    // Combines the values of the lanes: the i-th 32 of those that are left on a level.
    auto const combine = [&](int level, int left, int i, T const& own) {
        if (values(left, i) == warp_size) {
            T const tree = gpu::warp_tree(op, own);
            if (lane_index() == 0)
                gpu::put(here[i], tree);
        } else {
            gpu::for_trees_of_bits(op, own, values(left, i), [&](int bit, T const& tree) {
                if (lane_index() == 0)
                    gpu::put(trees.object()[level * log2_warp + bit], tree);
            });
        }
    };
    constexpr int batch = sizeof(T) <= 8 ? 4 : sizeof(T) <= 16 ? 2 : 1; // loads in flight
    TILEWISE_NO_UNROLL
    for (int i = warp_index(); values(whole, i) > 0; i += batch * warps) {
        auto const own = gpu::polled_several<T, true, batch>(
            split.aggregates, begin + i * warp_size + lane_index(), warps * warp_size,
            [&](int b) { return lane_index() < values(whole, i + b * warps); });
        TILEWISE_UNROLL
        for (int b = 0; b < batch; ++b)
            if (values(whole, i + b * warps) > 0)
                combine(0, whole, i + b * warps, T(own[b]));
    }
    sync_block();
    TILEWISE_NO_UNROLL
    for (int level = 1, left = whole >> log2_warp; left > 0; ++level, left >>= log2_warp) {
        T const* const below = here;
        here += left;
        for (int i = warp_index(); values(left, i) > 0; i += warps)
            combine(level, left, i, T(below[i * warp_size + gpu::min_of(lane_index(), values(left, i) - 1)]));
        sync_block();
    }
    if (warp_index() == 0) {
        int const lane = lane_index();
        int const others = units - whole + Split::parts::ends;
        T const own = gpu::polled<T, true>(
            split.aggregates, begin + whole + lane,
            lane < units - whole || (lane < others && gpu::has_end<T, order>(count, lane - (units - whole))));
        optional_value<T> carry(init);
        gpu::append_parts<order>(
            op, carry, count, part.log2_unit, [&](int bit) { return T(trees.object()[bit]); },
            [&](int i) { return gpu::shuffle(own, i); }, [&](int i) { return gpu::shuffle(own, units - whole + i); });
        if (lane == 0) {
            auto to = results.to;
            gpu::store_one(to, first + part.number, T(carry.value[0]));
        }
    }
    sync_block();
}

/// Folds the segments that are split: a ticket is for up to one for each warp, which are folded by warps, if their
/// units are few, and otherwise by the block. Tickets from `begin` on are for this; `tickets[slot]` is the one that the
/// block has.
template <class Segmented, int threads, class Split>
TILEWISE_DEVICE void fold_split_segments(typename Segmented::results const& results,
                                         typename Segmented::segments& segments, offset first,
                                         optional_value<typename Segmented::value> const& init,
                                         typename Segmented::op& op, Split const& split, unsigned long long* tickets,
                                         int slot, unsigned long long begin, unsigned long long* taken)
{
    constexpr int warps = threads / warp_size;
    int const count = split.count(), each = gpu::max_of(1, gpu::min_of(warps, count / block_count()));
    auto const is_of_warp = [](split_segment const& part) { return part.tickets <= most_tickets_of_warp<Split>; };
    TILEWISE_NO_UNROLL
    for (;; slot ^= 1) {
        auto const ticket = tickets[slot] - begin;
        if (ticket >= static_cast<unsigned>((count + each - 1) / each))
            return;
        if (thread_index() == 0)
            tickets[slot ^ 1] = next_ticket(taken);
        int const place = static_cast<int>(ticket) * each, behind = gpu::min_of(count, place + each);
        if (int const own = place + warp_index(); own < behind) {
            split_segment const part = split.list[own];
            if (split.has_room(part) && is_of_warp(part))
                gpu::warp_fold_split<Segmented>(results, segments, first, init, op, split, part);
        }
        TILEWISE_NO_UNROLL
        for (int i = place; i < behind; ++i) {
            split_segment const part = split.list[i];
            if (split.has_room(part) && !is_of_warp(part))
                gpu::block_fold_split<Segmented, threads>(results, segments, first, init, op, split, part);
        }
        sync_block();
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
