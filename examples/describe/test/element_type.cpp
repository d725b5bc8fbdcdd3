// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../element_type.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace {

using namespace example;

/// What IEEE 754 says of a half-precision number's sign, exponent and fraction.
double half_by_definition(unsigned bits)
{
    int const exponent = static_cast<int>(bits >> 10 & 31);
    int const fraction = static_cast<int>(bits & 1023);
    double const sign = bits >> 15 != 0 ? -1.0 : 1.0;
    if (exponent == 31) {
        return fraction == 0 ? sign * HUGE_VAL : std::nan("");
    }
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

TEST(half, converts_as_defined_whatever_its_bits)
{
    for (unsigned bits = 0; bits <= 0xFFFF; ++bits) {
        auto const actual = static_cast<double>(half{static_cast<std::uint16_t>(bits)});
        auto const expected = half_by_definition(bits);
        ASSERT_TRUE(actual == expected || (std::isnan(actual) && std::isnan(expected))) << bits;
        ASSERT_EQ(std::signbit(actual), bits >> 15 != 0) << bits;
    }
}

TEST(element_type, has_the_size_that_its_names_say)
{
    for (auto const& type : element_types) {
        auto const bytes = type.numpy.substr(1);
        EXPECT_EQ(std::to_string(size_of(type.type)), bytes);
        if (type.name != "bool") {
            EXPECT_EQ(std::to_string(8 * size_of(type.type)), type.name.substr(1));
            EXPECT_EQ(type.name[0], type.numpy[0]);
        }
    }
}

} // namespace
