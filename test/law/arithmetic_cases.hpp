// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The cases of laws for arithmetic types and the operators known by name.

#include <tilewise/functional.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace law {

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

} // namespace law
