// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Samples, keys and counters of unusual types: enumerations, classes that stand for a number, integers of 128 bits.
#include <tilewise/histogram.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

using testing::ElementsAre;
using tw::no_cell;

enum class label : std::uint64_t {};
enum plain : long long { beyond = (1LL << 40) + 1, one = 1 };

constexpr std::uint64_t one_past_32_bits = (std::uint64_t{1} << 32) + 1, one_past_half = (std::uint64_t{1} << 63) + 1;

/// Stands for a number that is too wide for the axis.
struct identity {
    std::uint64_t value;
    operator std::uint64_t() const { return value; }
};

/// Becomes what it is asked for.
struct asked {
    explicit operator int() const { return 3; }
};

#ifdef __SIZEOF_INT128__
__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;
constexpr int128 past_64_bits = (int128{1} << 64) + 1;
#endif

TEST(samples, of_an_enumeration_are_not_cut)
{
    tw::integer_axis<int> const few(0, 4);
    EXPECT_EQ(few.index(label{1}), 1);
    EXPECT_EQ(few.index(label{one_past_32_bits}), no_cell);
    EXPECT_EQ(few.index(label{one_past_half}), no_cell);
    EXPECT_EQ(few.index(beyond), no_cell);
    EXPECT_EQ(few.index(one), 1);
    EXPECT_EQ((tw::regular_axis<float>(4, 0, 4).index(label{one_past_32_bits})), no_cell);
    EXPECT_EQ((tw::regular_axis<float>(2, 0.0f, 33554432.0f).index(label{16777217})), 1);
    EXPECT_EQ((tw::variable_axis<std::int8_t>{0, 2, 4}.index(label{257})), no_cell);
    EXPECT_EQ((tw::product_axis(few, few).index(std::pair(label{1}, label{one_past_32_bits}))), no_cell);
    EXPECT_EQ((tw::integer_axis<std::uint64_t>(one_past_half, one_past_half + 4).index(label{one_past_half + 2})), 2);
}

TEST(samples, of_a_class_have_the_value_that_it_stands_for)
{
    tw::integer_axis<int> const few(0, 4);
    EXPECT_EQ(few.index(identity{3}), 3);
    EXPECT_EQ(few.index(identity{one_past_32_bits}), no_cell);
    EXPECT_EQ(few.index(asked{}), 3);
    std::vector<bool> const bits{true, false, true};
    std::vector<int> counts(2);
    tw::histogram(tw::par, bits, tw::integer_axis<int>(0, 2), counts);
    EXPECT_THAT(counts, ElementsAre(1, 2));
}

TEST(samples, of_a_function_axis_may_have_cells_of_any_type)
{
    auto const labels = tw::function_axis(4, [](std::uint64_t x) { return label{x}; });
    EXPECT_EQ(labels.index(std::uint64_t{2}), 2);
    EXPECT_EQ(labels.index(one_past_32_bits), no_cell);
    EXPECT_EQ(tw::function_axis(4, [](double x) { return x; }).index(-0.5), no_cell);
}

TEST(samples, of_a_function_axis_reach_it_as_they_come)
{
    auto const lengths = tw::function_axis(4, [](std::string&& word) { return std::string(std::move(word)).size(); });
    std::vector<std::string> words{"a", "bc", "de"};
    std::vector<int> counts(4);
    tw::histogram(std::move_iterator(words.begin()), std::move_iterator(words.end()), lengths, counts);
    EXPECT_THAT(counts, ElementsAre(0, 1, 2, 0));
}

TEST(keys, of_an_enumeration_are_compared_exactly)
{
    std::vector<label> const keys{label{1}, label{one_past_32_bits}, label{one_past_half}, label{0}, label{1}};
    std::vector<int> const values{1, 2, 4, 8, 16};
    std::vector<int> sums(2);
    tw::reduce_by_index(tw::par, keys, values, 2, sums);
    EXPECT_THAT(sums, ElementsAre(8, 17));
}

#ifdef __SIZEOF_INT128__
TEST(samples, of_128_bits_are_not_cut)
{
    tw::integer_axis<int> const few(-2, 4);
    EXPECT_EQ(few.index(int128{-1}), 1);
    EXPECT_EQ(few.index(past_64_bits), no_cell);
    EXPECT_EQ(few.index(-past_64_bits), no_cell);
    EXPECT_EQ(few.index(static_cast<uint128>(past_64_bits)), no_cell);
    EXPECT_EQ((tw::integer_axis<std::uint64_t>(0u, 4u).index(-past_64_bits)), no_cell);
    EXPECT_EQ((tw::integer_axis<std::uint64_t>(0u, 4u).index(past_64_bits)), no_cell);
    tw::axis_options const all{.flow = tw::flow::bins};
    constexpr uint128 most = ~uint128{0};
    float const high = std::numeric_limits<float>::max();
    EXPECT_EQ((tw::regular_axis<float>(2, 0.0f, high, all).index(most)), 3);
    EXPECT_EQ((tw::variable_axis<float>({0.0f, 1.0f, high}, all).index(most >> 1)), 1);
    EXPECT_EQ((tw::regular_axis<double>(2, 0, 4, all).index(-past_64_bits)), 2);
    tw::axis_options const closed{.closed_upper = true};
    double const at = 36893488147419103232.0; // 2^65
    EXPECT_EQ((tw::regular_axis<double>(2, 0.0, at, closed).index(int128{1} << 65)), 1);
    EXPECT_EQ((tw::regular_axis<double>(2, 0.0, at, closed).index((int128{1} << 65) + 1)), no_cell);
    EXPECT_EQ((tw::regular_axis<float>(2, 0.0f, static_cast<float>(at), closed).index(uint128{1} << 65)), 1);
    EXPECT_EQ(tw::function_axis(4, [](int) { return past_64_bits; }).index(0), no_cell);

    std::vector<int128> const keys{0, past_64_bits, -past_64_bits, 1};
    std::vector<int> const values{1, 2, 4, 8};
    std::vector<int> sums(2);
    tw::reduce_by_index(keys, values, 2, sums);
    EXPECT_THAT(sums, ElementsAre(1, 8));
}

TEST(counters, of_128_bits_are_added_to)
{
    std::vector<int> const x{0, 0, 1};
    std::vector<int128> counts{-5, past_64_bits};
    tw::histogram_add(x, tw::integer_axis<int>(0, 2), counts);
    EXPECT_TRUE(counts[0] == -3);
    EXPECT_TRUE(counts[1] == past_64_bits + 1);
}
#endif

/// A counter of a user's that is signed and wide.
struct large {
    double value = 0;
    large() = default;
    large(double number) : value(number) {}
    explicit operator std::uint64_t() const { return static_cast<std::uint64_t>(value < 0 ? 0 : value); }
    friend large operator+(large a, std::uint64_t b) { return {a.value + static_cast<double>(b)}; }
};

TEST(counters, of_a_user_add_as_they_do)
{
    std::vector<int> const x{0, 0, 1};
    std::vector<large> counts{-5.0, 1.0};
    tw::histogram_add(x, tw::integer_axis<int>(0, 2), counts);
    EXPECT_EQ(counts[0].value, -3);
}

} // namespace
