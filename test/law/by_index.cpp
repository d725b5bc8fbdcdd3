// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The laws of reduce_by_index and weighted_histogram, for any case.

#include "laws.hpp"
#include "monoid_cases.hpp"

#include <tilewise/core/operators.hpp>
#include <tilewise/histogram.hpp>
#include <tilewise/reduce.hpp>
#include <tilewise/reduce_by_index.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

/// Few cells are sorted in two steps and more, where the order's units are small.
template <>
inline constexpr tilewise::offset tilewise::host::most_buckets<backend::tiny_geometry> = 4;

namespace law {

/// Numbers, of which floating-point ones have other bits in every other order.
template <class T, class Op, int element>
struct number {
    using value = T;
    using op = Op;
    static T make(std::uint64_t bits)
    {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(bits >> 17);
        else
            return static_cast<T>(1 + std::ldexp(static_cast<double>(bits >> 11), -60)); // products stay finite
    }
    static T identity() { return static_cast<T>(element); }
};

/// Keys for so many elements, -1 and `size` among them: evenly, or most of them one key.
inline std::vector<int> keys_below(std::size_t count, int size)
{
    auto const seed = *rc::gen::arbitrary<std::uint64_t>();
    bool const skewed = *rc::gen::arbitrary<bool>();
    std::vector<int> keys;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t const bits = mix(seed + i);
        keys.push_back(skewed && bits % 8 != 0 ? size / 2
                                               : static_cast<int>((bits >> 3) % static_cast<unsigned>(size + 2)) - 1);
    }
    return keys;
}

/// Numbers of keys.
inline int some_size()
{
    return *rc::gen::element(1, 2, 7, 100, 5000);
}

template <class T>
std::vector<std::vector<T>> by_key(std::vector<int> const& keys, std::vector<T> const& x, int size)
{
    std::vector<std::vector<T>> result(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (keys[i] >= 0 && keys[i] < size)
            result[static_cast<std::size_t>(keys[i])].push_back(x[i]);
    return result;
}

template <class T>
bool all_same(std::vector<T> const& a, std::vector<T> const& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](T const& x, T const& y) { return same(x, y); });
}

template <class Case>
class ByIndex : public Law<Case> {
protected:
    using typename Law<Case>::value;

    template <class Policy>
    static std::vector<value> reduced(Policy policy, std::vector<int> const& keys, std::vector<value> const& x,
                                      int size)
    {
        std::vector<value> out(static_cast<std::size_t>(size), Law<Case>::init());
        tilewise::reduce_by_index(policy, keys, x, size, out.begin(), Law<Case>::init(), typename Case::op{});
        return out;
    }
    static std::size_t some_count()
    {
        return size<value, tilewise::standard_geometry>(*rc::gen::element<std::size_t>(300, 40000));
    }
};
TYPED_TEST_SUITE_P(ByIndex);

TYPED_TEST_P(ByIndex, HasTheBitsOfTheSpecification)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = seeded_values<TypeParam>(this->some_count(), *rc::gen::arbitrary<std::uint64_t>());
        int const size = some_size();
        auto const keys = keys_below(x.size(), size);
        std::vector<T> expected;
        for (auto const& own : by_key(keys, x, size))
            expected.push_back(specification::reduce(own, this->init(), typename TypeParam::op{}));
        RC_ASSERT(all_same(this->reduced(tilewise::seq, keys, x, size), expected));
        RC_ASSERT(all_same(this->reduced(tilewise::par, keys, x, size), expected));
    });
}

TYPED_TEST_P(ByIndex, HasTheBitsOfTheSpecificationOnEveryLevelOfTheOrder)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x =
            seeded_values<TypeParam>(size<T, backend::tiny_geometry>(this->few), *rc::gen::arbitrary<std::uint64_t>());
        int const size = *rc::gen::element(1, 3, 5, 40);
        auto const keys = keys_below(x.size(), size);
        typename TypeParam::op const op;
        std::vector<T> expected;
        for (auto const& own : by_key(keys, x, size))
            expected.push_back(
                specification::reduce(own, this->init(), op, backend::units_of<backend::tiny_geometry>()));
        auto const check = [&](auto policy) {
            std::vector<T> out(expected.size(), this->init());
            tilewise::host::reduce_by_cell<backend::tiny_geometry>(
                policy, keys.begin(), static_cast<tilewise::offset>(keys.size()), x.begin(),
                tilewise::binning::numbered_cells{size}, out.begin(), this->init(),
                tilewise::known::operator_or_self<T>(op));
            RC_ASSERT(all_same(out, expected));
        };
        check(tilewise::seq);
        check(tilewise::par);
    });
}

TYPED_TEST_P(ByIndex, OfAKeyDoesNotDependOnTheElementsOfOthers)
{
    expect_always([&] {
        auto x = seeded_values<TypeParam>(1 + this->some_count(), *rc::gen::arbitrary<std::uint64_t>());
        int const size = some_size();
        auto keys = keys_below(x.size(), size);
        auto const key = static_cast<std::size_t>(std::clamp(keys.back(), 0, size - 1));
        auto const before = this->reduced(tilewise::seq, keys, x, size)[key];
        std::vector<int> other_keys;
        std::vector<typename TypeParam::value> others;
        for (std::size_t i = 0; i < x.size(); ++i) {
            for (std::uint64_t more = mix(i) % 3; more > 0; --more) { // elements of other keys in between
                other_keys.push_back(size > 1 ? (static_cast<int>(key) + 1) % size : -1);
                others.push_back(TypeParam::make(mix(more + i)));
            }
            if (keys[i] == static_cast<int>(key) || i % 2 == 0) {
                other_keys.push_back(keys[i]);
                others.push_back(x[i]);
            }
        }
        RC_ASSERT(same(this->reduced(tilewise::seq, other_keys, others, size)[key], before));
        RC_ASSERT(same(this->reduced(tilewise::par, other_keys, others, size)[key], before));
    });
}

