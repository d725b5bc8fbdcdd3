// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scan_kernels.hpp"

namespace {

using namespace scan_kernels;

DEVICE_TEST(scan_kernels, of_words)
{
    using T = std::uint32_t;
    tw::offset const most = 2 * tw::order<T, steep_geometry>::super + 700;
    auto const x = shape::some_values<T>(static_cast<std::size_t>(most));
    expect_scanned<steep_geometry>(x, some_of(sizes<T, steep_geometry>(most)), shape::telltale<T>());
}

} // namespace
