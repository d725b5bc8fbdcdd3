// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The laws of the scans, for any case.

#include "laws.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <iterator>
#include <list>
#include <numeric>
#include <optional>
#include <vector>

namespace law {

constexpr auto inclusive = tilewise::scan_form::inclusive, exclusive = tilewise::scan_form::exclusive;

/// The same for ranges.
template <class T>
bool same(std::vector<T> const& a, std::vector<T> const& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](T const& x, T const& y) { return same(x, y); });
}

template <class Case>
class Scan : public Law<Case> {
protected:
    using typename Law<Case>::value;
    static std::optional<value> none() { return {}; }
    static std::optional<value> some() { return Law<Case>::init(); }
    template <class Geometry>
    static specification::order<value, typename Case::op> specified()
    {
        return specification::order<value, typename Case::op>({}, backend::units_of<Geometry>());
    }
};
TYPED_TEST_SUITE_P(Scan);

TYPED_TEST_P(Scan, HasTheBitsOfTheSpecificationOnEveryLevelOfTheOrder)
{
    using T = typename TypeParam::value;
    using geometry = backend::tiny_geometry;
    expect_always([&] {
        auto const x = values<TypeParam>(size<T, geometry>(this->few));
        typename TypeParam::op const op;
        auto const specified = this->template specified<geometry>();
        backend::on_all_for_scans<geometry>([&](auto on) {
            RC_ASSERT(same(on.template scan<inclusive>(x, this->none(), op), specified.inclusive_scan(x, {})));
            RC_ASSERT(
                same(on.template scan<inclusive>(x, this->some(), op), specified.inclusive_scan(x, this->init())));
            RC_ASSERT(
                same(on.template scan<exclusive>(x, this->some(), op), specified.exclusive_scan(x, this->init())));
        });
    });
}

TYPED_TEST_P(Scan, HasTheBitsOfTheSpecification)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = seeded_values<TypeParam>(size<T, tilewise::standard_geometry>(this->many),
                                                *rc::gen::arbitrary<std::uint64_t>());
        typename TypeParam::op const op;
        auto const specified = this->template specified<tilewise::standard_geometry>();
        auto const without_init = specified.inclusive_scan(x, {}),
                   with_init = specified.inclusive_scan(x, this->init()),
                   excluding = specified.exclusive_scan(x, this->init());
        backend::under_all_policies(x, [&](auto policy, auto const& range) {
            auto const expect = [&](std::vector<T> const& expected, auto scan) {
                RC_ASSERT(same(backend::written_by<T>(scan, policy, range), expected));
            };
            expect(without_init, [&](auto... arguments) { return tilewise::inclusive_scan(arguments..., op); });
            expect(with_init,
                   [&](auto... arguments) { return tilewise::inclusive_scan(arguments..., op, this->init()); });
            expect(excluding,
                   [&](auto... arguments) { return tilewise::exclusive_scan(arguments..., this->init(), op); });
        });
    });
}

TYPED_TEST_P(Scan, EndsWithTheReduction)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = values<TypeParam>(1 + size<T, backend::tiny_geometry>(this->few));
        typename TypeParam::op const op;
        backend::on_all<backend::tiny_geometry>([&](auto on) {
            RC_ASSERT(same(on.template scan<inclusive>(x, this->some(), op).back(), on.reduce(x, this->init(), op)));
        });
    });
}

TYPED_TEST_P(Scan, OfAPrefixIsThePrefixOfTheScan)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = values<TypeParam>(size<T, backend::tiny_geometry>(this->few));
        typename TypeParam::op const op;
        auto const length = *rc::gen::inRange<std::size_t>(0, x.size() + 1);
        auto const prefix_of = [&](std::vector<T> const& all) {
            return std::vector<T>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(length));
        };
        auto const prefix = prefix_of(x);
        backend::on_all_for_scans<backend::tiny_geometry>([&](auto on) {
            RC_ASSERT(same(on.template scan<inclusive>(prefix, this->none(), op),
                           prefix_of(on.template scan<inclusive>(x, this->none(), op))));
            RC_ASSERT(same(on.template scan<exclusive>(prefix, this->some(), op),
                           prefix_of(on.template scan<exclusive>(x, this->some(), op))));
        });
    });
}

