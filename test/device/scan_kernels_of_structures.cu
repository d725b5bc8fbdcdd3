// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scan_kernels.hpp"

#include <array>

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
