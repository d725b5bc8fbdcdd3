// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How a warp of a scan loads rows of a tile.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The elements of a tile, and the range of them that may be read in 16-byte vectors.
template <class Scan>
struct tile_input {
    typename Scan::view all;    ///< in global memory
    typename Scan::view nearby; ///< the same, or their copy in a stage of shared memory
    int count;                  ///< elements in the tile
    int begin, end;             ///< the elements [begin, end) are read from `nearby`

    /// Whether these elements exist, and may be read from there.
    TILEWISE_DEVICE bool has_nearby(int first, int elements) const
    {
        return begin <= first && first + elements <= min_of(end, count);
    }
};

/// The number of elements at either end of a tile whose 16-byte vector, or the next one, may contain bytes of other
/// tiles.
template <class View>
inline constexpr int shared_with_others = (vector_bytes + View::narrowest - 1) / View::narrowest;

/// The tile of `count` elements in global memory that begins at element `first`.
template <class Scan, access how>
TILEWISE_DEVICE tile_input<Scan> tile_in_memory(typename Scan::view const& view, offset first, int count)
{
    auto const all = view.from(first);
    if constexpr (how == access::realigned)
        return {all, all, count, shared_with_others<typename Scan::view>,
                count - shared_with_others<typename Scan::view>};
    else
        return {all, all, count, 0, count / Scan::lane_vector * Scan::lane_vector};
}

/// Fetches a tile to the L2 cache, if all of it lies in one range of memory.
template <class Scan>
TILEWISE_DEVICE void prefetch_tile(typename Scan::view const& view, offset tile, offset count)
{
    using View = typename Scan::view;
    if constexpr (View::bases == 1) {
        if (count - tile * Scan::tile < Scan::tile)
            return;
        auto const* const first = reinterpret_cast<unsigned char const*>(view.base().address_of(tile * Scan::tile));
        for (int at = thread_index() * line_bytes; at < Scan::tile * View::widest; at += Scan::threads * line_bytes)
            prefetch_line(first + at);
    }
}

/// Loads `rows` rows, starting at element `first` of a tile. Elements past the end of the tile have unspecified values,
/// or stay uninitialized.
template <class Scan, bool whole, access how, memory where, int rows>
TILEWISE_DEVICE void load_rows(tile_input<Scan>& from, int first, registers<typename Scan::vector_size, rows>& loaded)
{
    constexpr int N = Scan::lane_vector;
    auto const position_of = [&](int row) { return first + row * Scan::row + lane_index() * N; };
    constexpr bool is_nearby = how == access::aligned || (how == access::elementwise && where == memory::global);
    if (whole && (is_nearby || from.has_nearby(first, rows * Scan::row))) {
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row)
            loaded[row] = from.nearby.template fetch<how, N, where>(position_of(row));
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row)
            from.nearby.template finish<how, N>(loaded[row], position_of(row));
        return;
    }
    if constexpr (rows == 1) { // a lane reads its own elements only: others may have been overwritten by results
        int const position = position_of(0);
        if (position >= from.begin && position + N <= from.end) {
            loaded[0] = from.nearby.template fetch<how, N, where>(position);
            from.nearby.template finish<how, N>(loaded[0], position);
        } else if (position < from.count) {
            loaded[0] = from.all.template fetch_clamped<N>(position, from.count - 1);
        }
        return;
    }
    // All lanes load without a branch, which would wait for the preceding load. A lane whose vector cannot be loaded
    // from `nearby` loads the nearest one that can. Those few vectors are read again below.
    auto const near_position = [&](int row) {
        return gpu::max_of(gpu::min_of(position_of(row), from.end - N), from.begin);
    };
    if (from.end - from.begin >= N) {
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row)
            loaded[row] = from.nearby.template fetch<how, N, where>(near_position(row));
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row)
            from.nearby.template finish<how, N>(loaded[row], near_position(row));
    }
    TILEWISE_UNROLL
    for (int row = 0; row < rows; ++row) {
        int const position = position_of(row);
        if (position < from.count && (position < from.begin || position + N > from.end))
            loaded[row] = from.all.template fetch_clamped<N>(position, from.count - 1);
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
