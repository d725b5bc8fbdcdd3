// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace {

using namespace example;

TEST(round_edges, are_the_doubles_nearest_to_decimal_numbers)
{
    EXPECT_EQ(round_edges(0, 1, 10), (std::vector<double>{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1}));
    EXPECT_EQ(round_edges(0.1, 0.69, 6), (std::vector<double>{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}));
    EXPECT_EQ(round_edges(-1.6, 5.1, 14),
              (std::vector<double>{-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5}));
    EXPECT_EQ(round_edges(43, 96, 6), (std::vector<double>{40, 50, 60, 70, 80, 90, 100}));
    EXPECT_EQ(round_edges(1e300, 3e300, 2), (std::vector<double>{1e300, 2e300, 3e300, 4e300}));
}

TEST(round_edges, of_one_number_are_two)
{
    EXPECT_EQ(round_edges(0, 0, 10), (std::vector<double>{0, 1}));
    EXPECT_EQ(round_edges(3.25, 3.25, 1), (std::vector<double>{3, 4}));
    EXPECT_EQ(round_edges(-3, -3, 1), (std::vector<double>{-3, -2}));
    EXPECT_EQ(round_edges(1e20, 1e20, 5).size(), 2U);
}

TEST(round_edges, lie_around_all_numbers)
{
    double const largest = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
    std::mt19937_64 random(5);
    std::vector<double> ends{-largest, -1e300, -1, -least, 0, least, 1e-308, 0.1, 0.3, 1, 1e17, 1e17 + 16, largest};
    for (int i = 0; i < 60; ++i) {
        auto const mantissa = static_cast<double>(random() % 20'001) - 10'000;
        ends.push_back(std::ldexp(mantissa, static_cast<int>(random() % 100) - 60));
        ends.push_back(mantissa / 100);
    }
    for (double const a : ends) {
        for (double const b : ends) {
            for (int const bins : {1, 7, 40}) {
                auto const min = std::min(a, b), max = std::max(a, b);
                auto const edges = round_edges(min, max, bins);
                ASSERT_TRUE(std::is_sorted(edges.begin(), edges.end(), [](double x, double y) { return x <= y; }));
                ASSERT_TRUE(edges.size() >= 2 && edges.size() <= static_cast<std::size_t>(bins) + 3) << edges.size();
                ASSERT_TRUE(edges[0] <= min && (min < edges[1] || min == largest)) << min << ' ' << max;
                ASSERT_TRUE((max < edges.back() && edges.end()[-2] <= max) || edges.back() == largest) << max;
            }
        }
    }
}

TEST(round_edges, are_finite_where_the_difference_of_the_ends_is_not)
{
    double const largest = std::numeric_limits<double>::max();
    EXPECT_EQ(round_edges(-1.7e308, 1.7e308, 1), (std::vector<double>{-largest, 0, largest}));
    EXPECT_EQ(round_edges(-largest, largest, 1), (std::vector<double>{-largest, 0, largest}));
}

TEST(round_axis, has_every_number)
{
    moments const m{.count = 2, .min = 1, .max = std::numeric_limits<double>::infinity()};
    EXPECT_THROW(round_axis(m, 5), bad_input);

    double const largest = std::numeric_limits<double>::max();
    std::vector<double> const large{-largest, 0, largest};
    auto const axis = round_axis({.count = 3, .min = -largest, .max = largest}, 2);
    auto const counts = bin_counts(tilewise::seq, large, axis);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), 3U);
}

TEST(bar, ends_at_an_eighth_of_a_character)
{
    EXPECT_EQ(bar(0), "");
    EXPECT_EQ(bar(0.01), "▏");
    EXPECT_EQ(bar(1), "█");
    EXPECT_EQ(bar(2.5), "██▌");
}

TEST(svg_drawing, escapes_what_xml_would_read)
{
    EXPECT_EQ(escaped("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
    EXPECT_EQ(escaped("\x1B[1m\xFF\n"), "\\x1B[1m\\xFF\\n"); // XML has no way to write the first two
}

} // namespace
