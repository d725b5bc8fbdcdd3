// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the warps of a block do together: totals of whole chunks, of subtrees of tiles, and of the last tile.

#include <tilewise/core/config.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
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
    using value = T;
    using order = Order;
    using geometry = typename Order::geometry;

    static_assert(geometry::lanes_per_row == warp_size, "a row is what a warp reads at once");

    static constexpr int lane_vector = static_cast<int>(Order::lane_vector);
    static constexpr int rows = geometry::rows_per_chunk;
    static constexpr int vectors = // per packet
        View::bases == 0 ? 1 : std::clamp(granule_bytes / (View::widest * lane_vector), 1, Tuning::widest_packet);
    static constexpr int packet = vectors * lane_vector;         ///< elements per packet
    static constexpr int width = warp_size / vectors;            ///< lanes per chunk
    static constexpr int chunks = vectors;                       ///< chunks per warp and turn
    static constexpr int segment = static_cast<int>(Order::row); ///< elements of a row
    /// Rows are batched, so that their loads are in flight together, unless that takes too many registers.
    static constexpr bool batched = sizeof(T) <= 16 && View::widest <= 32;
    /// Whether lanes can read a base that is not aligned through their neighbours.
    static constexpr bool can_shift = batched && View::bases == 1 && View::template can_cover<packet>;
};

/// Sums of bytes, whose order cannot matter: four at a time.
template <class View, class T, class Op>
inline constexpr bool adds_bytes = false;
template <class E, class T>
    requires std::integral<E> && std::integral<T> && (sizeof(E) == 1) && (!std::same_as<T, bool>)
inline constexpr bool adds_bytes<memory_view<E>, T, plus> = !std::same_as<E, bool>;

/// The total of the lane vectors in a packet: each left to right, then their tree.
template <class Layout, class View, class Packet, class Op>
TILEWISE_DEVICE auto packet_total(View& view, Packet const& loaded, Op& op) -> typename Layout::value
{
    using T = typename Layout::value;
    if constexpr (adds_bytes<View, T, Op> && Layout::packet % 4 == 0) {
        std::conditional_t<std::is_signed_v<std::remove_cvref_t<decltype(view.element(loaded, 0))>>, int, unsigned>
            sum = 0;
        TILEWISE_UNROLL
        for (int i = 0; i < Layout::packet / 4; ++i)
            sum = gpu::add_bytes(loaded.granules[0].word[i], sum);
        return static_cast<T>(sum);
    } else {
        registers<T, Layout::vectors> total;
        TILEWISE_UNROLL
        for (int v = 0; v < Layout::vectors; ++v) {
            T sum = gpu::operand<T, Op>(view, loaded, v * Layout::lane_vector);
            TILEWISE_UNROLL
            for (int i = 1; i < Layout::lane_vector; ++i)
                gpu::put(sum, gpu::combine(op, sum, gpu::operand<T, Op>(view, loaded, v * Layout::lane_vector + i)));
            gpu::put(total[v], sum);
        }
        TILEWISE_UNROLL
        for (int distance = 1; distance < Layout::vectors; distance *= 2)
            TILEWISE_UNROLL
        for (int v = 0; v + distance < Layout::vectors; v += 2 * distance)
            gpu::put(total[v], gpu::combine(op, T(total[v]), T(total[v + distance])));
        return total[0];
    }
}

/// How a warp reads the rows of chunks at a base that is not aligned for the widest loads: from aligned granules that
/// begin so many words, and up to 3 bytes, before the packets, each lane passing on to its left neighbour what that
/// needs of its granule. The words are a constant where it pays: 18 % of the speed at 2^24.
inline constexpr int no_shift = -1, any_shift = 4;

