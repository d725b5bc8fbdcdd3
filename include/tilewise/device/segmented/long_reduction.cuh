// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reduction of segments of more than a row. Warps reduce those of up to a tile, if there are many, blocks the others.
/// A segment of many tiles is split into units, which blocks reduce like segments.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/carry.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/segmented/chunk_rounds.cuh>
#include <tilewise/device/segmented/few.cuh>
#include <tilewise/device/segmented/fold.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/segmented/short.cuh>
#include <tilewise/device/segmented/split.cuh>
#include <tilewise/device/segmented/work.cuh>
#include <tilewise/order.hpp>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// What a block has to do with the aggregates of a round.
enum class use_of_round {
    nothing,
    continues,    ///< they are of whole tiles, more of which follow
    ends_segment, ///< the segment ends; `index` is that of its result
    ends_unit,    ///< likewise for a unit of a segment that is split, whose aggregate goes to `index`
    is_last_tile  ///< they are of the last tile of such a segment, whose aggregates go to `index` and behind it
};

/// What a block still has to do for a ticket: to reduce whole chunks of a segment, and `last` elements behind them.
struct block_work {
    use_of_round use; ///< of the last round
    offset index;     ///< where its results go
    offset begin, chunks;
    int last;
};

/// The work for a segment that a block reduces alone, whose result goes to `index`.
template <class Scan>
TILEWISE_DEVICE block_work work_of_segment(offset index, segment_span segment)
{
    offset const chunks = (segment.count - 1) / Scan::chunk;
    return {use_of_round::ends_segment, index, segment.begin, chunks,
            static_cast<int>(segment.count - chunks * Scan::chunk)};
}

/// How many blocks of `reduce_longer_segments` have room on a multiprocessor.
template <class Scan, class Tuning>
inline constexpr int resident_reducing_blocks =
    Tuning::template reducing_blocks_per_multiprocessor<Scan::lane_vector, Scan::view::widest>;

