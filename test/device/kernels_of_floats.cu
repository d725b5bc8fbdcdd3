// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "same_bits.hpp"

#include <functional>

namespace {

using on_device::expect_the_bits_of_seq;

DEVICE_TEST(kernels_of_floats, add)
{
    expect_the_bits_of_seq(0.5f, std::plus<>{});
    expect_the_bits_of_seq(0.5, std::plus<>{});
}

DEVICE_TEST(kernels_of_floats, find_the_least_and_the_largest)
{
    expect_the_bits_of_seq(1e9f, tw::minimum<>{});
    expect_the_bits_of_seq(-1e9, tw::maximum<>{});
}

/// The bytes of input at which pass 1 gives each warp more.
DEVICE_TEST(kernels_of_floats, add_where_warps_take_more_iterations)
{
    std::vector<std::size_t> counts;
    for (std::size_t const mebibytes : {12, 40, 160})
        for (std::size_t const bytes : {(mebibytes << 20) - 4, mebibytes << 20, (mebibytes << 20) + 4})
            counts.push_back(on_device::amount(bytes, bytes >> 8, bytes >> 10) / sizeof(float));
    expect_the_bits_of_seq<float>(counts, 0.5f, std::plus<>{});
}

} // namespace
