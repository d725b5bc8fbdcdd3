// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the warps of a block do together: totals of whole chunks, of subtrees of tiles, and of the last tile.

#include <tilewise/config.hpp>
#include <tilewise/device/arch.cuh>
#include <tilewise/device/view.cuh>
#include <tilewise/device/warp.cuh>
#include <tilewise/functional.hpp>
#include <tilewise/order.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// How a reduction to a T reads a view in rows: several lane vectors per packet where elements are narrow, so that a
/// warp reads a row of several chunks at once, each in a segment of its lanes.
template <class View, class T, class Op, class Order, class Tuning>
struct row_layout {
    using view = View;
    using value = T;
    using op = Op;
    using order = Order;
    using geometry = typename Order::geometry;

    static_assert(geometry::lanes_per_row == warp_size, "a row is what a warp reads at once");

    static constexpr int lane_vector = static_cast<int>(Order::lane_vector);
    static constexpr int rows = geometry::rows_per_chunk;
    static constexpr int vectors = // per packet
        View::bases == 0 ? 1 : std::clamp(granule_bytes / (View::widest * lane_vector), 1, Tuning::widest_packet);
    static constexpr int packet = vectors * lane_vector;   ///< elements per packet
    static constexpr int width = warp_size / vectors;      ///< lanes per chunk
    static constexpr int chunks = vectors;                 ///< chunks per warp and turn
    static constexpr int segment = static_cast<int>(Order::row); ///< elements of a row
    /// Rows are batched, so that their loads are in flight together, unless that takes too many registers.
    static constexpr bool batched = sizeof(T) <= 16 && View::widest <= 32;
};

/// The total of the lane vectors in a packet: each left to right, then their tree.
template <class Layout, class View, class Packet, class Op>
TILEWISE_DEVICE auto packet_total(View& view, Packet const& loaded, Op& op) -> typename Layout::value
{
    using T = typename Layout::value;
    registers<T, Layout::vectors> total;
    TILEWISE_UNROLL
    for (int v = 0; v < Layout::vectors; ++v) {
        T sum = static_cast<T>(view.element(loaded, v * Layout::lane_vector));
        TILEWISE_UNROLL
        for (int i = 1; i < Layout::lane_vector; ++i)
            put(sum, combine(op, sum, static_cast<T>(view.element(loaded, v * Layout::lane_vector + i))));
        put(total[v], sum);
    }
    TILEWISE_UNROLL
    for (int distance = 1; distance < Layout::vectors; distance *= 2)
        TILEWISE_UNROLL
        for (int v = 0; v + distance < Layout::vectors; v += 2 * distance)
            put(total[v], combine(op, T(total[v]), T(total[v + distance])));
    return total[0];
}

/// How the packets of a row are read: as they are, or, `shift` 0..3, from aligned granules that begin `shift` words and
/// up to 3 bytes before them, each lane passing on to its left neighbour what that needs of its granule.
inline constexpr int no_shift = -1;

