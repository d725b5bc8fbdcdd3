// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Kernels do not fuse an operator's sums with products of a transform, an iterator or an output, although this file is
/// compiled without strict_fp, so that the compiler may fuse them anywhere else.

#include "on_device.hpp"
#include "order_specification.hpp"

#include <tilewise/functional.hpp>
#include <tilewise/reduce.hpp>
#include <tilewise/reduce_by_index.hpp>
#include <tilewise/scan.hpp>
#include <tilewise/segmented.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <type_traits>
#include <vector>

namespace contraction {

using on_device::device_array;

/// Results of a transform, whose products `add` could be fused with.
template <class T>
struct moments {
    T sum, squares;
};
struct mixed {
    double square;
    float triple;
    unsigned char count;
};

struct make {
    TILEWISE_PORTABLE float as(float x, float) const { return x * x; }
    TILEWISE_PORTABLE double as(double x, double) const { return x * x; }
    template <class T>
    TILEWISE_PORTABLE moments<T> as(T x, moments<T>) const
    {
        return {x, x * x};
    }
    TILEWISE_PORTABLE mixed as(float x, mixed) const { return {double{x} * 1.1, x * 3.3F, 1}; }
};
template <class Result>
struct make_a {
    template <class T>
    TILEWISE_PORTABLE Result operator()(T x) const
    {
        return make{}.as(x, Result{});
    }
};

struct add {
    template <class T>
        requires std::is_floating_point_v<T>
    TILEWISE_PORTABLE T operator()(T a, T b) const
    {
        return a + b;
    }
    template <class T>
    TILEWISE_PORTABLE moments<T> operator()(moments<T> a, moments<T> b) const
    {
        return {a.sum + b.sum, a.squares + b.squares};
    }
    TILEWISE_PORTABLE mixed operator()(mixed a, mixed b) const
    {
        return {a.square + b.square, a.triple + b.triple, static_cast<unsigned char>(a.count + b.count)};
    }
};

/// The same results, rounded before anything is added to them.
template <class T>
T rounded(T product)
{
    T volatile const result = product;
    return result;
}
template <class T>
std::vector<std::type_identity_t<T>> results_of(std::vector<T> const& x, T)
{
    std::vector<T> results;
    for (T const value : x)
        results.push_back(rounded(value * value));
    return results;
}
template <class T>
std::vector<moments<T>> results_of(std::vector<T> const& x, moments<T>)
{
    std::vector<moments<T>> results;
    for (T const value : x)
        results.push_back({value, rounded(value * value)});
    return results;
}
inline std::vector<mixed> results_of(std::vector<float> const& x, mixed)
{
    std::vector<mixed> results;
    for (float const value : x)
        results.push_back({rounded(double{value} * 1.1), rounded(value * 3.3F), 1});
    return results;
}

template <class T>
std::vector<T> numbers(std::size_t count)
{
    std::vector<T> x;
    for (std::uint64_t state = 9; x.size() < count;) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x.push_back(static_cast<T>(static_cast<std::int64_t>(state)) * static_cast<T>(0x1p-61));
    }
    return x;
}

template <class T>
bool same(T a, T b)
{
    return std::memcmp(&a, &b, sizeof a) == 0;
}
template <class T>
bool same(moments<T> a, moments<T> b)
{
    return same(a.sum, b.sum) && same(a.squares, b.squares);
}
inline bool same(mixed a, mixed b)
{
    return same(a.square, b.square) && same(a.triple, b.triple) && a.count == b.count;
}
template <class T>
std::size_t wrong(std::vector<T> const& values, std::vector<T> const& expected)
{
    std::size_t result = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
        result += !same(values[i], expected[i]);
    return result;
}

template <class Result, class Number>
struct of {
    using result = Result;
    using number = Number;
};

inline std::vector<std::size_t> counts()
{
    return on_device::amount<std::vector<std::size_t>>({3, 300, 9000, 300000}, {3, 300, 9000}, {3, 300, 9000});
}

template <class Case>
class ProductsOnTheDevice : public testing::Test {};
using cases =
    std::conditional_t<on_device::interpreted, testing::Types<of<moments<float>, float>>, // the rest takes long
                       testing::Types<of<float, float>, of<double, double>, of<moments<float>, float>,
                                      of<moments<double>, double>, of<mixed, float>>>;
TYPED_TEST_SUITE(ProductsOnTheDevice, cases);

TYPED_TEST(ProductsOnTheDevice, AreRoundedBeforeTheyAreAdded)
{
    using T = typename TypeParam::number;
    using result = typename TypeParam::result;
    for (std::size_t const count : counts()) {
        auto const x = numbers<T>(count);
        result const init = make_a<result>{}(T(0.1));
        specification::order<result, add> const order(add{});
        auto const products = results_of(x, result{}), expected = order.inclusive_scan(products, init);
        auto out = products;
        on_device::run([&] {
            EXPECT_TRUE(
                same(tilewise::transform_reduce(tilewise::device, x, init, add{}, make_a<result>{}), expected.back()))
                << count;
            tilewise::transform_inclusive_scan(tilewise::device, x, out.begin(), add{}, make_a<result>{}, init);
            EXPECT_EQ(wrong(out, expected), 0u) << count;
            if constexpr (std::is_floating_point_v<T> && std::is_same_v<T, result>) {
                using plus = std::plus<>;
                using square = tilewise::square<T>;
                EXPECT_TRUE(
                    same(tilewise::transform_reduce(tilewise::device, x, init, plus(), square()), expected.back()));
                tilewise::transform_inclusive_scan(tilewise::device, x, out.begin(), plus(), square(), init);
                EXPECT_EQ(wrong(out, expected), 0u) << count;
                EXPECT_TRUE(same(tilewise::transform_reduce(tilewise::device, x, x, init), expected.back()));
            }
        });
    }
}

