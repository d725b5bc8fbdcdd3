// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The laws of reduce for associative operators that a user brings, on types of many sizes: most are not commutative.

#include "monoid_cases.hpp"
#include "reduce_laws.hpp"

#ifndef TILEWISE_DEVICE_ENGINE // nvcc takes long: test/device shares the cases out
namespace law {
INSTANTIATE_TYPED_TEST_SUITE_P(Monoids, Reduce, cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Monoids, ReduceOnHost, cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Monoids, ReduceOfExact, exact_cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Monoids, ReduceOfWrapped, wrapped_cases);
} // namespace law
#endif