/// The totals of `Layout::chunks` whole chunks, joined by their tree; lane 0 of the warp has it. The warp's first chunk
/// begins at `position`.
template <class Layout, access how, int shift, class View, class Op>
TILEWISE_DEVICE auto warp_chunks(View& view, offset position, Op& op) -> typename Layout::value
{
    using T = typename Layout::value;
    constexpr int rows = Layout::rows, width = Layout::width, count = Layout::packet;
    int const lane = lane_index() % width;
    position += lane_index() / width * Layout::order::chunk + lane * count;
    using packet = typename View::template packet<count>;

    if constexpr (!Layout::batched) {
        T sum = warp_tree<1, width>(op, packet_total<Layout>(view, view.template fetch<how, count>(position), op));
        for (int row = 1; row < rows; ++row)
            put(sum, combine(op, sum,
                             warp_tree<1, width>(op, packet_total<Layout>(
                                                         view,
                                                         view.template fetch<how, count>(
                                                             position + row * Layout::segment),
                                                         op))));
        return warp_tree<width>(op, sum);
    } else {
        registers<T, rows> total;
        if constexpr (shift == no_shift) {
            registers<packet, rows> loaded;
            TILEWISE_UNROLL
            for (int row = 0; row < rows; ++row)
                loaded[row] = view.template fetch<how, count>(position + row * Layout::segment);
            TILEWISE_UNROLL
            for (int row = 0; row < rows; ++row)
                put(total[row], packet_total<Layout>(view, loaded[row], op));
        } else {
            using element = std::remove_cvref_t<decltype(*view.base().first)>;
            constexpr bool bytewise = alignof(element) < 4;
            constexpr int borrowed = shift + bytewise; // words that come from the next granule
            auto const address = reinterpret_cast<std::uintptr_t>(view.base().first + position);
            unsigned const skipped = address % granule_bytes;
            auto const granules = reinterpret_cast<granule const*>(address - skipped);
            constexpr int stride = Layout::segment * static_cast<int>(sizeof(element)) / granule_bytes;
            int const next_lane = (lane_index() & ~(width - 1)) | (lane + 1) % width;

            granule row_granule[rows], behind = {};
            row_granule[0] = view.base().guarded(address - skipped);
            TILEWISE_UNROLL
            for (int row = 1; row < rows; ++row)
                row_granule[row] = load_once(granules + row * stride);
            if (lane == width - 1)
                behind = view.base().guarded(address - skipped + ((rows - 1) * stride + 1) * granule_bytes);
            TILEWISE_UNROLL
            for (int row = 0; row < rows; ++row) {
                unsigned words[8] = {row_granule[row].word[0], row_granule[row].word[1], row_granule[row].word[2],
                                     row_granule[row].word[3]};
                TILEWISE_UNROLL
                for (int i = 0; i < borrowed; ++i) { // the first lane gives the last one its granule of the next row
                    bool const gives_next_row = row + 1 < rows && lane == 0;
                    unsigned const given = gives_next_row ? row_granule[(row + 1) % rows].word[i] : words[i];
                    words[4 + i] = shuffle(given, next_lane);
                    if (row + 1 == rows && lane == width - 1)
                        words[4 + i] = behind.word[i];
                }
                granule bytes;
                TILEWISE_UNROLL
                for (int i = 0; i < 4; ++i)
                    bytes.word[i] = bytewise ? funnel_shift_right(words[shift + i], words[(shift + i + 1) % 8],
                                                                  skipped % 4 * 8)
                                             : words[shift + i];
                put(total[row],
                    packet_total<Layout>(view, view.template adopt<count>(bytes, position + row * Layout::segment), op));
            }
        }
        if constexpr (named::is_exact<Op, T>) { // in any order
            TILEWISE_UNROLL
            for (int row = 1; row < rows; ++row)
                total[0] = combine(op, total[0], total[row]);
            return warp_tree(op, total[0]);
        } else {
            T const trees = warp_row_trees<rows, width>(op, total);
            return warp_tree<width>(op, warp_fold_rows<rows, width, T>(op, trees));
        }
    }
}

/// The total of the `turns` packs of chunks that follow `first`, of which `left` are there, by the warps of a block:
/// `turns` packs per warp, one after the other. Thread 0 has it.
template <class Layout, access how, int shift, int threads, class View, class Op, class Totals>
TILEWISE_DEVICE auto block_subtree(View& view, offset first, offset left, int turns, Op& op, Totals& warp_totals) ->
    typename Layout::value
{
    using T = typename Layout::value;
    constexpr int warps = threads / warp_size;
    constexpr offset pack = Layout::chunks * Layout::order::chunk; // elements
    offset const mine = left - offset{warp_index()} * turns;       // packs from this warp's first on
    first += offset{warp_index()} * turns * pack;
    if (mine > 0) {
        T total = warp_chunks<Layout, how, shift>(view, first, op);
        if (turns > 1) {
            put(total, shuffle(total, 0));
            int const packs = static_cast<int>(mine < turns ? mine : turns);
            TILEWISE_NO_UNROLL
            for (int turn = 1; turn < packs; ++turn) {
                T const next = shuffle(warp_chunks<Layout, how, shift>(view, first + turn * pack, op), 0);
                put(total, select(lane_index() == turn, next, total));
            }
            put(total, warp_tree_of_valid<1, 8>(op, total, packs));
        }
        if (lane_index() == 0)
            put(warp_totals[warp_index()], total);
    }
    sync_block();
    offset const warps_used = (left + turns - 1) / turns;
    T total(warp_totals[lane_index() < warps_used && lane_index() < warps ? lane_index() : 0]);
    return warp_tree_of_valid<1, warps>(op, total, warps_used < warps ? warps_used : warps);
}

/// What a block knows of a last tile before its carry: the totals of the rows before the last element's row, the lanes
/// before its lane, and its lane vector up to itself.
template <class T, int rows>
struct last_tile_parts {
    raw_storage<T[rows]> row_storage;
    raw_storage<T> lanes_storage, elements_storage;
    TILEWISE_DEVICE T& row(int i) { return row_storage.object()[i]; }
    TILEWISE_DEVICE T& lanes() { return lanes_storage.object(); }
    TILEWISE_DEVICE T& elements() { return elements_storage.object(); }
};

