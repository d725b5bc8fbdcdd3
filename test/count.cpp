// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/count.hpp>
#include <tilewise/reduce.hpp>

#include "values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <forward_list>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <sstream>
#include <string>
#include <vector>

namespace tw = tilewise;

namespace {

std::vector<int> const ints{3, 1, 3, 2};
auto const odd = [](int x) { return x % 2 == 1; };

TEST(count, takes_iterators_or_a_range_with_every_policy)
{
    int const array[]{3, 1, 3};
    EXPECT_EQ(tw::count(ints.begin(), ints.end(), 3), 2);
    EXPECT_EQ(tw::count(tw::seq, ints.begin(), ints.end(), 3), 2);
    EXPECT_EQ(tw::count(tw::par, ints.begin(), ints.end(), 3), 2);
    EXPECT_EQ(tw::count(ints, 3), 2);
    EXPECT_EQ(tw::count(tw::seq, ints, 3), 2);
    EXPECT_EQ(tw::count(tw::par, ints, 3), 2);
    EXPECT_EQ(tw::count(tw::par, array, 3), 2);
    EXPECT_EQ(tw::count(array, array + 1, 3), 1);
    EXPECT_EQ(tw::count(std::vector<bool>{true, false, true}, true), 2);
}

TEST(count_if, takes_iterators_or_a_range_with_every_policy)
{
    int const array[]{3, 1, 2};
    EXPECT_EQ(tw::count_if(ints.begin(), ints.end(), odd), 3);
    EXPECT_EQ(tw::count_if(tw::seq, ints.begin(), ints.end(), odd), 3);
    EXPECT_EQ(tw::count_if(tw::par, ints.begin(), ints.end(), odd), 3);
    EXPECT_EQ(tw::count_if(ints, odd), 3);
    EXPECT_EQ(tw::count_if(tw::seq, ints, odd), 3);
    EXPECT_EQ(tw::count_if(tw::par, ints, odd), 3);
    EXPECT_EQ(tw::count_if(tw::par, array, odd), 2);
    EXPECT_EQ(tw::count_if(array, array + 1, odd), 1);
    EXPECT_EQ(tw::count_if(std::vector<bool>{true, false, true}, std::logical_not<>{}), 1);
}

TEST(count, is_a_difference_of_iterators)
{
    std::same_as<std::ptrdiff_t> auto const of_pair = tw::count(ints.begin(), ints.end(), 3);
    std::same_as<std::ptrdiff_t> auto const of_range = tw::count_if(tw::par, ints, odd);
    EXPECT_EQ(of_pair, 2);
    EXPECT_EQ(of_range, 3);
}

TEST(count, of_an_empty_range_is_zero_and_touches_no_iterator)
{
    auto const check = [](auto policy, auto it) {
        EXPECT_EQ(tw::count(policy, it, it, 3), 0);
        EXPECT_EQ(tw::count_if(policy, it, it, odd), 0);
    };
    check(tw::seq, values::untouchable<std::input_iterator_tag>{});
    check(tw::par, values::untouchable<std::forward_iterator_tag>{});
    check(tw::par, values::untouchable<std::random_access_iterator_tag>{});
    EXPECT_EQ(tw::count(tw::par, std::vector<int>(), 3), 0);
}

TEST(count, agrees_with_std_and_asks_once_per_element)
{
    std::atomic<std::size_t> calls = 0;
    auto const small = [&](unsigned x) { return ++calls, x < 5; };
    for (std::size_t const size : values::sizes_around_units(sizeof(std::ptrdiff_t))) {
        auto elements = values::seeds(size);
        for (unsigned& element : elements)
            element %= 7;
        std::forward_list<unsigned> const list(elements.begin(), elements.end());
        auto const twos = std::count(elements.begin(), elements.end(), 2U);
        auto const small_ones = std::count_if(elements.begin(), elements.end(), [](unsigned x) { return x < 5; });
        auto const check = [&](auto policy) {
            ASSERT_EQ(tw::count(policy, elements, 2U), twos) << size;
            ASSERT_EQ(tw::count(policy, list.begin(), list.end(), 2U), twos) << size;
            calls = 0;
            ASSERT_EQ(tw::count_if(policy, elements, small), small_ones) << size;
            ASSERT_GE(calls, size);
            ASSERT_LE(calls, size + 1); // par may ask once more, to see how long that takes
            ASSERT_EQ(tw::count_if(policy, list, small), small_ones) << size;
        };
        check(tw::seq);
        check(tw::par);
    }
}

/// A user's transform with a name that the library might have used.
struct claims_to_be_of_a_predicate {
    static constexpr bool is_of_predicate = true;
    std::ptrdiff_t operator()(int x) const { return x; }
};
static_assert(claims_to_be_of_a_predicate::is_of_predicate);

TEST(count, is_not_what_another_transform_is_taken_for)
{
    EXPECT_EQ(tw::transform_reduce(tw::par, ints, std::ptrdiff_t{0}, std::plus<>{}, claims_to_be_of_a_predicate{}), 9);
}

template <class E>
void expect_count_of_threes()
{
    for (std::size_t const size : {0u, 1u, 127u, 128u, 129u, 256u, 5000u, 100'003u}) {
        std::vector<E> x(size);
        for (std::size_t i = 0; i < size; ++i)
            x[i] = static_cast<E>(i % 977 % 5); // in some blocks more often than in others
        auto const threes = std::count(x.begin(), x.end(), E(3));
        EXPECT_EQ(tw::count(tw::seq, x, E(3)), threes) << size;
        EXPECT_EQ(tw::count(tw::par, x, E(3)), threes) << size;
        std::fill(x.begin(), x.end(), E(3)); // as many as a counter has to hold
        EXPECT_EQ(tw::count_if(tw::par, x, [](E e) { return e == E(3); }), static_cast<std::ptrdiff_t>(size));
    }
}

TEST(count, of_numbers_of_any_size_agrees_with_std)
{
    expect_count_of_threes<signed char>();
    expect_count_of_threes<unsigned short>();
    expect_count_of_threes<float>();
    expect_count_of_threes<double>();
}

TEST(count, compares_elements_with_a_value_of_another_type)
{
    std::vector<std::string> const words{"a", "b", "a"};
    EXPECT_EQ(tw::count(words, "a"), 2);
    EXPECT_EQ(tw::count(tw::par, words.begin(), words.end(), std::string("b")), 1);
    EXPECT_EQ(tw::count(tw::par, ints, 3.0), 2);
    EXPECT_EQ(tw::count(ints, 2.5), 0);
}

TEST(count, copies_no_element_and_reads_a_stream_once)
{
    std::vector<std::unique_ptr<int>> pointers(3);
    pointers[1] = std::make_unique<int>(1);
    EXPECT_EQ(tw::count(tw::par, pointers, nullptr), 2);
    EXPECT_EQ(tw::count_if(pointers, [](std::unique_ptr<int> const& p) { return p != nullptr; }), 1);
    std::istringstream text("1 2 1");
    EXPECT_EQ(tw::count(std::istream_iterator<int>(text), std::istream_iterator<int>(), 1), 2);
}

bool is_three(int x)
{
    return x == 3;
}
struct answer { // contextually a bool, and no number
    bool value;
    explicit operator bool() const { return value; }
};

TEST(count_if, takes_any_predicate)
{
    EXPECT_EQ(tw::count_if(ints, is_three), 2);
    EXPECT_EQ(tw::count_if(tw::par, ints, &is_three), 2);
    EXPECT_EQ(tw::count_if(tw::par, ints, [](int x) { return answer{x == 3}; }), 2);
    EXPECT_EQ(tw::count_if(tw::par, ints, [](int x) { return x & 2; }), 3); // any number but zero is true
    int limit = 2;
    EXPECT_EQ(tw::count_if(tw::par, ints, [&limit](auto const& x) { return x > limit; }), 2);
    EXPECT_EQ(tw::count_if(tw::seq, ints, [seen = 0](int) mutable { return ++seen > 1; }), 3);
}

TEST(count_if, passes_elements_as_they_come)
{
    auto const is_long = [](std::string&& word) { return word.size() > 2; };
    std::vector<int> const sizes{1, 2, 3, 4};
    std::vector<std::string> words{"a", "bcd"};
    auto const check = [&](auto on) {
#if !defined(__clang__) || __clang_major__ >= 16 // which older ones cannot compile the views of libstdc++ 12
        auto const made =
            std::views::transform(sizes, [](int size) { return std::string(static_cast<std::size_t>(size), 'x'); });
        EXPECT_EQ(tw::count_if(on, made, is_long), 2);
#endif
        EXPECT_EQ(tw::count_if(on, std::move_iterator(words.begin()), std::move_iterator(words.end()), is_long), 1);
    };
    check(tw::seq);
    check(tw::par);
}

} // namespace
