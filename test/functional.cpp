// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/core/operators.hpp>
#include <tilewise/functional.hpp>

#include "values.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>

namespace tw = tilewise;
namespace known = tilewise::known;

namespace {

TEST(minimum, is_the_smaller_value_and_maximum_the_larger)
{
    static_assert(tw::minimum<>{}(2, 1) == 1 && tw::minimum<>{}(1, 2) == 1);
    static_assert(tw::maximum<>{}(2, 1) == 2 && tw::maximum<>{}(1, 2) == 2);
    static_assert(tw::minimum<double>{}(2, 1) == 1.0 && tw::maximum<double>{}(2, 1) == 2.0);
    static_assert(std::same_as<decltype(tw::minimum<>{}(1U, 2U)), unsigned>); // a value, which no temporary outlives
    EXPECT_EQ(tw::minimum<>{}(std::string("b"), std::string("a")), "a");
    EXPECT_EQ(tw::maximum<std::string>{}("b", "a"), "b");
}

TEST(argmin, is_the_smaller_value_with_its_index_and_argmax_the_larger)
{
    using value = tw::indexed<double, char>;
    constexpr value low{1, 'l'}, high{2, 'h'}, other{1, 'o'};
    static_assert(tw::argmin{}(high, low).index == 'l' && tw::argmin{}(low, high).index == 'l');
    static_assert(tw::argmax{}(high, low).index == 'h' && tw::argmax{}(low, high).index == 'h');
    static_assert(tw::argmin{}(other, low).index == 'o' &&
                  tw::argmin{}(low, other).index == 'l'); // the first of equals
    static_assert(tw::argmax{}(other, low).index == 'o' && tw::argmax{}(low, other).index == 'l');
    static_assert(tw::with_index{}(2.0, 'h').value == high.value && tw::with_index{}(2.0, 'h').index == high.index);
    static_assert(std::same_as<decltype(tw::with_index{}(1, 2L)), tw::indexed<int, long>>);
}

TEST(square, is_of_the_type_of_the_product_or_of_the_one_asked_for)
{
    static_assert(tw::square<>{}(3) == 9 && tw::square<>{}(1.5) == 2.25 && tw::square<>{}(-3) == 9);
    static_assert(std::same_as<decltype(tw::square<>{}(std::uint8_t{1})), int>);
    static_assert(std::same_as<decltype(tw::square<>{}(1.0F)), float>);
    static_assert(tw::square<>{}(std::uint8_t{255}) == 65025);
    static_assert(tw::square<std::uint8_t>{}(255) == 1);
    static_assert(std::same_as<decltype(tw::square<double>{}(0.1F)), double>);
    EXPECT_EQ(tw::square<double>{}(0.1F), static_cast<double>(0.1F) * static_cast<double>(0.1F));
    EXPECT_NE(tw::square<>{}(0.1F), tw::square<double>{}(0.1F));
}

TEST(square, of_signed_integers_wraps)
{
    static_assert(tw::square<>{}(std::uint16_t{65535}) == -131071);
    static_assert(tw::square<>{}(std::numeric_limits<int>::min()) == 0);
    static_assert(tw::square<std::int64_t>{}(std::numeric_limits<int>::min()) == std::int64_t{1} << 62);
    static_assert(tw::square<std::int16_t>{}(std::int16_t{256}) == 0);
}

TEST(absolute, is_of_the_type_of_the_value_or_of_the_one_asked_for)
{
    static_assert(tw::absolute<>{}(-3) == 3 && tw::absolute<>{}(3) == 3 && tw::absolute<>{}(0) == 0);
    static_assert(std::same_as<decltype(tw::absolute<>{}(std::int8_t{})), int>);
    static_assert(tw::absolute<>{}(std::int8_t{-128}) == 128);
    static_assert(tw::absolute<>{}(4'000'000'000U) == 4'000'000'000U);
    static_assert(tw::absolute<double>{}(-2.5F) == 2.5);
    static_assert(tw::absolute<>{}(std::numeric_limits<int>::min()) == std::numeric_limits<int>::min());
    static_assert(tw::absolute<std::int64_t>{}(std::numeric_limits<int>::min()) == std::int64_t{1} << 31);
    EXPECT_EQ(tw::absolute<>{}(-std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
    EXPECT_EQ(tw::absolute<>{}(-std::numeric_limits<float>::denorm_min()), std::numeric_limits<float>::denorm_min());
    EXPECT_FALSE(std::signbit(tw::absolute<>{}(-0.0)));
    EXPECT_FALSE(std::signbit(tw::absolute<>{}(0.0F)));
    EXPECT_TRUE(std::isnan(tw::absolute<>{}(std::numeric_limits<double>::quiet_NaN())));
}

/// Compares by its key alone, so that equals can be told apart.
struct keyed {
    int key, name;
    friend bool operator<(keyed const& a, keyed const& b) { return a.key < b.key; }
};

TEST(minimum, is_the_first_of_equals_and_so_is_maximum)
{
    keyed const first{1, 1}, second{1, 2};
    EXPECT_EQ(tw::minimum<>{}(first, second).name, 1);
    EXPECT_EQ(tw::maximum<>{}(first, second).name, 1);
    EXPECT_EQ(tw::minimum<keyed>{}(second, first).name, 2);
    EXPECT_EQ(tw::maximum<keyed>{}(second, first).name, 2);
    auto const check = [](auto minimum, auto maximum) {
        EXPECT_TRUE(std::signbit(minimum(-0.0, 0.0)));
        EXPECT_FALSE(std::signbit(minimum(0.0, -0.0)));
        EXPECT_TRUE(std::signbit(maximum(-0.0, 0.0)));
        EXPECT_FALSE(std::signbit(maximum(0.0, -0.0)));
    };
    check(tw::minimum<>{}, tw::maximum<>{});
    check(tw::minimum<double>{}, tw::maximum<double>{});
    check(known::minimum{}, known::maximum{});
}

TEST(minimum, agrees_with_its_known_operator_on_vector_registers_and_so_does_maximum)
{
    using vector = double __attribute__((vector_size(32)));
    vector const left{-0.0, 0.0, 1.0, 2.0}, right{0.0, -0.0, 2.0, 1.0};
    vector least = left, greatest = left;
    known::minimum::append(least, right);
    known::maximum::append(greatest, right);
    auto const bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(bits(least[i]), bits(tw::minimum<>{}(left[i], right[i]))) << i;
        EXPECT_EQ(bits(greatest[i]), bits(tw::maximum<>{}(left[i], right[i]))) << i;
    }
}

template <class Int>
constexpr bool wraps()
{
    using limits = std::numeric_limits<Int>;
    constexpr known::plus plus;
    constexpr known::multiplies multiplies;
    return plus(limits::max(), Int{1}) == limits::min() && plus(limits::min(), limits::min()) == 0 &&
           plus(limits::max(), limits::max()) == static_cast<Int>(-2) && multiplies(limits::max(), Int{2}) == Int(-2) &&
           multiplies(limits::max(), limits::max()) == 1 && multiplies(limits::min(), limits::min()) == 0;
}

TEST(known_operators, wrap_sums_and_products_of_integers)
{
    static_assert(wraps<std::int8_t>() && wraps<std::int16_t>() && wraps<std::int32_t>() && wraps<std::int64_t>());
    static_assert(known::plus{}(std::uint8_t{255}, std::uint8_t{2}) == 1);
    static_assert(known::multiplies{}(std::uint16_t{65535}, std::uint16_t{65535}) == 1); // no overflow of int
    EXPECT_TRUE(wraps<long long>() && wraps<signed char>()); // at run time, where sanitizers watch
}

TEST(known_operators, compute_what_the_operators_of_std_do)
{
    static_assert(known::plus{}(0.5, 0.25) == 0.75 && known::multiplies{}(0.5F, 0.5F) == 0.25F);
    static_assert(known::bit_and{}(12, 10) == 8 && known::bit_or{}(12, 10) == 14 && known::bit_xor{}(12, 10) == 6);
    static_assert(std::same_as<decltype(known::bit_xor{}(char{1}, char{2})), char>);
    unsigned const a = 0xF0F0'1234U, b = 0x1234'5678U;
    EXPECT_EQ(known::plus{}(a, b), a + b);
    EXPECT_EQ(known::multiplies{}(a, b), a * b);
    EXPECT_EQ(known::bit_and{}(a, b), a & b);
    EXPECT_EQ(known::bit_or{}(a, b), a | b);
    EXPECT_EQ(known::bit_xor{}(a, b), a ^ b);
}

/// The engines run Runs in place of Op when they combine values of type T.
template <class T, class Op, class Runs>
constexpr bool is_run_as = std::same_as<decltype(known::operator_or_self<T>(std::declval<Op>())), Runs>;

TEST(known_operators, stand_in_for_operators_that_compute_in_the_accumulators_type)
{
    static_assert(is_run_as<int, std::plus<>, known::plus> && is_run_as<int, std::plus<int>, known::plus>);
    static_assert(is_run_as<float, std::plus<>, known::plus> && is_run_as<char, std::plus<>, known::plus>);
    static_assert(is_run_as<double, std::multiplies<>, known::multiplies>);
    static_assert(is_run_as<long, std::multiplies<long>, known::multiplies>);
    static_assert(is_run_as<float, tw::minimum<>, known::minimum> && is_run_as<int, tw::minimum<int>, known::minimum>);
    static_assert(is_run_as<float, tw::maximum<>, known::maximum> && is_run_as<int, tw::maximum<int>, known::maximum>);
    static_assert(is_run_as<int, std::bit_and<>, known::bit_and> && is_run_as<int, std::bit_and<int>, known::bit_and>);
    static_assert(is_run_as<int, std::bit_or<>, known::bit_or> && is_run_as<int, std::bit_or<int>, known::bit_or>);
    static_assert(is_run_as<int, std::bit_xor<>, known::bit_xor> && is_run_as<int, std::bit_xor<int>, known::bit_xor>);
}

TEST(known_operators, leave_every_other_operator_as_it_is)
{
    // another type of operands than the accumulator's, whose conversions the operator would make
    static_assert(is_run_as<int, std::plus<long>, std::plus<long>>);
    static_assert(is_run_as<double, std::plus<float>, std::plus<float>>);
    static_assert(is_run_as<float, tw::minimum<int>, tw::minimum<int>>);
    // no vector registers, or none that every compiler can combine
    static_assert(is_run_as<bool, std::plus<>, std::plus<>>);
    static_assert(is_run_as<long double, std::plus<>, std::plus<>>);
    static_assert(is_run_as<std::string, std::plus<>, std::plus<>>);
    static_assert(is_run_as<values::matrix, std::multiplies<>, std::multiplies<>>);
    static_assert(is_run_as<int*, tw::minimum<>, tw::minimum<>>);
    // operators that are not the library's to know
    static_assert(is_run_as<int, std::logical_and<>, std::logical_and<>>);
    static_assert(is_run_as<int, std::minus<>, std::minus<>>);
    struct derived : std::plus<> {};
    static_assert(is_run_as<int, derived, derived>);
    auto const lambda = [](int a, int) { return a; };
    static_assert(is_run_as<int, decltype(lambda), std::remove_const_t<decltype(lambda)>>);
    EXPECT_EQ(known::operator_or_self<int>(lambda)(3, 4), 3);
}

TEST(known_operators, are_exact_for_integers_alone)
{
    static_assert(known::is_exact<known::plus, int> && known::is_exact<known::minimum, std::uint8_t>);
    static_assert(!known::is_exact<known::plus, float> && !known::is_exact<known::maximum, double>);
    static_assert(!known::is_exact<std::plus<>, int>); // which might not wrap
}

} // namespace
