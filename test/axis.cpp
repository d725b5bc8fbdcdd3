// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/axis.hpp>

#include "histogram_specification.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <list>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

using testing::ElementsAre;
using tw::axis_options, tw::flow;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Every combination of options.
std::vector<axis_options> const all_options{{flow::drop, false}, {flow::bins, false}, {flow::clamp, false},
                                            {flow::drop, true},  {flow::bins, true},  {flow::clamp, true}};

/// The upper half of a float: bfloat16, of two bytes, which is not an arithmetic type.
struct half_like {
    std::uint16_t bits;

    half_like() = default;
    explicit half_like(float x)
    {
        std::uint32_t all;
        std::memcpy(&all, &x, sizeof x);
        bits = static_cast<std::uint16_t>(all >> 16);
    }
    explicit operator float() const
    {
        std::uint32_t const all = std::uint32_t{bits} << 16;
        float x;
        std::memcpy(&x, &all, sizeof x);
        return x;
    }
};

auto specified(auto x)
{
    return x;
}
float specified(half_like x)
{
    return static_cast<float>(x);
}

/// Samples of a type around a number, and some of its extremes.
template <class X, class Edge>
void add_samples_around(std::vector<X>& samples, Edge edge)
{
    using limits = std::numeric_limits<X>;
    if constexpr (std::is_same_v<X, half_like>) {
        std::vector<float> floats;
        add_samples_around(floats, edge);
        for (float const x : floats) {
            half_like const down(x);
            samples.push_back(down);
            half_like up = down;
            ++up.bits;
            samples.push_back(up);
        }
    } else if constexpr (std::is_integral_v<X>) {
        long double const real = std::floor(static_cast<long double>(edge));
        for (int const step : {-1, 0, 1, 2}) {
            long double const near = real + step;
            if (near >= static_cast<long double>(limits::min()) && near <= static_cast<long double>(limits::max()))
                samples.push_back(static_cast<X>(near));
        }
        if constexpr (std::is_integral_v<Edge>) { // exact where long double is narrow
            for (Edge const near : {edge, static_cast<Edge>(edge - (edge > std::numeric_limits<Edge>::min()))})
                if (specification::equal(specification::exact(static_cast<X>(near)), specification::exact(near)))
                    samples.push_back(static_cast<X>(near));
        }
    } else {
        auto const x = static_cast<X>(edge);
        samples.insert(samples.end(), {x, std::nextafter(x, -limits::infinity()), std::nextafter(x, limits::infinity()),
                                       x + x / 1000, x - x / 1000});
    }
}

template <class X, class Edge>
std::vector<X> samples_around(std::vector<Edge> const& edges)
{
    using limits = std::numeric_limits<X>;
    std::vector<X> samples;
    std::size_t const step = edges.size() / 50 + 1;
    for (std::size_t i = 0; i < edges.size(); i += step)
        add_samples_around(samples, edges[i]);
    add_samples_around(samples, edges.back());
    if constexpr (std::is_same_v<X, half_like>) {
        for (unsigned bits = 0; bits < 0x10000; bits += 97)
            samples.emplace_back().bits = static_cast<std::uint16_t>(bits);
        for (float const x : {NAN, -NAN, HUGE_VALF, -HUGE_VALF, 0.0f, -0.0f})
            samples.emplace_back(x);
    } else if constexpr (std::is_integral_v<X>) {
        if constexpr (std::is_same_v<X, bool>)
            samples = {false, true};
        else if constexpr (sizeof(X) == 1)
            for (int x = limits::min(); x <= limits::max(); ++x)
                samples.push_back(static_cast<X>(x));
        else
            for (int shift = 0; shift < limits::digits; ++shift)
                for (X const x : {static_cast<X>(limits::max() >> shift), static_cast<X>(limits::min() >> shift),
                                  static_cast<X>((limits::max() >> shift) - 1)})
                    samples.push_back(x);
    } else {
        for (X const x : {X(0), limits::denorm_min(), limits::min(), limits::max(), limits::infinity(),
                          limits::quiet_NaN(), X(0.5), X(127.5), X(9223372036854775808.0), X(18446744073709551616.0)})
            for (X const signed_x : {x, -x})
                samples.insert(samples.end(), {signed_x, std::nextafter(signed_x, X(0))});
    }
    return samples;
}

template <class X>
std::string text(X x)
{
    std::ostringstream out;
    out.precision(24);
    out << +x;
    return out.str();
}

