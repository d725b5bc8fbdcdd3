// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// A quick digest of the tests of reduce_by_index on the device, for the mutation list.

#include "device/by_index_kernels.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace {

using namespace by_index;

DEVICE_TEST(ByIndexProbe, FindsTheOrder)
{
    auto const x =
        shape::some_values<std::uint32_t>(static_cast<std::size_t>(tw::order<std::uint32_t>::tile) / 4 + 300);
    for (int const cells : {1, 4, 5, 17, 65})
        for (spread const how : all_spreads) {
            expect_specified<steep_geometry, small_steps>(x, cells, how, 7u, shape::non_associative<std::uint32_t>());
            expect_specified<steep_geometry, sorting<small_steps>>(x, cells, how, 7u,
                                                                   shape::non_associative<std::uint32_t>());
        }
    auto const longer = shape::some_values<std::uint32_t>(9001);
    for (int const cells : {3, 13})
        expect_specified<steep_geometry, many_blocks>(longer, cells, spread::anyhow, 7u,
                                                      shape::non_associative<std::uint32_t>());
    expect_specified<steep_geometry, sorting<many_blocks>>(longer, 13, spread::anyhow, 7u,
                                                           shape::non_associative<std::uint32_t>());
    using large = shape::bytes<24>;
    using order = tw::order<large, steep_geometry>;
    auto const init = shape::some_values<large>(1).front();
    for (tw::offset const count : {2 * order::super_group, 7 * order::super_group + order::group + order::tile + 1}) {
        auto const y = shape::some_values<large>(static_cast<std::size_t>(count));
        expect_specified<steep_geometry, small_steps>(y, 1, spread::one_cell, init, shape::non_associative<large>());
        expect_specified<steep_geometry, small_steps>(y, 5, spread::few_cells, init, shape::non_associative<large>());
    }
}

DEVICE_TEST(ByIndexProbe, FindsSumsOfIntegers)
{
    for (int const cells : {5, 9, 33, 70})
        for (spread const how : {spread::anyhow, spread::one_cell, spread::few_cells}) {
            auto const x = shape::some_values<std::int64_t>(500);
            expect_specified<steep_geometry, small_steps>(x, cells, how, x.back(), std::plus<>());
            expect_specified<steep_geometry, small_steps>(std::vector<std::int32_t>(x.begin(), x.end()), cells, how, 3,
                                                          std::plus<>());
        }
}

DEVICE_TEST(ByIndexProbe, FindsCellsThatAreNone)
{
    expect_cells_of_careless_axis();
}

} // namespace
