// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The same as contraction.cpp for products in members of classes, whatever copies them, and elsewhere: this file, too,
/// is compiled for a processor with fused multiply-add and without strict_fp.

#include "order_specification.hpp"

#include <tilewise/core/opaque.hpp>
#include <tilewise/host/reduce.hpp>
#include <tilewise/host/scan.hpp>
#include <tilewise/reduce.hpp>
#include <tilewise/reduce_by_index.hpp>
#include <tilewise/scan.hpp>
#include <tilewise/segmented.hpp>

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <tuple>
#include <utility>
#include <vector>

namespace {

template <class T>
[[gnu::noinline]] T rounded_product(T a, T b)
{
    T volatile const product = a * b;
    return product;
}

template <class T>
struct copied_as_bytes {
    T first, second;
};

template <class T>
struct copied_by_itself {
    T first, second;
    copied_by_itself(T a, T b) : first(a), second(b) {}
    copied_by_itself(copied_by_itself const& other) : first(other.first), second(other.second) {}
    copied_by_itself& operator=(copied_by_itself const&) = default;
};

template <class T>
struct on_the_heap {
    std::vector<T> values;
    on_the_heap(T a, T b) : values{a, b} {}
};

/// A class of two numbers under one interface: make(a, b), first(value), second(value).
template <class Class, class T>
struct two {
    using type = Class;
    using number = T;
    static type make(T a, T b) { return {a, b}; }
    static T first(type const& x) { return x.first; }
    static T second(type const& x) { return x.second; }
};
template <class T>
struct two<std::tuple<std::pair<T, T>, int, copied_by_itself<T>>, T> {
    using type = std::tuple<std::pair<T, T>, int, copied_by_itself<T>>;
    using number = T;
    static type make(T a, T b) { return {std::pair(a, b), 1, copied_by_itself<T>(a, b)}; }
    static T first(type const& x) { return std::get<0>(x).first; }
    static T second(type const& x) { return std::get<2>(x).second; }
};
template <class T>
struct two<on_the_heap<T>, T> {
    using type = on_the_heap<T>;
    using number = T;
    static type make(T a, T b) { return {a, b}; }
    static T first(type const& x) { return x.values[0]; }
    static T second(type const& x) { return x.values[1]; }
};
template <class T>
struct vector_of {
    using type __attribute__((vector_size(2 * sizeof(T)))) = T;
};
template <class T>
struct two<vector_of<T>, T> {
    using type = typename vector_of<T>::type;
    using number = T;
    static type make(T a, T b) { return type{a, b}; }
    static T first(type const& x) { return x[0]; }
    static T second(type const& x) { return x[1]; }
};

template <class Class>
auto bits(typename Class::type const& value)
{
    return std::bit_cast<std::array<std::uint32_t, 2 * sizeof(typename Class::number) / 4>>(
        std::array{Class::first(value), Class::second(value)});
}

template <class Class>
struct cases {
    using T = typename Class::number;
    using type = typename Class::type;

    std::vector<T> x;
    std::vector<type> products;
    type init = Class::make(T(0.1), T(0.7));

    explicit cases(std::size_t count)
    {
        for (std::uint64_t state = 8; x.size() < count;) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            x.push_back(static_cast<T>(static_cast<std::int64_t>(state)) * static_cast<T>(0x1p-61));
        }
        for (T const value : x)
            products.push_back(Class::make(rounded_product(value, value), rounded_product(value, T(3))));
    }
    static type add(type const& a, type const& b)
    {
        return Class::make(Class::first(a) + Class::first(b), Class::second(a) + Class::second(b));
    }
    static constexpr auto plus = [](type const& a, type const& b) { return add(a, b); };
    static constexpr auto square = [](T value) { return Class::make(value * value, value * T(3)); };
    auto reference() const { return specification::order<type, decltype(plus)>(plus); }
};

/// How many of the values have other bits.
template <class Class>
std::size_t wrong(std::vector<typename Class::type> const& values, std::vector<typename Class::type> const& expected)
{
    std::size_t result = values.size() == expected.size() ? 0 : values.size() + 1;
    for (std::size_t i = 0; result <= values.size() && i < values.size(); ++i)
        result += bits<Class>(values[i]) != bits<Class>(expected[i]);
    return result;
}

