// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "same_bits.hpp"

#include <functional>

namespace {

using on_device::expect_the_bits_of_seq;

/// An operator of a user's, for numbers: the left one wins, unless it is even.
struct first_odd {
    TILEWISE_PORTABLE int operator()(int a, int b) const { return a % 2 != 0 ? a : b; }
};

DEVICE_TEST(kernels_of_structures, keep_the_order_of_matrices)
{
    expect_the_bits_of_seq(values::matrix{1, 2, 3, 5}, std::multiplies<>{});
}

DEVICE_TEST(kernels_of_structures, take_12_bytes_without_a_default_constructor)
{
    using words = values::words<std::uint32_t, 3>;
    static_assert(sizeof(words) == 12 && !std::is_default_constructible_v<words>);
    expect_the_bits_of_seq(words(77), values::compose{});
}

DEVICE_TEST(kernels_of_structures, take_24_bytes)
{
    using words = values::words<std::uint64_t, 3>;
    static_assert(sizeof(words) == 24);
    expect_the_bits_of_seq(words(77), values::compose{});
}

DEVICE_TEST(kernels_of_structures, take_3_bytes)
{
    using words = values::words<std::uint8_t, 3>;
    static_assert(sizeof(words) == 3);
    expect_the_bits_of_seq(words(77), values::compose{});
}

DEVICE_TEST(kernels_of_structures, take_an_operator_of_a_users)
{
    expect_the_bits_of_seq<int>(on_device::sizes<int>(), 4, first_odd{});
}

} // namespace
