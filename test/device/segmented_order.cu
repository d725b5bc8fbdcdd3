// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The order of combination of segments on the device: elements of a few bytes, against the specification.

#include "same_bits.hpp"
#include "segments.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tw = tilewise;

namespace {

DEVICE_TEST(SegmentedOrder, OfBytesIsThatOfEverySegmentAlone)
{
    segments::expect_all_specified<unsigned char, segments::steep_geometry>(true);
}

DEVICE_TEST(SegmentedOrder, OfWordsIsThatOfEverySegmentAlone)
{
    segments::expect_all_specified<std::uint32_t, segments::steep_geometry>(true);
}

DEVICE_TEST(SegmentedOrder, OfFloatsIsThatOfEverySegmentAlone)
{
    std::size_t variant = 0;
    for (auto const& of : segments::lists<float, tw::standard_geometry>()) {
        if (on_device::leaves_to_other_schedule(variant++))
            continue;
        std::vector<float> x;
        for (std::uint32_t const bits : shape::some_values<std::uint32_t>(of.elements + 1))
            x.push_back(1 + static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-33f);
        segments::expect_specified<tw::standard_geometry>(x, of, std::plus<>());
    }
}

DEVICE_TEST(SegmentedOrder, OfManySplitSegmentsIsThatOfEverySegmentAlone)
{
    using geometry = segments::steep_geometry;
    auto const of = segments::many_to_split<std::uint32_t, geometry>(on_device::amount<tw::offset>(1200, 300, 30));
    segments::expect_specified<geometry, segments::tuning_of_many_splits>(
        shape::some_values<std::uint32_t>(of.elements), of, shape::non_associative<std::uint32_t>());
}

DEVICE_TEST(SegmentedOrder, DoesNotDependOnTheAddress)
{
    auto const of = segments::lists<std::uint16_t, segments::steep_geometry>().front();
    auto const x = shape::some_values<std::uint16_t>(of.elements);
    for (std::size_t const misalignment : {2u, 6u})
        segments::expect_specified<segments::steep_geometry>(x, of, shape::non_associative<std::uint16_t>(),
                                                             misalignment);
}

} // namespace
