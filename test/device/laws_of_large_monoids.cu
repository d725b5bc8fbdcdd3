// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../law/monoids.cpp"

namespace law {
using exact_monoids = testing::Types<min_plus_product>;
INSTANTIATE_TYPED_TEST_SUITE_P(Floats, Reduce, testing::Types<vector_addition>);
INSTANTIATE_TYPED_TEST_SUITE_P(Exact, Reduce, exact_monoids);
INSTANTIATE_TYPED_TEST_SUITE_P(Exact, ReduceOfExact, exact_monoids);
} // namespace law
