// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Axes that search their edges: variable_axis and log_axis.

#include "axis_cells.hpp"

#include <tilewise/axis.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <list>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

using namespace axes;
using testing::ElementsAre;

template <class A>
void expect_variable(std::vector<A> const& edges)
{
    for (axis_options const options : all_options)
        expect_cells(tw::variable_axis(edges, options), edges, options);
}

template <class A>
class VariableAxis : public testing::Test {};
using arithmetic_types = testing::Types<float, double, long double, std::int8_t, std::uint8_t, std::int16_t, int,
                                        std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(VariableAxis, arithmetic_types);

TYPED_TEST(VariableAxis, has_exactly_the_samples_between_its_edges)
{
    using A = TypeParam;
    using limits = std::numeric_limits<A>;
    expect_variable<A>({0, 1});
    expect_variable<A>({1, 2, 3, 5, 8, 13, 21, 34, 55, 89});
    expect_variable<A>({limits::lowest(), limits::max()});
    expect_variable<A>({limits::lowest(), 1, A(limits::max() / 2), limits::max()});
    if constexpr (limits::is_signed) {
        expect_variable<A>({limits::lowest(), A(limits::lowest() / 2), A(limits::max() / 2)});
        expect_variable<A>({-100, -99, -50, -1, 0, 1, 2, 100});
    }
    std::vector<A> many;
    for (int i = 0; i < 100; ++i) {
        int const uneven = i + i / 7 + i / 50 * 10;
        many.push_back(static_cast<A>(uneven));
    }
    expect_variable(many);
    many.push_back(limits::max()); // far away
    expect_variable(many);
}

TEST(variable_axis, has_them_also_if_its_edges_are_extreme)
{
    using limits = std::numeric_limits<double>;
    double const tiny = limits::denorm_min();
    expect_variable<double>({-limits::max(), -1, -limits::min(), -tiny, 0, tiny, limits::min(), 1, limits::max()});
    expect_variable<double>({tiny, 2 * tiny, 3 * tiny, 5 * tiny});
    expect_variable<double>({-5 * tiny, 0, 3 * tiny});
    expect_variable<double>({1, 1 + limits::epsilon(), 1 + 2 * limits::epsilon(), 2});
    expect_variable<double>({-0.0, 1});
    expect_variable<float>({-1, -0.0f});
    expect_variable<double>({0, 1e-300, 1e-200, 1e-100, 1, 1e100});
    std::vector<float> clustered{-1};
    for (int i = 0; i < 300; ++i)
        clustered.push_back(std::nextafter(clustered.back(), 0.0f));
    clustered.push_back(1e6f);
    expect_variable(clustered);
    expect_variable<std::int64_t>(
        {std::numeric_limits<std::int64_t>::max() - 1, std::numeric_limits<std::int64_t>::max()});
    expect_variable<std::uint64_t>(
        {0, 1, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) + 1, std::numeric_limits<std::uint64_t>::max()});
    if constexpr (std::numeric_limits<long double>::max_exponent > limits::max_exponent)
        expect_variable<long double>({-1e400L, -1, 1e-320L, 1e-4000L + 1, 1e309L, 1e400L, 1e4000L});
}

TEST(variable_axis, has_them_also_if_its_edges_are_random)
{
    std::mt19937 engine(1);
    auto const number = [&](double below) { return std::uniform_real_distribution(0.0, below)(engine); };
    int branchless = 0;
    for (int round = 0; round < 20; ++round) {
        std::set<float> edges;
        int const most = round % 3 == 0 ? 3 : 40, exponents = round % 5 == 0 ? 240 : 6;
        for (int i = 0; i <= most; ++i) {
            auto const edge = static_cast<float>(
                std::ldexp(number(2) - (round % 2), static_cast<int>(number(exponents)) - exponents / 2));
            edges.insert(i % 8 == 7 ? 0 : edge);
            if (i % 4 == 3 && round % 4 == 0)
                edges.insert(std::nextafter(edge, 0.0f));
        }
        std::vector<float> const ordered(edges.begin(), edges.end());
        branchless += tw::variable_axis(ordered).view().is_branchless();
        expect_variable(ordered);
        std::vector<double> doubles(ordered.begin(), ordered.end());
        doubles[doubles.size() / 2] = std::nextafter(doubles[doubles.size() / 2], infinity);
        expect_variable(doubles);
    }
    EXPECT_GT(branchless, 9);
}