TYPED_TEST_P(Scan, InPlaceIsTheSame)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = values<TypeParam>(size<T, backend::tiny_geometry>(this->few));
        typename TypeParam::op const op;
        backend::on_all_for_scans<backend::tiny_geometry>([&](auto on) {
            RC_ASSERT(same(on.template scan_in_place<inclusive>(x, this->none(), op),
                           on.template scan<inclusive>(x, this->none(), op)));
            RC_ASSERT(same(on.template scan_in_place<exclusive>(x, this->some(), op),
                           on.template scan<exclusive>(x, this->some(), op)));
        });
    });
}

REGISTER_TYPED_TEST_SUITE_P(Scan, HasTheBitsOfTheSpecificationOnEveryLevelOfTheOrder, HasTheBitsOfTheSpecification,
                            EndsWithTheReduction, OfAPrefixIsThePrefixOfTheScan, InPlaceIsTheSame);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Scan);

/// Cases for which every order of combination gives the same value.
template <class Case>
class ScanOfExact : public Scan<Case> {};
TYPED_TEST_SUITE_P(ScanOfExact);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ScanOfExact);

TYPED_TEST_P(ScanOfExact, IsTheStandards)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = values<TypeParam>(size<T, backend::tiny_geometry>(this->few));
        typename TypeParam::op const op;
        auto const combine = [&](T const& a, T const& b) { return static_cast<T>(op(a, b)); };
        std::vector<T> without_init, with_init, excluding;
        std::inclusive_scan(x.begin(), x.end(), std::back_inserter(without_init), combine);
        std::inclusive_scan(x.begin(), x.end(), std::back_inserter(with_init), combine, this->init());
        std::exclusive_scan(x.begin(), x.end(), std::back_inserter(excluding), this->init(), combine);
        backend::on_all_for_scans<backend::tiny_geometry>([&](auto on) {
            RC_ASSERT(same(on.template scan<inclusive>(x, this->none(), op), without_init));
            RC_ASSERT(same(on.template scan<inclusive>(x, this->some(), op), with_init));
            RC_ASSERT(same(on.template scan<exclusive>(x, this->some(), op), excluding));
        });
    });
}

TYPED_TEST_P(ScanOfExact, ThatExcludesIsTheOtherMovedByOne)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = values<TypeParam>(1 + size<T, backend::tiny_geometry>(this->few));
        typename TypeParam::op const op;
        backend::on_all_for_scans<backend::tiny_geometry>([&](auto on) {
            auto const including = on.template scan<inclusive>(x, this->some(), op);
            auto const excluding = on.template scan<exclusive>(x, this->some(), op);
            RC_ASSERT(same(excluding.front(), this->init()));
            RC_ASSERT(same(std::vector<T>(excluding.begin() + 1, excluding.end()),
                           std::vector<T>(including.begin(), including.end() - 1)));
        });
    });
}

TYPED_TEST_P(ScanOfExact, UsesInitOnce)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = values<TypeParam>(size<T, backend::tiny_geometry>(this->few));
        typename TypeParam::op const op;
        backend::on_all_for_scans<backend::tiny_geometry>([&](auto on) {
            std::vector<T> expected;
            for (T const& result : on.template scan<inclusive>(x, this->none(), op))
                expected.push_back(static_cast<T>(op(this->init(), result)));
            RC_ASSERT(same(on.template scan<inclusive>(x, this->some(), op), expected));
        });
    });
}

REGISTER_TYPED_TEST_SUITE_P(ScanOfExact, IsTheStandards, ThatExcludesIsTheOtherMovedByOne, UsesInitOnce);

/// Sums that subtraction takes apart again.
template <class Case>
class ScanOfGroup : public Scan<Case> {};
TYPED_TEST_SUITE_P(ScanOfGroup);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ScanOfGroup);

TYPED_TEST_P(ScanOfGroup, OfTheDifferencesGivesTheValuesBack)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = values<TypeParam>(size<T, backend::tiny_geometry>(this->few));
        std::vector<T> differences;
        std::adjacent_difference(x.begin(), x.end(), std::back_inserter(differences),
                                 [](T a, T b) { return static_cast<T>(a - b); });
        backend::on_all_for_scans<backend::tiny_geometry>([&](auto on) {
            RC_ASSERT(same(on.template scan<inclusive>(differences, this->none(), typename TypeParam::op()), x));
        });
    });
}

