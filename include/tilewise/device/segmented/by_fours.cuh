// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How a warp reduces several segments of up to four rows, with a lane for every four lane vectors.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/access.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/device/segmented/lane_vector.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// How many lane vectors of a row a lane reduces, and how many lanes of a warp a row takes.
inline constexpr int vectors_per_lane = 4, lanes_per_row = warp_size / vectors_per_lane;

/// How many elements segments have at most that a warp reduces at once: those for which its lanes suffice.
template <class Scan>
inline constexpr int longest_by_fours = std::min(warp_size / lanes_per_row, Scan::rows) * Scan::row;

/// Whether a kernel can reduce like this: a lane's elements come from one range of memory, and its registers suffice
/// for them. (With others, or computed ones, it was not measured.)
template <class Scan>
inline constexpr bool can_reduce_by_fours =
    Scan::batched && Scan::view::bases == 1 &&
    (vectors_per_lane + 1) * Scan::lane_vector * Scan::view::widest <= (vectors_per_lane + 1) * vector_bytes;

/// The least mean length for that. Lane vectors of bytes are four times as long as others, and take longer otherwise.
template <class Scan, class Tuning>
inline constexpr offset least_mean_by_fours = adds_bytes<typename Scan::view, typename Scan::value, typename Scan::op>
                                                  ? Tuning::least_mean_by_fours * Scan::lane_vector * 2 / 3
                                                  : Tuning::least_mean_by_fours * Scan::lane_vector;

/// Returns how many lanes a segment takes that has `whole` lane vectors before its last one.
TILEWISE_DEVICE int lanes_by_fours(int whole)
{
    return max_of((whole + vectors_per_lane - 1) / vectors_per_lane, 1);
}

/// What a lane has of a segment: four consecutive lane vectors of a row, of which some at the left may be missing, and
/// the segment's last lane vector, if it comes next.
template <class Scan>
struct four_vectors {
    using View = typename Scan::view;
    using T = typename Scan::value;
    using Op = typename Scan::op;
    static constexpr int N = Scan::lane_vector, V = vectors_per_lane, elements = (V + 1) * N;
    using loaded_type = typename View::template vector<elements>;
    /// Whether lane vectors are combined that may be missing, for this calls no user code.
    static constexpr bool is_unpredicated = Scan::is_unpredicated;

    /// Returns the aggregate of the first `count` elements of lane vector `v`.
    TILEWISE_DEVICE static T aggregate(View& from, loaded_type const& loaded, int v, int count, Op& op)
    {
        return gpu::aggregate_of_first<T, N>(from, loaded, v * N, count, op);
    }
    /// Returns the right-aligned tree over the four, of which the first `missing` are missing.
    TILEWISE_DEVICE static T tree(View& from, loaded_type const& loaded, int missing, Op& op)
    {
        registers<T, V> tree;
        TILEWISE_UNROLL
        for (int v = 0; v < V; ++v)
            if (is_unpredicated || v >= missing)
                gpu::put(tree[v], aggregate(from, loaded, v, N, op));
        TILEWISE_UNROLL
        for (int distance = 1; distance < V; distance *= 2)
            TILEWISE_UNROLL
        for (int v = 2 * distance - 1; v < V; v += 2 * distance)
            if (v - distance >= missing)
                gpu::put(tree[v], gpu::combine(op, T(tree[v - distance]), T(tree[v])));
        return tree[V - 1];
    }
};

