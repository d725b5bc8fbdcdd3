// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scan_kernels.hpp"

namespace {

using namespace scan_kernels;

DEVICE_TEST(scan_kernels, of_words)
{
    expect_specified_order<std::uint32_t>();
    expect_specified_order<std::uint64_t>();
}

} // namespace
