// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// What axes are made of: ranges of edges of every kind, edges of other types, steps below the normal numbers.
#include <tilewise/axis.hpp>
#include <tilewise/mdspan.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

using testing::ElementsAre;

#if !defined(__clang__) || __clang_major__ >= 16 // which older ones cannot compile the views of libstdc++ 12
TEST(variable_axis, takes_edges_that_are_not_common_or_begin_only_when_not_const)
{
    auto const until = std::views::iota(0) | std::views::take_while([](int i) { return i < 4; });
    EXPECT_THAT(tw::variable_axis(until).edges(), ElementsAre(0, 1, 2, 3));
    std::vector<double> const x{1, -1, 2, 3};
    auto positive = x | std::views::filter([](double value) { return value > 0; });
    EXPECT_THAT(tw::variable_axis(positive).edges(), ElementsAre(1, 2, 3));
    EXPECT_THAT(tw::variable_axis(std::views::filter(x, [](double value) { return value > 1; })).edges(),
                ElementsAre(2, 3));
    std::istringstream numbers("1 2 4");
    EXPECT_THAT(tw::variable_axis(std::views::istream<double>(numbers)).edges(), ElementsAre(1, 2, 4));
}
#endif

TEST(variable_axis, has_exactly_the_edges_that_it_is_given_if_they_are_integers)
{
    std::vector<long> const longs{0, (1L << 32) + 5};
    EXPECT_THROW(tw::variable_axis<int>{longs}, std::invalid_argument);
    EXPECT_THROW((tw::variable_axis<int>{std::vector<double>{0, 0.5}}), std::invalid_argument);
    EXPECT_THROW((tw::variable_axis<int>{std::vector<double>{0, 1e300}}), std::invalid_argument);
    EXPECT_THROW((tw::variable_axis<int>{std::vector<double>{0, std::numeric_limits<double>::quiet_NaN()}}),
                 std::invalid_argument);
    EXPECT_THROW((tw::variable_axis<unsigned>{longs.begin(), longs.end()}), std::invalid_argument);
    EXPECT_THAT((tw::variable_axis<int>{std::vector<double>{0, 3}}).edges(), ElementsAre(0, 3));
    EXPECT_THAT((tw::variable_axis<float>{std::vector<double>{0, 0.1}}).edges(), ElementsAre(0.0f, 0.1f));
}

TEST(variable_axis, that_is_moved_from_keeps_its_edges)
{
    tw::variable_axis<double> from{0, 1, 2};
    auto to = std::move(from);
    EXPECT_EQ(from.index(1.5), 1); // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(from.extent(), 2);
    to = tw::variable_axis<double>{0, 4};
    EXPECT_EQ(to.index(1.5), 0);
    tw::log_axis<double> log(2, 1.0, 4.0);
    tw::product_axis const pairs(std::move(log), std::move(from));
    EXPECT_EQ(pairs.index(std::pair(3.0, 1.5)), 3);
    EXPECT_EQ(log.index(3.0), 1); // NOLINT(bugprone-use-after-move)
}

TEST(axes, take_bounds_of_bool_and_characters)
{
    static_assert(std::is_same_v<decltype(tw::regular_axis(4, false, true)), tw::regular_axis<double>>);
    EXPECT_EQ(tw::regular_axis(4, false, true).index(0.3), 1);
    EXPECT_EQ(tw::integer_axis<int>(false, true).index(false), 0);
    EXPECT_EQ(tw::integer_axis(L'a', L'e').index(L'c'), 2);
    EXPECT_THROW((tw::integer_axis<char32_t>(U'e', U'a')), std::invalid_argument);
    EXPECT_EQ(tw::regular_axis(true, 0, 1).size(), 1);
}

#if defined(__FLT16_MANT_DIG__) && !defined(__clang__)
TEST(axes, of_half_precision_are_of_float)
{
    using half = _Float16;
    std::vector<half> const edges{half(0), half(0.5), half(1)};
    auto const axis = tw::variable_axis(edges);
    static_assert(std::is_same_v<decltype(axis), tw::variable_axis<float> const>);
    EXPECT_EQ(axis.index(half(0.75)), 1);
    EXPECT_EQ(tw::regular_axis(4, half(0), half(1)).index(half(0.75)), 3);
    EXPECT_EQ(tw::integer_axis<int>(0, 2).index(half(1.5)), 1);
}
#endif

TEST(regular_axis, finds_bins_quickly_whose_width_is_no_normal_number)
{
    constexpr int bins = 100'000;
    double const tiny = std::numeric_limits<double>::denorm_min();
    tw::regular_axis<double> const axis(bins, 0.0, bins * tiny);
    EXPECT_EQ(axis.index(99'999 * tiny), 99'999);
    std::vector<int> found;
    for (int i = 0; i < bins; i += 997)
        EXPECT_EQ(axis.index(axis.edge(i)), i);
    auto const begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i)
        found.push_back(axis.index(99'998 * tiny));
    auto const each = (std::chrono::steady_clock::now() - begin) / 1000;
    EXPECT_LT(each, std::chrono::microseconds(50)); // it took thousands
}

/// The least of an mdspan of one extent, whose accessor takes every second number.
struct every_second {
    using element_type = int;
    using index_type = int;
    using reference = int&;
    using data_handle_type = int*;
    struct layout_right {};
    using layout_type = layout_right;
    struct accessor_type {
        int& access(int* from, int index) const { return from[2 * index]; }
    };

    int* memory;

    static constexpr std::size_t rank() { return 1; }
    static int extent(std::size_t) { return 3; }
    static int size() { return 3; }
    static accessor_type accessor() { return {}; }
    int* data_handle() const { return memory; }
    static auto mapping()
    {
        return [](int i) { return i; };
    }
};

#if !defined(__clang__) || __clang_major__ >= 16
TEST(elements_of, reads_through_the_accessor)
{
    std::array<int, 6> numbers{1, 2, 3, 4, 5, 6};
    auto const elements = tw::elements_of(every_second{numbers.data()});
    std::vector<int> read;
    for (int const number : elements)
        read.push_back(number);
    EXPECT_THAT(read, ElementsAre(1, 3, 5));
}
#endif

} // namespace