/// Reduces the segments that are listed: with blocks those of more than a tile, and the parts of those that are split,
/// and folds the latter; then with warps the others, which even out how long blocks take. A block that folds a segment
/// waits for its parts. Their tickets are smaller, so the blocks that have these are running. A block may begin with a
/// segment that is not listed.
template <class Segmented, class Tuning, class Split, class First>
TILEWISE_KERNEL(Tuning::threads, (resident_reducing_blocks<typename Segmented::scan, Tuning>))
reduce_longer_segments(typename Segmented::view view, typename Segmented::results results,
                       typename Segmented::segments segments, offset first, initial<typename Segmented::value> init,
                       typename Segmented::op op, listed_segments medium, listed_segments longer, Split split,
                       offset aligned_every, First begun)
{
    constexpr int threads = Tuning::threads;
    using rounds = chunk_rounds<Segmented, threads>;
    using Scan = typename Segmented::scan;
    using T = typename Segmented::value;
    using order = typename Scan::order;
    TILEWISE_SHARED(tickets, unsigned long long[2]);
    TILEWISE_SHARED(shared, raw_storage<typename rounds::aggregates[2]>);
    using lists_type = typename First::lists_of_block;
    TILEWISE_SHARED(own_lists, lists_type);
    release_dependents();
    optional_value<T> const before = init.get();
    unsigned long long next = 0, listed = 0, of_parts = 0, work = 0;
    auto const wait_for_lists = [&] {
        if (thread_index() == 0)
            next = next_ticket(longer.taken); // in flight meanwhile
        wait_for_primary();
        begun.template list<Segmented>(view, results, segments, first, before, op, own_lists, longer, split);
        if (thread_index() == 0)
            tickets[0] = next;
        sync_block(); // the lists, too, may be in shared memory
        listed = *longer.found, of_parts = split.ticket_count(), work = listed + of_parts;
        return work + *medium.found > 0;
    };
    block_work left = {use_of_round::nothing, 0, 0, 0, 0};
    bool are_listed = true; // otherwise, the block takes a segment that is not, and then waits for the lists
    if constexpr (std::is_same_v<First, listed_before> && !Segmented::segments::counts_on_device) {
        if (offset const number = block_index(); number < begun.unlisted.count) {
            segment_span const segment = segments.at(first + number);
            are_listed = !begun.unlisted.template has<Scan, Tuning, typename Split::parts>(number, segment.count);
            if (!are_listed)
                left = gpu::work_of_segment<Scan>(first + number, segment);
        }
    }
    if (are_listed && !wait_for_lists())
        return;

    auto use = use_of_round::nothing; // of the round before, and what it has
    int chunks = 0, last = 0;
    offset index = 0;
    running_carry<order, T, rounds::log2_tiles, 2> whole; // of warp 0: the rounds before that one, and how many
    int before_it = 0;
    auto const finish = [&](typename rounds::aggregates& of) {
        int const tiles = chunks / Scan::chunks * Scan::chunks;
        if (use == use_of_round::continues) {
            whole.append(op, rounds::tree(op, of, chunks));
            ++before_it;
        } else if (use == use_of_round::ends_segment) {
            optional_value<T> carry(before);
            auto rest = gpu::no_value<T>();
            if (tiles > 0)
                rest.append(op, rounds::tree(op, of, tiles));
            whole.append_to(op, carry, rest);
            whole.clear();
            before_it = 0;
            rounds::append_last_tile(op, of, tiles, chunks - tiles, last,
                                     [&](int, T const& aggregate) { carry.append(op, aggregate); });
            auto to = results.to;
            if (lane_index() == 0)
                gpu::store_one(to, index, T(carry.value[0]));
        } else if (use == use_of_round::ends_unit) {
            T aggregate = rounds::tree(op, of, chunks);
            if (before_it > 0) { // together 2^k
                whole.append(op, aggregate);
                gpu::put(aggregate, whole.tree(gpu::log2_of(before_it + 1)));
                whole.clear();
            }
            before_it = 0;
            if (lane_index() == 0)
                split.aggregates.publish(index, aggregate);
        } else if (use == use_of_round::is_last_tile) {
            rounds::append_last_tile(op, of, 0, chunks, last, [&](int i, T const& aggregate) {
                if (lane_index() == 0)
                    split.aggregates.publish(index + i, aggregate);
            });
        }
    };

    int slot = 0, side = 0; // of the tickets, and of the aggregates
    TILEWISE_NO_UNROLL
    for (;;) {
        unsigned long long own = 0;
        if (are_listed) {
            own = tickets[slot];
            if (thread_index() == 0 && own < work)
                next = next_ticket(longer.taken);
            if (warp_index() == 0)
                finish(shared.object()[side ^ 1]);
            use = use_of_round::nothing;
            if (own >= work)
                break;
            left = {use_of_round::nothing, 0, 0, 0, 0};
        }
        // (What a ticket is for, found in a function of its own, made segments of doubles up to 8 % slower.)
        if (are_listed && own < listed) {
            offset const number = first + longer[own];
            left = gpu::work_of_segment<Scan>(number, segments.at(number));
        } else if (are_listed) {
            int const place = split.place_of(own - listed);
            split_segment const part = split.list[place];
            segment_span const segment = segments.at(first + part.number);
            offset const tiles = order::tiles_before_last(segment.count),
                         unit = static_cast<offset>(own - listed - split.first_ticket(place)),
                         units = Split::parts::units(tiles, part.log2_unit);
            left.index = static_cast<offset>(part.first) + unit;
            if (unit < units) {
                unit_of_segment const which(tiles, part.log2_unit, unit);
                left.begin = segment.begin + which.first * Scan::tile;
                left.chunks = offset{Scan::chunks} << which.log2_tiles;
                left.use = use_of_round::ends_unit;
            } else if (unit == units) {
                int const count = static_cast<int>(segment.count - tiles * Scan::tile);
                left.begin = segment.begin + tiles * Scan::tile;
                left.chunks = (count - 1) / Scan::chunk;
                left.last = count - static_cast<int>(left.chunks) * Scan::chunk;
                left.use = use_of_round::is_last_tile;
            }
        }
        while (use != left.use) {
            if (use == use_of_round::continues) { // the round before
                sync_block();
                if (warp_index() == 0)
                    finish(shared.object()[side ^ 1]);
            }
            bool const continues = left.chunks > rounds::most || (left.chunks == rounds::most && left.last > 0);
            use = continues ? use_of_round::continues : left.use;
            chunks = continues ? rounds::most : static_cast<int>(left.chunks);
            last = continues ? 0 : left.last;
            index = left.index;
            rounds::reduce(view, left.begin, chunks, last, op, shared.object()[side]);
            left.begin += offset{rounds::most} * Scan::chunk;
            left.chunks -= rounds::most;
            side ^= 1;
        }
        if (are_listed) {
            if (thread_index() == 0)
                tickets[slot ^ 1] = next;
            slot ^= 1;
            sync_block();
        } else {
            are_listed = true;
            wait_for_lists();
        }
    }
    if (of_parts > 0)
        gpu::fold_split_segments<Segmented, threads>(results, segments, first, before, op, split, tickets, slot, work,
                                                     longer.taken);
    gpu::combine_medium_segments<Segmented, threads>(view, results, segments, first, before, op, medium,
                                                     Scan::batched ? 0 : aligned_every);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