/// Reads the rows of `Layout::chunks` chunks from a base that is not aligned, one packet per lane and row.
template <class Layout, int shift, class View, class Packet>
TILEWISE_DEVICE void warp_load_shifted(View& view, offset position, registers<Packet, Layout::rows>& loaded)
{
    constexpr int rows = Layout::rows, width = Layout::width, row_bytes = Layout::segment * View::widest;
    constexpr bool bytewise = View::element_alignment < 4;
    constexpr int borrowed = shift == any_shift ? 4 : shift + bytewise; // words that come from the next granule
    auto const& base = view.base();
    int const lane = lane_index() % width, next_lane = (lane_index() & ~(width - 1)) | (lane + 1) % width;
    unsigned const skipped = base.address_of(position) % granule_bytes;
    auto const address = base.address_of(position) - skipped;

    // granules that are not inside the range to their last byte are needed for its first and last packet alone
    granule row_granule[rows] = {}, behind = {};
    auto const behind_address = address + (rows - 1) * row_bytes + granule_bytes;
    bool const at_begin = address < base.address_of(0);
    bool const at_end = lane == width - 1 && behind_address + granule_bytes > base.address_of(base.size);
    TILEWISE_UNROLL
    for (int row = 1; row < rows; ++row)
        row_granule[row] = load_once(reinterpret_cast<granule const*>(address + row * row_bytes));
    if (!at_begin)
        row_granule[0] = load_once(reinterpret_cast<granule const*>(address));
    if (lane == width - 1 && !at_end)
        behind = load_once(reinterpret_cast<granule const*>(behind_address));
    Packet edge;
    if (at_begin || at_end)
        edge = view.template fetch<access::elementwise, Layout::packet>(
            at_begin ? position : position + (rows - 1) * Layout::segment);
    TILEWISE_UNROLL
    for (int row = 0; row < rows; ++row) {
        granule next = {};
        TILEWISE_UNROLL
        for (int i = 0; i < borrowed; ++i) { // the first lane gives the last one its granule of the next row
            unsigned const given =
                row + 1 < rows && lane == 0 ? row_granule[(row + 1) % rows].word[i] : row_granule[row].word[i];
            next.word[i] = shuffle(given, next_lane);
            if (row + 1 == rows && lane == width - 1)
                next.word[i] = behind.word[i];
        }
        granule bytes;
        if constexpr (shift == any_shift) {
            bytes = gpu::shifted(row_granule[row], next, skipped);
        } else {
            auto const word = [&](int i) { return i < 4 ? row_granule[row].word[i % 4] : next.word[i % 4]; };
            TILEWISE_UNROLL
            for (int i = 0; i < 4; ++i)
                bytes.word[i] = bytewise
                                    ? gpu::funnel_shift_right(word(shift + i), word(shift + i + 1), skipped % 4 * 8)
                                    : word(shift + i);
        }
        loaded[row] = view.template adopt<Layout::packet>(bytes, position + row * Layout::segment);
    }
    if (at_begin)
        loaded[0] = edge;
    if (at_end)
        loaded[rows - 1] = edge;
}

/// The totals of `Layout::chunks` whole chunks, joined by their tree; lane 0 of the warp has it. The warp's first chunk
/// begins at `position`.
template <class Layout, access how, int shift, class View, class Op>
TILEWISE_DEVICE auto warp_chunks(View& view, offset position, Op& op) -> typename Layout::value
{
    using T = typename Layout::value;
    constexpr int rows = Layout::rows, width = Layout::width, count = Layout::packet;
    constexpr access how_rows = how == access::covering ? access::elementwise : how; // where lanes cannot shift
    position += lane_index() / width * Layout::order::chunk + lane_index() % width * count;
    using packet = typename View::template packet<count>;

    if constexpr (!Layout::batched) {
        auto const row_total = [&](int row) {
            offset const at = position + row * Layout::segment;
            packet const loaded = view.template fetch<how_rows, count>(at);
            return gpu::warp_tree<1, width>(op, gpu::packet_total<Layout>(view, loaded, op));
        };
        T sum = row_total(0);
        TILEWISE_NO_UNROLL
        for (int row = 1; row < rows; ++row)
            gpu::put(sum, gpu::combine(op, sum, row_total(row)));
        return gpu::warp_tree<width>(op, sum);
    } else {
        registers<packet, rows> loaded;
        if constexpr (shift == no_shift) {
            TILEWISE_UNROLL
            for (int row = 0; row < rows; ++row)
                loaded[row] = view.template fetch<how_rows, count>(position + row * Layout::segment);
        } else {
            gpu::warp_load_shifted<Layout, shift>(view, position, loaded);
        }
        registers<T, rows> total;
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row)
            gpu::put(total[row], gpu::packet_total<Layout>(view, loaded[row], op));
        if constexpr (known::is_exact<Op, T>) { // in any order
            TILEWISE_UNROLL
            for (int row = 1; row < rows; ++row)
                total[0] = gpu::combine(op, total[0], total[row]);
            return gpu::warp_tree(op, total[0]);
        } else {
            T const trees = gpu::warp_row_trees<rows, width>(op, total);
            return gpu::warp_tree<width>(op, gpu::warp_fold_rows<rows, width, T>(op, trees));
        }
    }
}

