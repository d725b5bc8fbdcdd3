// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The order of combination of segments on the device: structures, against the specification.

#include "same_bits.hpp"
#include "segments.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace tw = tilewise;

namespace {

DEVICE_TEST(SegmentedOrder, OfStructuresIsThatOfEverySegmentAlone)
{
    segments::expect_all_specified<shape::bytes<12>, segments::steep_geometry>(true);
}

DEVICE_TEST(SegmentedOrder, OfLargeStructuresIsThatOfEverySegmentAlone)
{
    segments::expect_all_specified<shape::bytes<40>, segments::steep_geometry>(true);
}

/// Structures of 16 bytes and multiples of it are read in 16-byte vectors if their memory is aligned for these.
template <class Structure>
void expect_same_at_any_address()
{
    auto const of = segments::lists<Structure, segments::steep_geometry>().front();
    auto const x = shape::some_values<Structure>(of.elements);
    for (std::size_t const misalignment : {std::size_t{0}, alignof(Structure)})
        segments::expect_specified<segments::steep_geometry>(x, of, shape::non_associative<Structure>(), misalignment);
}

DEVICE_TEST(SegmentedOrder, OfMultiplesOf16BytesDoesNotDependOnTheAddress)
{
    expect_same_at_any_address<std::array<std::uint32_t, 4>>();
#ifndef __CUDACC__ // nvcc takes minutes for all kernels of the larger ones
    expect_same_at_any_address<std::array<std::uint64_t, 4>>();
    expect_same_at_any_address<std::array<std::uint32_t, 12>>();
#endif
}

/// A warp's list of segments that take longer is written out as soon as it has 32.
DEVICE_TEST(SegmentedOrder, IsThatOfEverySegmentAloneWhereAWarpListsMany)
{
    using structure = shape::bytes<16>;
    auto const of =
        segments::of_all_lengths<structure, segments::steep_geometry>(on_device::amount<tw::offset>(40000, 20000, 200));
    segments::expect_specified<segments::steep_geometry, segments::tuning_of_few_warps>(
        shape::some_values<structure>(of.elements), of, shape::non_associative<structure>());
}

} // namespace
