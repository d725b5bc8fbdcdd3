// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The laws of reduce for arithmetic types and the operators known by name.

#include "reduce_laws.hpp"

#include <cmath>
#include <limits>

namespace {

template <class T, class Op>
struct arithmetic {
    using value = T;
    using op = Op;
    static T make(std::uint64_t bits)
    {
        if constexpr (std::is_same_v<T, std::int32_t>)
            return static_cast<T>(bits >> 17) / 4096; // so that sums do not overflow in std::plus
        else if constexpr (std::is_integral_v<T>)
            return static_cast<T>(bits >> 17);
        else if constexpr (std::is_same_v<Op, std::multiplies<>>)
            return static_cast<T>(std::ldexp(static_cast<double>(bits >> 11), -52)); // 0 to 2: products stay finite
        else
            return static_cast<T>(
                std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits)), -63 + static_cast<int>(bits % 41)));
    }
};

/// With an identity.
template <class T, class Op, auto element>
struct monoid : arithmetic<T, Op> {
    static T identity() { return static_cast<T>(element); }
};

using plus = std::plus<>;
using multiplies = std::multiplies<>;
using minimum = tilewise::minimum<>;
using maximum = tilewise::maximum<>;

using cases = testing::Types<arithmetic<float, plus>, arithmetic<double, plus>, arithmetic<float, multiplies>,
                             arithmetic<double, minimum>, arithmetic<float, maximum>>;
using exact_cases = testing::Types<monoid<std::int32_t, plus, 0>, monoid<std::uint64_t, multiplies, 1u>,
                                   monoid<std::int8_t, minimum, 127>, monoid<std::uint16_t, maximum, 0>,
                                   monoid<std::int64_t, std::bit_and<>, -1>, monoid<std::uint8_t, std::bit_or<>, 0>,
                                   monoid<std::int16_t, std::bit_xor<>, 0>>;
using wrapped_cases =
    testing::Types<arithmetic<float, plus>, arithmetic<double, maximum>, arithmetic<std::uint8_t, plus>>;

} // namespace

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