/// The total of the `turns` packs of chunks per warp, one after the other, that follow `first`, of which `left` are
/// there. Thread 0 has it.
template <class Layout, access how, int shift, int threads, class View, class Op, class Totals>
TILEWISE_DEVICE auto block_subtree(View& view, offset first, offset left, int turns, Op& op, Totals& warp_totals) ->
    typename Layout::value
{
    using T = typename Layout::value;
    constexpr int warps = threads / warp_size;
    constexpr offset pack = Layout::chunks * Layout::order::chunk; // elements
    int const warp = warp_index();
    int const there = static_cast<int>(at_most(left, warps * turns)), mine = there - warp * turns;
    if (mine > 0) {
        int const packs = mine < turns ? mine : turns;
        first += offset{warp * turns} * pack;
        registers<T, 1> total;
        TILEWISE_NO_UNROLL
        for (int turn = 0; turn < packs; ++turn) {
            T const next = gpu::shuffle(gpu::warp_chunks<Layout, how, shift>(view, first + turn * pack, op), 0);
            if (lane_index() == turn || turn == 0)
                gpu::put(total[0], next);
        }
        if (turns > 1)
            gpu::put(total[0], gpu::warp_tree_of_valid<1, 8>(op, T(total[0]), packs));
        if (lane_index() == 0)
            gpu::put(warp_totals[warp], T(total[0]));
    }
    sync_block();
    int const used = (there + turns - 1) / turns;
    return gpu::warp_tree_of_valid<1, warps>(op, T(warp_totals[lane_index() < used ? lane_index() : 0]), used);
}

/// What a block knows of a last tile before its carry: the totals of the rows before the last element's row, the lanes
/// before its lane, and its lane vector up to itself.
template <class T, class Order>
struct last_tile_parts {
    raw_storage<T[Order::geometry::rows_per_chunk * Order::geometry::chunks_per_tile]> row_storage;
    raw_storage<T> lanes_storage, elements_storage;
    TILEWISE_DEVICE T& row(int i) { return row_storage.object()[i]; }
    TILEWISE_DEVICE T& lanes() { return lanes_storage.object(); }
    TILEWISE_DEVICE T& elements() { return elements_storage.object(); }
};

/// The total of the elements 0..last of a lane vector, left to right.
template <class Layout, class View, class Packet, class Op>
TILEWISE_DEVICE auto vector_total(View& view, Packet const& loaded, Op& op, int last) -> typename Layout::value
{
    using T = typename Layout::value;
    T sum = gpu::operand<T, Op>(view, loaded, 0);
    TILEWISE_UNROLL
    for (int i = 1; i < Layout::lane_vector; ++i) {
        T const element = gpu::operand<T, Op>(view, loaded, i);
        if (i <= last)
            gpu::put(sum, gpu::combine(op, sum, element));
    }
    return sum;
}

/// Writes the parts of the last element's row, of which each lane up to `last_lane` has the total of its lane vector.
template <class T, class Op, class Order>
TILEWISE_DEVICE void put_last_row(Op& op, T total, int last_lane, last_tile_parts<T, Order>& parts)
{
    if (lane_index() == last_lane)
        gpu::put(parts.elements(), total);
    gpu::put(total, gpu::warp_right_aligned_trees(op, total, last_lane));
    if (lane_index() + 1 == last_lane)
        gpu::put(parts.lanes(), total);
}

