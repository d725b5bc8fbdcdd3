// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How the warps of a single-pass scan reduce and scan the chunks of a tile in a stage of shared memory.
///
/// Tiles of segments are often incomplete and misaligned. The reducers move the elements of a misaligned tile to the
/// beginning of its stage, where those of an aligned tile are, so that the writers need code for aligned stages only.
/// With code for both, warps stalled on instruction fetches.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/scan/rows.cuh>
#include <tilewise/device/scan/stages.cuh>
#include <tilewise/device/scan/tile_input.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Whether the reducers move the elements of misaligned stages, in a kernel with tiles of both kinds.
template <class Scan, class Tiles, access in>
inline constexpr bool moves_elements = Tiles::may_be_aligned && in == access::realigned && Scan::can_move_elements;

/// The tile of `count` elements in a stage. Its 16-byte vectors at the ends were copied if they are `shared`, or
/// contain nothing else.
template <class Scan>
TILEWISE_DEVICE tile_input<Scan> tile_in_stage(typename Scan::view const& all, unsigned char* stage, int count,
                                               bool is_aligned, shared_ends shared)
{
    using View = typename Scan::view;
    constexpr int alone = shared_with_others<View>;
    constexpr bool fills_vectors = Scan::lane_vector * View::narrowest % vector_bytes == 0;
    int const begin = is_aligned || shared.begin ? 0 : alone, unread = is_aligned && fills_vectors ? 0 : alone;
    bool const is_whole = count == Scan::tile && (is_aligned || shared.end);
    int const end = is_whole ? count : (count - unread) / Scan::lane_vector * Scan::lane_vector;
    return {all, all.staged(stage, Scan::tile), count, begin, end};
}

/// Redirects the input to the beginning of its stage, where the elements have been moved.
template <class Scan>
TILEWISE_DEVICE void read_moved(tile_input<Scan>& from, unsigned char* stage)
{
    from.nearby = Scan::view::at_begin_of(stage);
    from.begin = 0;
    from.end = (from.count + Scan::lane_vector - 1) / Scan::lane_vector * Scan::lane_vector;
}

/// Returns the aggregate of a complete chunk in every lane. `is_aligned` says whether the stage is aligned, whatever
/// `in` is. (For one range, asking for each chunk whether it is in the stage spills registers.)
template <class Scan, class Tiles, access in>
TILEWISE_DEVICE auto staged_chunk_aggregate(tile_input<Scan>& from, int first, bool is_aligned, typename Scan::op& op)
    -> typename Scan::value
{
    if constexpr (!Tiles::may_be_aligned) {
        return from.count == Scan::tile ? gpu::chunk_aggregate<Scan, true, in, memory::shared>(from, first, op)
                                        : gpu::chunk_aggregate<Scan, false, in, memory::shared>(from, first, op);
    } else {
        bool const is_nearby = from.has_nearby(first, Scan::chunk);
        if (in != access::aligned && is_aligned && is_nearby)
            return gpu::chunk_aggregate<Scan, true, access::aligned, memory::shared>(from, first, op);
        if (in != access::aligned || is_nearby)
            return gpu::chunk_aggregate<Scan, true, in, memory::shared>(from, first, op);
        return gpu::chunk_aggregate<Scan, false, in, memory::shared>(from, first, op);
    }
}

/// Moves the elements of a chunk to the beginning of the stage, once all reducers have loaded their chunks; in an
/// aligned stage, adds the elements of the last, incomplete 16-byte vector, which no bulk copy (TMA) has written.
/// Returns the aggregate of a complete chunk in every lane. All reducers call it; `moving` is their barrier, and
/// `moved` the number of its completed phases.
template <class Tuning, class Scan>
TILEWISE_DEVICE auto move_chunk(tile_input<Scan>& from, unsigned char* stage, int first, bool is_aligned,
                                mbarrier& moving, int& moved, typename Scan::op& op)
    -> registers<typename Scan::value, 1>
{
    constexpr int N = Scan::lane_vector;
    bool const is_complete = first + Scan::chunk <= from.count;
    registers<typename Scan::value, 1> aggregate;
    auto const put = [&](int position, typename Scan::vector_size const& elements) {
        *reinterpret_cast<vector16*>(stage + position * Scan::view::widest) = elements.vectors[0];
    };
    if (is_aligned) {
        int const last = from.count / N * N;
        if (last < from.count && last >= first && last < first + Scan::chunk && lane_index() == 0)
            put(last, from.all.template fetch_clamped<N>(last, from.count - 1));
        fence_bulk_copies();
        if (is_complete)
            gpu::put(aggregate[0], gpu::chunk_aggregate<Scan, true, access::aligned, memory::shared>(from, first, op));
    } else {
        registers<typename Scan::vector_size, Scan::rows> loaded;
        if (first < from.count)
            gpu::load_rows<Scan, true, access::realigned, memory::shared>(from, first, loaded);
        gpu::warp_arrive<Tuning>(moving);
        moving.wait(moved++ % 2);
        TILEWISE_UNROLL
        for (int row = 0; row < Scan::rows; ++row)
            if (int const position = first + row * Scan::row + lane_index() * N; position < from.count)
                put(position, loaded[row]);
        fence_bulk_copies();
        if (is_complete)
            gpu::put(aggregate[0], gpu::rows_aggregate<Scan>(from.all, loaded, op));
    }
    return aggregate;
}

/// Scans a complete chunk, whose exclusive prefix `carry_in()` waits for and returns. The stage can be filled again
/// once the chunk is in registers.
template <class Scan, class Tuning, bool reads_before_carry_in, access in, access out, class Tile, class CarryIn>
TILEWISE_DEVICE void write_whole_chunk(tile_input<Scan>& from, int first, typename Scan::sink& to,
                                       typename Scan::op& op, Tile& own, int phase, mbarrier& emptied,
                                       CarryIn const& carry_in)
{
    warp_chunk<Scan, true, in, memory::shared, chunk_storage::kept> chunk;
    if constexpr (reads_before_carry_in) {
        chunk.read(from, first, op);
        own.reduced.wait(phase); // the reducers have read it, too
        gpu::warp_arrive<Tuning>(emptied);
        chunk.template write<out>(from, first, to, op, carry_in());
    } else {
        auto const carry = carry_in(); // the reducers have read the chunk before it is published
        chunk.read(from, first, op);
        gpu::warp_arrive<Tuning>(emptied);
        chunk.template write<out>(from, first, to, op, carry);
    }
}

/// Scans a chunk onto `carry`, so many `rows` at a time. It may be incomplete, or partly in global memory.
template <class Scan, int rows, access in, access out>
TILEWISE_DEVICE void write_chunk_by_rows(tile_input<Scan>& from, int first, typename Scan::sink& to,
                                         typename Scan::op& op, optional_value<typename Scan::value> const& carry)
{
    auto run = gpu::no_value<typename Scan::value>();
    TILEWISE_NO_UNROLL
    for (int begin = first; begin < gpu::min_of(first + Scan::chunk, from.count); begin += rows * Scan::row) {
        registers<typename Scan::vector_size, rows> loaded;
        gpu::load_rows<Scan, false, in, memory::shared>(from, begin, loaded);
        rows_in_registers<Scan, false, rows> sums;
        sums.scan(loaded, from.all, op, from.count - begin, run);
        sync_warp(); // results may overwrite elements that other lanes read
        sums.template write<out, true>(to, from.all, op, begin, from.count - begin, carry);
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