/// Reads the last tile, which begins at `first` and has `count` elements, row by row: row `r` by warp `r % warps`.
/// Synchronise the block before `last_tile_total`.
template <class Layout, access how, int rows_per_warp, int warps, class View, class Op, class Parts>
TILEWISE_DEVICE void read_last_tile(View& view, offset first, int count, Op& op, Parts& parts)
{
    using T = typename Layout::value;
    using order = typename Layout::order;
    constexpr int N = Layout::lane_vector;
    using packet = typename View::template packet<N>;
    constexpr access how_lanes = how == access::covering && !View::template can_cover<N> ? access::elementwise : how;
    int const last = count - 1;
    int const last_vector = last / N, whole_vectors = count / N;
    int const last_row = last_vector / warp_size, last_lane = last_vector % warp_size;

    registers<packet, rows_per_warp> loaded;
    TILEWISE_UNROLL
    for (int i = 0; i < rows_per_warp; ++i) {
        int const row = i * warps + warp_index();
        int const vector = row * warp_size + lane_index();
        if (vector < whole_vectors)
            loaded[i] = view.template fetch<how_lanes, N>(first + vector * N);
        else if (row <= last_row)
            loaded[i] = view.template fetch_clamped<N>(first + (vector <= last_vector ? vector : last_vector) * N,
                                                       first + last);
    }
    TILEWISE_UNROLL
    for (int i = 0; i < rows_per_warp; ++i) {
        int const row = i * warps + warp_index();
        if (row > last_row)
            break;
        int const vector = row * warp_size + lane_index();
        int const elements = vector >= last_vector ? last % N + 1 : N;
        T total = static_cast<T>(view.element(loaded[i], 0));
        TILEWISE_UNROLL
        for (int k = 1; k < N; ++k) {
            T const element = static_cast<T>(view.element(loaded[i], k));
            if (k < elements)
                put(total, combine(op, total, element));
        }
        if (row < last_row) {
            put(total, warp_tree(op, total));
            if (lane_index() == 0)
                put(parts.row(row), total);
        } else {
            if (lane_index() == last_lane)
                put(parts.elements(), total);
            put(total, warp_right_aligned_trees(op, total, last_lane));
            if (lane_index() + 1 == last_lane)
                put(parts.lanes(), total);
        }
    }
    static_assert(order::tile >= 1);
}

/// Combines the last tile of `count` elements onto `carry`, in the nesting of a scan's last element: the chunks before
/// it, then the rows and lanes before it, then its lane vector. For one warp; every lane has the result.
template <class Layout, class Op, class Parts>
TILEWISE_DEVICE auto last_tile_total(Parts& parts, int count, typename Layout::value carry, Op& op) ->
    typename Layout::value
{
    using T = typename Layout::value;
    using geometry = typename Layout::geometry;
    auto const last = Layout::order::locate(count - 1);
    if (last.chunk > 0 || last.row > 0) {
        int const chunk = lane_index() < last.chunk ? lane_index() : last.row > 0 ? last.chunk : 0;
        int const rows = chunk < last.chunk ? geometry::rows_per_chunk : last.row;
        T total(parts.row(chunk * geometry::rows_per_chunk));
        TILEWISE_UNROLL
        for (int row = 1; row < geometry::rows_per_chunk; ++row)
            if (row < rows)
                put(total, combine(op, total, T(parts.row(chunk * geometry::rows_per_chunk + row))));
        T const rows_before = shuffle(total, last.chunk);
        if (last.chunk > 0) {
            T const trees = warp_right_aligned_trees<geometry::chunks_per_tile>(op, total, last.chunk);
            put(carry, combine(op, carry, shuffle(trees, last.chunk - 1)));
        }
        if (last.row > 0) {
            if (last.lane > 0)
                put(carry, combine(op, carry, combine(op, rows_before, T(parts.lanes()))));
            else
                put(carry, combine(op, carry, rows_before));
        } else if (last.lane > 0) {
            put(carry, combine(op, carry, T(parts.lanes())));
        }
    } else if (last.lane > 0) {
        put(carry, combine(op, carry, T(parts.lanes())));
    }
    return combine(op, carry, T(parts.elements()));
}

} // namespace gpu
TILEWISE_NAMESPACE_END
