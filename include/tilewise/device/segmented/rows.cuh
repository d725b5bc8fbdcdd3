// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How a warp scans a segment of up to a tile: a few rows at a time, whose loads are in flight together.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/scan/head.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// How the elements of a segment are read, which may begin anywhere. Elements of less than a word are realigned: one by
/// one, they would take four loads a word and more.
template <class Scan>
inline constexpr access segment_access = Scan::batched && Scan::view::bases > 0 && Scan::view::element_alignment < 4 &&
                                                 Scan::view::template can_realign<Scan::lane_vector>
                                             ? access::realigned
                                             : access::elementwise;

/// A scan of segments that all are aligned for the widest loads, since elements are as large as these, or a multiple.
template <class Scan>
struct with_aligned_segments : Scan {};
template <class Scan>
inline constexpr access segment_access<with_aligned_segments<Scan>> = access::aligned;

/// How the chunks of a segment are read to be reduced: one lane vector for each lane and row.
struct segment_loads {
    static constexpr int widest_load = 1;
};
template <class Scan>
using segment_layout =
    row_layout<typename Scan::view, typename Scan::value, typename Scan::op, typename Scan::order, segment_loads>;

/// Of elements of less than a word, lanes then read aligned vectors, and exchange their words.
template <class Scan>
inline constexpr int segment_shift =
    segment_layout<Scan>::can_shift && Scan::view::element_alignment < 4 ? any_shift : no_shift;

/// Scans some rows of a segment onto `carry`, the exclusive prefix of their chunk. `run` is the aggregate of the rows
/// of the chunk before them. `whole` says that they are complete.
template <class Scan, bool whole, int rows>
TILEWISE_DEVICE void warp_scan_rows(tile_input<Scan>& from, bool is_aligned, typename Scan::sink& to, int begin,
                                    typename Scan::op& op, optional_value<typename Scan::value>& run,
                                    optional_value<typename Scan::value> const& carry)
{
    registers<typename Scan::vector_size, rows> loaded;
    if (is_aligned)
        gpu::load_rows<Scan, whole, access::aligned, memory::global>(from, begin, loaded);
    else
        gpu::load_rows<Scan, whole, segment_access<Scan>, memory::global>(from, begin, loaded);
    rows_in_registers<Scan, whole, rows> sums;
    sums.scan(loaded, from.all, op, from.count - begin, run);
    sync_warp(); // results may overwrite elements that other lanes read
    sums.template write<Scan::unaligned_output, true>(to, from.all, op, begin, from.count - begin, carry);
}

/// Whether a warp scans the elements of a segment before the first aligned one separately. Sums of integers may be
/// regrouped, and realigning elements of less than a word takes long. For 32-bit integers it was up to 5 % slower.
template <class Scan>
inline constexpr bool has_head_in_segment = Scan::sums_integers && Scan::view::widest < 4;

/// Where the rows of segments begin, of which each lane has one.
template <class Scan>
class row_starts {
public:
    /// Segments that begin at multiples of `aligned_every` can be read in the widest loads; none can if it is 0.
    TILEWISE_DEVICE void find(segment_span own, offset aligned_every)
    {
        if constexpr (has_head_in_segment<Scan>)
            head_ = gpu::elements_before_aligned(own, aligned_every);
        aligned_ = warp_ballot(gpu::is_aligned_at(own.begin + head_, aligned_every));
    }
    /// How many elements of a lane's segment come before its rows.
    TILEWISE_DEVICE int head(int lane) const { return has_head_in_segment<Scan> ? gpu::shuffle(head_, lane) : 0; }
    TILEWISE_DEVICE bool are_aligned(int lane) const { return (aligned_ >> lane & 1) != 0; }

private:
    int head_ = 0;
    unsigned aligned_ = 0;
};

/// Scans a segment of up to a tile with a warp: its first `head` elements separately, then rows, which can be read in
/// the widest loads if they are aligned.
template <class Segmented>
TILEWISE_DEVICE void warp_scan_segment(typename Segmented::view const& view, typename Segmented::results const& results,
                                       segment_span segment, offset index, int head, bool is_aligned,
                                       typename Segmented::op& op,
                                       optional_value<typename Segmented::value> const& init)
{
    using Scan = typename Segmented::scan;
    using T = typename Scan::value;
    constexpr int rows = rows_at_once<Scan>, step = rows * Scan::row;
    constexpr int few = sizeof(T) == 4 ? (rows + 1) / 2 : rows; // of the last ones; with larger T, code for them spills
    offset const first = segment.begin + head;
    int const count = static_cast<int>(segment.count) - head;
    auto from = is_aligned ? gpu::tile_in_memory<Scan, access::aligned>(view, first, count)
                           : gpu::tile_in_memory<Scan, segment_access<Scan>>(view, first, count);
    auto to = results.of(index, {first, count});
    auto run = gpu::no_value<T>();
    optional_value<T> before(init);
    if constexpr (has_head_in_segment<Scan>)
        if (head > 0)
            gpu::put(before, head_of_range<Scan>{head}.scan(from.all, to, op, init));
    optional_value<T> carry(before);
    registers<T, 1> own_chunk; // of each lane
    TILEWISE_NO_UNROLL
    for (int begin = 0; begin < count; begin += step) {
        if (begin > 0 && begin % Scan::chunk == 0) {
            int const last = begin / Scan::chunk - 1;
            if (lane_index() == last || last == 0)
                gpu::put(own_chunk[0], run.value[0]);
            T const chunks = gpu::warp_right_aligned_trees<Scan::chunks>(op, T(own_chunk[0]), last + 1);
            gpu::put(carry, before);
            carry.append(op, gpu::shuffle(chunks, last));
            gpu::put(run, gpu::no_value<T>());
        }
        if (count - begin >= step)
            gpu::warp_scan_rows<Scan, true, rows>(from, is_aligned, to, begin, op, run, carry);
        else if (few == rows || count - begin > few * Scan::row)
            gpu::warp_scan_rows<Scan, false, rows>(from, is_aligned, to, begin, op, run, carry);
        else
            gpu::warp_scan_rows<Scan, false, few>(from, is_aligned, to, begin, op, run, carry);
        sync_warp(); // a lane may read, in place of elements past the end, others that have been overwritten
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
