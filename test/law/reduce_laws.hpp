// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The laws of reduce, for any case.

#include "laws.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace law {

template <class Case>
class Reduce : public Law<Case> {
protected:
    using typename Law<Case>::value;
    static value fold(std::vector<value> const& x, value first)
    {
        return std::accumulate(x.begin(), x.end(), first, typename Case::op{});
    }
};
TYPED_TEST_SUITE_P(Reduce);

TYPED_TEST_P(Reduce, HasTheBitsOfTheSpecificationOnEveryLevelOfTheOrder)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = values<TypeParam>(size<T, backend::tiny_geometry>(this->few));
        typename TypeParam::op const op;
        T const expected = specification::reduce(x, this->init(), op, backend::units_of<backend::tiny_geometry>());
        backend::on_all<backend::tiny_geometry>(
            [&](auto on) { RC_ASSERT(same(on.reduce(x, this->init(), op), expected)); });
    });
}

TYPED_TEST_P(Reduce, HasTheBitsOfTheSpecification)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = seeded_values<TypeParam>(size<T, tilewise::standard_geometry>(this->many),
                                                *rc::gen::arbitrary<std::uint64_t>());
        typename TypeParam::op const op;
        T const expected = specification::reduce(x, this->init(), op);
        backend::under_all_policies(x, [&](auto policy, auto const& range) {
            RC_ASSERT(same(tilewise::reduce(policy, range, this->init(), op), expected));
        });
    });
}

TYPED_TEST_P(Reduce, OfAPrefixIsThePrefixOfTheScan)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = values<TypeParam>(size<T, backend::tiny_geometry>(this->few));
        typename TypeParam::op const op;
        auto const scan =
            specification::order<T, typename TypeParam::op>(op, backend::units_of<backend::tiny_geometry>())
                .inclusive_scan(x, this->init());
        auto const length = *rc::gen::inRange<std::size_t>(0, x.size() + 1);
        auto const last = x.begin() + static_cast<std::ptrdiff_t>(length);
        backend::on_all<backend::tiny_geometry>([&](auto on) {
            RC_ASSERT(
                same(on.reduce(x.begin(), last, this->init(), op), length == 0 ? this->init() : scan[length - 1]));
        });
    });
}

REGISTER_TYPED_TEST_SUITE_P(Reduce, HasTheBitsOfTheSpecificationOnEveryLevelOfTheOrder, HasTheBitsOfTheSpecification,
                            OfAPrefixIsThePrefixOfTheScan);

/// Cases for which every order of combination gives the same value, and which have an identity.
template <class Case>
class ReduceOfExact : public Reduce<Case> {};
TYPED_TEST_SUITE_P(ReduceOfExact);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ReduceOfExact);

TYPED_TEST_P(ReduceOfExact, IsTheLeftFold)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = values<TypeParam>(size<T, backend::tiny_geometry>(this->few));
        typename TypeParam::op const op;
        T const expected = this->fold(x, this->init());
        backend::under_all_policies(x, [&](auto policy, auto const& range) {
            RC_ASSERT(same(tilewise::reduce(policy, range, this->init(), op), expected));
        });
        backend::on_all<backend::tiny_geometry>(
            [&](auto on) { RC_ASSERT(same(on.reduce(x, this->init(), op), expected)); });
    });
}

TYPED_TEST_P(ReduceOfExact, OfAConcatenationCombinesTheReductionsOfTheParts)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = values<TypeParam>(1 + size<T, backend::tiny_geometry>(this->few));
        typename TypeParam::op const op;
        auto const cut = x.begin() + static_cast<std::ptrdiff_t>(*rc::gen::inRange<std::size_t>(0, x.size()));
        backend::on_all<backend::tiny_geometry>([&](auto on) {
            T const before = on.reduce(x.begin(), cut, this->init(), op);
            T const after = on.reduce(std::next(cut), x.end(), *cut, op);
            RC_ASSERT(same(on.reduce(x, this->init(), op), static_cast<T>(op(before, after))));
        });
    });
}

