// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// A quick digest of the tests of the segmented algorithms, for the mutation list: on the host, and in the interpreter.

#include "segments.hpp"

#include <tilewise/cached_memory.hpp>
#include <tilewise/reduce.hpp>
#include <tilewise/reduce_by_key.hpp>
#include <tilewise/segmented.hpp>

#include <gtest/gtest.h>

#ifdef TILEWISE_DEVICE_ENGINE
#include <simt/runtime.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace {

#ifdef TILEWISE_DEVICE_ENGINE
using geometry = segments::steep_geometry;

TEST(SegmentedProbe, FindsNullPointers)
{
    int const some[]{1, 2, 3};
    int* const none = nullptr;
    int out[3]{};
    EXPECT_THROW(tilewise::segmented_reduce(tilewise::device, none, some, some + 1, some + 1, out),
                 std::invalid_argument);
    EXPECT_THROW(tilewise::segmented_inclusive_scan(tilewise::device, some, some, some + 1, some + 1, none),
                 std::invalid_argument);
    EXPECT_THROW(tilewise::reduce_into(tilewise::device, some, some + 1, none), std::invalid_argument);
    int const zeros[]{0, 0};
    EXPECT_NO_THROW(tilewise::segmented_inclusive_scan(tilewise::device, none, zeros, zeros + 1, zeros + 1, none));
}

TEST(SegmentedProbe, FindsTheOrderOfAdjacentSegments)
{
    segments::expect_adjacent_specified<std::uint32_t, tilewise::standard_geometry>(
        shape::some_values<std::uint32_t>(1009), shape::non_associative<std::uint32_t>(), 4);
    segments::expect_adjacent_specified<std::uint16_t, geometry>(shape::some_values<std::uint16_t>(1009),
                                                                 shape::non_associative<std::uint16_t>(), 6);
}

/// A round that begins behind the last run has none.
TEST(SegmentedProbe, FindsTheNumberOfRunsThatExist)
{
    tilewise::offset const number = 3;
    tilewise::gpu::runs_or_long_runs runs = {{nullptr, false, &number, 0}, {nullptr}, number, 0};
    EXPECT_EQ(tilewise::gpu::existing_segments(runs, 0, 2), 2);
    EXPECT_EQ(tilewise::gpu::existing_segments(runs, 2, 2), 1);
    EXPECT_EQ(tilewise::gpu::existing_segments(runs, 10, 2), 0);
    runs.announced = 2;
    EXPECT_EQ(tilewise::gpu::existing_segments(runs, 0, 3), 2);
    runs.announced = 4; // too many to be combined as segments
    EXPECT_EQ(tilewise::gpu::existing_segments(runs, 0, 3), 0);
}
#else
using geometry = backend::tiny_geometry;

TEST(SegmentedProbe, FindsBadInput)
{
    int const some[]{1, 2, 3}, backwards[]{2, 0};
    int out[3]{};
    EXPECT_THROW(tilewise::segmented_reduce(some, backwards, backwards + 1, backwards + 1, out), std::invalid_argument);
    EXPECT_THROW(tilewise::segmented_reduce(static_cast<int const*>(nullptr), some, some + 1, some + 1, out),
                 std::invalid_argument);
    EXPECT_THROW(tilewise::segmented_inclusive_scan(some, some, some + 1, some + 1, static_cast<int*>(nullptr)),
                 std::invalid_argument);
    EXPECT_THROW(tilewise::segmented_reduce(some, some, some + 1, static_cast<int const*>(nullptr), out),
                 std::invalid_argument);
}

TEST(SegmentedProbe, FindsTheNumberOfSegmentsOfARange)
{
    int const x[]{1, 2, 3}, offsets[]{0, 1, 3, 3};
    int out[3]{7, 7, 7};
    tilewise::segmented_reduce(x, std::span(offsets).first(3), out);
    EXPECT_TRUE(out[0] == 1 && out[1] == 5 && out[2] == 7);
}

TEST(SegmentedProbe, FindsTheOrderOfARow)
{
    segments::expect_every_length_specified<std::uint32_t>();
    segments::expect_every_length_specified<shape::bytes<24>>();
}
#endif

#ifdef TILEWISE_DEVICE_ENGINE
TEST(SegmentedProbe, FindsManyLongSegments)
{
    using order = tilewise::order<std::uint32_t, geometry>;
    segments::list of;
    for (int i = 0; i < 50; ++i)
        of.add(i % 25 == 20 ? order::super_group + order::tile : order::tile + 1 + i, i % 3);
    backend::run([&] {
        tilewise::release_cached_memory(); // new status words are cleared: before the kernels, not between them
        auto const late = simt::runtime::statistics_so_far().late_dependents;
        segments::expect_specified<geometry>(shape::some_values<std::uint32_t>(of.elements), of,
                                             shape::non_associative<std::uint32_t>());
        EXPECT_EQ(simt::runtime::statistics_so_far().late_dependents, late);
    });
}

