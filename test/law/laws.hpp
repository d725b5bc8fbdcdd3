// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the laws of reductions and scans share: values and sizes for any case. A case is a type of values, an
/// associative operator on them, and how to make values.
///
/// A case has `value`, `op` and `static value make(std::uint64_t bits)`, and `identity()` if it is exact.

#include "../backend.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iostream>
#include <type_traits>
#include <vector>

namespace law {

/// Equality of values; of bits, where == would overlook some.
template <class T>
bool same(T const& a, T const& b)
{
    if constexpr (std::is_floating_point_v<T>)
        return std::memcmp(&a, &b, sizeof a) == 0;
    else
        return a == b;
}

inline std::uint64_t mix(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// The same from one seed: for many values.
template <class Case>
std::vector<typename Case::value> seeded_values(std::size_t count, std::uint64_t seed)
{
    std::vector<typename Case::value> result;
    for (std::size_t i = 0; i < count; ++i)
        result.push_back(Case::make(mix(seed + i)));
    return result;
}

/// Values that shrink one by one, and in number, unless it takes many of them to cross every level.
template <class Case>
std::vector<typename Case::value> values(std::size_t count)
{
#ifdef TILEWISE_DEVICE_ENGINE
    return seeded_values<Case>(count, *rc::gen::arbitrary<std::uint64_t>());
#else
    auto const bits = *rc::gen::container<std::vector<std::uint64_t>>(count, rc::gen::arbitrary<std::uint64_t>());
    std::vector<typename Case::value> result;
    for (std::uint64_t const b : bits)
        result.push_back(Case::make(mix(b)));
    return result;
#endif
}

/// A number of elements at or beside a boundary of the order, or just any; at most `limit`.
template <class T, class Geometry>
std::size_t size(std::size_t limit)
{
    using order = tilewise::order<T, Geometry>;
    auto const unit = static_cast<std::size_t>(
        *rc::gen::element(order::lane_vector, order::row, order::chunk, order::tile, order::group, order::super_group));
    std::size_t const near = unit * *rc::gen::inRange<std::size_t>(1, 4) + *rc::gen::inRange<std::size_t>(0, 3) - 1;
    std::size_t const any = *rc::gen::inRange<std::size_t>(0, limit + 1);
    return *rc::gen::arbitrary<bool>() && near <= limit ? near : any;
}

/// Expects that a property holds: where a call takes its time, in fewer cases. One type for all properties, so that
/// RapidCheck is instantiated once.
inline void expect_always(std::function<void()> const& property)
{
#ifdef TILEWISE_DEVICE_ENGINE
    backend::run([&] {
        auto params = rc::detail::configuration().testParams;
        params.maxSuccess = std::min(params.maxSuccess, on_device::amount(20, 3, 6));
#ifndef __CUDACC__
        params.seed = simt::schedule_seed();
#endif
        auto const result = rc::detail::checkTestable(property, rc::detail::TestMetadata{}, params);
        rc::detail::printResultMessage(result, std::cerr);
        EXPECT_TRUE(result.template is<rc::detail::SuccessResult>());
    });
#else
    EXPECT_TRUE(rc::check(property));
#endif
}

/// Numbers of elements for a case: `few` cross every level of the tiny geometry, `many` some tiles of the real one.
template <class Case>
class Law : public testing::Test {
protected:
    using value = typename Case::value;
#ifdef TILEWISE_DEVICE_ENGINE
    static constexpr std::size_t few =
        std::min(static_cast<std::size_t>(3 * tilewise::order<value, backend::tiny_geometry>::super_group) + 100,
                 on_device::interpreted ? std::size_t{40000} : std::size_t{400000});
#else
    static constexpr std::size_t few =
        5 * static_cast<std::size_t>(tilewise::order<value, backend::tiny_geometry>::super_group);
#endif
    static constexpr std::size_t many = 5 * static_cast<std::size_t>(tilewise::order<value>::tile) / 2;

    static value init() { return Case::make(mix(77)); }
};

} // namespace law