TYPED_TEST_P(ReduceOfExact, IgnoresIdentities)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto x = values<TypeParam>(size<T, backend::tiny_geometry>(this->few));
        typename TypeParam::op const op;
        T const expected = this->fold(x, TypeParam::identity());
        for (int i = *rc::gen::inRange(1, 5); i > 0; --i) {
            auto const position = *rc::gen::inRange<std::size_t>(0, x.size() + 1);
            x.insert(x.begin() + static_cast<std::ptrdiff_t>(position), TypeParam::identity());
        }
        backend::on_all<backend::tiny_geometry>(
            [&](auto on) { RC_ASSERT(same(on.reduce(x, TypeParam::identity(), op), expected)); });
    });
}

REGISTER_TYPED_TEST_SUITE_P(ReduceOfExact, IsTheLeftFold, OfAConcatenationCombinesTheReductionsOfTheParts,
                            IgnoresIdentities);

#ifndef TILEWISE_DEVICE_ENGINE // what only the host has

template <class Case>
class ReduceOnHost : public Reduce<Case> {};
TYPED_TEST_SUITE_P(ReduceOnHost);

TYPED_TEST_P(ReduceOnHost, DoesNotDependOnTheNumberOfThreads)
{
    auto const x = seeded_values<TypeParam>(this->many * 8, 42);
    typename TypeParam::op const op;
    auto const expected = tilewise::reduce(tilewise::seq, x, this->init(), op);
    tbb::global_control const allow(tbb::global_control::max_allowed_parallelism, 8);
    for (int const threads : {1, 2, 3, 8})
        tbb::task_arena(threads).execute([&] {
            for (int repeat = 0; repeat < 5; ++repeat)
                EXPECT_TRUE(same(tilewise::reduce(tilewise::par, x, this->init(), op), expected))
                    << threads << " threads";
        });
}

REGISTER_TYPED_TEST_SUITE_P(ReduceOnHost, DoesNotDependOnTheNumberOfThreads);

/// The same values in other clothes: takes many instantiations, so a few cases must do.
template <class Case>
class ReduceOfWrapped : public Reduce<Case> {};
TYPED_TEST_SUITE_P(ReduceOfWrapped);

TYPED_TEST_P(ReduceOfWrapped, DoesNotDependOnWhatWrapsTheValuesNorOnWhereTheyStand)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = seeded_values<TypeParam>(size<T, tilewise::standard_geometry>(this->many),
                                                *rc::gen::arbitrary<std::uint64_t>());
        typename TypeParam::op const op;
        T const expected = tilewise::reduce(x, this->init(), op);

        std::vector<T> shifted(*rc::gen::inRange<std::size_t>(0, 17), this->init());
        std::size_t const shift = shifted.size();
        shifted.insert(shifted.end(), x.begin(), x.end());
        std::deque<T> const deque(x.begin(), x.end());
        std::forward_list<T> const list(x.begin(), x.end());
        auto const itself = [](T const& element) { return element; };
        auto const on = [&](auto policy) {
            RC_ASSERT(same(tilewise::reduce(policy, shifted.begin() + static_cast<std::ptrdiff_t>(shift), shifted.end(),
                                            this->init(), op),
                           expected));
            RC_ASSERT(same(tilewise::reduce(policy, deque, this->init(), op), expected));
            RC_ASSERT(same(tilewise::reduce(policy, list, this->init(), op), expected));
            RC_ASSERT(same(tilewise::transform_reduce(policy, x, this->init(), op, itself), expected));
            RC_ASSERT(same(tilewise::reduce(policy, x, this->init(),
                                            [&](T const& a, T const& b) { return static_cast<T>(op(a, b)); }),
                           expected));
        };
        on(tilewise::seq);
        on(tilewise::par);
    });
}

REGISTER_TYPED_TEST_SUITE_P(ReduceOfWrapped, DoesNotDependOnWhatWrapsTheValuesNorOnWhereTheyStand);

#endif

} // namespace law
