// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../law/scan_monoids.cpp"

namespace law {
using monoids = testing::Types<affine_composition>;
INSTANTIATE_TYPED_TEST_SUITE_P(Monoids, Scan, monoids);
INSTANTIATE_TYPED_TEST_SUITE_P(Monoids, ScanOfExact, monoids);
} // namespace law
