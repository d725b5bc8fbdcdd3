// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The order of combination of adjacent segments on the device: structures, against the specification.

#include "same_bits.hpp"
#include "segments.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

namespace {

using segments::steep_geometry;

DEVICE_TEST(adjacent_segments, of_structures_are_combined_as_if_each_were_alone)
{
    segments::expect_adjacent_specified<shape::bytes<3>, steep_geometry>(3);
    segments::expect_adjacent_specified<shape::bytes<12>, steep_geometry>(0);
    segments::expect_adjacent_specified<shape::bytes<16>, steep_geometry>(5);
    segments::expect_adjacent_specified<shape::bytes<40>, steep_geometry>(0);
    segments::expect_adjacent_specified<shape::bytes<72>, steep_geometry>(0); // in rounds of a tile
}

} // namespace