/// Reduces segments of up to `longest_by_fours` elements; longer and empty ones are skipped. Each lane below `valid`
/// has one in `own`, whose index is `first` plus the lane's. Segments are adjacent, and all elements between those
/// positions that lane 0 and the last lane have in `around` are in segments. As many consecutive segments are reduced
/// at a time as take 32 lanes together, so that segments of different lengths leave few lanes idle.
template <class Segmented>
TILEWISE_DEVICE void warp_reduce_by_fours(typename Segmented::view const& view,
                                          typename Segmented::results const& results, segment_span own, offset around,
                                          offset first, int valid, typename Segmented::op& op,
                                          optional_value<typename Segmented::value> const& init)
{
    using Scan = typename Segmented::scan;
    using View = typename Scan::view;
    using T = typename Scan::value;
    using part = four_vectors<Scan>;
    constexpr int N = Scan::lane_vector, V = vectors_per_lane;
    constexpr bool accepts_any = accepts_any_operand<typename Scan::op, T>;
    int const lane = lane_index();
    int const own_count = own.count <= longest_by_fours<Scan> ? static_cast<int>(own.count) : 0;
    auto const whole_vectors = [](int count) { return static_cast<int>((max_of(count, 1) - 1u) / N); };

    // each lane's segment, and how many elements before and after it may be read, in one word
    offset const least = gpu::shuffle(around, 0), end_of_all = gpu::shuffle(around, valid - 1);
    auto const readable = [](offset count) {
        return count > 0 ? static_cast<unsigned>(gpu::at_most(count, vector_bytes)) : 0;
    };
    unsigned const own_word = static_cast<unsigned>(own_count) | readable(own.begin - least) << 16 |
                              (valid > 1 ? readable(end_of_all - own.begin - own.count) : 0) << 24;

    int const lanes = lane < valid ? gpu::lanes_by_fours(whole_vectors(own_count)) : 0; // one for an empty segment, too
    auto const end = static_cast<int>(warp_sum_up_to(static_cast<unsigned>(lanes)));    // of the segments up to this
    int const most_whole = whole_vectors(static_cast<int>(warp_max(static_cast<unsigned>(own_count))));
    int const most_lanes = gpu::lanes_by_fours(most_whole);
    int done = 0; // lanes
    TILEWISE_NO_UNROLL
    for (int next = 0; next < valid;) {       // segments
        int const begin = end - lanes - done; // the lane at which this lane's segment begins
        bool const fits = lane >= next && lane < valid && end - done <= warp_size;
        unsigned const begins = warp_total(fits ? 1u << begin : 0);
        int const which = next + count_bits(begins & (~0u >> (31 - lane))) - 1;
        int const lane_in_segment = lane - gpu::shuffle(begin, which);
        unsigned const word = gpu::shuffle(own_word, which);
        View from = view.from(gpu::shuffle(own.begin, which));
        next += count_bits(begins);
        done = gpu::shuffle(end, next - 1);

        int const count = static_cast<int>(word & 0xffff), whole = whole_vectors(count);
        int const all_lanes = gpu::lanes_by_fours(whole), first_of_last_row = whole / warp_size * lanes_per_row;
        int const shift = all_lanes * V - whole; // of the last row, whose lane vectors are at the right of its lanes
        int const missing = lane_in_segment == first_of_last_row ? shift : 0;
        int const begin_here = (lane_in_segment * V - (lane_in_segment >= first_of_last_row ? shift : 0)) * N;
        bool const has_elements = lane_in_segment < all_lanes && count > 0,
                   has_last = lane_in_segment == all_lanes - 1 && count > 0;
        int const last_count = count - whole * N;
        wanted_elements wanted;
        wanted.begin = missing * N;
        wanted.end = has_elements ? V * N + (has_last ? last_count : 0) : wanted.begin;
        wanted.before = begin_here + wanted.begin + static_cast<int>(word >> 16 & 0xff);
        wanted.after = count - begin_here - wanted.end + static_cast<int>(word >> 24);
        auto const loaded = from.template fetch_wanted<part::elements>(begin_here, wanted);

        bool const has_tree = has_elements && missing < V;
        registers<T, 1> tree; // of the row, up to this lane
        if (part::is_unpredicated || has_tree)
            gpu::put(tree[0], part::tree(from, loaded, missing, op));
        TILEWISE_UNROLL
        for (int distance = 1; distance < lanes_per_row; distance *= 2) {
            if (distance >= most_lanes)
                break;
            T const left = gpu::shuffle_up(tree[0], distance);
            if (lane_in_segment % lanes_per_row >= distance && (accepts_any || has_tree))
                gpu::put(tree[0], gpu::combine(op, left, T(tree[0])));
        }
        auto before_last = gpu::no_value<T>();
        TILEWISE_UNROLL
        for (int row = 1; row < warp_size / lanes_per_row; ++row) {
            if (row * warp_size > most_whole)
                break;
            int const last_of_row = lane - lane_in_segment + row * lanes_per_row - 1;
            T const aggregate = gpu::shuffle(tree[0], gpu::min_of(last_of_row, warp_size - 1));
            if (has_last && row * warp_size <= whole)
                before_last.append(op, aggregate);
        }
        if (has_last) {
            if (whole % warp_size > 0)
                before_last.append(op, T(tree[0]));
            optional_value<T> result(init);
            if (before_last.has_value)
                result.append(op, T(before_last.value[0]));
            result.append(op, part::aggregate(from, loaded, V, last_count, op));
            auto to = results.to;
            gpu::store_one(to, first + which, T(result.value[0]));
        }
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
