// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Warp-wide and block-wide reductions: the aggregates of whole chunks, and of subtrees of tiles.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/lane_aggregate.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// How a reduction to a T reads the rows of a view. If elements are narrow, a vector has several lane vectors, so that
/// a warp reads a row of each of several chunks at once, each in a segment of its lanes.
template <class View, class T, class Op, class Order, class Tuning>
struct row_layout {
    using value = T;
    using order = Order;
    using geometry = typename Order::geometry;

    static_assert(geometry::lanes_per_row == warp_size, "a row is what a warp reads at once");

    static constexpr int lane_vector = static_cast<int>(Order::lane_vector);
    static constexpr int rows = geometry::rows_per_chunk;
    static constexpr int vectors = // lane vectors per vector
        View::bases == 0 ? 1 : std::clamp(vector_bytes / (View::widest * lane_vector), 1, Tuning::widest_load);
    static constexpr int vector_size = vectors * lane_vector;    ///< elements per vector
    static constexpr int width = warp_size / vectors;            ///< lanes per chunk
    static constexpr int chunks = vectors;                       ///< chunks per warp and iteration
    static constexpr int segment = static_cast<int>(Order::row); ///< elements of a row
    /// Rows are batched, so that their loads are in flight together, unless that takes too many registers.
    static constexpr bool batched = sizeof(T) <= 16 && View::widest <= 32;
    /// Whether lanes can read a misaligned base in aligned vectors, whose words they exchange.
    static constexpr bool can_shift = batched && View::bases == 1 && View::template can_realign<vector_size>;
};

/// The shift with which a warp reads the rows of chunks at a base that is not aligned for the widest loads: each lane
/// loads the aligned 16-byte vector that begins so many words, and up to 3 bytes, before its vector, and gets the rest
/// of its vector from its right neighbour. The shift is a constant where that pays: 18 % of the speed at 2^24.
inline constexpr int no_shift = -1, any_shift = 4;

/// Loads the rows of `Layout::chunks` chunks from a misaligned base, one vector per lane and row.
template <class Layout, int shift, class View, class Vector>
TILEWISE_DEVICE void warp_load_shifted(View& view, offset position, registers<Vector, Layout::rows>& loaded)
{
    constexpr int rows = Layout::rows, width = Layout::width, row_bytes = Layout::segment * View::widest;
    constexpr bool bytewise = View::element_alignment < 4;
    constexpr int borrowed = shift == any_shift ? 4 : shift + bytewise; // words that come from the next 16-byte vector
    auto const& base = view.base();
    int const lane = lane_index() % width, next_lane = (lane_index() & ~(width - 1)) | (lane + 1) % width;
    unsigned const skipped = base.address_of(position) % vector_bytes;
    auto const address = base.address_of(position) - skipped;

    // only the first and the last vector of the range need 16-byte vectors that extend beyond it: they are loaded apart
    vector16 row_vector[rows] = {}, behind = {};
    auto const behind_address = address + (rows - 1) * row_bytes + vector_bytes;
    bool const at_begin = address < base.address_of(0);
    bool const at_end = lane == width - 1 && behind_address + vector_bytes > base.address_of(base.size);
    TILEWISE_UNROLL
    for (int row = 1; row < rows; ++row)
        row_vector[row] = load_once(reinterpret_cast<vector16 const*>(address + row * row_bytes));
    if (!at_begin)
        row_vector[0] = load_once(reinterpret_cast<vector16 const*>(address));
    if (lane == width - 1 && !at_end)
        behind = load_once(reinterpret_cast<vector16 const*>(behind_address));
    Vector edge;
    if (at_begin || at_end)
        edge = view.template fetch<access::elementwise, Layout::vector_size>(
            at_begin ? position : position + (rows - 1) * Layout::segment);
    TILEWISE_UNROLL
    for (int row = 0; row < rows; ++row) {
        vector16 next = {};
        TILEWISE_UNROLL
        for (int i = 0; i < borrowed; ++i) { // the first lane passes its 16-byte vector of the next row to the last
            unsigned const given =
                row + 1 < rows && lane == 0 ? row_vector[(row + 1) % rows].word[i] : row_vector[row].word[i];
            next.word[i] = shuffle(given, next_lane);
            if (row + 1 == rows && lane == width - 1)
                next.word[i] = behind.word[i];
        }
        vector16 bytes;
        if constexpr (shift == any_shift) {
            bytes = gpu::shifted(row_vector[row], next, skipped);
        } else {
            auto const word = [&](int i) { return i < 4 ? row_vector[row].word[i % 4] : next.word[i % 4]; };
            TILEWISE_UNROLL
            for (int i = 0; i < 4; ++i)
                bytes.word[i] = bytewise
                                    ? gpu::funnel_shift_right(word(shift + i), word(shift + i + 1), skipped % 4 * 8)
                                    : word(shift + i);
        }
        loaded[row] = view.template adopt<Layout::vector_size>(bytes, position + row * Layout::segment);
    }
    if (at_begin)
        loaded[0] = edge;
    if (at_end)
        loaded[rows - 1] = edge;
}

/// The rows of `Layout::chunks` whole chunks, one vector per lane and row.
template <class Layout, class View>
using chunk_rows = registers<typename View::template vector<Layout::vector_size>, Layout::rows>;

