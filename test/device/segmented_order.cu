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

#ifndef __CUDACC__
#include <simt/runtime.hpp>
#endif

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

/// The last chunk of a segment has any number of complete rows; the last segment ends with the memory.
template <class T>
void expect_last_rows_specified()
{
    using order = tw::order<T>;
    for (tw::offset rows = 0; rows <= tw::standard_geometry::rows_per_chunk; ++rows) {
        segments::list of;
        of.add(order::tile + rows * order::row + 1, 0); // by a block, and by a warp
        of.add(order::chunk + rows * order::row + 1, 0);
        segments::expect_specified<tw::standard_geometry>(shape::some_values<T>(of.elements), of,
                                                          shape::non_associative<T>());
    }
}

DEVICE_TEST(SegmentedOrder, OfAnyNumberOfLastRowsIsThatOfEverySegmentAlone)
{
    expect_last_rows_specified<std::uint16_t>();
    expect_last_rows_specified<std::uint32_t>();
}

DEVICE_TEST(SegmentedOrder, OfManySplitSegmentsIsThatOfEverySegmentAlone)
{
    using geometry = segments::steep_geometry;
    auto const of = segments::many_to_split<std::uint32_t, geometry>(on_device::amount<tw::offset>(1200, 300, 30));
    segments::expect_specified<geometry, segments::tuning_of_many_splits>(
        shape::some_values<std::uint32_t>(of.elements), of, shape::non_associative<std::uint32_t>());
}

/// Of less than a row. A warp stores the results of consecutive ones together, if they fill its lane vectors.
segments::list short_ones(int gap_every)
{
    segments::list of;
    for (int i = 0; i < 110; ++i)
        of.add(i < 40   ? 16 * (i % 4) + i % 17 + 1
               : i < 75 ? i * i % 40
                        : i * i % 11,
               gap_every > 0 && i % gap_every == 3 ? 2 : 0);
    return of;
}

DEVICE_TEST(SegmentedOrder, OfShortSegmentsOfFewBytesIsThatOfEverySegmentAlone)
{
    std::vector<segments::list> lists{short_ones(0), short_ones(29)};
    for (int const length : {11, 16, 27, 32}) { // so few that there is no whole vector, or only one
        lists.emplace_back();
        lists.back().add(length, 0);
    }
    for (segments::list const& of : lists) {
        auto const numbers = shape::some_values<std::uint16_t>(of.elements);
        std::vector<std::int8_t> bytes;
        for (std::uint16_t const bits : numbers)
            bytes.push_back(static_cast<std::int8_t>(bits >> 5));
        for (std::size_t const misalignment : {0u, 3u})
            segments::expect_specified<tw::standard_geometry>(bytes, of, std::plus<>(), misalignment);
        segments::expect_specified<tw::standard_geometry>(numbers, of, shape::non_associative<std::uint16_t>(), 6);
    }
}

DEVICE_TEST(SegmentedOrder, OfALongSegmentAmongThoseOfFewBytesIsItsOwn)
{
    segments::list of;
    for (int i = 0; i < 64; ++i)
        of.add(i == 20 ? 200 : i % 3, 0);
    std::vector<std::int8_t> bytes;
    for (std::uint16_t const bits : shape::some_values<std::uint16_t>(of.elements))
        bytes.push_back(static_cast<std::int8_t>(bits >> 5));
    segments::expect_specified<tw::standard_geometry, segments::tuning_of_two_warps>(bytes, of, std::plus<>());
}

/// Of a row and some elements: warps scan those, which begin at every element of a 16-byte vector, the first one with
/// the memory.
segments::list longer_than_a_row(tw::offset row)
{
    segments::list of;
    for (tw::offset i = 0; i < 74; ++i)
        of.add(row + 17 + i * 5 % 64, i % 4 == 1 ? 3 : 0);
    return of;
}

DEVICE_TEST(SegmentedOrder, OfSegmentsThatAWarpTakesTogetherIsThatOfEverySegmentAlone)
{
#ifndef __CUDACC__ // a warp takes several only if there are more than warps
    simt::runtime::set_devices({{.multiprocessors = 1, .resident_blocks = 1}});
#endif
    auto const of = longer_than_a_row(tw::order<std::uint16_t>::row);
    segments::expect_specified<tw::standard_geometry>(shape::some_values<std::uint16_t>(of.elements), of,
                                                      shape::non_associative<std::uint16_t>());
    auto const of_bytes = longer_than_a_row(tw::order<std::int8_t>::row);
    std::vector<std::int8_t> bytes;
    for (std::uint16_t const bits : shape::some_values<std::uint16_t>(of_bytes.elements))
        bytes.push_back(static_cast<std::int8_t>(bits >> 5));
    for (std::size_t const misalignment : {0u, 3u})
        segments::expect_specified<tw::standard_geometry, segments::tuning_of_two_warps>(bytes, of_bytes, std::plus<>(),
                                                                                         misalignment);
#ifndef __CUDACC__
    simt::runtime::set_devices({{}});
#endif
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
