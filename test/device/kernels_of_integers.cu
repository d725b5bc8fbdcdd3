// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "same_bits.hpp"

#include <functional>

namespace {

using on_device::expect_the_bits_of_seq;

DEVICE_TEST(kernels_of_integers, add_bytes)
{
    expect_the_bits_of_seq(std::int8_t{-3}, std::plus<>{});
}

DEVICE_TEST(kernels_of_integers, add_words)
{
    expect_the_bits_of_seq(std::int32_t{-3}, std::plus<>{});
}

DEVICE_TEST(kernels_of_integers, multiply)
{
    expect_the_bits_of_seq(7, std::multiplies<>{});
}

DEVICE_TEST(kernels_of_integers, find_the_least_and_the_largest)
{
    expect_the_bits_of_seq(std::int16_t{20000}, tw::minimum<>{});
    expect_the_bits_of_seq(std::uint8_t{3}, tw::maximum<>{});
}

#ifdef __CUDACC__ // for the interpreter they are the others with other sizes
DEVICE_TEST(kernels_of_integers, add_those_of_other_sizes)
{
    expect_the_bits_of_seq(std::uint8_t{3}, std::plus<>{});
    expect_the_bits_of_seq(std::int16_t{-3}, std::plus<>{});
    expect_the_bits_of_seq(std::int64_t{-3}, std::plus<>{});
}

DEVICE_TEST(kernels_of_integers, combine_bits)
{
    expect_the_bits_of_seq(5u, std::bit_xor<>{});
}
#endif

} // namespace
