// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The laws of reduce for arithmetic types and the operators known by name.

#include "arithmetic_cases.hpp"
#include "reduce_laws.hpp"

#include <cmath>
#include <limits>

#ifndef TILEWISE_DEVICE_ENGINE // nvcc takes long: test/device shares the cases out
namespace law {
INSTANTIATE_TYPED_TEST_SUITE_P(Floats, Reduce, cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Integers, Reduce, exact_cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Floats, ReduceOnHost, cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Integers, ReduceOnHost, exact_cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Integers, ReduceOfExact, exact_cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Arithmetic, ReduceOfWrapped, wrapped_cases);

TEST(ReduceOfFloats, IsWithinTheErrorBoundOfTheExactSum)
{
    expect_always([] {
        auto const x = seeded_values<arithmetic<float, plus>>(size<float, tilewise::standard_geometry>(40000),
                                                              *rc::gen::arbitrary<std::uint64_t>());
        long double sum = 0, magnitude = 0;
        for (float const value : x) {
            sum += value;
            magnitude += std::abs(value);
        }
        // No value goes through more than 33 additions: 4 + 29, see docs/order.md.
        long double const bound = 34 * static_cast<long double>(std::numeric_limits<float>::epsilon()) / 2 * magnitude;
        RC_ASSERT(std::abs(static_cast<long double>(tilewise::reduce(tilewise::seq, x)) - sum) <= bound);
        RC_ASSERT(std::abs(static_cast<long double>(std::reduce(x.begin(), x.end())) - sum) <=
                  bound * static_cast<long double>(x.size()));
    });
}
} // namespace law
#endif
