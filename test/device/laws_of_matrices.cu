// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../law/monoids.cpp"

namespace law {
using exact_matrices = testing::Types<matrix_product<std::uint32_t>, affine_composition>;
INSTANTIATE_TYPED_TEST_SUITE_P(Floats, Reduce, testing::Types<matrix_product<float>>);
INSTANTIATE_TYPED_TEST_SUITE_P(Exact, Reduce, exact_matrices);
INSTANTIATE_TYPED_TEST_SUITE_P(Exact, ReduceOfExact, exact_matrices);
} // namespace law