#ifdef __CUDACC__ // g++ fuses nothing of the following, with or without a barrier

/// The products as elements of an iterator.
struct product_iterator {
    float const* target;
    using iterator_category = std::random_access_iterator_tag;
    using value_type = moments<float>;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = moments<float>;
    TILEWISE_PORTABLE reference operator*() const { return {*target, *target * *target}; }
    TILEWISE_PORTABLE reference operator[](std::ptrdiff_t n) const { return *(*this + n); }
    TILEWISE_PORTABLE product_iterator& operator++() { return ++target, *this; }
    TILEWISE_PORTABLE friend product_iterator operator+(product_iterator it, std::ptrdiff_t n)
    {
        return {it.target + n};
    }
    friend std::ptrdiff_t operator-(product_iterator a, product_iterator b) { return a.target - b.target; }
    friend bool operator==(product_iterator a, product_iterator b) { return a.target == b.target; }
};

TEST(ProductsOfAnIteratorOnTheDevice, AreRoundedInSegmentsAndByIndex)
{
    constexpr std::size_t segments = 12;
    constexpr int of_segment = 37;
    using T = moments<float>;
    T const init = {0.1F, 0.7F};
    auto const x = numbers<float>(segments * of_segment);
    auto const products = results_of(x, T{});
    std::vector<int> offsets, keys;
    std::vector<T> expected;
    specification::order<T, add> const order(add{});
    for (std::size_t i = 0; i <= segments; ++i)
        offsets.push_back(static_cast<int>(i) * of_segment);
    for (std::size_t i = 0; i < x.size(); ++i)
        keys.push_back(static_cast<int>(i % segments));
    for (std::size_t i = 0; i < segments; ++i)
        expected.push_back(order.reduce({products.begin() + offsets[i], products.begin() + offsets[i + 1]}, init));
    std::vector<T> expected_by_index;
    for (std::size_t cell = 0; cell < segments; ++cell) {
        std::vector<T> own;
        for (std::size_t i = cell; i < x.size(); i += segments)
            own.push_back(products[i]);
        expected_by_index.push_back(order.reduce(own, init));
    }
    on_device::run([&] {
        device_array<float> const device_copy(x);
        device_array<int> const device_offsets(offsets), device_keys(keys);
        device_array<T> const out(segments);
        std::vector<T> results(segments);
        auto const get = [&] {
            on_device::expect_success(
                cudaMemcpy(results.data(), out.data(), segments * sizeof(T), cudaMemcpyDeviceToHost));
            return results;
        };
        product_iterator const first = {device_copy.data()};
        tilewise::segmented_reduce(tilewise::device, first, device_offsets.begin(), device_offsets.end() - 1,
                                   device_offsets.begin() + 1, out.begin(), init, add{});
        EXPECT_EQ(wrong(get(), expected), 0u);
        tilewise::reduce_by_index(tilewise::device, device_keys.begin(), device_keys.end(), first, segments,
                                  out.begin(), init, add{});
        EXPECT_EQ(wrong(get(), expected_by_index), 0u);
    });
}

/// Adds to what is there.
struct adding_output {
    float* target;
    struct proxy {
        float* target;
        TILEWISE_PORTABLE void operator=(float value) const { *target = *target + value; }
    };
    using iterator_category = std::random_access_iterator_tag;
    using value_type = float;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = proxy;
    TILEWISE_PORTABLE proxy operator*() const { return {target}; }
    TILEWISE_PORTABLE proxy operator[](std::ptrdiff_t n) const { return {target + n}; }
    TILEWISE_PORTABLE adding_output& operator++() { return ++target, *this; }
    TILEWISE_PORTABLE friend adding_output operator+(adding_output it, std::ptrdiff_t n) { return {it.target + n}; }
    friend std::ptrdiff_t operator-(adding_output a, adding_output b) { return a.target - b.target; }
};
struct multiply {
    TILEWISE_PORTABLE float operator()(float a, float b) const { return a * b; }
};

TEST(ProductsOfAScanOnTheDevice, AreRoundedBeforeTheOutputAddsThem)
{
    std::vector<float> x;
    for (float const number : numbers<float>(200))
        x.push_back((number > 0 ? 1.0F : -1.0F) + number / 64);
    auto const rounding = [](float a, float b) { return rounded(a * b); };
    auto expected = specification::order<float, decltype(rounding)>(rounding).inclusive_scan(x, {});
    for (float& value : expected)
        value += 0.3F;
    on_device::run([&] {
        device_array<float> const device_copy(x), out(std::vector<float>(x.size(), 0.3F));
        tilewise::inclusive_scan(tilewise::device, device_copy.begin(), device_copy.end(), adding_output{out.data()},
                                 multiply{});
        std::vector<float> results(x.size());
        on_device::expect_success(
            cudaMemcpy(results.data(), out.data(), x.size() * sizeof(float), cudaMemcpyDeviceToHost));
        EXPECT_EQ(wrong(results, expected), 0u);
    });
}

#endif

} // namespace contraction