/// Returns where the calling lane reads the chunks from `position` on.
template <class Layout>
TILEWISE_DEVICE offset lane_position(offset position)
{
    return position + lane_index() / Layout::width * Layout::order::chunk +
           lane_index() % Layout::width * Layout::vector_size;
}

/// Loads `Layout::chunks` whole chunks, of which the first one begins at `position`.
template <class Layout, access how, int shift, class View>
TILEWISE_DEVICE chunk_rows<Layout, View> load_chunks(View& view, offset position)
{
    constexpr access how_rows = how == access::realigned ? access::elementwise : how; // without a shift
    offset const own = gpu::lane_position<Layout>(position);
    chunk_rows<Layout, View> loaded;
    if constexpr (shift == no_shift) {
        TILEWISE_UNROLL
        for (int row = 0; row < Layout::rows; ++row)
            loaded[row] = view.template fetch<how_rows, Layout::vector_size>(own + row * Layout::segment);
    } else {
        gpu::warp_load_shifted<Layout, shift>(view, own, loaded);
    }
    return loaded;
}

/// Computes the adjacent-pair tree over the aggregates of loaded chunks; lane 0 of the warp has the result.
template <class Layout, class View, class Op>
TILEWISE_DEVICE auto combine_chunks(View& view, chunk_rows<Layout, View> const& loaded, Op& op) ->
    typename Layout::value
{
    using T = typename Layout::value;
    constexpr int rows = Layout::rows, width = Layout::width;
    registers<T, rows> aggregate;
    TILEWISE_UNROLL
    for (int row = 0; row < rows; ++row)
        gpu::put(aggregate[row], gpu::load_aggregate<Layout>(view, loaded[row], op));
    if constexpr (takes_any_order<Op, T>) {
        TILEWISE_UNROLL
        for (int row = 1; row < rows; ++row)
            gpu::put(aggregate[0], gpu::combine(op, T(aggregate[0]), T(aggregate[row])));
        return gpu::warp_tree(op, T(aggregate[0]));
    } else {
        T const trees = gpu::warp_row_trees<rows, width>(op, aggregate);
        return gpu::warp_tree<width>(op, gpu::warp_fold_rows<rows, width, T>(op, trees));
    }
}

/// Computes the adjacent-pair tree over the aggregates of `Layout::chunks` whole chunks; lane 0 of the warp has the
/// result. The first chunk begins at `position`.
template <class Layout, access how, int shift, class View, class Op>
TILEWISE_DEVICE auto warp_chunks(View& view, offset position, Op& op) -> typename Layout::value
{
    using T = typename Layout::value;
    if constexpr (Layout::batched) {
        return gpu::combine_chunks<Layout>(view, gpu::load_chunks<Layout, how, shift>(view, position), op);
    } else {
        constexpr int width = Layout::width, count = Layout::vector_size;
        constexpr access how_rows = how == access::realigned ? access::elementwise : how;
        offset const own = gpu::lane_position<Layout>(position);
        auto const row_aggregate = [&](int row) {
            auto const loaded = view.template fetch<how_rows, count>(own + row * Layout::segment);
            return gpu::warp_tree<1, width>(op, gpu::load_aggregate<Layout>(view, loaded, op));
        };
        T sum = row_aggregate(0);
        TILEWISE_NO_UNROLL
        for (int row = 1; row < Layout::rows; ++row)
            gpu::put(sum, gpu::combine(op, sum, row_aggregate(row)));
        return gpu::warp_tree<width>(op, sum);
    }
}

/// Computes the aggregate of the work units from `first` on: `iterations` consecutive ones per warp, but only `left` in
/// all. Thread 0 has the result.
template <class Layout, access how, int shift, int threads, class View, class Op, class Aggregates>
TILEWISE_DEVICE auto block_subtree(View& view, offset first, offset left, int iterations, Op& op,
                                   Aggregates& warp_aggregates) -> typename Layout::value
{
    using T = typename Layout::value;
    constexpr int warps = threads / warp_size;
    constexpr offset unit = Layout::chunks * Layout::order::chunk; // elements
    int const warp = warp_index();
    int const valid = static_cast<int>(at_most(left, warps * iterations)), mine = valid - warp * iterations;
    if (mine > 0) {
        int const units = mine < iterations ? mine : iterations;
        first += offset{warp * iterations} * unit;
        registers<T, 1> aggregate;
        TILEWISE_NO_UNROLL
        for (int i = 0; i < units; ++i) {
            T const next = gpu::shuffle(gpu::warp_chunks<Layout, how, shift>(view, first + i * unit, op), 0);
            if (lane_index() == i || i == 0)
                gpu::put(aggregate[0], next);
        }
        if (iterations > 1)
            gpu::put(aggregate[0], gpu::warp_tree_of_valid<1, 8>(op, T(aggregate[0]), units));
        if (lane_index() == 0)
            gpu::put(warp_aggregates[warp], T(aggregate[0]));
    }
    sync_block();
    int const used = (valid + iterations - 1) / iterations;
    return gpu::warp_tree_of_valid<1, warps>(op, T(warp_aggregates[lane_index() < used ? lane_index() : 0]), used);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
