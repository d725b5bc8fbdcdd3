// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../law/monoids.cpp"

namespace law {
using exact_monoids = testing::Types<saturating_addition, bracket_matching>;
INSTANTIATE_TYPED_TEST_SUITE_P(Bytes, Reduce, testing::Types<ends>);
INSTANTIATE_TYPED_TEST_SUITE_P(Exact, Reduce, exact_monoids);
INSTANTIATE_TYPED_TEST_SUITE_P(Exact, ReduceOfExact, exact_monoids);
} // namespace law
