// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../scan_order.cpp"

namespace shape {
using types = testing::Types<std::uint16_t, std::uint64_t>;
INSTANTIATE_TYPED_TEST_SUITE_P(Words, ScanShape, types);
} // namespace shape