template <class Class>
class Classes : public testing::Test {};
using classes = testing::Types<two<copied_as_bytes<float>, float>, two<copied_by_itself<float>, float>,
                               two<std::pair<double, double>, double>,
                               two<std::tuple<std::pair<float, float>, int, copied_by_itself<float>>, float>,
                               two<vector_of<float>, float>, two<on_the_heap<float>, float>>;
TYPED_TEST_SUITE(Classes, classes);

TYPED_TEST(Classes, KeepTheirProductsApartOnceTheyAreOpaque)
{
    // Whether the engines' own calls inline so far that a product could meet its sum is the compiler's choice.
    cases<TypeParam> const c(300);
    auto const addend = TypeParam::first(c.init);
    std::size_t differ = 0;
    for (std::size_t i = 0; i < c.x.size(); ++i) {
        auto value = c.square(c.x[i]);
        tilewise::host::make_opaque(value);
        auto const sum = TypeParam::first(value) + addend, expected = TypeParam::first(c.products[i]) + addend;
        differ += std::bit_cast<std::array<std::byte, sizeof sum>>(sum) !=
                  std::bit_cast<std::array<std::byte, sizeof expected>>(expected);
    }
    EXPECT_EQ(differ, 0u);
}

TYPED_TEST(Classes, HaveProductsRoundedBeforeTheyAreAddedUp)
{
    for (std::size_t const count : {2u, 33u, 300u, 20000u}) {
        cases<TypeParam> const c(count);
        auto const expected = bits<TypeParam>(c.reference().reduce(c.products, c.init));
        auto const expect_on = [&](auto policy) {
            EXPECT_EQ(bits<TypeParam>(tilewise::transform_reduce(policy, c.x, c.init, c.plus, c.square)), expected)
                << count;
        };
        expect_on(tilewise::seq);
        expect_on(tilewise::par);
    }
}

TYPED_TEST(Classes, HaveProductsRoundedBeforeTheyAreScanned)
{
    for (std::size_t const count : {2u, 33u, 300u, 20000u}) {
        cases<TypeParam> const c(count);
        auto const including = c.reference().inclusive_scan(c.products, {}),
                   excluding = c.reference().exclusive_scan(c.products, c.init);
        auto out = c.products;
        auto const expect_on = [&](auto policy) {
            tilewise::transform_inclusive_scan(policy, c.x, out.begin(), c.plus, c.square);
            EXPECT_EQ(wrong<TypeParam>(out, including), 0u) << count;
            tilewise::transform_exclusive_scan(policy, c.x, out.begin(), c.init, c.plus, c.square);
            EXPECT_EQ(wrong<TypeParam>(out, excluding), 0u) << count;
        };
        expect_on(tilewise::seq);
        expect_on(tilewise::par);
    }
}

TYPED_TEST(Classes, HaveTheSameBitsWhetherElementsTakeLongOrNot)
{
    // par decides by the clock, so here the ways that it may take are taken on purpose.
    for (std::size_t const count : {33u, 20000u}) {
        cases<TypeParam> const c(count);
        using type = typename TypeParam::type;
        using geometry = tilewise::standard_geometry;
        auto const n = static_cast<std::ptrdiff_t>(count);
        tilewise::transformed const input(c.square, c.x.begin());
        EXPECT_EQ(bits<TypeParam>(tilewise::host::reduce_lanes_first<geometry, type>(input, n, c.init, c.plus)),
                  bits<TypeParam>(c.reference().reduce(c.products, c.init)));
        auto out = c.products;
        auto values = tilewise::host::values_of<type>(input, n);
        tilewise::host::scan<geometry, tilewise::scan_form::inclusive>(
            tilewise::seq, tilewise::host::moving_values(values.begin()), n, out.begin(), std::optional<type>(c.init),
            c.plus);
        EXPECT_EQ(wrong<TypeParam>(out, c.reference().inclusive_scan(c.products, c.init)), 0u);
    }
}