/// Expects the same cells of a form of a view.
template <class Form, class X>
void expect_cells_of_form(Form const& form, std::vector<X> const& samples, std::vector<int> const& expected)
{
    static_assert(std::is_trivially_copyable_v<Form>);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        tw::binning::located const found = form.locate(samples[i]);
        ASSERT_EQ(found.inside ? static_cast<int>(found.cell) : tw::no_cell, expected[i])
            << text(specified(samples[i]));
    }
}

/// Expects the cells that the specification says, for samples of one type, of `index`, of the view and of its forms.
template <class X, class Axis, class Edge>
void expect_cells_of(Axis const& axis, std::vector<Edge> const& edges, axis_options options)
{
    auto const samples = samples_around<X>(edges);
    auto const view = tw::axis_view(axis);
    static_assert(std::is_trivially_copyable_v<decltype(tw::axis_view(axis))>);
    std::vector<int> expected;
    for (X const x : samples) {
        expected.push_back(static_cast<int>(specification::cell(specified(x), edges, options)));
        ASSERT_EQ(axis.index(x), expected.back()) << text(specified(x)) << " in " << edges.size() - 1 << " bins from "
                                                  << text(edges.front()) << " to " << text(edges.back());
        ASSERT_EQ(view.index(x), expected.back());
    }
    if constexpr (tw::binning::has_branchless_form<decltype(view)>) {
        if (view.is_branchless())
            expect_cells_of_form(view.branchless_form(), samples, expected);
        if (view.is_simple())
            expect_cells_of_form(view.simple_form(), samples, expected);
        bool const is_counted_out_of_range = options.flow != flow::drop;
        ASSERT_FALSE(view.is_simple() && is_counted_out_of_range);
    }
    if constexpr (requires(int* cells) { view.index_all(0, samples.data(), cells); }) {
        for (std::size_t const count : {samples.size(), std::size_t{1}, std::size_t{7}, std::size_t{0}}) {
            std::vector<int> cells(samples.size(), -7);
            view.index_all(static_cast<int>(count), samples.data(), cells.data());
            for (std::size_t i = 0; i < samples.size(); ++i)
                ASSERT_EQ(cells[i], i < count ? expected[i] : -7) << text(specified(samples[i]));
        }
        for (std::size_t i = 0; i < samples.size(); ++i) { // alone, when none is outside but perhaps this one
            int cell = -7;
            view.index_all(1, &samples[i], &cell);
            ASSERT_EQ(cell, expected[i]) << text(specified(samples[i]));
        }
    }
}

template <class Axis, class Edge>
void expect_cells(Axis const& axis, std::vector<Edge> const& edges, axis_options options)
{
    ASSERT_EQ(axis.size(), static_cast<tw::offset>(edges.size()) - 1);
    ASSERT_EQ(axis.extent(), static_cast<tw::offset>(specification::cells(edges.size(), options)));
    ASSERT_EQ(static_cast<tw::offset>(tw::axis_view(axis).extent()), axis.extent());
    for (std::size_t i = 0; i < edges.size(); ++i)
        ASSERT_EQ(axis.edge(static_cast<tw::offset>(i)), edges[i]);
    ASSERT_EQ(axis.edges(), edges);
    expect_cells_of<float>(axis, edges, options);
    expect_cells_of<double>(axis, edges, options);
    expect_cells_of<long double>(axis, edges, options);
    expect_cells_of<half_like>(axis, edges, options);
    expect_cells_of<bool>(axis, edges, options);
    expect_cells_of<char>(axis, edges, options);
    expect_cells_of<std::int8_t>(axis, edges, options);
    expect_cells_of<std::uint8_t>(axis, edges, options);
    expect_cells_of<std::int16_t>(axis, edges, options);
    expect_cells_of<std::uint16_t>(axis, edges, options);
    expect_cells_of<std::int32_t>(axis, edges, options);
    expect_cells_of<std::uint32_t>(axis, edges, options);
    expect_cells_of<std::int64_t>(axis, edges, options);
    expect_cells_of<std::uint64_t>(axis, edges, options);
}

/// The edges that regular_axis promises: each operation rounded to A.
template <class A>
std::vector<A> regular_edges(int bins, A lower, A upper)
{
    A volatile const width = upper - lower;
    A volatile const step = width / static_cast<A>(bins);
    std::vector<A> edges;
    for (int i = 0; i < bins; ++i) {
        A volatile const above_lower = static_cast<A>(i) * step;
        edges.push_back(lower + above_lower);
    }
    edges.push_back(upper);
    return edges;
}

