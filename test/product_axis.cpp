// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/axis.hpp>

#include "histogram_specification.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

using tw::axis_options, tw::flow;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(product_axis, numbers_cells_with_the_last_axis_turning_fastest)
{
    tw::product_axis const axis(tw::integer_axis(0, 3), tw::regular_axis(4, 0.0, 1.0));
    static_assert(tw::axis<std::remove_cv_t<decltype(axis)>>);
    EXPECT_EQ(axis.size(), 12);
    EXPECT_EQ(axis.extent(), 12);
    EXPECT_EQ(axis.axis<1>().edge(1), 0.25);
    EXPECT_EQ(axis.index(std::tuple(0, 0.0)), 0);
    EXPECT_EQ(axis.index(std::pair(0, 0.75)), 3);
    EXPECT_EQ(axis.index(std::pair(2, 0.5)), 10);
    EXPECT_EQ(axis.index(std::array{1.0, 0.0}), 4);
    EXPECT_EQ(axis.index(std::pair(3, 0.5)), -1);
    EXPECT_EQ(axis.index(std::pair(1, -0.5)), -1);
}

/// Of a user's: vowels, by their place among them. Its view says what it likes about others.
struct vowels {
    int size() const { return 5; }
    unsigned extent() const { return 5; }
    std::size_t index(char letter) const { return std::string("aeiou").find(letter); }
};

/// Expects of a product's view what it says of samples one by one, in parts of several lengths.
template <class View, class Sample>
void expect_cells_together(View const& view, std::vector<Sample> const& once, std::vector<int> const& expected)
{
    std::vector<Sample> samples;
    while (samples.size() < 1000) // several of the parts in which it goes about them
        samples.insert(samples.end(), once.begin(), once.end());
    for (std::size_t const count :
         {std::size_t{0}, std::size_t{1}, std::size_t{255}, std::size_t{256}, std::size_t{257}, samples.size()}) {
        std::vector<int> cells(samples.size(), -7);
        view.index_all(static_cast<int>(count), samples.data(), cells.data());
        for (std::size_t i = 0; i < samples.size(); ++i)
            ASSERT_EQ(cells[i], i < count ? expected[i % once.size()] : -7) << i << " of " << count;
    }
}

TEST(product_axis, has_cells_for_the_flow_of_its_axes)
{
    std::vector<axis_options> const options{{flow::drop, true}, {flow::bins, false}, {flow::clamp, false}};
    std::vector<int> const first_edges{-1, 0, 1, 2};
    std::vector<double> const second_edges{0, 1, 4}, third_edges{0, 0.5, 1, 1.5};
    for (axis_options const a : options)
        for (axis_options const b : options)
            for (axis_options const c : options) {
                tw::product_axis const axis(tw::integer_axis(-1, 2, a), tw::variable_axis(second_edges, b),
                                            tw::regular_axis(3, 0.0, 1.5, c));
                auto const extent_b = static_cast<long long>(specification::cells(3, b)),
                           extent_c = static_cast<long long>(specification::cells(4, c));
                EXPECT_EQ(axis.size(), 3 * 2 * 3);
                EXPECT_EQ(axis.extent(), static_cast<long long>(specification::cells(4, a)) * extent_b * extent_c);
                EXPECT_EQ(tw::axis_view(axis).extent(), axis.extent());
                std::vector<std::tuple<double, int, double>> samples;
                std::vector<int> expected;
                for (double const x : {-2.0, -1.0, 0.5, 2.0, 3.0, infinity, static_cast<double>(NAN)})
                    for (int const y : {-1, 0, 1, 4, 5})
                        for (float const z : {-1.0f, 0.0f, 0.5f, 1.5f, 2.0f, NAN}) {
                            auto const i = specification::cell(x, first_edges, a),
                                       j = specification::cell(y, second_edges, b),
                                       k = specification::cell(z, third_edges, c);
                            bool const dropped = i < 0 || j < 0 || k < 0;
                            samples.emplace_back(x, y, z);
                            expected.push_back(static_cast<int>(dropped ? -1 : (i * extent_b + j) * extent_c + k));
                            EXPECT_EQ(axis.index(std::tuple(x, y, z)), expected.back());
                        }
                expect_cells_together(tw::axis_view(axis), samples, expected);
            }
}

