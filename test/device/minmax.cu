// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "on_device.hpp"
#include "values.hpp"

#include <tilewise/minmax.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

namespace tw = tilewise;

namespace {

using on_device::device_array;

/// Three passes however short the range is, with several chunks for every warp, and without the features of sm_90.
struct three_passes : tw::gpu::reduce_tuning {
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

/// What a comparison of positions finds through three passes.
template <class Answer, class E, class Better>
Answer found_in_three_passes(device_array<E> const& x, Better better)
{
    using tw::engine::candidate;
    return tw::gpu::best_in_memory<three_passes>(tw::device,
                                                 tw::gpu::memory_view<E>{x.data(), static_cast<tw::offset>(x.size())},
                                                 0, Answer(candidate<E>{E(), candidate<E>::none}), better);
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
        EXPECT_EQ(found_in_three_passes<answer>(device_copy, engine::first_smallest<Less>{less}).index, low);
        EXPECT_EQ(found_in_three_passes<answer>(device_copy, engine::first_largest<Less>{less}).index, high);
        auto const both = found_in_three_passes<engine::extremes<answer>>(device_copy, engine::widest<Less>{less});
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

/// At equal elements with one, or two, of their kind around the borders of chunks, blocks and the last tile.
template <class E>
void expect_ties_as_in_seq()
{
    std::size_t const tile = values::tile_of(sizeof(E)), chunk = tile / 8;
    std::size_t variant = 0;
    for (std::size_t const size : sizes<E>()) {
        std::vector<E> x(size, E(5));
        expect_the_positions_of_seq(x, 0, tw::gpu::is_less());
        std::size_t const last_tile = (size - 1) / tile * tile;
        for (std::size_t const position :
             {std::size_t{0}, chunk - 1, chunk, tile - 1, tile, last_tile - 1, 16 * tile, size - 1}) {
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

DEVICE_TEST(minmax, of_floats_and_bytes_finds_the_first_smallest_and_the_last_largest)
{
    expect_ties_as_in_seq<float>();
    expect_ties_as_in_seq<std::int8_t>();
}

#ifdef __CUDACC__ // for the interpreter these are floats with other sizes
DEVICE_TEST(minmax, of_other_numbers_finds_the_first_smallest_and_the_last_largest)
{
    expect_ties_as_in_seq<double>();
    expect_ties_as_in_seq<std::uint16_t>();
    expect_ties_as_in_seq<std::uint32_t>();
    expect_ties_as_in_seq<std::int64_t>();
}
#endif

template <class E>
std::vector<E> numbers(std::size_t size)
{
    std::vector<E> x;
    for (unsigned const seed : values::seeds(size))
        x.push_back(static_cast<E>(seed / 64));
    return x;
}

DEVICE_TEST(minmax, of_extreme_integers_compares_them_as_their_type_does)
{
    std::size_t const size = values::tile_of(4) + 9;
    auto x = numbers<std::uint32_t>(size);
    x[size / 3] = 0xffffffff, x[size / 2] = 0;
    expect_the_positions_of_seq(x, 4, tw::gpu::is_less());
    auto const bytes = numbers<std::uint8_t>(values::tile_of(1) + 9);
    expect_the_positions_of_seq(bytes, 3, tw::gpu::is_less());
    auto signed_ones = numbers<std::int32_t>(size);
    signed_ones[7] = std::numeric_limits<int>::min(), signed_ones[size - 7] = std::numeric_limits<int>::max();
    expect_the_positions_of_seq(signed_ones, 0, tw::gpu::is_less());
}

DEVICE_TEST(minmax, at_every_alignment_finds_what_seq_finds)
{
    auto const x = numbers<float>(values::tile_of(sizeof(float)) + 1030);
    auto const bytes = numbers<std::int8_t>(values::tile_of(1) + 5000);
    for (std::size_t misalignment = 0; misalignment < 16; ++misalignment) {
        if (on_device::leaves_to_other_schedule(misalignment / 4))
            continue;
        expect_the_positions_of_seq(bytes, misalignment, tw::gpu::is_less());
        if (misalignment % 4 == 0)
            expect_the_positions_of_seq(x, misalignment, tw::gpu::is_less());
    }
}

DEVICE_TEST(minmax, with_nans_finds_what_seq_finds)
{
    for (unsigned const every : {2u, 50u}) {
        auto x = numbers<float>(3 * values::tile_of(sizeof(float)) / 2);
        for (std::size_t i = 0; i < x.size(); ++i)
            if (static_cast<unsigned>(x[i]) % every == 0)
                x[i] = std::numeric_limits<float>::quiet_NaN();
        x[0] = 17;
        expect_the_positions_of_seq(x, 0, tw::gpu::is_less());
        expect_the_positions_of_seq(x, 4, smaller(), smaller());
    }
}

/// As large as an index, and larger.
template <int words>
struct pair_of_words {
    std::uint32_t word[words];
    TILEWISE_PORTABLE friend bool operator<(pair_of_words const& a, pair_of_words const& b)
    {
        return a.word[1] < b.word[1];
    }
};

DEVICE_TEST(minmax, of_structures_finds_what_seq_finds)
{
    std::size_t const size = values::tile_of(8) + 300;
    std::vector<pair_of_words<2>> pairs;
    std::vector<pair_of_words<3>> triples;
    for (unsigned const seed : values::seeds(size)) {
        pairs.push_back({{seed, seed / 64 % 200}});
        triples.push_back({{seed, seed / 64 % 200, 0}});
    }
    expect_the_positions_of_seq(pairs, 0, tw::gpu::is_less());
    device_array<pair_of_words<3>> const device_copy(triples);
    auto const found = tw::minmax_element(tw::device, device_copy.begin(), device_copy.end());
    auto const expected = tw::minmax_element(triples);
    EXPECT_EQ(found.first - device_copy.begin(), expected.first - triples.begin());
    EXPECT_EQ(found.second - device_copy.begin(), expected.second - triples.begin());
}

} // namespace