template <class A>
void expect_regular(int bins, A lower, A upper)
{
    for (axis_options const options : all_options) {
        tw::regular_axis const axis(bins, lower, upper, options);
        static_assert(std::is_same_v<decltype(axis.edge(0)), A>);
        expect_cells(axis, regular_edges(bins, lower, upper), options);
    }
}

template <class A>
class RegularAxis : public testing::Test {};
using floating_types = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(RegularAxis, floating_types);

TYPED_TEST(RegularAxis, has_exactly_the_samples_between_its_edges)
{
    using A = TypeParam;
    expect_regular<A>(1, 0, 1);
    expect_regular<A>(10, 0, 1);
    expect_regular<A>(100, -1, 1);
    expect_regular<A>(7, A(-0.1), A(0.3));
    expect_regular<A>(64, 0, 64);
    expect_regular<A>(3, A(-1e10), A(1e10));
    expect_regular<A>(150, A(0.1), A(0.7));
}

TYPED_TEST(RegularAxis, has_them_also_if_it_is_extreme)
{
    using A = TypeParam;
    using limits = std::numeric_limits<A>;
    A const next_to_one = 1 + 8 * limits::epsilon();
    expect_regular<A>(8, 1, next_to_one);                // bins of one number each
    expect_regular<A>(5, 1, 1 + 17 * limits::epsilon()); // and of a few, unequal
    expect_regular<A>(10, 1000000, 1000001);             // narrow and far from zero
    expect_regular<A>(4, -limits::max() / 2, limits::max() / 4);
    expect_regular<A>(1, 0, limits::max());
    expect_regular<A>(150, limits::max() / 2, limits::max());
    expect_regular<A>(2, -limits::min(), limits::min());
    expect_regular<A>(11, 0, 11 * limits::denorm_min());
    expect_regular<A>(4, 0, 10 * limits::denorm_min()); // a step that is rounded to 2
    expect_regular<A>(3, -3 * limits::denorm_min(), 8 * limits::denorm_min());
    expect_regular<A>(150, 0, 450 * limits::denorm_min());
    expect_regular<A>(5, -limits::denorm_min() * 10, 1);
    expect_regular<A>(100, limits::min(), limits::min() * 5);
}

TEST(regular_axis, finds_all_samples_of_many_bins)
{
    int const bins = 1 << 21;
    tw::regular_axis const axis(bins, -1.0, 1.0);
    auto const edges = axis.edges();
    for (int i = 0; i < bins; ++i) {
        double const edge = edges[static_cast<std::size_t>(i)];
        int const around[]{axis.index(std::nextafter(edge, -2)), axis.index(edge), axis.index(std::nextafter(edge, 2))};
        ASSERT_EQ(around[0], i - 1);
        ASSERT_EQ(around[1], i);
        ASSERT_EQ(around[2], i);
    }
}

TEST(regular_axis, finds_samples_at_all_edges_together)
{
    auto const check = [](int bins, auto lower, auto upper) {
        using A = decltype(lower);
        tw::regular_axis const axis(bins, lower, upper);
        auto edges = axis.edges();
        edges.pop_back();
        std::vector<int> cells(edges.size());
        axis.view().index_all(bins, edges.data(), cells.data());
        for (int i = 0; i < bins; ++i)
            ASSERT_EQ(cells[static_cast<std::size_t>(i)], i);
        for (A& edge : edges)
            edge = std::nextafter(edge, std::numeric_limits<A>::lowest());
        axis.view().index_all(bins, edges.data(), cells.data());
        for (int i = 0; i < bins; ++i)
            ASSERT_EQ(cells[static_cast<std::size_t>(i)], i - 1);
    };
    for (int const bins : {1, 3, 10, 1000, 65536, 131072, 262144, 1000000}) { // of the last, guesses are far
        check(bins, 0.0f, 1.0f);
        check(bins, -0.7f, 0.4f);
        check(bins, 0.0, 1.0);
        check(bins, 1e5, 1e5 + 0.7);
    }
}