/// The number of entries in the table of the branchless form, or 0 if there is no such form.
template <class Axis>
tw::offset entries_of(Axis const& axis)
{
    if (!axis.view().is_branchless())
        return 0;
    tw::offset entries = 0;
    auto form = axis.view().branchless_form();
    form.for_each_table([&](auto&, tw::offset count) { entries += count; });
    return entries;
}

TEST(variable_axis, has_a_branchless_form_if_few_entries_are_enough)
{
    auto const spaced = [](int edges, double power, double lower, double upper) {
        std::vector<float> values;
        for (int i = 0; i < edges; ++i)
            values.push_back(static_cast<float>(lower + (upper - lower) * std::pow(double(i) / (edges - 1), power)));
        return tw::variable_axis(values);
    };
    EXPECT_EQ(entries_of(tw::variable_axis{0.0f, 1.0f}), 1);
    EXPECT_EQ(entries_of(tw::variable_axis{0.0f, 1.0f, 2.0f}), 1);
    auto const is_between = [](tw::offset entries, tw::offset least, tw::offset most) {
        EXPECT_GE(entries, least);
        EXPECT_LE(entries, most);
    };
    is_between(entries_of(spaced(100, 1, 0, 1)), 98, 1000);
    is_between(entries_of(spaced(100, 2, 0, 1)), 98, 2000);
    is_between(entries_of(spaced(101, 1, -3, 3)), 99, 1000); // zero is an edge
    is_between(entries_of(spaced(100, 1, -3, 3)), 98, 1000);
    is_between(entries_of(spaced(100, 1, 1000, 1001)), 98, 500);
    is_between(entries_of(spaced(64, 1, -9, -1)), 62, 500);
    is_between(entries_of(tw::log_axis(1000, 1e-3f, 1.0f)), 999, 4000);
    is_between(entries_of(tw::log_axis(100, 1e-9, 1e9)), 99, 2000);
    is_between(entries_of(tw::variable_axis{-100, -99, -50, -1, 0, 1, 2, 100}), 6, 101);
    EXPECT_EQ(entries_of(spaced(5000, 2, 0, 1)), 0); // too many
    EXPECT_EQ(entries_of(tw::variable_axis{0.0f, 1.0f, std::nextafter(1.0f, 2.0f), 3.0f, 4.0f, 1e30f}), 0);
    EXPECT_FALSE(tw::binning::has_branchless_form<decltype(tw::variable_axis<long double>{0, 1}.view())>);
}

TEST(variable_axis, is_made_from_any_range)
{
    std::list<float> const list{0, 1, 4};
    int const array[]{0, 1, 4};
    std::istringstream stream("0 1 4");
    EXPECT_THAT(tw::variable_axis(list).edges(), ElementsAre(0, 1, 4));
    EXPECT_THAT(tw::variable_axis(array).edges(), ElementsAre(0, 1, 4));
    EXPECT_THAT(tw::variable_axis(array, array + 2).edges(), ElementsAre(0, 1));
    EXPECT_THAT(tw::variable_axis(list.begin(), list.end(), {flow::bins}).extent(), 5);
    EXPECT_THAT(tw::variable_axis({0.0, 1.0, 4.0}, {.closed_upper = true}).index(4), 1);
    EXPECT_THAT(tw::variable_axis(std::istream_iterator<int>(stream), std::istream_iterator<int>()).edges(),
                ElementsAre(0, 1, 4));
    static_assert(std::is_same_v<decltype(tw::variable_axis(list)), tw::variable_axis<float>>);
    static_assert(std::is_same_v<decltype(tw::variable_axis(array, array + 2)), tw::variable_axis<int>>);
}

TEST(variable_axis, may_be_copied_and_moved)
{
    auto original = tw::variable_axis({0.0, 1.0, 4.0});
    auto const copy = original;
    auto const moved = std::move(original);
    original = tw::variable_axis({7.0, 8.0});
    EXPECT_EQ(copy.index(2), 1);
    EXPECT_EQ(moved.index(2), 1);
    EXPECT_EQ(original.index(7), 0);
    static_assert(tw::axis<tw::variable_axis<>>);
}

TEST(variable_axis, shares_its_tables_with_its_copies_alone)
{
    auto const are_same = [](auto const& a, auto const& b) {
        auto const own = a.view().owner_of_tables(), others = b.view().owner_of_tables();
        return own.lock() != nullptr && own.lock() == others.lock() && !own.owner_before(others) &&
               !others.owner_before(own);
    };
    std::vector<double> const edges{0, 1, 4, 9};
    tw::variable_axis axis(edges);
    tw::variable_axis const copy = axis, with_options(edges, {flow::bins});
    EXPECT_TRUE(are_same(axis, copy));
    EXPECT_FALSE(are_same(axis, tw::variable_axis(edges)));
    EXPECT_FALSE(are_same(axis, with_options));
    axis = with_options;
    EXPECT_TRUE(are_same(axis, with_options));
    EXPECT_FALSE(are_same(axis, copy));
    EXPECT_EQ(axis.extent(), 6);
    EXPECT_EQ(copy.extent(), 3);
}

