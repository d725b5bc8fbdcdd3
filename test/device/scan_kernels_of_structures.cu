// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "computed.hpp"
#include "scan_kernels.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace scan_kernels;

DEVICE_TEST(scan_kernels, of_3_bytes)
{
    expect_specified_order<shape::bytes<3>>();
}

DEVICE_TEST(scan_kernels, of_12_bytes)
{
    expect_specified_order<std::array<std::uint32_t, 3>>();
}

DEVICE_TEST(scan_kernels, of_16_bytes)
{
    expect_specified_order<shape::bytes<16>>();
}

DEVICE_TEST(scan_kernels, of_24_bytes)
{
    expect_specified_order<std::array<std::uint64_t, 3>>();
}

DEVICE_TEST(scan_kernels, of_20_and_32_bytes)
{
    expect_specified_order<std::array<std::uint32_t, 5>>();
    expect_specified_order<std::array<std::uint64_t, 4>>();
}

/// Returns which kernels scan so many tiles, if there are neither clusters nor bulk copies.
template <class T>
std::vector<std::string> kernels_for(std::size_t tiles)
{
    auto const x = shape::some_values<T>(tiles * tw::order<T, steep_geometry>::tile);
    device_array<T> const device_copy(x);
    guarded<T> const out(x.size(), 0);
    std::vector<std::string> names;
    auto const sink = [&](tw::launch_record const& launch) { names.emplace_back(launch.kernel); };
    scan<steep_geometry, tile_per_block<steep_geometry>, inclusive, T>(
        tw::device.trace(sink), device_copy.data(), x.size(), out.data(), {}, shape::non_associative<T>());
    return names;
}

/// Up to 32 bytes, a block keeps its tile in registers, so there may be one for each tile.
DEVICE_TEST(scan_kernels, of_17_to_32_bytes_have_a_block_for_each_tile)
{
    using names = std::vector<std::string>;
    names const alone{"scan_one_tile"}, side_by_side{"scan_tile_per_block"},
        three{"reduce_tiles", "carry_groups", "scan_with_carries"};
    EXPECT_EQ((kernels_for<std::array<std::uint64_t, 3>>(1)), alone);
    EXPECT_EQ((kernels_for<std::array<std::uint64_t, 3>>(8)), side_by_side); // a super-group
    EXPECT_EQ((kernels_for<std::array<std::uint64_t, 3>>(9)), three);
    EXPECT_EQ((kernels_for<std::array<std::uint64_t, 4>>(2)), side_by_side);
    EXPECT_EQ((kernels_for<std::array<std::uint32_t, 9>>(2)), three);
}

struct three_numbers {
    TILEWISE_PORTABLE std::array<std::uint64_t, 3> operator()(std::ptrdiff_t i) const
    {
        auto const number = static_cast<std::uint64_t>(i);
        return {number * 3 + 1, number * 5 + 2, number * 7 + 3};
    }
};

/// No stage holds elements that are computed.
DEVICE_TEST(scan_kernels, of_24_bytes_that_are_computed)
{
    using T = std::array<std::uint64_t, 3>;
    shape::non_associative<T> const op;
    constexpr auto tile = static_cast<std::size_t>(tw::order<T, steep_geometry>::tile);
    std::vector<T> values;
    for (std::size_t i = 0; i < 9 * tile + 5; ++i)
        values.push_back(three_numbers()(static_cast<std::ptrdiff_t>(i)));
    scanned<T> const expected(steep_geometry(), values, values.back(), op);
    for (std::size_t const count : {std::size_t{1}, tile + 1, 5 * tile, values.size()})
        by_every_kernel<steep_geometry>([&](auto tuning) {
            guarded<T> const out(count, 8);
            scan<steep_geometry, decltype(tuning), inclusive, T>(tw::device, values::computed<three_numbers>{}, count,
                                                                 out.data(), {}, op);
            expect_same(out.take(), expected.without_init, "the inclusive scan");
        });
}

/// Their chunks are not in registers, but scanned row by row from a stage.
DEVICE_TEST(scan_kernels, of_24_bytes_fill_their_stages_again)
{
    expect_stages_filled_again<std::array<std::uint64_t, 3>>();
}

DEVICE_TEST(scan_kernels, of_256_bytes)
{
    expect_specified_order<std::array<std::uint64_t, 32>>();
}

#ifndef __CUDACC__ // nvcc takes a quarter of an hour for loads byte by byte of what the forced kernels keep in
                   // registers
DEVICE_TEST(scan_kernels, of_256_bytes_that_are_not_aligned)
{
    expect_specified_order<shape::bytes<256>>();
}
#endif

} // namespace
