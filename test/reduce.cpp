// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/reduce.hpp>

#include "values.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace tw = tilewise;

namespace {

std::vector<int> const ints{1, 2, 3, 4};

TEST(reduce, takes_a_pair_of_iterators_with_every_policy_init_and_op)
{
    auto const first = ints.begin(), last = ints.end();
    EXPECT_EQ(tw::reduce(first, last), 10);
    EXPECT_EQ(tw::reduce(first, last, 5), 15);
    EXPECT_EQ(tw::reduce(first, last, 5, std::multiplies<>{}), 120);
    EXPECT_EQ(tw::reduce(tw::seq, first, last), 10);
    EXPECT_EQ(tw::reduce(tw::seq, first, last, 5), 15);
    EXPECT_EQ(tw::reduce(tw::seq, first, last, 5, std::multiplies<>{}), 120);
    EXPECT_EQ(tw::reduce(tw::par, first, last), 10);
    EXPECT_EQ(tw::reduce(tw::par, first, last, 5), 15);
    EXPECT_EQ(tw::reduce(tw::par, first, last, 5, std::multiplies<>{}), 120);
}

TEST(reduce, takes_a_range_with_every_policy_init_and_op)
{
    EXPECT_EQ(tw::reduce(ints), 10);
    EXPECT_EQ(tw::reduce(ints, 5), 15);
    EXPECT_EQ(tw::reduce(ints, 5, std::multiplies<>{}), 120);
    EXPECT_EQ(tw::reduce(tw::seq, ints), 10);
    EXPECT_EQ(tw::reduce(tw::seq, ints, 5), 15);
    EXPECT_EQ(tw::reduce(tw::seq, ints, 5, std::multiplies<>{}), 120);
    EXPECT_EQ(tw::reduce(tw::par, ints), 10);
    EXPECT_EQ(tw::reduce(tw::par, ints, 5), 15);
    EXPECT_EQ(tw::reduce(tw::par, ints, 5, std::multiplies<>{}), 120);
}

TEST(reduce, takes_temporaries_arrays_and_their_pointers)
{
    int array[]{1, 2, 3};
    int const constants[]{4, 5};
    EXPECT_EQ(tw::reduce(std::vector<int>{7, 8}), 15);
    EXPECT_EQ(tw::reduce(tw::par, std::list<int>{7, 8}, 1L), 16);
    EXPECT_EQ(tw::reduce(std::span(array)), 6);
    EXPECT_EQ(tw::reduce(array), 6);
    EXPECT_EQ(tw::reduce(constants, 1), 10);
    EXPECT_EQ(tw::reduce(array, array + 2), 3);
    EXPECT_EQ(tw::reduce(tw::par, array, array + 2), 3);
    EXPECT_EQ(tw::reduce(tw::par, array, array + 3, 1), 7);
    EXPECT_EQ(tw::reduce(tw::seq, constants, constants + 2, 1, std::multiplies<>{}), 20);
}

TEST(reduce, has_the_type_of_init_or_else_of_the_elements)
{
    std::vector<unsigned char> const bytes(1000, 255);
    std::same_as<unsigned char> auto const own = tw::reduce(bytes);
    std::same_as<unsigned char> auto const own_of_pair = tw::reduce(tw::par, bytes.begin(), bytes.end());
    std::same_as<long> auto const wide = tw::reduce(tw::seq, bytes.begin(), bytes.end(), 0L);
    std::same_as<float> auto const floating = tw::reduce(tw::par, bytes, 0.5F);
    EXPECT_EQ(own, 255000 % 256);
    EXPECT_EQ(own_of_pair, 255000 % 256);
    EXPECT_EQ(wide, 255000);
    EXPECT_EQ(floating, 255000.5F);
    long long const init = 0; // a const lvalue, also forwarded through the form without a policy
    std::same_as<long long> auto const from_constant = tw::reduce(bytes, init);
    EXPECT_EQ(from_constant, 255000);
}

TEST(reduce, accumulates_in_the_type_of_init)
{
    int const large = std::numeric_limits<int>::max();
    std::vector<int> const larges{large, large, large};
    EXPECT_EQ(tw::reduce(larges, 0LL), 3LL * large);
    EXPECT_EQ(tw::reduce(tw::par, larges, 0.5), 3.0 * large + 0.5);
    EXPECT_EQ(tw::reduce(larges, 0LL,
                         [](auto a, auto b) {
                             static_assert(std::same_as<decltype(a), long long> &&
                                           std::same_as<decltype(b), long long>);
                             return a + b;
                         }),
              3LL * large);
}

TEST(reduce, converts_every_element_to_the_type_of_init_first)
{
    std::vector<double> const halves{1.5, 1.5, 1.5};
    EXPECT_EQ(tw::reduce(halves, 0), 3);
    EXPECT_EQ(tw::reduce(tw::par, halves.begin(), halves.end(), 10), 13);
    EXPECT_EQ(tw::reduce(tw::seq, halves, 0, [](double a, double b) { return a + b; }), 3);
    EXPECT_EQ(tw::reduce(std::vector<int>{256, 257}, std::uint8_t{1}), 2);
}

TEST(reduce, converts_every_result_of_op_to_the_type_of_init)
{
    std::vector<int> const threes(9, 3);
    auto const halved = [](int a, int b) { return (a + b) / 4.0; };
    EXPECT_EQ(tw::reduce(std::vector<int>{3}, 0, halved), 0);
    EXPECT_EQ(tw::reduce(threes, std::uint8_t{250}, [](int a, int b) { return a + b; }), (250 + 27) % 256);
}

TEST(reduce, of_an_empty_range_is_init_and_touches_no_iterator)
{
    std::vector<int> const empty;
    auto const forbidden = [](int, int) { return ADD_FAILURE(), 0; };
    EXPECT_EQ(tw::reduce(empty), 0);
    EXPECT_EQ(tw::reduce(tw::par, empty, 7, forbidden), 7);
    auto const check = [&](auto policy, auto it) {
        EXPECT_EQ(tw::reduce(policy, it, it), 0);
        EXPECT_EQ(tw::reduce(policy, it, it, 7), 7);
        EXPECT_EQ(tw::reduce(policy, it, it, 7, forbidden), 7);
    };
    check(tw::seq, values::untouchable<std::input_iterator_tag>{});
    check(tw::seq, values::untouchable<std::forward_iterator_tag>{});
    check(tw::par, values::untouchable<std::forward_iterator_tag>{});
    check(tw::seq, values::untouchable<std::random_access_iterator_tag>{});
    check(tw::par, values::untouchable<std::random_access_iterator_tag>{});
}

TEST(reduce, keeps_the_order_of_strings_and_uses_init_once)
{
    for (std::size_t const size : values::sizes_around_units(sizeof(std::string))) {
        std::vector<std::string> letters(size);
        std::string expected = "init";
        for (std::size_t i = 0; i < size; ++i)
            expected += letters[i] = std::string(1, static_cast<char>('a' + i * i % 23));
        ASSERT_TRUE(tw::reduce(letters, std::string("init")) == expected) << size;
        ASSERT_TRUE(tw::reduce(tw::par, letters, std::string("init")) == expected) << size;
    }
}

TEST(reduce, keeps_the_order_of_matrices_and_uses_init_once)
{
    values::matrix const init{1, 2, 3, 5};
    for (std::size_t const size : values::sizes_around_units(sizeof(values::matrix))) {
        std::vector<values::matrix> factors;
        for (unsigned const seed : values::seeds(size))
            factors.push_back({seed, 1, 1, seed >> 16});
        auto const expected = std::accumulate(factors.begin(), factors.end(), init, std::multiplies<>{});
        ASSERT_EQ(tw::reduce(factors, init, std::multiplies<>{}), expected) << size;
        ASSERT_EQ(tw::reduce(tw::par, factors, init, std::multiplies<>{}), expected) << size;
    }
}

TEST(reduce, applies_op_once_per_element)
{
    std::atomic<std::size_t> calls = 0;
    auto const counted = [&](unsigned a, unsigned b) { return ++calls, a + b; };
    auto const expect_one_each = [&](auto const& range) {
        tw::reduce(tw::seq, range, 1U, counted);
        EXPECT_EQ(calls.exchange(0), range.size());
        tw::reduce(tw::par, range, 1U, counted);
        EXPECT_EQ(calls.exchange(0), range.size());
    };
    for (std::size_t const size : values::sizes_around_units(sizeof(unsigned))) {
        auto const elements = values::seeds(size);
        expect_one_each(elements);
        expect_one_each(std::list(elements.begin(), elements.end()));
    }
}

template <class Int>
void expect_wrapping()
{
    using wide = std::uint64_t; // what wraps in 64 bits wraps in fewer
    for (std::size_t const size : {std::size_t{3}, std::size_t{1000}, values::many_tiles(sizeof(Int))}) {
        std::vector<Int> elements;
        wide sum = 5, product = 7;
        for (unsigned const seed : values::seeds(size)) {
            elements.push_back(static_cast<Int>(seed * 0x100000001ULL | 1U));
            sum += static_cast<wide>(elements.back());
            product *= static_cast<wide>(elements.back());
        }
        auto const check = [&](auto policy) {
            EXPECT_EQ(tw::reduce(policy, elements, Int{5}), static_cast<Int>(sum));
            EXPECT_EQ(tw::reduce(policy, elements, Int{5}, std::plus<Int>{}), static_cast<Int>(sum));
            EXPECT_EQ(tw::reduce(policy, elements, Int{7}, std::multiplies<>{}), static_cast<Int>(product));
        };
        check(tw::seq);
        check(tw::par);
    }
}

TEST(reduce, wraps_signed_sums_and_products)
{
    expect_wrapping<std::int8_t>();
    expect_wrapping<std::int16_t>();
    expect_wrapping<std::int32_t>();
    expect_wrapping<std::int64_t>();
}

TEST(reduce_into, writes_the_result_and_returns_the_position_after_it)
{
    int array[]{1, 2, 3}, out[]{0, 0};
    auto const check = [&](int* end, int expected) {
        EXPECT_EQ(end, out + 1);
        EXPECT_EQ(std::exchange(out[0], 0), expected);
        EXPECT_EQ(out[1], 0);
    };
    check(tw::reduce_into(ints.begin(), ints.end(), out), 10);
    check(tw::reduce_into(ints.begin(), ints.end(), out, 5), 15);
    check(tw::reduce_into(ints.begin(), ints.end(), out, 5, std::multiplies<>{}), 120);
    check(tw::reduce_into(tw::seq, ints.begin(), ints.end(), out, 5), 15);
    check(tw::reduce_into(tw::par, ints.begin(), ints.end(), out, 5, std::multiplies<>{}), 120);
    check(tw::reduce_into(ints, out), 10);
    check(tw::reduce_into(ints, out, 5), 15);
    check(tw::reduce_into(tw::seq, ints, out, 5, std::multiplies<>{}), 120);
    check(tw::reduce_into(tw::par, ints, out), 10);
    check(tw::reduce_into(array, array + 2, out), 3);
    check(tw::reduce_into(tw::par, array, array + 3, out, 1), 7);
    check(tw::reduce_into(array, out), 6);
    check(tw::reduce_into(tw::par, array, out, 1), 7);
}

TEST(reduce_into, converts_to_the_type_behind_any_output_iterator)
{
    std::vector<double> appended;
    tw::reduce_into(tw::seq, ints, std::back_inserter(appended), 0.5);
    tw::reduce_into(tw::par, ints.begin(), ints.end(), std::back_inserter(appended));
    EXPECT_EQ(appended, (std::vector{10.5, 10.0}));
    short narrow = 0;
    tw::reduce_into(ints, &narrow, 65536L);
    EXPECT_EQ(narrow, 10);
    std::vector<bool> bits(2);
    EXPECT_EQ(tw::reduce_into(ints, bits.begin(), true), bits.begin() + 1);
    EXPECT_TRUE(bits[0]);
}

} // namespace
