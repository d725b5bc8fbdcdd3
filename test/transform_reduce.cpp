// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/reduce.hpp>

#include "values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <forward_list>
#include <functional>
#include <list>
#include <numeric>
#include <string>
#include <vector>

namespace tw = tilewise;

namespace {

std::vector<int> const ints{1, 2, 3, 4};
std::vector<int> const others{5, 6, 7, 8, 1000};
auto const square = [](int x) { return x * x; };
auto const larger = [](int x, int y) { return x < y ? y : x; };

TEST(transform_reduce, takes_iterators_or_a_range_with_every_policy)
{
    auto const first = ints.begin(), last = ints.end();
    EXPECT_EQ(tw::transform_reduce(first, last, 5, std::plus<>{}, square), 35);
    EXPECT_EQ(tw::transform_reduce(tw::seq, first, last, 5, std::plus<>{}, square), 35);
    EXPECT_EQ(tw::transform_reduce(tw::par, first, last, 5, std::plus<>{}, square), 35);
    EXPECT_EQ(tw::transform_reduce(ints, 5, std::plus<>{}, square), 35);
    EXPECT_EQ(tw::transform_reduce(tw::seq, ints, 5, std::plus<>{}, square), 35);
    EXPECT_EQ(tw::transform_reduce(tw::par, ints, 5, std::plus<>{}, square), 35);
}

struct point {
    float x;
    int y;
    double const z;
    std::string name;
};

/// Points that exist only while they are read.
struct made_points {
    using value_type = point;
    using difference_type = std::ptrdiff_t;
    int i;
    point operator*() const { return {0.5F, i, 0.25 * i, std::string(static_cast<std::size_t>(20 + i), 'a')}; }
    point operator[](std::ptrdiff_t n) const { return *(*this + n); }
    made_points& operator++() { return *this = *this + 1; }
    made_points operator+(std::ptrdiff_t n) const { return {i + static_cast<int>(n)}; }
    std::ptrdiff_t operator-(made_points const& other) const { return i - other.i; }
    bool operator==(made_points const& other) const { return i == other.i; }
};

TEST(transform_reduce, takes_pointers_to_data_members)
{
    std::vector<point> const points{{0.5F, 1, 2, "a"}, {1.5F, 3, 4, "b"}, {2.5F, 5, 6, "c"}};
    std::forward_list<point> const listed(points.begin(), points.end());
    std::vector<point const*> const pointers{&points[0], &points[2]};
    EXPECT_EQ(tw::transform_reduce(points, std::string(), std::plus<>{}, &point::name), "abc");
    auto const check = [&](auto on) {
        EXPECT_EQ(tw::transform_reduce(on, points, 0.0, std::plus<>{}, &point::x), 4.5);
        EXPECT_EQ(tw::transform_reduce(on, points.begin(), points.end(), 0, std::plus<>{}, &point::y), 9);
        EXPECT_EQ(tw::transform_reduce(on, listed, 1.0, std::multiplies<>{}, &point::z), 48);
        EXPECT_EQ(tw::transform_reduce(on, pointers, std::string(), std::plus<>{}, &point::name), "ac");
        made_points const first{0}, last{3};
        EXPECT_EQ(tw::transform_reduce(on, first, last, std::string(), std::plus<>{}, &point::name),
                  std::string(20 + 21 + 22, 'a'));
        EXPECT_EQ(tw::transform_reduce(on, first, last, 0.0, std::plus<>{}, &point::z), 0.75);
        int sum = 0;
        tw::transform_reduce_into(on, points, &sum, 0, std::plus<>{}, &point::y);
        EXPECT_EQ(sum, 9);
    };
    check(tw::seq);
    check(tw::par);
}

TEST(transform_reduce, takes_iterators_of_two_ranges_or_the_ranges_with_every_policy)
{
    auto const first = ints.begin(), last = ints.end(), first2 = others.begin();
    EXPECT_EQ(tw::transform_reduce(first, last, first2, 1), 71);
    EXPECT_EQ(tw::transform_reduce(first, last, first2, 1, std::multiplies<>{}, larger), 1680);
    EXPECT_EQ(tw::transform_reduce(tw::seq, first, last, first2, 1), 71);
    EXPECT_EQ(tw::transform_reduce(tw::seq, first, last, first2, 1, std::multiplies<>{}, larger), 1680);
    EXPECT_EQ(tw::transform_reduce(tw::par, first, last, first2, 1), 71);
    EXPECT_EQ(tw::transform_reduce(tw::par, first, last, first2, 1, std::multiplies<>{}, larger), 1680);
    EXPECT_EQ(tw::transform_reduce(ints, others, 1), 71);
    EXPECT_EQ(tw::transform_reduce(ints, others, 1, std::multiplies<>{}, larger), 1680);
    EXPECT_EQ(tw::transform_reduce(tw::seq, ints, others, 1), 71);
    EXPECT_EQ(tw::transform_reduce(tw::seq, ints, others, 1, std::multiplies<>{}, larger), 1680);
    EXPECT_EQ(tw::transform_reduce(tw::par, ints, others, 1), 71);
    EXPECT_EQ(tw::transform_reduce(tw::par, ints, others, 1, std::multiplies<>{}, larger), 1680);
}

TEST(transform_reduce, takes_temporaries_and_arrays)
{
    int array[]{1, 2, 3};
    int const constants[]{4, 5, 6};
    EXPECT_EQ(tw::transform_reduce(std::vector<int>{2, 3}, std::list<int>{4, 5}, 0), 23);
    EXPECT_EQ(tw::transform_reduce(tw::par, std::forward_list<int>{2, 3}, std::array{4, 5}, 0), 23);
    EXPECT_EQ(tw::transform_reduce(tw::par, std::vector<int>{2, 3}, 0, std::plus<>{}, square), 13);
    EXPECT_EQ(tw::transform_reduce(array, 0, std::plus<>{}, square), 14);
    EXPECT_EQ(tw::transform_reduce(array, array + 2, 0, std::plus<>{}, square), 5);
    EXPECT_EQ(tw::transform_reduce(array, array + 2, constants, 0), 14);
    EXPECT_EQ(tw::transform_reduce(tw::par, array, array + 2, array, 0, std::plus<>{}, larger), 3);
    EXPECT_EQ(tw::transform_reduce(array, array, 0), 14);
    EXPECT_EQ(tw::transform_reduce(tw::par, array, array, 0, std::plus<>{}, larger), 6);
    EXPECT_EQ(tw::transform_reduce(array, constants, 0), 32);
    EXPECT_EQ(tw::transform_reduce(array, ints, 0), 14);
}

TEST(transform_reduce, has_the_type_of_init_and_converts_what_transform_returns_to_it)
{
    auto const half = [](int x) { return x / 2.0; };
    std::same_as<int> auto const whole = tw::transform_reduce(tw::par, ints, 0, std::plus<>{}, half);
    std::same_as<double> auto const halves = tw::transform_reduce(ints, 0.25, std::plus<>{}, half);
    std::same_as<long> auto const products = tw::transform_reduce(ints, others, 1L);
    EXPECT_EQ(whole, 0 + 1 + 1 + 2);
    EXPECT_EQ(halves, 5.25);
    EXPECT_EQ(products, 71);
    auto const digits = [](int x) { return std::to_string(x); };
    EXPECT_EQ(tw::transform_reduce(tw::par, ints, std::string("0"), std::plus<>{}, digits), "01234");
    auto const total = [](std::vector<int> const& row) { return tw::reduce(row); };
    EXPECT_EQ(tw::transform_reduce(std::vector{ints, others}, 0, std::plus<>{}, total), 10 + 1026);
}

TEST(transform_reduce, takes_any_kind_of_transform)
{
    int const factor = 3;
    auto const scaled = [&factor, keep = std::string("a capture that allocates")](auto x) {
        return static_cast<decltype(x)>(factor) * x;
    };
    auto const check = [&](auto const& range, auto expected) {
        using value = decltype(expected);
        auto const doubled = [](value x) { return x + x; };
        EXPECT_EQ(tw::transform_reduce(tw::seq, range, value(), std::plus<>{}, scaled), 3 * expected);
        EXPECT_EQ(tw::transform_reduce(tw::par, range, value(), std::plus<>{}, scaled), 3 * expected);
        EXPECT_EQ(tw::transform_reduce(tw::par, range, value(), std::plus<>{}, +doubled), 2 * expected);
        EXPECT_EQ(tw::transform_reduce(tw::par, range, value(), std::plus<>{}, std::function<value(value)>(doubled)),
                  2 * expected);
    };
    check(std::vector<double>(20000, 0.5), 10000.0);
    check(std::vector<int>(20000, 2), 40000);
    check(std::forward_list<int>(20000, 2), 40000);

    auto const numbered = [n = 0](int x) mutable { return x * ++n; }; // one copy reads all under seq
    EXPECT_EQ(tw::transform_reduce(tw::seq, std::vector<int>(5000, 1), 0, std::plus<>{}, numbered), 5000 * 5001 / 2);
    int calls = 0;
    auto counted = [&calls](int x) { return ++calls, x; };
    EXPECT_EQ(tw::transform_reduce(tw::seq, ints, 0, std::plus<>{}, std::ref(counted)), 10);
    EXPECT_EQ(calls, 4);
}

TEST(transform_reduce, may_return_a_reference_to_an_element_that_is_computed)
{
    // The elements of vector<bool> live no longer than the expression that reads them.
    std::vector<bool> const bits(5000, true);
    EXPECT_EQ(tw::transform_reduce(tw::seq, bits, 0, std::plus<>{}, std::identity{}), 5000);
    EXPECT_EQ(tw::transform_reduce(tw::par, bits.begin(), bits.end(), 0L, std::plus<>{}, std::identity{}), 5000);
    auto const second = [](auto&&, auto&& y) -> auto&& { return std::forward<decltype(y)>(y); };
    EXPECT_EQ(tw::transform_reduce(tw::par, bits, bits, 0.0, std::plus<double>{}, second), 5000.0);
    std::vector<std::string> const words(3, "a word that is too long for the string itself");
    values::single_pass::state stream{{7, 9}};
    static constexpr unsigned eight = 8;
    EXPECT_EQ(tw::transform_reduce(values::single_pass(stream), values::single_pass(), 0U, std::plus<>{},
                                   [](unsigned const& x) -> unsigned const& { return std::max(x, eight); }),
              17U);
    EXPECT_EQ(tw::transform_reduce(words, std::string(), std::plus<>{}, std::identity{}).size(), 3 * words[0].size());
}

TEST(transform_reduce, of_an_empty_range_is_init_and_touches_no_iterator)
{
    auto const forbidden = [](auto...) { return ADD_FAILURE(), 0; };
    auto const check = [&](auto policy, auto it) {
        EXPECT_EQ(tw::transform_reduce(policy, it, it, 7, forbidden, forbidden), 7);
        EXPECT_EQ(tw::transform_reduce(policy, it, it, it, 7), 7);
        EXPECT_EQ(tw::transform_reduce(policy, it, it, it, 7, forbidden, forbidden), 7);
    };
    check(tw::seq, values::untouchable<std::input_iterator_tag>{});
    check(tw::par, values::untouchable<std::forward_iterator_tag>{});
    check(tw::seq, values::untouchable<std::random_access_iterator_tag>{});
    check(tw::par, values::untouchable<std::random_access_iterator_tag>{});
    EXPECT_EQ(tw::transform_reduce(tw::par, std::vector<int>(), ints, 7), 7);
}

TEST(transform_reduce, keeps_the_order_and_calls_each_operator_once_per_element)
{
    using values::map;
    std::atomic<std::size_t> calls = 0, transforms = 0;
    auto const op = [&](map const& x, map const& y) { return ++calls, values::compose{}(x, y); };
    auto const one = [&](unsigned seed) { return ++transforms, map(seed * seed); };
    auto const two = [&](unsigned x, unsigned y) { return ++transforms, map(x - 3 * y); };
    auto const expect_one_each = [&](auto policy, std::size_t size) {
        if (std::same_as<decltype(policy), tw::parallel_policy> && transforms == size + 1)
            --transforms; // par may ask for the first element once more, to see how long that takes
        EXPECT_EQ(transforms.exchange(0), size);
    };
    for (std::size_t const size : values::sizes_around_units(sizeof(map))) {
        auto const elements = values::seeds(size);
        std::vector<unsigned> const reversed(elements.rbegin(), elements.rend());
        map expected_of_one = 5, expected_of_two = 5;
        for (std::size_t i = 0; i < size; ++i) {
            expected_of_one = values::compose{}(expected_of_one, map(elements[i] * elements[i]));
            expected_of_two = values::compose{}(expected_of_two, map(elements[i] - 3 * reversed[i]));
        }
        auto const check = [&](auto policy) {
            ASSERT_EQ(tw::transform_reduce(policy, elements, map(5), op, one), expected_of_one) << size;
            ASSERT_EQ(calls.exchange(0), size);
            expect_one_each(policy, size);
            ASSERT_EQ(tw::transform_reduce(policy, elements, reversed, map(5), op, two), expected_of_two) << size;
            ASSERT_EQ(calls.exchange(0), size);
            expect_one_each(policy, size);
        };
        check(tw::seq);
        check(tw::par);
    }
}

TEST(transform_reduce, keeps_the_order_when_elements_take_long_to_compute)
{
    auto const slowly = [](auto value) {
        return [value](unsigned seed) {
            auto const begin = std::chrono::steady_clock::now();
            while (std::chrono::steady_clock::now() - begin < std::chrono::microseconds(20)) {
            }
            return value(seed);
        };
    };
    auto const to_map = [](unsigned seed) { return values::map(seed); };
    auto const to_float = [](unsigned seed) { return static_cast<float>(seed) / 3; };
    for (std::size_t const size : {3U, 4U, 63U, 64U, 65U, 257U, 1025U, 8193U}) {
        auto const elements = values::seeds(size);
        values::map const init = 5;
        EXPECT_EQ(tw::transform_reduce(tw::par, elements, init, values::compose{}, slowly(to_map)),
                  std::accumulate(elements.begin(), elements.end(), init,
                                  [&](values::map const& x, unsigned y) { return values::compose{}(x, to_map(y)); }));
        EXPECT_EQ(tw::transform_reduce(tw::par, elements, 0.5F, std::plus<>{}, slowly(to_float)),
                  tw::transform_reduce(tw::seq, elements, 0.5F, std::plus<>{}, to_float));
    }
}

TEST(transform_reduce, pairs_ranges_of_different_kinds)
{
    for (std::size_t const size : {std::size_t{1}, std::size_t{8191}, values::many_tiles(sizeof(unsigned))}) {
        auto const elements = values::seeds(size);
        std::list<unsigned> const list(elements.begin(), elements.end());
        unsigned const expected = std::inner_product(elements.begin(), elements.end(), elements.begin(), 1U);
        auto const check = [&](auto policy) {
            EXPECT_EQ(tw::transform_reduce(policy, elements, list, 1U), expected);
            EXPECT_EQ(tw::transform_reduce(policy, list.begin(), list.end(), elements.begin(), 1U), expected);
        };
        check(tw::seq);
        check(tw::par);
    }
    values::single_pass::state stream{{7, 8}};
    EXPECT_EQ(tw::transform_reduce(ints.begin(), ints.begin() + 2, values::single_pass(stream), 0U, std::plus<>{},
                                   [](int x, unsigned y) { return static_cast<unsigned>(x) * y; }),
              23U);
}

TEST(transform_reduce_into, writes_the_result_and_returns_the_position_after_it)
{
    long out[]{0, 0};
    auto const check = [&](long* end, long expected) {
        EXPECT_EQ(end, out + 1);
        EXPECT_EQ(std::exchange(out[0], 0), expected);
        EXPECT_EQ(out[1], 0);
    };
    auto const first = ints.begin(), last = ints.end(), first2 = others.begin();
    int array[]{1, 2, 3};
    check(tw::transform_reduce_into(first, last, out, 5, std::plus<>{}, square), 35);
    check(tw::transform_reduce_into(tw::par, first, last, out, 5, std::plus<>{}, square), 35);
    check(tw::transform_reduce_into(first, last, first2, out, 1), 71);
    check(tw::transform_reduce_into(tw::par, first, last, first2, out, 1), 71);
    check(tw::transform_reduce_into(first, last, first2, out, 1, std::multiplies<>{}, larger), 1680);
    check(tw::transform_reduce_into(tw::par, first, last, first2, out, 1, std::multiplies<>{}, larger), 1680);
    check(tw::transform_reduce_into(ints, out, 5, std::plus<>{}, square), 35);
    check(tw::transform_reduce_into(tw::par, ints, out, 5, std::plus<>{}, square), 35);
    check(tw::transform_reduce_into(ints, others, out, 1), 71);
    check(tw::transform_reduce_into(tw::par, ints, others, out, 1), 71);
    check(tw::transform_reduce_into(tw::seq, ints, others, out, 1, std::multiplies<>{}, larger), 1680);
    check(tw::transform_reduce_into(array, array + 2, array, out, 1), 6);
    check(tw::transform_reduce_into(array, out, 1, std::plus<>{}, square), 15);
    check(tw::transform_reduce_into(array, array, out, 1), 15);
}

} // namespace
