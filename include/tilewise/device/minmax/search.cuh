// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The end of a search for extremes: finds the elements of which the second pass has found the values and the units.

#include <tilewise/core/config.hpp>
#include <tilewise/core/extremes.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/last_tile.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/minmax/values.cuh>
#include <tilewise/device/reduce/one_tile.cuh>
#include <tilewise/order.hpp>

#include <concepts>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The warps that find elements: of two extremes, warp 0 finds the smallest one, and warp 1 the largest one.
template <class Answer>
inline constexpr int warps_to_find = 1;
template <class E>
inline constexpr int warps_to_find<extremes<candidate<E>>> = 2;

template <class Position>
TILEWISE_DEVICE Position sought_by(int, Position const& one)
{
    return one;
}
template <class Position>
TILEWISE_DEVICE Position sought_by(int warp, extremes<Position> const& both)
{
    return gpu::select(warp == 0, both.smallest, both.largest);
}

template <class E>
TILEWISE_DEVICE void write_found(int, candidate<E>& one, candidate<E> const& found)
{
    gpu::put(one, found);
}
template <class E>
TILEWISE_DEVICE void write_found(int warp, extremes<candidate<E>>& both, candidate<E> const& found)
{
    gpu::put(warp == 0 ? both.smallest : both.largest, found);
}

/// Finds an element by the unit that it is in: first its lane vector, then its position there. (A candidate for each
/// element of a chunk would take more registers than there are for bytes.)
template <class Layout, access how, int shift, class E, class Op, class Better, class Answer>
struct unit_search {
    memory_view<E> view; ///< at any alignment
    offset index;        ///< of the first element
    offset last_tile;    ///< before it, units are chunks; from there on, those of `values_of_last_tile`
    Op op;
    Better better;

    /// Returns the element that a warp looks for.
    TILEWISE_DEVICE candidate<E> find(int warp, candidate<E> const& sought)
    {
        if (!gpu::any_lane(!sought.is_found()))
            return sought;
        offset const unit = sought.unit() - index;
        offset const vector =
            unit < last_tile ? vector_in_chunk(warp, sought.value, unit) : vector_in_row(warp, sought.value, unit);
        auto const last = static_cast<int>(gpu::at_most(view.size - 1 - vector, n - 1)); // of its elements
        if constexpr (compares_equal) {
            bool const is_equal = view.first[vector + gpu::min_of(lane_index(), last)] == sought.value;
            return {sought.value, index + vector + end_of(warp, gpu::warp_ballot(is_equal && lane_index() <= last))};
        } else {
            engine::candidates<E const*, E> const elements{view.first + vector, index + vector};
            Answer answer(elements[0]);
            TILEWISE_UNROLL
            for (int i = 1; i < n; ++i)
                if (i <= last)
                    gpu::put(answer, gpu::combine(better, answer, Answer(elements[i])));
            return gpu::sought_by(warp, answer);
        }
    }

private:
    static constexpr int rows = Layout::rows, n = Layout::lane_vector;
    /// Whether the value that is sought is that of the element: it is an integer, and compared by name. Of two
    /// extremes, the larger one is the last of equals, which warp 1 finds; others are the first.
    static constexpr bool compares_equal = std::integral<E> && !std::same_as<Op, Better>;

    TILEWISE_DEVICE static int end_of(int warp, unsigned bits)
    {
        return gpu::highest_bit(warp == 0 ? bits & (0 - bits) : bits);
    }
    template <class Value>
    TILEWISE_DEVICE static bool has(int warp, Value const& best, E const& sought)
    {
        return gpu::sought_by(warp, gpu::candidates_of<E>(best, 0)).value == sought;
    }

    TILEWISE_DEVICE offset vector_in_chunk(int warp, E const& sought, offset chunk)
    {
        auto const loaded = gpu::load_chunks<Layout, how, shift>(view, chunk);
        if constexpr (compares_equal) {
            unsigned lanes[rows], rows_with_value = 0;
            TILEWISE_UNROLL
            for (int row = 0; row < rows; ++row) {
                lanes[row] = gpu::warp_ballot(has(warp, gpu::load_aggregate<Layout>(view, loaded[row], op), sought));
                rows_with_value |= lanes[row] != 0 ? 1u << row : 0;
            }
            int const row = end_of(warp, rows_with_value);
            unsigned lanes_of_row = lanes[0];
            TILEWISE_UNROLL
            for (int i = 1; i < rows; ++i)
                lanes_of_row = row == i ? lanes[i] : lanes_of_row;
            return chunk + row * Layout::segment + end_of(warp, lanes_of_row) * n;
        } else {
            registers<Answer, rows> best;
            TILEWISE_UNROLL
            for (int row = 0; row < rows; ++row)
                gpu::put(best[row], in_vector(gpu::load_aggregate<Layout>(view, loaded[row], op),
                                              chunk + lane_index() * n + row * Layout::segment));
            Answer const trees = gpu::warp_row_trees<rows, warp_size>(better, best);
            Answer const whole = gpu::warp_fold_rows<rows, warp_size, Answer>(better, trees);
            return gpu::sought_by(warp, whole).unit() - index;
        }
    }

    /// Likewise in a row of the last tile, or the part of it that is before the last lane vector, or that lane vector.
    TILEWISE_DEVICE offset vector_in_row(int warp, E const& sought, offset row)
    {
        offset const last = view.size - 1, last_vector = last / n * n;
        int const lanes = row == last_vector ? 1 : static_cast<int>(gpu::at_most((last_vector - row) / n, warp_size));
        offset const own = row + gpu::min_of(lane_index(), lanes - 1) * n;
        auto const loaded = view.template fetch_clamped<n>(own, last);
        auto const best =
            gpu::vector_aggregate<Layout>(view, loaded, op, own == last_vector ? static_cast<int>(last % n) : n - 1);
        if constexpr (compares_equal) {
            return row + end_of(warp, gpu::warp_ballot(has(warp, best, sought) && lane_index() < lanes)) * n;
        } else {
            Answer const of_lane = in_vector(best, own);
            Answer const whole = lanes == warp_size
                                     ? gpu::shuffle(gpu::warp_tree(better, of_lane), 0)
                                     : gpu::shuffle(gpu::warp_right_aligned_trees(better, of_lane, lanes), lanes - 1);
            return gpu::sought_by(warp, whole).unit() - index;
        }
    }
    template <class Value>
    TILEWISE_DEVICE Answer in_vector(Value const& best, offset vector) const
    {
        return Answer(gpu::candidates_of<E>(best, candidate<E>::in_unit_at(index + vector)));
    }
};

/// Where pass 2 writes the best values, of which it then finds the elements.
template <class Search, class Answer>
struct found_answer {
    Search search;
    Answer* found;

    /// The best values, which one thread writes.
    TILEWISE_DEVICE Answer& operator*() const
    {
        TILEWISE_SHARED(best, raw_storage<Answer>);
        return best.object();
    }
    TILEWISE_DEVICE void read_again()
    {
        int const warp = warp_index();
        if (warp >= warps_to_find<Answer>)
            return;
        auto const answer = search.find(warp, gpu::sought_by(warp, **this));
        if (lane_index() == 0)
            gpu::write_found(warp, *found, answer);
    }
};
template <class Search, class Answer>
inline constexpr bool reads_again<found_answer<Search, Answer>> = true;

} // namespace gpu
TILEWISE_NAMESPACE_END
