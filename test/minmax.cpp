// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/minmax.hpp>

#include "values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <forward_list>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

std::vector<int> const ints{2, 1, 3, 1, 3, 2};

/// All three algorithms find in [first, last) what those of std find.
template <class Policy, class It, class... Less>
void expect_as_std(Policy policy, It first, It last, Less... less)
{
    ASSERT_EQ(tw::min_element(policy, first, last, less...), std::min_element(first, last, less...));
    ASSERT_EQ(tw::max_element(policy, first, last, less...), std::max_element(first, last, less...));
    ASSERT_EQ(tw::minmax_element(policy, first, last, less...), std::minmax_element(first, last, less...));
}

TEST(minmax, takes_iterators_or_a_range_with_every_policy)
{
    auto const first = ints.begin(), last = ints.end();
    auto const both = std::pair(first + 1, first + 4); // the first smallest and the last largest
    auto const check = [&](auto... policy) {
        EXPECT_EQ(tw::min_element(policy..., first, last), first + 1);
        EXPECT_EQ(tw::max_element(policy..., first, last), first + 2);
        EXPECT_EQ(tw::minmax_element(policy..., first, last), both);
        EXPECT_EQ(tw::min_element(policy..., ints), first + 1);
        EXPECT_EQ(tw::max_element(policy..., ints), first + 2);
        EXPECT_EQ(tw::minmax_element(policy..., ints), both);
        EXPECT_EQ(tw::min_element(policy..., first, last, std::greater<>{}), first + 2);
        EXPECT_EQ(tw::max_element(policy..., first, last, std::greater<>{}), first + 1);
        EXPECT_EQ(tw::minmax_element(policy..., first, last, std::greater<>{}), std::pair(first + 2, first + 3));
        EXPECT_EQ(tw::min_element(policy..., ints, std::greater<>{}), first + 2);
        EXPECT_EQ(tw::max_element(policy..., ints, std::greater<>{}), first + 1);
        EXPECT_EQ(tw::minmax_element(policy..., ints, std::greater<>{}), std::pair(first + 2, first + 3));
    };
    check();
    check(tw::seq);
    check(tw::par);
}

TEST(minmax, takes_arrays_and_their_pointers)
{
    int const array[]{2, 1, 3};
    EXPECT_EQ(tw::min_element(array), array + 1);
    EXPECT_EQ(tw::max_element(tw::par, array), array + 2);
    EXPECT_EQ(tw::max_element(array, array + 2), array);
    EXPECT_EQ(tw::minmax_element(tw::par, array, array + 2), std::pair(array + 1, array + 0));
}

TEST(minmax, of_an_empty_range_is_its_end_and_touches_no_iterator)
{
    std::vector<int> const empty;
    EXPECT_EQ(tw::min_element(empty), empty.end());
    EXPECT_EQ(tw::minmax_element(tw::par, empty).second, empty.end());
    auto const check = [](auto policy, auto it) {
        EXPECT_TRUE(tw::min_element(policy, it, it) == it);
        EXPECT_TRUE(tw::max_element(policy, it, it) == it);
        EXPECT_TRUE(tw::minmax_element(policy, it, it).first == it);
    };
    check(tw::seq, values::untouchable<std::forward_iterator_tag>{});
    check(tw::par, values::untouchable<std::forward_iterator_tag>{});
    check(tw::par, values::untouchable<std::random_access_iterator_tag>{});
}

TEST(minmax, agrees_with_std_on_elements_with_many_equals)
{
    for (std::size_t const size : values::sizes_around_units(sizeof(unsigned*))) {
        SCOPED_TRACE(size);
        auto elements = values::seeds(size);
        for (unsigned& element : elements)
            element = element / 1024 % 16;
        expect_as_std(tw::seq, elements.begin(), elements.end());
        expect_as_std(tw::par, elements.begin(), elements.end());
        std::fill(elements.begin(), elements.end(), 5U);
        expect_as_std(tw::seq, elements.begin(), elements.end());
        expect_as_std(tw::par, elements.begin(), elements.end());
        if (size > 0) { // one of its kind, at either end
            elements.front() = 4, elements.back() = 6;
            expect_as_std(tw::par, elements.begin(), elements.end());
            elements.front() = 6, elements.back() = 4;
            expect_as_std(tw::par, elements.begin(), elements.end());
        }
    }
}