/// Room for 64 aggregates: the first one has more, so that nothing is split, and the second has fewer.
TEST(SegmentedProbe, FindsSegmentsThatThereIsNoRoomFor)
{
    using order = tilewise::order<std::uint32_t, geometry>;
    static_assert(segments::tuning::split_bytes == 64 * sizeof(std::uint32_t));
    segments::list of;
    of.add(63 * order::tile + 1, 0);
    of.add(9 * order::tile, 1);
    backend::run([&] {
        segments::expect_specified<geometry>(shape::some_values<std::uint32_t>(of.elements), of,
                                             shape::non_associative<std::uint32_t>());
    });
}

/// The same, but there is room for the first segments, in the order in which they are found, and not for others.
TEST(SegmentedProbe, FindsThatThereIsRoomForSome)
{
    using order = tilewise::order<std::uint32_t, geometry>;
    segments::list of;
    for (tilewise::offset const tiles : {20, 17, 30, 9})
        of.add(tiles * order::tile + 5, 1);
    backend::run([&] {
        segments::expect_specified<geometry>(shape::some_values<std::uint32_t>(of.elements), of,
                                             shape::non_associative<std::uint32_t>());
    });
}

TEST(SegmentedProbe, FindsManySplitSegments)
{
    auto const of = segments::many_to_split<std::uint32_t, geometry>(30);
    backend::run([&] {
        segments::expect_specified<geometry, segments::tuning_of_many_splits>(
            shape::some_values<std::uint32_t>(of.elements), of, shape::non_associative<std::uint32_t>());
    });
}

template <bool have_heads>
struct words_in_tiles {
    static constexpr bool sums_integers = have_heads;
    using value = std::uint32_t;
    using order = tilewise::order<value, ::geometry>;
    using geometry = ::geometry;
    static constexpr int tile = static_cast<int>(order::tile);
};

/// Takes `steps[i]` tickets and writes where the tile of the last one begins, or -1 if there is none.
template <bool have_heads>
TILEWISE_KERNEL(tilewise::gpu::warp_size, 1)
find_tiles(tilewise::gpu::segment_tickets segments, tilewise::gpu::scan_status status, int const* steps, int count,
           tilewise::offset* begins)
{
    tilewise::gpu::tiles_of_segments<words_in_tiles<have_heads>> tiles(segments, status);
    for (int i = 0; i < count; ++i) {
        tiles.look_ahead();
        for (int k = 0; k < steps[i]; ++k)
            if (tilewise::gpu::lane_index() == 0)
                tiles.take();
        auto const found = tiles.find();
        if (tilewise::gpu::lane_index() == 0)
            begins[i] = found.number == tilewise::gpu::no_tile ? -1 : found.begin;
    }
}

/// Tickets of near segments, of far ones, and of nearer ones than the last two were apart.
template <bool have_heads>
void expect_tickets()
{
    constexpr tilewise::offset tile = words_in_tiles<have_heads>::tile, aligned_every = 4;
    std::vector<tilewise::gpu::ticketed_segment> list;
    std::vector<tilewise::offset> tiles; // by ticket
    tilewise::offset begin = 0;
    for (int i = 0; i < 3000; ++i) {
        tilewise::offset const count = (i % 500 == 250 ? 100 : 1) * tile + 1 + i % 7;
        begin += 5;
        list.push_back({{begin, count}, tiles.size()});
        tilewise::offset const head = have_heads ? (aligned_every - begin % aligned_every) % aligned_every : 0;
        for (tilewise::offset at = head; at < count; at += tile) // with a head, some have one tile less
            tiles.push_back(begin + at);
        begin += count;
    }
    std::vector<int> const steps{1, 1, 62, 1, 66, 300, 100, 3, 2, 1000, 1, 2, 500, 64, 2000, 120, 90, 1000, 5000};
    std::vector<tilewise::offset> expected;
    for (std::size_t i = 0, ticket = 0; i < steps.size(); ++i) {
        ticket += static_cast<std::size_t>(steps[i]);
        expected.push_back(ticket <= tiles.size() ? tiles[ticket - 1] : -1);
    }
    EXPECT_EQ(expected.back(), -1);
    EXPECT_GE(expected[expected.size() - 2], 0);
    backend::run([&] {
        on_device::device_array<tilewise::gpu::ticketed_segment> const listed(list);
        on_device::device_array<unsigned long long> const counters(
            std::vector<unsigned long long>{0, static_cast<unsigned long long>(list.size()) << 38});
        on_device::device_array<int> const device_steps(steps);
        on_device::device_array<tilewise::offset> const found(steps.size());
        tilewise::gpu::segment_tickets const segments{counters.data() + 1, listed.data(), list.size(),
                                                      tiles.size(),        aligned_every, have_heads};
        tilewise::gpu::start(&find_tiles<have_heads>, {1, tilewise::gpu::warp_size}, nullptr, segments,
                             tilewise::gpu::scan_status{{counters.data(), 0}, {}, {}}, device_steps.data(),
                             static_cast<int>(steps.size()), found.data());
        EXPECT_EQ(found.values(steps.size()), expected);
    });
}

TEST(SegmentedProbe, FindsTickets)
{
    expect_tickets<false>();
}

TEST(SegmentedProbe, FindsTicketsOfTilesBehindHeads)
{
    expect_tickets<true>();
}
#endif

TEST(SegmentedProbe, FindsTheOrder)
{
    backend::run([] { segments::expect_all_specified<std::uint32_t, geometry>(); });
}

} // namespace
