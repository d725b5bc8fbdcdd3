// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The laws of the scans for associative operators that a user brings, on types of many sizes: most are not
/// commutative.

#include "monoid_cases.hpp"
#include "scan_laws.hpp"

#ifndef TILEWISE_DEVICE_ENGINE // nvcc takes long: test/device shares the cases out
#include <string>

namespace law {

/// What a text begins and ends with: concatenation, of strings that do not grow with the scan.
struct ends_of_text {
    using value = std::string;
    struct op {
        value operator()(value const& a, value const& b) const
        {
            value const text = a + b;
            return text.size() <= 8 ? text : text.substr(0, 4) + text.substr(text.size() - 4);
        }
    };
    static value make(std::uint64_t bits) { return value(bits % 3, static_cast<char>('a' + bits % 26)); }
};

using scan_cases = testing::Types<matrix_product<float>, matrix_product<std::uint32_t>, affine_composition,
                                  saturating_addition, ends_of_text, bracket_matching, ends, vector_addition>;
using exact_scan_cases = testing::Types<matrix_product<std::uint32_t>, affine_composition, min_plus_product,
                                        saturating_addition, ends_of_text, bracket_matching>;
using wrapped_scan_cases = testing::Types<matrix_product<float>, ends_of_text>;

INSTANTIATE_TYPED_TEST_SUITE_P(Monoids, Scan, scan_cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Monoids, ScanOnHost, scan_cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Monoids, ScanOfExact, exact_scan_cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Monoids, ScanOfWrapped, wrapped_scan_cases);
} // namespace law
#endif