TYPED_TEST_P(ByIndex, OfOneKeyIsReduce)
{
    expect_always([&] {
        auto const x = seeded_values<TypeParam>(this->some_count(), *rc::gen::arbitrary<std::uint64_t>());
        int const size = some_size();
        std::vector<int> const keys(x.size(), size - 1);
        auto const expected = tilewise::reduce(tilewise::seq, x, this->init(), typename TypeParam::op{});
        auto const check = [&](auto policy) {
            auto const all = this->reduced(policy, keys, x, size);
            RC_ASSERT(same(all.back(), expected));
            RC_ASSERT(
                std::all_of(all.begin(), all.end() - 1, [&](auto const& one) { return same(one, this->init()); }));
        };
        check(tilewise::seq);
        check(tilewise::par);
    });
}

REGISTER_TYPED_TEST_SUITE_P(ByIndex, HasTheBitsOfTheSpecification, HasTheBitsOfTheSpecificationOnEveryLevelOfTheOrder,
                            OfAKeyDoesNotDependOnTheElementsOfOthers, OfOneKeyIsReduce);

/// Cases for which every order of combination gives the same value.
template <class Case>
class ByIndexOfExact : public ByIndex<Case> {};
TYPED_TEST_SUITE_P(ByIndexOfExact);

TYPED_TEST_P(ByIndexOfExact, OfAConcatenationGoesOnFromThePartBefore)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = seeded_values<TypeParam>(this->some_count(), *rc::gen::arbitrary<std::uint64_t>());
        int const size = some_size();
        auto const keys = keys_below(x.size(), size);
        auto const cut = static_cast<std::ptrdiff_t>(*rc::gen::inRange<std::size_t>(0, x.size() + 1));
        auto const check = [&](auto policy) {
            auto const part = [&](std::ptrdiff_t begin, std::ptrdiff_t end, T const& init) {
                std::vector<T> out(static_cast<std::size_t>(size), init);
                tilewise::reduce_by_index(policy, keys.begin() + begin, keys.begin() + end, x.begin() + begin, size,
                                          out.begin(), init, typename TypeParam::op{});
                return out;
            };
            auto const end = static_cast<std::ptrdiff_t>(x.size());
            std::vector<T> joined;
            auto const before = part(0, cut, this->init()), after = part(cut, end, TypeParam::identity());
            for (std::size_t i = 0; i < before.size(); ++i)
                joined.push_back(static_cast<T>(typename TypeParam::op{}(before[i], after[i])));
            RC_ASSERT(all_same(part(0, end, this->init()), joined));
        };
        check(tilewise::seq);
        check(tilewise::par);
    });
}

REGISTER_TYPED_TEST_SUITE_P(ByIndexOfExact, OfAConcatenationGoesOnFromThePartBefore);

using plus = std::plus<>;
using by_index_cases = testing::Types<number<float, plus, 0>, number<double, std::multiplies<>, 1>,
                                      number<std::uint32_t, plus, 0>, number<std::int8_t, tilewise::minimum<>, 127>,
                                      matrix_product<float>, concatenation, bracket_matching>;
using exact_by_index_cases = testing::Types<number<std::uint64_t, std::multiplies<>, 1>,
                                            number<std::int8_t, tilewise::minimum<>, 127>, affine_composition>;
INSTANTIATE_TYPED_TEST_SUITE_P(Cases, ByIndex, by_index_cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Cases, ByIndexOfExact, exact_by_index_cases);

TEST(WeightedHistogram, OfIntegerWeightsIsTheHistogramOfSamplesRepeated)
{
    expect_always([] {
        auto const x = *rc::gen::arbitrary<std::vector<short>>();
        auto const weights = *rc::gen::container<std::vector<unsigned>>(x.size(), rc::gen::inRange<unsigned>(0, 5));
        int const bins = *rc::gen::inRange(1, 300);
        tilewise::regular_axis const axis(bins, -20.0, 30.0, {tilewise::flow::bins});
        std::vector<short> repeated;
        for (std::size_t i = 0; i < x.size(); ++i)
            repeated.insert(repeated.end(), weights[i], x[i]);
        auto const cells = static_cast<std::size_t>(axis.extent());
        std::vector<unsigned> counts(cells);
        tilewise::histogram(repeated, axis, counts.begin());
        auto const check = [&](auto policy) {
            std::vector<unsigned> sums(cells);
            tilewise::weighted_histogram(policy, x, weights, axis, sums.begin());
            RC_ASSERT(sums == counts);
            std::vector<double> exact(cells);
            tilewise::weighted_histogram(policy, x, weights, axis, exact.begin());
            RC_ASSERT(std::equal(exact.begin(), exact.end(), counts.begin(), counts.end()));
        };
        check(tilewise::seq);
        check(tilewise::par);
    });
}

} // namespace law
