// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The order of combination of adjacent segments on the device: elements of a few bytes, against the specification.

#include "same_bits.hpp"
#include "segments.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using segments::steep_geometry, tilewise::standard_geometry;

DEVICE_TEST(adjacent_segments, of_words_are_combined_as_if_each_were_alone)
{
    segments::expect_adjacent_specified<std::uint8_t, steep_geometry>(1);
    segments::expect_adjacent_specified<std::uint16_t, steep_geometry>(6);
    segments::expect_adjacent_specified<std::uint32_t, steep_geometry>(4);
    segments::expect_adjacent_specified<std::uint32_t, standard_geometry>(12);
    segments::expect_adjacent_specified<std::uint64_t, standard_geometry>(8);
}

} // namespace