/// Reads the last tile, which begins at `first` and has `count` elements, row by row: row `r` by warp `r % warps`.
template <class Layout, int warps, class View, class Op, class T>
TILEWISE_DEVICE void read_rows_one_by_one(View& view, offset first, int count, Op& op,
                                          last_tile_parts<T, typename Layout::order>& parts)
{
    constexpr int N = Layout::lane_vector;
    int const last = count - 1, last_vector = last / N;
    int const last_row = last_vector / warp_size, last_lane = last_vector % warp_size;
    TILEWISE_NO_UNROLL
    for (int row = warp_index(); row <= last_row; row += warps) {
        int const vector = min_of(row * warp_size + lane_index(), last_vector);
        auto const loaded = view.template fetch_clamped<N>(first + vector * N, first + last);
        T total = gpu::vector_total<Layout>(view, loaded, op, vector == last_vector ? last % N : N - 1);
        if (row < last_row) {
            gpu::put(total, gpu::warp_tree(op, total));
            if (lane_index() == 0)
                gpu::put(parts.row(row), total);
        } else {
            gpu::put_last_row(op, total, last_lane, parts);
        }
    }
}

/// The same with all rows of a warp under way at once.
template <class Layout, access how, int rows_per_warp, int warps, class View, class Op, class T>
TILEWISE_DEVICE void read_rows_at_once(View& view, offset first, int count, Op& op,
                                       last_tile_parts<T, typename Layout::order>& parts)
{
    constexpr int N = Layout::lane_vector;
    using packet = typename View::template packet<N>;
    // (Elements of 4 bytes and more are few enough to be loaded one by one, in one go.)
    constexpr access how_lanes =
        how == access::covering && (!View::template can_cover<N> || View::element_alignment >= 4) ? access::elementwise
                                                                                                  : how;
    int const warp = warp_index(), last = count - 1, last_vector = last / N;
    int const last_row = last_vector / warp_size, last_lane = last_vector % warp_size;
    if (warp > last_row)
        return;

    // A vector that is not there is read as the last one again: an operator of the user's is not called on it.
    registers<packet, rows_per_warp> loaded;
    auto const vector_of = [&](int i) { return min_of((i * warps + warp) * warp_size + lane_index(), last_vector); };
    if constexpr (how_lanes == access::elementwise) {
        TILEWISE_UNROLL
        for (int i = 0; i < rows_per_warp; ++i)
            loaded[i] = view.template fetch_clamped<N>(first + vector_of(i) * N, first + last);
    } else {
        // All lanes load, without a branch in between, which would wait for the load before it: one that cannot be
        // loaded whole, or not be covered, as the nearest that can. Then those few are read again.
        int const first_fit = how_lanes == access::covering && first == 0 ? 1 : 0;
        int const last_fit = count / N - (how_lanes == access::covering ? 2 : 1);
        auto const position_of = [&](int i) {
            return first + gpu::max_of(gpu::min_of(vector_of(i), last_fit), first_fit) * N;
        };
        if (first_fit <= last_fit) {
            TILEWISE_UNROLL
            for (int i = 0; i < rows_per_warp; ++i)
                loaded[i] = view.template fetch<how_lanes, N>(position_of(i));
            TILEWISE_UNROLL
            for (int i = 0; i < rows_per_warp; ++i)
                view.template finish<how_lanes, N>(loaded[i], position_of(i));
        }
        if constexpr (how_lanes == access::aligned && N > 1) {
            if (last_fit < last_vector) { // one vector
                packet const ragged = view.template fetch_clamped<N>(first + last_vector * N, first + last);
                TILEWISE_UNROLL
                for (int i = 0; i < rows_per_warp; ++i)
                    if (vector_of(i) == last_vector)
                        loaded[i] = ragged;
            }
        } else if constexpr (how_lanes == access::covering) {
            TILEWISE_UNROLL
            for (int i = 0; i < rows_per_warp; ++i)
                if (vector_of(i) < first_fit || vector_of(i) > last_fit)
                    loaded[i] = view.template fetch_clamped<N>(first + vector_of(i) * N, first + last);
        }
    }

    registers<T, rows_per_warp> total;
    TILEWISE_UNROLL
    for (int i = 0; i < rows_per_warp; ++i)
        gpu::put(total[i],
                 gpu::vector_total<Layout>(view, loaded[i], op, vector_of(i) == last_vector ? last % N : N - 1));

    if (last_row % warps == warp) {
        T own(total[0]);
        TILEWISE_UNROLL
        for (int i = 1; i < rows_per_warp; ++i)
            gpu::put(own, gpu::select(i == last_row / warps, total[i], own));
        gpu::put_last_row(op, own, last_lane, parts);
    }
    int const whole = (last_row - warp + warps - 1) / warps; // rows of this warp before the last row
    T const trees = gpu::warp_row_trees_of_valid<rows_per_warp>(op, total, whole);
    int const row = gpu::lane_of_row<rows_per_warp>(lane_index());
    if (lane_index() < rows_per_warp && row < whole)
        gpu::put(parts.row(row * warps + warp), trees);
}

