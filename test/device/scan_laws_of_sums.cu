// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../law/scan_arithmetic.cpp"

namespace law {
using sums = testing::Types<arithmetic<float, plus>, arithmetic<std::int8_t, plus>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Sums, Scan, sums);
} // namespace law
