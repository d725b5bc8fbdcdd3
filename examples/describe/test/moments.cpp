// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../describe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace example;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

moments of(std::vector<double> const& numbers)
{
    return describe(tilewise::seq, numbers);
}

/// Numbers of about the size of `centre` that lie `spread` around it.
std::vector<double> noise(std::size_t count, double centre, double spread)
{
    std::mt19937_64 random(20240229);
    std::normal_distribution<double> around(centre, spread);
    std::vector<double> numbers(count);
    std::generate(numbers.begin(), numbers.end(), [&] { return around(random); });
    return numbers;
}

/// The textbook's two passes, in higher precision.
struct two_passes {
    long double sum = 0;
    long double mean = 0;
    long double sd = 0;

    explicit two_passes(std::vector<double> const& numbers)
    {
        auto const count = static_cast<long double>(numbers.size());
        for (double const x : numbers) {
            sum += x;
        }
        mean = sum / count;
        for (double const x : numbers) {
            sd += (x - mean) * (x - mean);
        }
        sd = std::sqrt(sd / (count - 1));
    }
};

void expect_near_relative(double actual, long double expected, long double tolerance)
{
    EXPECT_LE(std::abs(actual - expected), tolerance * std::abs(expected)) << actual << " for " << expected;
}

TEST(moments, agree_with_two_passes_in_long_double)
{
    for (std::size_t const count : {2u, 3u, 31u, 32u, 33u, 1000u, 100'003u}) {
        auto const numbers = noise(count, 5.0, 2.0);
        two_passes const expected(numbers);
        auto const actual = of(numbers);
        EXPECT_EQ(actual.count, static_cast<std::int64_t>(count));
        EXPECT_EQ(actual.nans, 0);
        expect_near_relative(actual.sum, expected.sum, 1e-13L);
        expect_near_relative(mean(actual), expected.mean, 1e-13L);
        expect_near_relative(sample_standard_deviation(actual), expected.sd, 1e-12L);
        EXPECT_EQ(actual.min, *std::min_element(numbers.begin(), numbers.end()));
        EXPECT_EQ(actual.max, *std::max_element(numbers.begin(), numbers.end()));
    }
}

TEST(moments, keep_a_small_deviation_beside_a_large_mean)
{
    auto const numbers = noise(10'000, 1e9, 1.0); // the mean of squares less the square of the mean has no digit right
    expect_near_relative(sample_standard_deviation(of(numbers)), two_passes(numbers).sd, 1e-7L);
}

TEST(moments, of_equal_numbers_have_no_deviation_at_all)
{
    auto const actual = of(std::vector<double>(1237, 0.1));
    EXPECT_EQ(mean(actual), 0.1);
    EXPECT_EQ(sample_standard_deviation(actual), 0.0);
}

TEST(moments, merge_with_an_empty_side_changes_nothing)
{
    constexpr merge_moments merge;
    auto const some = of({1.5, -2.0, 7.25, nan});
    EXPECT_EQ(merge(some, moments{}), some);
    EXPECT_EQ(merge(moments{}, some), some);
    EXPECT_EQ(merge(moments{}, moments{}), moments{});
}

TEST(moments, merge_counts_the_nans_of_a_side_that_has_nothing_else)
{
    constexpr merge_moments merge;
    auto expected = of({1.0, 2.0});
    expected.nans = 3;
    EXPECT_EQ(merge(of({nan, nan, nan}), of({1.0, 2.0})), expected);
    EXPECT_EQ(merge(of({1.0, 2.0}), of({nan, nan, nan})), expected);
    EXPECT_EQ(merge(of({nan}), of({nan, nan})).nans, 3);
}

TEST(moments, merge_of_parts_is_near_the_whole)
{
    auto const numbers = noise(1000, 3.0, 10.0);
    auto const whole = of(numbers);
    for (std::ptrdiff_t const split : {1, 10, 500, 999}) {
        auto const merged = merge_moments{}(of({numbers.begin(), numbers.begin() + split}),
                                            of({numbers.begin() + split, numbers.end()}));
        EXPECT_EQ(merged.count, whole.count);
        EXPECT_NEAR(mean(merged), mean(whole), 1e-13);
        EXPECT_NEAR(sample_standard_deviation(merged), sample_standard_deviation(whole), 1e-12);
        EXPECT_EQ(merged.min, whole.min);
        EXPECT_EQ(merged.max, whole.max);
    }
}

TEST(moments, count_nans_apart)
{
    auto const actual = of({nan, 1.0, -nan, 2.0, 3.0, nan});
    EXPECT_EQ(actual.nans, 3);
    EXPECT_EQ(actual.count, 3);
    EXPECT_EQ(mean(actual), 2.0);
    EXPECT_EQ(sample_standard_deviation(actual), 1.0);
    EXPECT_EQ(actual.min, 1.0);
    EXPECT_EQ(actual.max, 3.0);
}

TEST(moments, of_nothing_and_of_one_number)
{
    EXPECT_EQ(of({}), moments{});
    EXPECT_EQ(of({}).sum, 0.0);
    EXPECT_TRUE(std::isnan(mean(of({}))));
    EXPECT_TRUE(std::isnan(sample_standard_deviation(of({}))));
    EXPECT_EQ(mean(of({4.5})), 4.5);
    EXPECT_TRUE(std::isnan(sample_standard_deviation(of({4.5}))));
}

TEST(moments, of_data_with_an_infinity_have_it_as_mean_and_no_deviation)
{
    for (double const extreme : {infinity, -infinity}) {
        for (auto const& numbers : {std::vector{1.0, extreme}, std::vector{extreme, 1.0, 2.0, 3.0},
                                    std::vector{1.0, 2.0, extreme, extreme, 3.0}}) {
            auto const actual = of(numbers);
            EXPECT_EQ(mean(actual), extreme);
            EXPECT_TRUE(std::isnan(sample_standard_deviation(actual)));
        }
    }
    EXPECT_TRUE(std::isnan(mean(of({infinity, 1.0, -infinity}))));
}

TEST(moments, are_the_same_bits_under_every_policy)
{
    for (std::size_t const count : {0u, 1u, 272u, 100'003u, 1'000'003u}) {
        auto const numbers = noise(count, 5.0, 2.0);
        EXPECT_EQ(describe(tilewise::par, numbers), describe(tilewise::seq, numbers));
    }
}

} // namespace