/// Reads the last tile. Synchronise the block before `join_last_tile`.
template <class Layout, access how, int rows_per_warp, int warps, class View, class Op, class T>
TILEWISE_DEVICE void read_last_tile(View& view, offset first, int count, Op& op,
                                    last_tile_parts<T, typename Layout::order>& parts)
{
    if constexpr (Layout::batched)
        gpu::read_rows_at_once<Layout, how, rows_per_warp, warps>(view, first, count, op, parts);
    else
        gpu::read_rows_one_by_one<Layout, warps>(view, first, count, op, parts);
}

/// A last tile but for the carry: the totals of the chunks before the last element's chunk, of the rows and lanes
/// before its lane, and of its lane vector up to itself. What is not there has no value.
template <class T>
struct last_tile_ends {
    raw_storage<T[3]> totals;
    TILEWISE_DEVICE T& chunks() { return totals.object()[0]; }
    TILEWISE_DEVICE T& rows_and_lanes() { return totals.object()[1]; }
    TILEWISE_DEVICE T& elements() { return totals.object()[2]; }
};

/// Joins what a block has read of a last tile of `count` elements to `ends`. For one warp.
template <class Order, class Op, class T>
TILEWISE_DEVICE void join_last_tile(last_tile_parts<T, Order>& parts, int count, Op& op, last_tile_ends<T>& ends)
{
    using geometry = typename Order::geometry;
    constexpr int rows = geometry::rows_per_chunk;
    auto const last = Order::locate(count - 1);
    // A lane for every chunk. All loads first and without a branch, for they may be from another block's memory: what
    // is not there is read as the elements, which are.
    int const chunk = gpu::min_of(lane_index(), last.chunk);
    int const whole = chunk < last.chunk ? rows : last.row;
    T const elements(parts.elements());
    T const lanes(last.lane > 0 ? parts.lanes() : parts.elements());
    registers<T, rows> row;
    TILEWISE_UNROLL
    for (int i = 0; i < rows; ++i)
        gpu::put(row[i], i < whole ? parts.row(chunk * rows + i) : parts.elements());

    T total(row[0]);
    TILEWISE_UNROLL
    for (int i = 1; i < rows; ++i)
        if (i < whole)
            gpu::put(total, gpu::combine(op, total, T(row[i])));
    if (lane_index() == last.chunk) {
        gpu::put(ends.elements(), elements);
        if (last.lane > 0)
            gpu::put(ends.rows_and_lanes(), last.row > 0 ? gpu::combine(op, total, lanes) : lanes);
        else if (last.row > 0)
            gpu::put(ends.rows_and_lanes(), total);
    }
    if (last.chunk > 0) {
        T const trees = gpu::warp_right_aligned_trees<geometry::chunks_per_tile>(op, total, last.chunk);
        if (lane_index() + 1 == last.chunk)
            gpu::put(ends.chunks(), trees);
    }
}

/// A last tile of `count` elements onto `carry`, in the nesting of a scan's last element.
template <class Order, class T, class Op>
TILEWISE_DEVICE T append_last_tile(last_tile_ends<T>& ends, int count, T carry, Op& op)
{
    auto const last = Order::locate(count - 1);
    if (last.chunk > 0)
        gpu::put(carry, gpu::combine(op, carry, T(ends.chunks())));
    if (last.row > 0 || last.lane > 0)
        gpu::put(carry, gpu::combine(op, carry, T(ends.rows_and_lanes())));
    return gpu::combine(op, carry, T(ends.elements()));
}

} // namespace gpu
TILEWISE_NAMESPACE_END
