// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../law/arithmetic.cpp"

namespace law {
INSTANTIATE_TYPED_TEST_SUITE_P(Floats, Reduce, cases);
} // namespace law