#if !defined(__clang__) || __clang_major__ >= 16 // which older ones cannot compile the views of libstdc++ 12
TYPED_TEST(Classes, HaveProductsRoundedInSegmentsAndByIndex)
{
    constexpr std::size_t of_segment = 7, segments = 40;
    cases<TypeParam> const c(of_segment * segments);
    auto const elements = std::views::transform(c.x, c.square);
    std::vector<int> offsets, keys;
    for (std::size_t i = 0; i <= segments; ++i)
        offsets.push_back(static_cast<int>(i * of_segment));
    for (std::size_t i = 0; i < c.x.size(); ++i)
        keys.push_back(static_cast<int>(i / of_segment));
    std::vector<typename TypeParam::type> totals, scanned, results(segments, c.init), out = c.products;
    for (std::size_t i = 0; i < segments; ++i) {
        auto const first = c.products.begin() + static_cast<std::ptrdiff_t>(i * of_segment);
        std::vector const own(first, first + of_segment);
        totals.push_back(c.reference().reduce(own, c.init));
        for (auto const& value : c.reference().inclusive_scan(own, c.init))
            scanned.push_back(value);
    }
    auto const expect_on = [&](auto policy) {
        tilewise::segmented_reduce(policy, elements.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                   results.begin(), c.init, c.plus);
        EXPECT_EQ(wrong<TypeParam>(results, totals), 0u);
        tilewise::reduce_by_index(policy, keys.begin(), keys.end(), elements.begin(), segments, results.begin(), c.init,
                                  c.plus);
        EXPECT_EQ(wrong<TypeParam>(results, totals), 0u);
        tilewise::segmented_inclusive_scan(policy, elements.begin(), offsets.begin(), offsets.end() - 1,
                                           offsets.begin() + 1, out.begin(), c.plus, c.init);
        EXPECT_EQ(wrong<TypeParam>(out, scanned), 0u);
    };
    expect_on(tilewise::seq);
    expect_on(tilewise::par);
}
#endif

/// Adds to what stands there: a product that is stored must be rounded before.
template <class T>
struct adding_output {
    T* target;
    struct proxy {
        T* target;
        void operator=(T value) const { *target = *target + value; }
    };
    using difference_type = std::ptrdiff_t;
    using value_type = T;
    using pointer = T*;
    using reference = proxy;
    using iterator_category = std::random_access_iterator_tag;
    proxy operator*() const { return {target}; }
    proxy operator[](std::ptrdiff_t i) const { return {target + i}; }
    adding_output& operator++() { return ++target, *this; }
    friend adding_output operator+(adding_output it, std::ptrdiff_t n) { return {it.target + n}; }
    friend std::ptrdiff_t operator-(adding_output a, adding_output b) { return a.target - b.target; }
};

TEST(ProductsOfAScan, AreRoundedBeforeTheOutputAddsThem)
{
    cases<two<copied_as_bytes<float>, float>> const c(6000);
    auto const multiply = [](float a, float b) { return a * b; };
    std::vector<int> offsets;
    for (int i = 0; i <= 6000; i += 3)
        offsets.push_back(i);
    auto const expect = [&](auto scan) {
        std::vector<float> out(6000, 0.3F), expected = out;
        scan(adding_output<float>{out.data()});
        std::size_t differ = 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
            float product = c.x[i];
            for (std::size_t j = i; j > i / 3 * 3; --j)
                product = rounded_product(j == i ? c.x[i / 3 * 3] : product, c.x[i / 3 * 3 + i + 1 - j]);
            expected[i] = 0.3F + rounded_product(1.5F, product);
            differ += std::bit_cast<std::uint32_t>(out[i]) != std::bit_cast<std::uint32_t>(expected[i]);
        }
        EXPECT_EQ(differ, 0u);
    };
    expect([&](auto out) {
        tilewise::segmented_inclusive_scan(tilewise::seq, c.x.begin(), offsets.begin(), offsets.end() - 1,
                                           offsets.begin() + 1, out, multiply, 1.5F);
    });
    expect([&](auto out) {
        tilewise::segmented_inclusive_scan(tilewise::par, c.x.begin(), offsets.begin(), offsets.end() - 1,
                                           offsets.begin() + 1, out, multiply, 1.5F);
    });
}

} // namespace
