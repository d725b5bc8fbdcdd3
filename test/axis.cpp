// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Axes that compute bins: regular_axis, integer_axis and function_axis.

#include "axis_cells.hpp"

#include <tilewise/axis.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace tw = tilewise;

namespace {

using namespace axes;
using testing::ElementsAre;

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

TEST(function_axis, rejects_what_is_no_axis)
{
    auto const identity = [](int x) { return x; };
    expect_rejected([&] { tw::function_axis(0, identity); }, {"function_axis", "0"});
    expect_rejected([&] { tw::function_axis(-7, identity); }, {"function_axis", "-7"});
}

} // namespace