TEST(regular_axis, is_of_the_type_of_its_bounds)
{
    static_assert(std::is_same_v<decltype(tw::regular_axis(1, 0, 1)), tw::regular_axis<double>>);
    static_assert(std::is_same_v<decltype(tw::regular_axis(1, 0, 1.0f)), tw::regular_axis<float>>);
    static_assert(std::is_same_v<decltype(tw::regular_axis(1, 0.0f, 1.0)), tw::regular_axis<double>>);
    static_assert(std::is_same_v<decltype(tw::regular_axis(1, half_like(0), half_like(1))), tw::regular_axis<float>>);
    static_assert(tw::axis<tw::regular_axis<>>);
    EXPECT_THAT(tw::regular_axis(2u, half_like(1), half_like(2)).edges(), ElementsAre(1, 1.5f, 2));
    EXPECT_THAT(tw::regular_axis<float>(std::int8_t{2}, 0, std::uint64_t{1}).edges(), ElementsAre(0, 0.5f, 1));
}

TEST(regular_axis, takes_a_user_s_number_by_what_it_converts_to)
{
    struct metres {
        double value;
        explicit operator double() const { return value; }
    };
    EXPECT_EQ(tw::regular_axis(10, 0, 1).index(metres{0.35}), 3);
}

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

template <class A>
class IntegerAxis : public testing::Test {};
using integer_types =
    testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int, unsigned, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(IntegerAxis, integer_types);

TYPED_TEST(IntegerAxis, has_a_bin_for_every_integer)
{
    using A = TypeParam;
    using limits = std::numeric_limits<A>;
    auto const check = [](A lower, A upper) {
        std::vector<A> edges;
        for (A edge = lower; edge != upper; ++edge)
            edges.push_back(edge);
        edges.push_back(upper);
        for (axis_options const options : all_options)
            expect_cells(tw::integer_axis(lower, upper, options), edges, options);
    };
    check(0, 1);
    check(3, 17);
    check(limits::max() - 3, limits::max());
    check(limits::min(), limits::min() + 3);
    if constexpr (limits::is_signed)
        check(-3, 5);
    if constexpr (sizeof(A) == 1)
        check(limits::min(), limits::max());
}

TEST(integer_axis, is_of_the_common_type_of_its_bounds)
{
    static_assert(std::is_same_v<decltype(tw::integer_axis(0, std::int64_t{3})), tw::integer_axis<std::int64_t>>);
    static_assert(tw::axis<tw::integer_axis<>>);
    EXPECT_EQ(tw::integer_axis(std::numeric_limits<int>::min(), std::numeric_limits<int>::min() + 2)
                  .index(std::numeric_limits<int>::min() + 1),
              1);
    EXPECT_EQ(tw::integer_axis(-2, std::numeric_limits<int>::max() - 6).size(),
              std::int64_t{std::numeric_limits<int>::max()} - 4);
}

TEST(integer_axis, can_be_of_the_most_bins_there_are)
{
    tw::integer_axis<std::int64_t> const axis(-1, std::int64_t{std::numeric_limits<int>::max()} - 5, {flow::bins});
    EXPECT_EQ(axis.extent(), tw::most_cells);
    EXPECT_EQ(axis.index(std::numeric_limits<int>::max() - 6), axis.size() - 1);
    EXPECT_EQ(axis.index(std::numeric_limits<int>::max()), axis.size() + 1);
    EXPECT_EQ(axis.index(NAN), axis.size() + 2);
}

TEST(function_axis, counts_where_its_function_says)
{
    auto const tens = [](int x) { return x / 10; };
    auto const drop = tw::function_axis(3, tens), bins = tw::function_axis(3u, tens, {flow::bins}),
               clamp = tw::function_axis(3, tens, {flow::clamp});
    static_assert(tw::axis<std::remove_cv_t<decltype(drop)>>);
    EXPECT_EQ(drop.size(), 3);
    EXPECT_EQ(drop.extent(), 3);
    EXPECT_EQ(bins.extent(), 6);
    for (auto const [sample, dropped, flown, clamped] :
         {std::array{0, 0, 0, 0}, {29, 2, 2, 2}, {30, -1, 4, 2}, {-10, -1, 3, 0}, {-9, 0, 0, 0}}) {
        EXPECT_EQ(drop.index(sample), dropped) << sample;
        EXPECT_EQ(bins.index(sample), flown) << sample;
        EXPECT_EQ(clamp.index(sample), clamped) << sample;
    }
}

