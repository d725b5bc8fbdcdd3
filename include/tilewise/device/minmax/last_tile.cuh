// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The last tile of a search for extremes: its lane vectors and rows are reduced as values, like the chunks before it.

#include <tilewise/core/config.hpp>
#include <tilewise/core/extremes.hpp>
#include <tilewise/device/block/last_tile.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/minmax/values.cuh>
#include <tilewise/device/reduce/one_tile.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The parts of a last tile as candidates. Each is in a unit: a row, the lanes before the last one, or its lane vector.
template <class Answer, class E, class Value, class Order>
struct parts_as_candidates {
    last_tile_parts<Value, Order>& values;
    offset begin; ///< the index of the first element
    int last;     ///< the last element, counted from there

    TILEWISE_DEVICE Answer row(int i) const { return in_unit_at(values.row(i), i * Order::row); }
    TILEWISE_DEVICE Answer lanes() const { return in_unit_at(values.lanes(), last / Order::row * Order::row); }
    TILEWISE_DEVICE Answer elements() const
    {
        return in_unit_at(values.elements(), last / Order::lane_vector * Order::lane_vector);
    }

private:
    TILEWISE_DEVICE Answer in_unit_at(Value const& best, offset first) const
    {
        return Answer(gpu::candidates_of<E>(best, candidate<E>::in_unit_at(begin + first)));
    }
};

/// A view of elements whose last tile is reduced as values.
template <class Layout, access how, class E, class Op>
struct values_of_last_tile : memory_view<E> {
    offset index; ///< of the first element
    Op op;

    /// Reads the last tile, which begins at `first`. Warp 0 may read `ends` afterwards.
    template <class Order, int rows_per_warp, int warps, class Better, class Answer>
    TILEWISE_DEVICE void read_last_tile(offset first, int count, Better& better, last_tile_ends<Answer>& ends)
    {
        using value = typename Layout::value;
        using order = typename Layout::order;
        TILEWISE_SHARED(parts, last_tile_parts<value, order>);
        memory_view<E>& view = *this;
        gpu::read_last_tile<Layout, how, rows_per_warp, warps>(view, first, count, op, parts);
        sync_block();
        if (warp_index() == 0) {
            parts_as_candidates<Answer, E, value, order> candidates{parts, index + first, count - 1};
            gpu::join_last_tile<Order>(candidates, count, better, ends);
        }
    }
};
template <class Layout, access how, class E, class Op>
inline constexpr bool reads_last_tile<values_of_last_tile<Layout, how, E, Op>> = true;

} // namespace gpu
TILEWISE_NAMESPACE_END
