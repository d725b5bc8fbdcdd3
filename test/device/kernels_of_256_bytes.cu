// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "same_bits.hpp"

namespace {

DEVICE_TEST(kernels_of_256_bytes, are_right)
{
    using words = values::words<std::uint32_t, 64>;
    static_assert(sizeof(words) == 256);
    on_device::expect_the_bits_of_seq(words(77), values::compose{});
}

} // namespace
