// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Numbers that the interpreter does not try: for it, they are floats with other sizes.

#include "minmax_kernels.hpp"

#include <cstdint>

namespace {

using namespace minmax_kernels;

DEVICE_TEST(minmax, of_other_numbers_finds_the_first_smallest_and_the_last_largest)
{
    expect_ties_as_in_seq<double>();
    expect_ties_as_in_seq<std::uint16_t>();
    expect_ties_as_in_seq<std::uint32_t>();
    expect_ties_as_in_seq<std::int64_t>();
}

DEVICE_TEST(minmax, of_other_numbers_in_the_last_tile_finds_elements_of_each_of_its_parts)
{
    expect_parts_of_the_last_tile_as_in_seq<double>();
    expect_parts_of_the_last_tile_as_in_seq<std::uint8_t>();
    expect_parts_of_the_last_tile_as_in_seq<std::int32_t>();
}

} // namespace
