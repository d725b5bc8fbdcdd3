// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The inputs of reduce_by_index: the cell of each element, and the payload that is sorted with it.
///
/// Each type has `fetch`, which issues the loads of an element, and a function that computes the result from the loaded
/// data. So the loads of several elements are in flight at once.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/device/block/axis_for.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The cell number of an element that belongs to no cell. (There are at most 2^31 - 2 cells.)
inline constexpr unsigned invalid_key = ~0u;

/// The cells of samples, found by an axis.
template <class Samples, class Axis>
struct cells_of_samples {
    Samples samples;
    Axis axis;
    offset cells;
    offset count;

    using load_type = typename Samples::template vector<1>;
    static constexpr bool fits_word = Samples::bases == 1 && Samples::widest <= 4; ///< what is loaded for an element

    TILEWISE_DEVICE offset size() const { return count; }
    TILEWISE_DEVICE load_type fetch(offset i) const { return samples.template fetch<access::elementwise, 1>(i); }
    TILEWISE_DEVICE binning::located locate(load_type const& loaded)
    {
        return gpu::locate(axis, samples.element(loaded, 0), static_cast<unsigned>(cells));
    }
};

/// Cells that an earlier pass found. The number of elements is in device memory.
struct known_cells {
    unsigned const* numbers;
    offset const* count;

    using load_type = unsigned;

    TILEWISE_DEVICE offset size() const { return *count; }
    TILEWISE_DEVICE load_type fetch(offset i) const { return load_once(numbers + i); }
    TILEWISE_DEVICE binning::located locate(load_type loaded) const { return {loaded, true}; }
};

/// Values, converted to the accumulator's type.
template <class View, class T>
struct converted_values {
    View view;

    using type = T;
    using load_type = typename View::template vector<1>;

    /// Whether `get` neither reads memory nor computes.
    static constexpr bool is_loaded = View::bases > 0 && !View::computes;

    TILEWISE_DEVICE load_type fetch(offset i) const { return view.template fetch<access::elementwise, 1>(i); }
    TILEWISE_DEVICE T get(load_type const& loaded) { return static_cast<T>(view.element(loaded, 0)); }
};

/// The positions of values, in place of values that are too large for a payload.
struct positions_of_values {
    using type = offset;
    using load_type = offset;

    static constexpr bool is_loaded = true;

    TILEWISE_DEVICE load_type fetch(offset i) const { return i; }
    TILEWISE_DEVICE offset get(load_type position) const { return position; }
};

/// An iterator over values in the order of a list of positions.
template <class View, class T>
struct values_in_order {
    View view;
    offset const* positions;

    TILEWISE_DEVICE T operator[](offset i)
    {
        auto const loaded = view.template fetch<access::elementwise, 1>(positions[i]);
        return static_cast<T>(view.element(loaded, 0));
    }
    TILEWISE_DEVICE values_in_order operator+(offset i) const { return {view, positions + i}; }
};

template <class View, class T>
inline constexpr bool computes_elements<values_in_order<View, T>> = View::computes;

/// The contiguous tiles [first, last) of a block. The numbers of tiles of any two blocks differ by at most one.
struct tile_share {
    offset first, last;
};
template <int tile>
TILEWISE_DEVICE tile_share own_tiles(offset size)
{
    offset const tiles = (size + tile - 1) / tile;
    return {tiles * block_index() / block_count(), tiles * (block_index() + 1) / block_count()};
}

/// Issues the loads of a thread's elements of a tile: the one at `begin` and those at every `stride` after it. In place
/// of elements past the first `valid` ones, loads the last of these. (The addresses in a full tile differ by
/// constants.)
template <int tile, int stride, class Load, int items, class Source>
TILEWISE_DEVICE void fetch_tile(registers<Load, items>& loaded, Source const& source, offset first, int valid,
                                int begin)
{
    if (valid == tile) {
        offset const own = first + begin;
        TILEWISE_UNROLL
        for (int i = 0; i < items; ++i)
            loaded[i] = source.fetch(own + i * stride);
    } else {
        TILEWISE_UNROLL
        for (int i = 0; i < items; ++i)
            loaded[i] = source.fetch(first + gpu::min_of(begin + i * stride, valid - 1));
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