REGISTER_TYPED_TEST_SUITE_P(ScanOfGroup, OfTheDifferencesGivesTheValuesBack);

#ifndef TILEWISE_DEVICE_ENGINE // what only the host has

template <class Case>
class ScanOnHost : public Scan<Case> {};
TYPED_TEST_SUITE_P(ScanOnHost);

TYPED_TEST_P(ScanOnHost, DoesNotDependOnTheNumberOfThreads)
{
    using T = typename TypeParam::value;
    auto const x = seeded_values<TypeParam>(this->many * 20, 42);
    typename TypeParam::op const op;
    std::vector<T> including(x), excluding(x), out(x);
    tilewise::inclusive_scan(tilewise::seq, x, including.begin(), op);
    tilewise::exclusive_scan(tilewise::seq, x, excluding.begin(), this->init(), op);
    tbb::global_control const allow(tbb::global_control::max_allowed_parallelism, 8);
    for (int const threads : {1, 2, 3, 8})
        tbb::task_arena(threads).execute([&] {
            for (int repeat = 0; repeat < 5; ++repeat) {
                tilewise::inclusive_scan(tilewise::par, x, out.begin(), op);
                EXPECT_TRUE(same(out, including)) << threads << " threads";
                tilewise::exclusive_scan(tilewise::par, x, out.begin(), this->init(), op);
                EXPECT_TRUE(same(out, excluding)) << threads << " threads";
            }
        });
}

REGISTER_TYPED_TEST_SUITE_P(ScanOnHost, DoesNotDependOnTheNumberOfThreads);

/// The same values in other clothes, and results into others: takes many instantiations, so a few cases must do.
template <class Case>
class ScanOfWrapped : public Scan<Case> {};
TYPED_TEST_SUITE_P(ScanOfWrapped);

TYPED_TEST_P(ScanOfWrapped, DoesNotDependOnWhatWrapsTheValuesNorOnWhereTheyStand)
{
    using T = typename TypeParam::value;
    expect_always([&] {
        auto const x = seeded_values<TypeParam>(size<T, tilewise::standard_geometry>(this->many),
                                                *rc::gen::arbitrary<std::uint64_t>());
        typename TypeParam::op const op;
        std::vector<T> expected(x);
        tilewise::inclusive_scan(x, expected.begin(), op, this->init());

        std::vector<T> shifted(*rc::gen::inRange<std::size_t>(0, 17), this->init());
        auto const shift = static_cast<std::ptrdiff_t>(shifted.size());
        shifted.insert(shifted.end(), x.begin(), x.end());
        std::deque<T> const deque(x.begin(), x.end());
        std::forward_list<T> const list(x.begin(), x.end());
        auto const itself = [](T const& element) { return element; };
        auto const on = [&](auto policy) {
            auto const expect = [&](auto scan) {
                std::vector<T> vector(x.rbegin(), x.rend());
                RC_ASSERT(scan(vector.begin()) == vector.end());
                RC_ASSERT(same(vector, expected));
                std::list<T> linked(x.rbegin(), x.rend());
                RC_ASSERT(scan(linked.begin()) == linked.end());
                RC_ASSERT(same(std::vector<T>(linked.begin(), linked.end()), expected));
            };
            auto const init = this->init();
            expect([&](auto out) {
                return tilewise::inclusive_scan(policy, shifted.begin() + shift, shifted.end(), out, op, init);
            });
            expect([&](auto out) { return tilewise::inclusive_scan(policy, deque, out, op, init); });
            expect([&](auto out) { return tilewise::inclusive_scan(policy, list, out, op, init); });
            expect([&](auto out) { return tilewise::transform_inclusive_scan(policy, x, out, op, itself, init); });
            expect([&](auto out) {
                auto const called = [&](T const& a, T const& b) { return static_cast<T>(op(a, b)); };
                return tilewise::inclusive_scan(policy, x, out, called, init);
            });
        };
        on(tilewise::seq);
        on(tilewise::par);
    });
}

REGISTER_TYPED_TEST_SUITE_P(ScanOfWrapped, DoesNotDependOnWhatWrapsTheValuesNorOnWhereTheyStand);

#endif

} // namespace law
