// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// A quick digest of the tests of the segmented algorithms, for the mutation list: on the host, and in the interpreter.

#include "segments.hpp"

#include <tilewise/reduce.hpp>
#include <tilewise/segmented.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <stdexcept>

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
#endif

#ifdef TILEWISE_DEVICE_ENGINE
/// More than a block finds with one look, and far ones behind near ones.
TEST(SegmentedProbe, FindsManyLongSegments)
{
    using order = tilewise::order<std::uint32_t, geometry>;
    segments::list of;
    for (int i = 0; i < 50; ++i)
        of.add(i % 25 == 20 ? order::super_group + order::tile : order::tile + 1 + i, i % 3);
    backend::run([&] {
        segments::expect_specified<geometry>(shape::some_values<std::uint32_t>(of.elements), of,
                                             shape::non_associative<std::uint32_t>());
    });
}
#endif

TEST(SegmentedProbe, FindsTheOrder)
{
    backend::run([] { segments::expect_all_specified<std::uint32_t, geometry>(); });
}

} // namespace
