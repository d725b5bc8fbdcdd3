// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "minmax_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace tw = tilewise;

namespace {

using namespace minmax_kernels;

DEVICE_TEST(minmax, of_floats_and_bytes_finds_the_first_smallest_and_the_last_largest)
{
    expect_ties_as_in_seq<float>();
    expect_ties_as_in_seq<std::int8_t>();
}

DEVICE_TEST(minmax, in_the_last_tile_finds_elements_of_each_of_its_parts)
{
    expect_parts_of_the_last_tile_as_in_seq<float>();
    expect_parts_of_the_last_tile_as_in_seq<std::int8_t>();
}

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
    expect_the_positions_of_seq(numbers<std::int8_t>(values::tile_of(1) + 9), 1, tw::gpu::is_greater(),
                                std::greater<>());
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
