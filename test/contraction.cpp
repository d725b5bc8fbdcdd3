// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// A transform's product and the library's sum stay two roundings, although this file is compiled for a processor with
/// fused multiply-add and without strict_fp, so that the compiler may fuse them anywhere else.

#include "order_specification.hpp"

#include <tilewise/reduce.hpp>
#include <tilewise/scan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <list>
#include <vector>

namespace {

/// Every product is rounded, and nothing is known of it: what a fused operation would do differently shows.
template <class T>
[[gnu::noinline]] T rounded_product(T a, T b)
{
    T volatile const product = a * b;
    return product;
}

template <class T>
std::vector<T> numbers(std::size_t count, std::uint64_t state)
{
    std::vector<T> x;
    for (std::size_t i = 0; i < count; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x.push_back(static_cast<T>(static_cast<std::int64_t>(state)) * static_cast<T>(0x1p-61));
    }
    return x;
}

template <class T>
bool same_bits(T const& a, T const& b)
{
    return std::memcmp(&a, &b, sizeof a) == 0;
}

TEST(Contraction, IsPossibleHereSoThatTheOtherTestsMeanSomething)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    EXPECT_TRUE(true) << "the processor fuses";
#else
    GTEST_SKIP() << "this processor has no fused multiply-add; the other tests cannot fail here";
#endif
}

template <class T>
class Products : public testing::Test {};
using types = testing::Types<float, double>;
TYPED_TEST_SUITE(Products, types);

TYPED_TEST(Products, AreRoundedBeforeTheyAreAddedUp)
{
    using T = TypeParam;
    for (std::size_t const count : {1u, 2u, 3u, 7u, 31u, 64u, 129u, 1000u, 8193u, 20000u}) {
        auto const x = numbers<T>(count, 1), y = numbers<T>(count, 2);
        std::vector<T> products;
        for (std::size_t i = 0; i < count; ++i)
            products.push_back(rounded_product(x[i], y[i]));
        auto const add = [](T a, T b) { return a + b; };
        T const expected = specification::reduce(products, T(0.1), add);
        auto const product = [](T a, T b) { return a * b; };

        auto const expect_on = [&](auto policy) {
            EXPECT_TRUE(same_bits(tilewise::transform_reduce(policy, x, y, T(0.1)), expected)) << count;
            EXPECT_TRUE(same_bits(tilewise::transform_reduce(policy, x, y, T(0.1), add, product), expected)) << count;
            EXPECT_TRUE(
                same_bits(tilewise::transform_reduce(policy, std::list<T>(x.begin(), x.end()), y, T(0.1), add, product),
                          expected))
                << count;
        };
        expect_on(tilewise::seq);
        expect_on(tilewise::par);
    }
}

TYPED_TEST(Products, InTheArgumentsOfACallAreRounded)
{
    // Nothing but the call stands between the user's products and the library's sums, and all of it may be inlined.
    using T = TypeParam;
    auto const x = numbers<T>(8, 3);
    std::array<T, 4> const products{x[0] * x[1], x[2] * x[3], x[4] * x[5], x[6] * x[7]};
    T const result = tilewise::reduce(products.begin(), products.end(), x[1] * x[2]);
    std::vector<T> const rounded{rounded_product(x[0], x[1]), rounded_product(x[2], x[3]), rounded_product(x[4], x[5]),
                                 rounded_product(x[6], x[7])};
    EXPECT_TRUE(
        same_bits(result, specification::reduce(rounded, rounded_product(x[1], x[2]), [](T a, T b) { return a + b; })));
}

TYPED_TEST(Products, OfResultsAreRounded)
{
    // A result that is a product must be rounded before the caller adds to it.
    using T = TypeParam;
    auto const x = numbers<T>(3, 4);
    T const product = tilewise::reduce(x.begin(), x.begin() + 2, T(1), std::multiplies<>());
    EXPECT_TRUE(same_bits(product + x[2], rounded_product(x[0], x[1]) + x[2]));
}

TYPED_TEST(Products, InMembersOfStructsAreRounded)
{
    using T = TypeParam;
    struct pair {
        T first, second;
    };
    auto const add = [](pair a, pair b) { return pair{a.first + b.first, a.second + b.second}; };
    for (std::size_t const count : {2u, 5u, 33u, 300u, 5000u}) {
        auto const x = numbers<T>(count, 5);
        std::vector<pair> products;
        for (T const value : x)
            products.push_back({rounded_product(value, value), rounded_product(value, T(3))});
        pair const expected = specification::reduce(products, pair{1, 1}, add);
        auto const transform = [](T value) { return pair{value * value, value * T(3)}; };
        EXPECT_TRUE(same_bits(tilewise::transform_reduce(tilewise::seq, x, pair{1, 1}, add, transform), expected))
            << count;
        EXPECT_TRUE(same_bits(tilewise::transform_reduce(tilewise::par, x, pair{1, 1}, add, transform), expected))
            << count;
    }
}

TYPED_TEST(Products, AreRoundedBeforeTheyAreScanned)
{
    using T = TypeParam;
    auto const add = [](T a, T b) { return a + b; };
    auto const square = [](T x) { return x * x; };
    for (std::size_t const count : {1u, 2u, 3u, 7u, 31u, 64u, 129u, 1000u, 8193u, 20000u}) {
        auto const x = numbers<T>(count, 6);
        std::vector<T> products, out(count);
        for (T const value : x)
            products.push_back(rounded_product(value, value));
        specification::order<T, decltype(add)> const order(add);
        auto const including = order.inclusive_scan(products, {}), excluding = order.exclusive_scan(products, T(0.1));
        auto const expect = [&](std::vector<T> const& expected) {
            EXPECT_TRUE(std::equal(out.begin(), out.end(), expected.begin(), same_bits<T>)) << count;
        };
        auto const expect_on = [&](auto policy) {
            tilewise::transform_inclusive_scan(policy, x, out.begin(), add, square);
            expect(including);
            tilewise::transform_inclusive_scan(policy, x, out.begin(), std::plus<>(), square);
            expect(including);
            tilewise::transform_exclusive_scan(policy, std::list<T>(x.begin(), x.end()), out.begin(), T(0.1), add,
                                               square);
            expect(excluding);
        };
        expect_on(tilewise::seq);
        expect_on(tilewise::par);
    }
}

TYPED_TEST(Products, OfScansAreRounded)
{
    // Results that are products must be rounded before the caller adds to them.
    using T = TypeParam;
    auto const x = numbers<T>(4, 7);
    T out[3];
    tilewise::inclusive_scan(x.begin(), x.begin() + 3, out, std::multiplies<>());
    EXPECT_TRUE(same_bits(out[1] + x[3], rounded_product(x[0], x[1]) + x[3]));
}

} // namespace