TEST(function_axis, takes_numbers_of_bins_of_any_type)
{
    auto const identity = [](auto x) { return x; };
    auto const axis = tw::function_axis(3, identity, {flow::bins});
    EXPECT_EQ(axis.index(std::uint64_t{1} << 63), 4);
    EXPECT_EQ(axis.index((std::uint64_t{1} << 32) + 1), 4);
    EXPECT_EQ(axis.index(std::numeric_limits<std::int64_t>::min()), 3);
    EXPECT_EQ(axis.index(-(std::int64_t{1} << 32)), 3);
    EXPECT_EQ(axis.index(true), 1);
    EXPECT_EQ(axis.index(2.9), 2);
    EXPECT_EQ(axis.index(-0.1), 3);
    EXPECT_EQ(axis.index(1e300), 4);
    EXPECT_EQ(axis.index(-infinity), 3);
    EXPECT_EQ(axis.index(NAN), 5);
}

/// Expects that a constructor rejects an argument, and says so.
template <class Make>
void expect_rejected(Make make, std::vector<std::string> const& words)
{
    try {
        make();
        ADD_FAILURE() << "accepted: " << testing::PrintToString(words);
    } catch (std::invalid_argument const& error) {
        for (std::string const& word : words)
            EXPECT_THAT(error.what(), testing::HasSubstr(word));
    }
}

TEST(regular_axis, rejects_what_is_no_axis)
{
    using limits = std::numeric_limits<float>;
    auto const rejects = [](auto bins, auto lower, auto upper, std::vector<std::string> words) {
        words.emplace_back("regular_axis");
        expect_rejected([&] { tw::regular_axis(bins, lower, upper); }, words);
    };
    rejects(0, 0, 1, {"0"});
    rejects(-3, 0, 1, {"-3"});
    rejects(std::int64_t{1} << 31, 0, 1, {"2147483648"});
    rejects(std::numeric_limits<int>::max() - 3, 0, 1, {"2147483644"});
    rejects(std::numeric_limits<std::uint64_t>::max(), 0, 1, {"18446744073709551615"});
    rejects(1, 2.5, 1.5, {"lower (2.5)", "upper (1.5)"});
    rejects(1, 1, 1, {"lower (1)", "upper (1)"});
    rejects(1, infinity, 1, {"inf"});
    rejects(1, 0, infinity, {"inf"});
    rejects(1, -infinity, 0, {"-inf"});
    rejects(1, 0.0f, NAN, {"nan"});
    rejects(1, -limits::max(), limits::max(), {"not finite"});
    rejects(1, std::int64_t{0}, (std::int64_t{1} << 53) + 1, {"9007199254740993"});
    rejects(1, 0.0f, 16777217, {"16777217"});
    rejects(9, 1.0f, 1 + 8 * limits::epsilon(), {"coincide", "1"});
    rejects(1 << 25, 0.0f, 1.0f, {"coincide"});
    rejects(3, 0.0f, 2 * limits::denorm_min(), {"coincide"});
    // The step is rounded up so far that the last edges would be above the upper bound.
    rejects(1 << 18, 0.0f, limits::denorm_min() * (3 << 18) - (1 << 16) * limits::denorm_min(), {"coincide"});
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

TEST(integer_axis, rejects_what_is_no_axis)
{
    auto const rejects = [](auto make, std::vector<std::string> words) {
        words.emplace_back("integer_axis");
        expect_rejected(make, words);
    };
    rejects([] { tw::integer_axis(3, 3); }, {"lower (3)"});
    rejects([] { tw::integer_axis(3, -3); }, {"upper (-3)"});
    rejects([] { tw::integer_axis<std::int8_t>(0, 128); }, {"128"});
    rejects([] { tw::integer_axis<unsigned>(-1, 5); }, {"-1"});
    rejects([] { tw::integer_axis<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max()); },
            {"18446744073709551615"});
    rejects([] { tw::integer_axis(std::numeric_limits<int>::min(), std::numeric_limits<int>::max()); }, {"4294967295"});
    rejects([] { tw::integer_axis(-4, std::numeric_limits<int>::max() - 7); }, {"2147483644"});
}

TEST(function_axis, rejects_what_is_no_axis)
{
    auto const identity = [](int x) { return x; };
    expect_rejected([&] { tw::function_axis(0, identity); }, {"function_axis", "0"});
    expect_rejected([&] { tw::function_axis(-7, identity); }, {"function_axis", "-7"});
}

} // namespace