TEST(variable_axis, lends_its_tables)
{
    std::vector<double> edges{0, 1, 4, 9};
    tw::variable_axis const axis(edges);
    auto view = axis.view();
    std::vector<std::vector<double>> copies_of_edges;
    std::vector<std::vector<int>> copies_of_numbers;
    view.for_each_table([&](auto& pointer, tw::offset count) {
        using element = std::remove_const_t<std::remove_pointer_t<std::remove_reference_t<decltype(pointer)>>>;
        auto& copies = [&]() -> auto& {
            if constexpr (std::is_same_v<element, double>)
                return copies_of_edges;
            else
                return copies_of_numbers;
        }();
        copies.emplace_back(pointer, pointer + count);
        pointer = copies.back().data();
    });
    EXPECT_THAT(copies_of_edges, ElementsAre(edges));
    EXPECT_EQ(copies_of_numbers.size(), 1);
    for (double x = -1; x < 10; x += 0.25)
        EXPECT_EQ(view.index(x), axis.index(x)) << x; // (with asan: within the copies)
}

TEST(variable_axis, rejects_what_is_no_axis)
{
    auto const rejects = [](auto edges, std::vector<std::string> words) {
        words.emplace_back("variable_axis");
        expect_rejected([&] { tw::variable_axis{edges, axis_options{}}; }, words);
    };
    rejects(std::vector<int>{}, {"two edges"});
    rejects(std::vector<float>{1}, {"two edges"});
    rejects(std::vector{0.0, 1.0, 1.0, 2.0}, {"edge 2", "(1)"});
    rejects(std::vector{0.0, 2.5, 1.5}, {"edge 2", "(1.5)", "(2.5)"});
    rejects(std::vector{-0.0, 0.0}, {"edge 1"});
    rejects(std::vector{0.0, infinity}, {"edge 1", "inf"});
    rejects(std::vector{-infinity, 0.0}, {"edge 0", "-inf"});
    rejects(std::vector{0.0f, NAN, 1.0f}, {"edge 1", "nan"});
    rejects(std::vector<std::uint8_t>{0, 255, 1}, {"edge 2", "(1)", "(255)"});
}

TEST(log_axis, has_edges_in_geometric_progression)
{
    tw::log_axis const axis(6, 1, 1e6);
    for (int i = 0; i <= 6; ++i)
        EXPECT_NEAR(axis.edge(i), std::pow(10.0, i), std::pow(10.0, i) * 1e-15);
    EXPECT_EQ(axis.edge(0), 1);
    EXPECT_EQ(axis.edge(6), 1e6);
    static_assert(std::is_same_v<decltype(tw::log_axis(2, 1.0f, 2)), tw::log_axis<float>>);
    static_assert(tw::axis<tw::log_axis<>>);
}

TEST(log_axis, has_exactly_the_samples_between_its_edges)
{
    for (axis_options const options : all_options) {
        auto const check = [&](auto const& axis) { expect_cells(axis, axis.edges(), options); };
        check(tw::log_axis(30, 1e-3, 1e3, options));
        check(tw::log_axis(1, 1.0f, 2.0f, options));
        check(tw::log_axis(100, 1e-300, 1e300, options));
        check(tw::log_axis(20, std::numeric_limits<float>::denorm_min() * 100, 1.0f, options));
        check(tw::log_axis<long double>(10, 0.1L, 10, options));
    }
}

TEST(log_axis, rejects_what_is_no_axis)
{
    auto const rejects = [](auto bins, auto lower, auto upper, std::vector<std::string> words) {
        words.emplace_back("log_axis");
        expect_rejected([&] { tw::log_axis(bins, lower, upper); }, words);
    };
    rejects(0, 1, 2, {"0"});
    rejects(1, 0.0, 1.0, {"0", "positive"});
    rejects(1, -1.5, 1.0, {"-1.5", "positive"});
    rejects(1, 2.5, 2.0, {"2.5", "2"});
    rejects(1, 1.0, infinity, {"inf"});
    rejects(1, static_cast<double>(NAN), 1.0, {"nan"});
    rejects(100, 1.0f, 1 + 8 * std::numeric_limits<float>::epsilon(), {"not greater"});
}

} // namespace
