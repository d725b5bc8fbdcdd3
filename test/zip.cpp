// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace tw = tilewise;

namespace {

std::vector<float> const x{1, 2, 3};
int const y[]{4, 5, 6, 7};
std::deque<double> const z{0.5, 0.25, 0.125, 0};
auto const product = [](auto const& tuple) {
    auto const& [a, b, c] = tuple;
    return static_cast<double>(a) * b * c;
};

TEST(zip_tuple, has_members_of_several_types)
{
    using tuple = tw::zip_tuple<char, double, std::string>;
    static_assert(std::tuple_size_v<tuple> == 3 && std::same_as<std::tuple_element_t<1, tuple>, double const>);
    static_assert(std::is_trivially_copyable_v<tw::zip_tuple<int, float>>);
    static_assert(sizeof(tw::zip_tuple<float, float, float>) == 3 * sizeof(float));
    tuple const one('a', 0.5, "one");
    auto const [letter, number, text] = one;
    EXPECT_TRUE(letter == 'a' && number == 0.5 && text == "one");
    EXPECT_EQ(get<2>(one), "one");
    EXPECT_EQ(one, tuple('a', 0.5, "one"));
    EXPECT_NE(one, tuple('a', 0.5, "two"));
    EXPECT_NE(one, tuple('b', 0.5, "one"));
    EXPECT_EQ(tuple(), tuple('\0', 0, ""));
}

TEST(zip_iterator, is_one_of_random_access)
{
    using iterator = decltype(tw::zip(x, y).begin());
    static_assert(std::random_access_iterator<iterator> && tw::random_access<iterator>);
    auto const first = tw::zip(x, y).begin();
    auto it = first;
    EXPECT_EQ(*++it, (tw::zip_tuple<float, int>(2, 5)));
    EXPECT_EQ(*it--, (tw::zip_tuple<float, int>(2, 5)));
    EXPECT_EQ(*it++, (tw::zip_tuple<float, int>(1, 4)));
    EXPECT_EQ(it[1], (tw::zip_tuple<float, int>(3, 6)));
    EXPECT_EQ(it - first, 1);
    EXPECT_EQ(--it, first);
    EXPECT_EQ((first + 2) - 1, 1 + first);
    it += 2;
    it -= 1;
    EXPECT_TRUE(first < it && it <= it && it != first);
}

TEST(zip, is_as_long_as_the_shortest_range)
{
    auto const all = tw::zip(x, y, z);
    static_assert(std::ranges::random_access_range<decltype(all)> && std::ranges::borrowed_range<decltype(all)>);
    EXPECT_EQ(all.size(), 3U);
    EXPECT_EQ(all.end() - all.begin(), 3);
    EXPECT_EQ(tw::zip(y, x).size(), 3U);
    EXPECT_EQ(tw::zip(x, std::vector<int>{}.empty() ? std::span<int const>() : std::span(y)).size(), 0U);
    EXPECT_EQ(tw::zip(y).size(), 4U);
}

template <class... Ranges>
concept can_zip = requires(Ranges&&... ranges) { tw::zip(static_cast<Ranges&&>(ranges)...); };

TEST(zip, rejects_ranges_that_end_before_it_or_have_no_random_access)
{
    static_assert(can_zip<std::vector<int>&, std::span<float>>);
    static_assert(!can_zip<std::vector<int>>); // would refer to a container that is gone
    static_assert(!can_zip<std::initializer_list<int>&, std::istream&>);
}

TEST(zip, is_an_input_of_every_algorithm)
{
    auto const check = [&](auto on) {
        auto const all = tw::zip(x, y, z);
        EXPECT_EQ(tw::transform_reduce(on, all, 0.0, std::plus<>(), product), 2 + 2.5 + 2.25);
        EXPECT_EQ(tw::transform_reduce(on, all.begin() + 1, all.end(), 0.0, std::plus<>(), product), 2.5 + 2.25);
        std::vector<double> sums(3);
        tw::transform_inclusive_scan(on, all, sums, std::plus<>(), product);
        EXPECT_EQ(sums, (std::vector{2.0, 4.5, 6.75}));
        auto const last_first = [](auto const& a, auto const& b) { return get<1>(a) > get<1>(b); };
        EXPECT_EQ(tw::min_element(on, all, last_first) - all.begin(), 2);
        EXPECT_EQ(tw::count_if(on, all, [](auto const& tuple) { return get<2>(tuple) < 0.5; }), 2);
        std::vector<int> counts(4);
        tw::histogram(on, tw::zip(x, y), tw::product_axis(tw::regular_axis(2, 0, 4), tw::integer_axis(5, 7)), counts);
        EXPECT_EQ(counts, (std::vector{0, 0, 1, 1}));
        std::vector<double> first_of_run(3);
        tw::zip_tuple<float, int> keys[3];
        tw::reduce_by_key(on, tw::zip(x, y), z, keys, first_of_run);
        EXPECT_EQ(keys[2], (tw::zip_tuple<float, int>(3, 6)));
        EXPECT_EQ(first_of_run, (std::vector{0.5, 0.25, 0.125}));
    };
    check(tw::seq);
    check(tw::par);
}

TEST(zip, of_long_ranges_has_the_bits_of_one_range)
{
    std::vector<float> a(300'000), b(a.size()), products(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = 1.0F / static_cast<float>(i + 1);
        b[i] = static_cast<float>(i % 1000);
        products[i] = a[i] * b[i];
    }
    auto const multiplied = [](auto const& tuple) { return get<0>(tuple) * get<1>(tuple); };
    float const expected = tw::reduce(products);
    EXPECT_EQ(tw::transform_reduce(tw::seq, tw::zip(a, b), 0.0F, std::plus<>(), multiplied), expected);
    EXPECT_EQ(tw::transform_reduce(tw::par, tw::zip(a, b), 0.0F, std::plus<>(), multiplied), expected);
}

} // namespace
