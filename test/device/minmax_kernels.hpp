// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The positions of extremes, by each kernel and algorithm.

#include "on_device.hpp"
#include "values.hpp"

#include <tilewise/minmax.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace tw = tilewise;

namespace minmax_kernels {

using on_device::device_array;

/// Two passes however short the range is, with several chunks for every warp, and without the features of sm_90.
struct two_passes : tw::gpu::reduce_tuning {
    static constexpr int cluster_blocks = 1;
    static constexpr bool dependent_launches = false;
    static constexpr int iterations(tw::offset) { return 2; }
};

struct smaller { // known by no name
    template <class T>
    TILEWISE_PORTABLE bool operator()(T const& a, T const& b) const
    {
        return a < b;
    }
};

/// What a comparison of positions finds in two passes.
template <class Answer, class E, class Better>
Answer found_in_two_passes(device_array<E> const& x, Better better)
{
    using tw::engine::candidate;
    return tw::gpu::best_in_memory<two_passes>(tw::device,
                                               tw::gpu::memory_view<E>{x.data(), static_cast<tw::offset>(x.size())}, 0,
                                               Answer(candidate<E>{E(), candidate<E>::none}), better);
}

/// On the GPU the positions are those that seq finds, by each algorithm.
template <class E, class Less, class... Given>
void expect_the_positions_of_seq(std::vector<E> const& x, std::size_t misalignment, Less less, Given... given)
{
    namespace engine = tw::engine;
    using answer = engine::candidate<E>;
    device_array<E> const device_copy(x, misalignment);
    E const *const first = device_copy.begin(), *const last = device_copy.end();
    auto const low = tw::min_element(x, given...) - x.begin(), high = tw::max_element(x, given...) - x.begin(),
               last_high = tw::minmax_element(x, given...).second - x.begin();
    if (x.size() > values::tile_of(sizeof(E))) {
        EXPECT_EQ(found_in_two_passes<answer>(device_copy, engine::first_smallest<Less>{less}).index, low);
        EXPECT_EQ(found_in_two_passes<answer>(device_copy, engine::first_largest<Less>{less}).index, high);
        auto const both = found_in_two_passes<engine::extremes<answer>>(device_copy, engine::widest<Less>{less});
        EXPECT_EQ(both.smallest.index, low);
        EXPECT_EQ(both.largest.index, last_high);
    }
    if (on_device::interpreted && x.size() > 2 * values::tile_of(sizeof(E)))
        return;
    EXPECT_EQ(tw::min_element(tw::device, first, last, given...) - first, low);
    EXPECT_EQ(tw::max_element(tw::device, first, last, given...) - first, high);
    EXPECT_EQ(tw::minmax_element(tw::device, first, last, given...).first - first, low);
    EXPECT_EQ(tw::minmax_element(tw::device, first, last, given...).second - first, last_high);
}

template <class E>
std::vector<std::size_t> sizes()
{
    std::size_t const tile = values::tile_of(sizeof(E));
    if (on_device::interpreted)
        return {tile + 1, 2 * tile + tile / 8 + 5};
    return {1, tile / 8 + 1, tile, tile + 1, 16 * tile + 1, 17 * tile, 40 * tile + 77, 1024 * tile + 33 * tile + 7};
}

/// At equal elements with one, or two, of their kind around the borders of lane vectors, rows, chunks, blocks and the
/// last tile.
template <class E>
void expect_ties_as_in_seq()
{
    std::size_t const tile = values::tile_of(sizeof(E)), chunk = tile / 8;
    std::size_t variant = 0;
    for (std::size_t const size : sizes<E>()) {
        std::vector<E> x(size, E(5));
        expect_the_positions_of_seq(x, 0, tw::gpu::is_less());
        std::size_t const last_tile = (size - 1) / tile * tile, vector = tile / 64 / 32;
        for (std::size_t const position : {std::size_t{0}, 6 * vector - 1, 6 * vector, tile / 64, chunk - 1, chunk,
                                           tile - 1, tile, last_tile - 1, 16 * tile, size - 1}) {
            if (position >= size || on_device::leaves_to_other_schedule(variant++))
                continue;
            SCOPED_TRACE(testing::Message() << size << " elements, at " << position);
            std::size_t const other = position < size / 2 ? size - 1 - position / 2 : position / 2;
            x[position] = x[other] = E(4);
            expect_the_positions_of_seq(x, 0, tw::gpu::is_less());
            x[position] = x[other] = E(6);
            expect_the_positions_of_seq(x, 0, tw::gpu::is_less());
            expect_the_positions_of_seq(x, sizeof(E), smaller(), smaller());
            x[position] = E(4);
            expect_the_positions_of_seq(x, sizeof(E), tw::gpu::is_greater(), std::greater<>());
            x[position] = x[other] = E(5);
        }
    }
}

/// At pairs of equal elements of a last tile that has two rows, three lane vectors of a third one, and two elements.
template <class E>
void expect_parts_of_the_last_tile_as_in_seq()
{
    std::size_t const tile = values::tile_of(sizeof(E)), row = tile / 64, vector = row / 32;
    std::vector<E> x(tile + 2 * row + 3 * vector + 2, E(5));
    std::vector<std::size_t> const positions = {tile - 1,
                                                tile,
                                                tile + row - 1,
                                                tile + row,
                                                tile + 2 * row,
                                                tile + 2 * row + 1,
                                                tile + 2 * row + 3 * vector - 1,
                                                tile + 2 * row + 3 * vector,
                                                x.size() - 1};
    std::size_t variant = 0;
    for (std::size_t i = 0; i + 1 < positions.size(); ++i)
        for (E const value : {E(4), E(6)}) {
            if (on_device::leaves_to_other_schedule(variant++))
                continue;
            SCOPED_TRACE(testing::Message() << "at " << positions[i] << " and " << positions[i + 1]);
            x[positions[i]] = x[positions[i + 1]] = value;
            expect_the_positions_of_seq(x, 0, tw::gpu::is_less());
            expect_the_positions_of_seq(x, sizeof(E), smaller(), smaller());
            x[positions[i + 1]] = E(5);
            expect_the_positions_of_seq(x, sizeof(E), tw::gpu::is_greater(), std::greater<>());
            x[positions[i]] = E(5);
        }
}

} // namespace minmax_kernels