TEST(product_axis, tells_the_cells_of_an_array_only_if_that_is_faster)
{
    tw::regular_axis const regular(2, 0.0f, 1.0f);
    tw::integer_axis const integer(0, 2);
    auto const indexes_arrays = []<class Sample>(Sample const&, auto const&... axes) {
        return tw::binning::indexes_arrays<decltype(tw::axis_view(tw::product_axis(axes...))), Sample>;
    };
    EXPECT_TRUE(indexes_arrays(std::pair(0.5f, 1), regular, integer));
    EXPECT_TRUE(indexes_arrays(std::pair(1, 0.5f), integer, regular));
    EXPECT_TRUE(indexes_arrays(std::array{1.0f, 0.5f}, integer, regular));
    EXPECT_TRUE(indexes_arrays(std::pair(1, 1), integer, integer));
    EXPECT_TRUE(indexes_arrays(std::pair(0.5, 1), regular, integer));      // one of the two is enough
    EXPECT_FALSE(indexes_arrays(std::pair(0.5, 1L), regular, integer));    // would have to be converted
    EXPECT_FALSE(indexes_arrays(std::pair(0.5f, 'a'), regular, vowels{})); // may not be asked about what is outside
}

TEST(product_axis, takes_axes_of_a_user_and_other_products)
{
    static_assert(tw::axis<vowels>);
    tw::product_axis const axis(vowels{}, tw::product_axis(tw::integer_axis(0, 2), vowels{}));
    EXPECT_EQ(axis.extent(), 50);
    EXPECT_EQ(axis.index(std::pair('e', std::pair(1, 'o'))), 10 + 5 + 3);
    EXPECT_EQ(axis.index(std::pair('x', std::pair(1, 'o'))), -1);
    EXPECT_EQ(axis.index(std::pair('e', std::pair(1, 'x'))), -1);
    EXPECT_EQ(axis.index(std::pair('e', std::pair(2, 'o'))), -1);
}

/// A tuple that an array cannot be made of.
struct no_default : std::pair<float, float> {
    no_default(float x, float y) : std::pair<float, float>(x, y) {}
};

TEST(product_axis, tells_the_cells_of_an_array_of_tuples_within_tuples)
{
    tw::regular_axis const own(4, 0.0f, 1.0f);
    tw::product_axis const axis(own, tw::product_axis(own, own));
    std::vector<std::pair<float, no_default>> samples;
    std::vector<int> expected;
    for (float const x : {-0.5f, 0.25f, 0.75f})
        for (float const y : {0.0f, 0.5f, 1.0f})
            for (float const z : {0.25f, 0.75f, NAN}) {
                samples.emplace_back(x, no_default(y, z));
                bool const dropped = x < 0 || y == 1 || z != z;
                expected.push_back(dropped ? -1 : static_cast<int>(x * 64 + y * 16 + z * 4));
            }
    expect_cells_together(tw::axis_view(axis), samples, expected);
}

TEST(product_axis, lends_the_tables_of_its_axes)
{
    tw::product_axis const axis(tw::variable_axis({0.0, 1.0, 4.0}), tw::integer_axis(0, 2),
                                tw::log_axis(2, 1.0f, 4.0f));
    auto view = tw::axis_view(axis);
    int tables = 0;
    view.for_each_table([&](auto& pointer, tw::offset count) {
        ++tables;
        EXPECT_NE(pointer, nullptr);
        EXPECT_GT(count, 1);
    });
    EXPECT_EQ(tables, 4);

    auto const visit = [](auto&, tw::offset) {};
    using visitor = decltype(visit);
    EXPECT_TRUE((tw::binning::has_tables_for<decltype(view), visitor>));
    using without = decltype(tw::axis_view(tw::product_axis(tw::integer_axis(0, 2), tw::regular_axis(2, 0.0f, 1.0f))));
    EXPECT_FALSE((tw::binning::has_tables_for<without, visitor>));
}

struct nothing {
    int size() const { return 0; }
    int extent() const { return 0; }
    int index(int) const { return -1; }
};

TEST(product_axis, with_an_axis_without_cells_has_none)
{
    EXPECT_EQ(tw::product_axis(nothing{}, tw::integer_axis(0, 2)).extent(), 0);
    EXPECT_EQ(tw::product_axis(tw::integer_axis(0, 2), nothing{}).index(std::pair(0, 0)), -1);
}

TEST(product_axis, rejects_more_cells_than_can_be_numbered)
{
    auto const is_named = testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr("product_axis"));
    EXPECT_THAT([] { tw::product_axis(tw::integer_axis(0, 1 << 16), tw::integer_axis(0, 1 << 15)); }, is_named);
    EXPECT_EQ(tw::product_axis(tw::integer_axis(0, (1 << 16) - 1), tw::integer_axis(0, 1 << 15)).extent(),
              ((std::int64_t{1} << 16) - 1) << 15);
    EXPECT_THAT([] { tw::product_axis(nothing{}, tw::integer_axis(0, 1 << 16), tw::integer_axis(0, 1 << 16)); },
                is_named);
}

} // namespace
