// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../law/arithmetic.cpp"

namespace law {
INSTANTIATE_TYPED_TEST_SUITE_P(Integers, Reduce, exact_cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Integers, ReduceOfExact, exact_cases);
} // namespace law
