// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/minmax.hpp>

#include "values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <forward_list>
#include <functional>
#include <limits>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
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

template <class E>
class minmax_of : public testing::Test {};
using numbers = testing::Types<signed char, int, unsigned, double>;
TYPED_TEST_SUITE(minmax_of, numbers);

TYPED_TEST(minmax_of, numbers_of_either_sign_agrees_with_std)
{
    std::vector<TypeParam> x;
    for (unsigned const seed : values::seeds(2 * values::tile_of(sizeof(TypeParam)) + 9))
        x.push_back(static_cast<TypeParam>(static_cast<int>(seed >> 16) - 32768));
    expect_as_std(tw::seq, x.begin(), x.end());
    expect_as_std(tw::par, x.begin(), x.end());
    expect_as_std(tw::par, x.begin(), x.end(), std::greater<>{});
    for (TypeParam& each : x) // of one sign
        each = static_cast<TypeParam>(-1 - std::abs(static_cast<int>(each) % 100));
    expect_as_std(tw::par, x.begin(), x.end());
    expect_as_std(tw::par, x.begin(), x.end(), std::greater<>{});
}

TYPED_TEST(minmax_of, numbers_agrees_with_std_wherever_the_extremes_are)
{
    using E = TypeParam;
    std::size_t const tile = values::tile_of(sizeof(E)), chunk = tile / 8;
    std::vector<std::size_t> sizes{
        1, 2, chunk - 1, chunk, chunk + 1, tile - 1, tile, tile + 1, 5 * tile + 3 * chunk + 7};
    sizes.push_back((std::is_integral_v<E> ? 65 : 13) * tile + 1); // threads
    for (std::size_t const size : sizes) {
        SCOPED_TRACE(size);
        std::vector<E> x(size, E{5});
        auto const first = x.cbegin(), last = x.cend();
        auto const lambda = [](E a, E b) { return a < b; };
        expect_as_std(tw::seq, first, last);
        expect_as_std(tw::par, first, last);
        std::vector<std::size_t> positions{0,        chunk - 1, chunk, tile - 1, tile, 2 * tile + chunk + 1,
                                           size / 2, size - 1};
        std::erase_if(positions, [&](std::size_t i) { return i >= size || (size > 10 * tile && i < size / 2); });
        for (std::size_t const a : positions)
            for (std::size_t const b : {a, size - 1 - a}) { // one of its kind, or two
                x[a] = x[b] = E{4};
                expect_as_std(tw::seq, first, last);
                expect_as_std(tw::par, first, last, std::less<E>());
                expect_as_std(tw::seq, first, last, lambda);
                x[a] = x[b] = E{6};
                expect_as_std(tw::par, first, last);
                expect_as_std(tw::seq, first, last, std::greater<>());
                expect_as_std(tw::par, first, last, std::ranges::greater());
                expect_as_std(tw::par, first, last, lambda);
                x[a] = E{6}, x[b] = E{4};
                expect_as_std(tw::seq, first, last);
                x[a] = x[b] = E{5};
            }
        for (std::size_t i = 0; i < size; ++i)
            x[i] = static_cast<E>(i * 48271 % 65537 % 101);
        expect_as_std(tw::seq, first, last);
        expect_as_std(tw::par, first, last);
    }
}

TEST(minmax, with_nans_is_the_same_under_every_policy_and_behind_every_iterator)
{
    auto const nan = std::numeric_limits<float>::quiet_NaN();
    auto const seeds = values::seeds(14 * values::tile_of(sizeof(float)) + 77);
    for (unsigned const every : {2u, 3u, 5u, 7u, 11u, 1000u}) {
        std::vector<float> x;
        for (unsigned const seed : seeds) {
            unsigned const mixed = seed ^ (seed >> 15); // NaNs at regular distances would hide a difference
            x.push_back(mixed / 64 % every == 0 ? nan : static_cast<float>(mixed % 100'000));
        }
        for (float const front : {1e6f, nan}) {
            x.front() = front;
            std::deque<float> const deque(x.begin(), x.end());
            std::forward_list<float> const list(x.begin(), x.end());
            auto const lambda = [](float a, float b) { return a < b; };
            auto const low = tw::min_element(x) - x.begin(), high = tw::max_element(x) - x.begin();
            auto const both = std::pair(low, tw::minmax_element(x).second - x.begin());
            auto const check = [&](auto policy, auto first, auto last, auto... less) {
                EXPECT_EQ(std::distance(first, tw::min_element(policy, first, last, less...)), low);
                EXPECT_EQ(std::distance(first, tw::max_element(policy, first, last, less...)), high);
                auto const found = tw::minmax_element(policy, first, last, less...);
                auto const positions = std::pair(std::distance(first, found.first), std::distance(first, found.second));
                EXPECT_EQ(positions, both);
            };
            check(tw::par, x.begin(), x.end());
            check(tw::seq, x.begin(), x.end(), lambda);
            check(tw::par, x.begin(), x.end(), lambda);
            check(tw::seq, deque.begin(), deque.end());
            check(tw::par, deque.begin(), deque.end());
            check(tw::seq, list.begin(), list.end());
            check(tw::par, list.begin(), list.end());
            if (std::isnan(front)) { // than which nothing is less
                EXPECT_EQ(low, 0);
            }
        }
    }
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
    std::vector<int> changeable = ints;
    EXPECT_EQ(tw::min_element(changeable, [](int& a, int& b) { return a < b; }), changeable.begin() + 1);
    int volatile registers[] = {3, 1, 2};
    EXPECT_EQ(tw::min_element(tw::seq, registers, registers + 3), registers + 1);
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