TEST(minmax, agrees_with_std_on_lists_doubles_and_strings)
{
    std::vector<double> doubles;
    std::vector<std::string> strings;
    for (unsigned const seed : values::seeds(3 * values::tile_of(sizeof(void*)) + 5)) {
        doubles.push_back((static_cast<double>(seed % 1000) - 500) / 3);
        strings.push_back(std::to_string(seed % 300));
    }
    std::forward_list<double> const list(doubles.begin(), doubles.end());
    auto const closer_to_zero = [](double a, double b) { return std::abs(a) < std::abs(b); };
    auto const check = [&](auto policy) {
        expect_as_std(policy, doubles.begin(), doubles.end(), closer_to_zero);
        expect_as_std(policy, list.begin(), list.end());
        expect_as_std(policy, strings.rbegin(), strings.rend());
    };
    check(tw::seq);
    check(tw::par);
    // zeros of either sign are equal, so that the place decides
    std::vector<double> const zeros{0.0, -0.0, 0.0, -0.0};
    expect_as_std(tw::par, zeros.begin(), zeros.end());
    EXPECT_EQ(tw::min_element(tw::par, zeros), zeros.begin());
}

TEST(minmax, copies_no_element)
{
    std::vector<std::unique_ptr<int>> pointers;
    for (int i = 0; i < 10000; ++i)
        pointers.push_back(std::make_unique<int>(i * 7919 % 10007));
    auto const less = [](std::unique_ptr<int> const& a, std::unique_ptr<int> const& b) { return *a < *b; };
    expect_as_std(tw::par, pointers.begin(), pointers.end(), less);
    **tw::max_element(tw::par, pointers, less) = -1; // the position is of the range itself
    EXPECT_EQ(**tw::min_element(pointers, less), -1);
}

bool greater(int a, int b)
{
    return a > b;
}

TEST(minmax, takes_any_comparison)
{
    EXPECT_EQ(tw::min_element(tw::par, ints, greater), ints.begin() + 2);
    EXPECT_EQ(tw::max_element(ints, [calls = 0](int a, int b) mutable { return ++calls != 0 && a < b; }),
              ints.begin() + 2);
    bool const descending = true;
    EXPECT_EQ(tw::minmax_element(tw::par, ints, [&](int a, int b) { return descending ? a > b : a < b; }),
              std::pair(ints.begin() + 2, ints.begin() + 3));
}

/// Has no order but `>`.
struct descending {
    int value;
    friend bool operator>(descending a, descending b) { return a.value > b.value; }
};

TEST(minmax, calls_the_comparison_that_was_passed_and_no_other)
{
    std::vector<descending> elements;
    for (unsigned const seed : values::seeds(3 * values::tile_of(sizeof(void*)) + 5))
        elements.push_back({static_cast<int>(seed % 100)});
    auto const check = [&](auto policy) {
        expect_as_std(policy, elements.begin(), elements.end(), std::greater<>{});
        expect_as_std(policy, elements.begin(), elements.end(), std::greater<descending>{});
        expect_as_std(policy, elements.begin(), elements.end(),
                      [](descending const& a, descending const& b) { return a > b; });
        EXPECT_EQ(tw::min_element(policy, elements, std::greater<>{}),
                  std::min_element(elements.begin(), elements.end(), std::greater<>{}));
    };
    check(tw::seq);
    check(tw::par);
}

TEST(minmax, of_a_temporary_range_dangles_unless_it_is_borrowed)
{
    auto const temporary = [] { return std::vector{2, 1, 3}; };
    std::same_as<std::ranges::dangling> auto const smallest = tw::min_element(temporary());
    std::same_as<std::ranges::dangling> auto const largest = tw::max_element(tw::par, temporary());
    auto const both = tw::minmax_element(tw::par, temporary());
    static_assert(std::same_as<decltype(both.first), std::ranges::dangling>);
    static_cast<void>(smallest), static_cast<void>(largest);
    EXPECT_EQ(*tw::min_element(tw::par, std::span(ints)), 1);
    EXPECT_EQ(*tw::minmax_element(std::span(ints)).second, 3);
}

} // namespace
