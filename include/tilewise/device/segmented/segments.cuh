// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The segments of a range, and the destinations of their results.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/order.hpp>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A segment: `count` elements of a range, from `begin` on.
struct segment_span {
    offset begin, count;
};

/// Whether `index` is a multiple of `aligned_every`, a power of two; not if that is 0.
TILEWISE_DEVICE bool is_aligned_at(offset index, offset aligned_every)
{
    return aligned_every != 0 && (index & (aligned_every - 1)) == 0;
}

/// Returns how many elements of a segment come before the first multiple of `aligned_every`, a power of two of up to
/// 16; 0 if it is 0, and for a segment that may have none behind them.
TILEWISE_DEVICE int elements_before_aligned(segment_span segment, offset aligned_every)
{
    if (aligned_every == 0 || segment.count <= vector_bytes)
        return 0;
    return static_cast<int>(-segment.begin & (aligned_every - 1));
}

/// A list of segments, given by views of their begins and ends.
template <class Begins, class Ends>
struct segment_list {
    Begins begins;
    Ends ends;
    bool are_adjacent = false; ///< whether each begins where the one before it ends, as both are views of one array

    static constexpr bool counts_on_device = false; ///< whether only the device may know how many segments there are

    /// Returns a segment; one that ends before it begins is empty.
    TILEWISE_DEVICE segment_span at(offset index)
    {
        offset const begin = number(begins, index), end = number(ends, index);
        return {begin, end < begin ? 0 : end - begin};
    }
    /// Returns where a segment begins, or, if they are adjacent, where the last one ends.
    TILEWISE_DEVICE offset start(offset index) { return are_adjacent ? number(begins, index) : 0; }

private:
    template <class View>
    TILEWISE_DEVICE static offset number(View& view, offset index)
    {
        auto const loaded = view.template fetch<access::elementwise, 1>(index);
        return static_cast<offset>(view.element(loaded, 0));
    }
};

/// Returns how many elements the `count` segments from `first` on have, which are adjacent.
template <class Segments>
TILEWISE_DEVICE offset elements_of(Segments& segments, offset first, offset count)
{
    return segments.start(first + count) - segments.start(first);
}

/// Stores one value.
template <class Sink, class T>
TILEWISE_DEVICE void store_one(Sink& to, offset position, T const& value)
{
    registers<T, 1> one;
    gpu::put(one[0], value);
    to.store_some(position, Sink::pack(one), 0, 1);
}

/// Stores the last result of a scan, which is the reduction, and drops the others.
template <class Sink>
struct last_result {
    Sink to;
    offset index; ///< the position in `to`
    offset last;  ///< the index of the last result

    template <int>
    static constexpr int alignment = 1;
    template <int>
    static constexpr bool can_realign = false;

    template <class T, int count>
    TILEWISE_DEVICE static registers<T, count> pack(registers<T, count> const& values)
    {
        return values;
    }
    template <access, class T, int count>
    TILEWISE_DEVICE void store(offset position, registers<T, count> const& values)
    {
        store_some(position, values, 0, count);
    }
    template <class T, int count>
    TILEWISE_DEVICE void store_some(offset position, registers<T, count> const& values, int begin, int end)
    {
        TILEWISE_UNROLL
        for (int i = 0; i < count; ++i)
            if (i >= begin && i < end && position + i == last)
                gpu::store_one(to, index, T(values[i]));
    }
    TILEWISE_DEVICE last_result from(offset position) const { return {to, index, last - position}; }
};

/// A result for every element of a segment, at the position of the element.
template <class Sink>
struct result_per_element {
    using sink = Sink;
    static constexpr bool reduces = false;
    Sink to;
    TILEWISE_DEVICE sink of(offset, segment_span segment) const { return to.from(segment.begin); }
};

/// A result for every segment.
template <class Sink>
struct result_per_segment {
    using sink = last_result<Sink>;
    static constexpr bool reduces = true;
    Sink to;
    TILEWISE_DEVICE sink of(offset index, segment_span segment) const { return {to, index, segment.count - 1}; }
};

/// A geometry with lane vectors of so many bytes.
template <class Geometry, int bytes>
struct with_lane_vectors : Geometry {
    static constexpr int lane_vector_bytes = bytes;
};

/// The order in which a segment is reduced. Bytes have the same sum in any order, so a lane vector has 16 of them,
/// which a lane loads together, also if their sum is a larger type.
template <class View, class T, class Op, class Geometry>
using order_of_reduction =
    order<T, std::conditional_t<adds_bytes<View, T, Op>,
                                with_lane_vectors<Geometry, vector_bytes* static_cast<int>(sizeof(T))>, Geometry>>;

/// The types of a segmented algorithm: the scan of a segment, the results, and the segments.
template <class Scan, class Results, class Segments>
struct segmented_of {
    using scan = Scan;
    using view = typename Scan::view;
    using value = typename Scan::value;
    using op = typename Scan::op;
    using results = Results;
    using segments = Segments;
};

/// The same with lane vectors of four bytes, where bytes are summed and a lane vector has more.
template <class Segmented, class Scan = typename Segmented::scan>
using with_short_lane_vectors = std::conditional_t<
    Segmented::results::reduces && adds_bytes<typename Scan::view, typename Scan::value, typename Scan::op> &&
        (Scan::lane_vector > 4),
    segmented_of<
        scan_of<typename Scan::view, typename Scan::sink, typename Scan::value, typename Scan::op, Scan::form,
                order<typename Scan::value,
                      with_lane_vectors<typename Scan::geometry, 4 * static_cast<int>(sizeof(typename Scan::value))>>>,
        typename Segmented::results, typename Segmented::segments>,
    Segmented>;

} // namespace gpu
TILEWISE_NAMESPACE_END
