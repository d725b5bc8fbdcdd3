// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The laws of the scans for arithmetic types and the operators known by name.

#include "arithmetic_cases.hpp"
#include "scan_laws.hpp"

#ifndef TILEWISE_DEVICE_ENGINE // nvcc takes long: test/device shares the cases out
namespace law {
using groups = testing::Types<arithmetic<std::int32_t, plus>, arithmetic<std::uint64_t, plus>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Floats, Scan, cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Integers, Scan, exact_cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Floats, ScanOnHost, cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Integers, ScanOnHost, exact_cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Integers, ScanOfExact, exact_cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Integers, ScanOfGroup, groups);
INSTANTIATE_TYPED_TEST_SUITE_P(Arithmetic, ScanOfWrapped, wrapped_cases);
} // namespace law
#endif
