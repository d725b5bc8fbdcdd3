// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `count` and `count_if`: reductions of ones.

#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/sequence.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/call.hpp>
#include <tilewise/engine/reduce.hpp>
#include <tilewise/policy.hpp>

#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @cond internals
/// Equal to a value.
template <class T, class Equal>
struct equals {
    T value;
    Equal equal;
    TILEWISE_CALLS_ANY
    template <class Element>
    TILEWISE_PORTABLE constexpr bool operator()(Element&& element) const
    {
        return equal(static_cast<Element&&>(element), value);
    }
};
/// What compares an element with a value.
template <class Policy>
using equality = engine::callable_for<Policy, std::equal_to<>>;

/// How a value to look for is held: a kernel needs one of its own, and a host may not be able to copy it.
template <class Policy, class T>
using wanted = std::conditional_t<is_device_policy<policy_for<Policy>>, T, T const&>;

/// The number of elements that satisfy a predicate, as a Count.
template <class Count, class Policy, class It, class Extent, class Predicate>
Count count_sequence(Policy const& policy, sequence<It, Extent> elements, Predicate predicate)
{
    return engine::reduce_sequence(
        policy, std::move(elements), Count{0}, std::plus<>{},
        known::one_if<engine::callable_for<Policy, Predicate>, Count>{engine::callable<Policy>(std::move(predicate))});
}
/// @endcond

/// @addtogroup count_if
/// The number of elements that satisfy a predicate, as a difference of iterators.
///
/// Header `<tilewise/count.hpp>`. The count is exact, so every order of combination gives the same.
///
/// @par Requirements, complexity, errors
/// Those of @ref transform_reduce, with the predicate in place of `transform_op`: n calls of it. It returns what
/// converts to `bool`.
/// @par Example
/// @snippet reference/count_if.cpp program
/// @see [alg.count], https://eel.is/c++draft/alg.count
/// @{

/// Counts in [first, last).
template <execution_policy Policy, any_iterator It, operation Predicate>
std::iter_difference_t<It> count_if(Policy&& policy, It first, It last, Predicate predicate)
{
    return tilewise::count_sequence<std::iter_difference_t<It>>(
        policy, tilewise::sequence_between("count_if", std::move(first), last), std::move(predicate));
}

/// Counts in a range.
template <execution_policy Policy, std::ranges::input_range Range, operation Predicate>
std::ranges::range_difference_t<Range> count_if(Policy&& policy, Range&& range, Predicate predicate)
{
    return tilewise::count_sequence<std::ranges::range_difference_t<Range>>(
        policy, tilewise::sequence_in<Policy>("count_if", range), std::move(predicate));
}

/// Without a policy: the same on the calling thread.
TILEWISE_WITHOUT_POLICY(count_if, begins_with_range)
/// @}

/// @addtogroup count
/// The number of elements equal to a value, as a difference of iterators.
///
/// Header `<tilewise/count.hpp>`. Elements are compared by `element == value`. Under device kernels get a copy of the
/// value.
///
/// @par Requirements, complexity, errors
/// Those of @ref count_if, with n comparisons.
/// @par Example
/// @snippet reference/count.cpp program
/// @see [alg.count], https://eel.is/c++draft/alg.count
/// @{

/// Counts in [first, last).
template <execution_policy Policy, any_iterator It, class T>
std::iter_difference_t<It> count(Policy&& policy, It first, It last, T const& value)
{
    return tilewise::count_sequence<std::iter_difference_t<It>>(
        policy, tilewise::sequence_between("count", std::move(first), last),
        equals<wanted<Policy, T>, equality<Policy>>{value, {}});
}

/// Counts in a range.
template <execution_policy Policy, std::ranges::input_range Range, class T>
std::ranges::range_difference_t<Range> count(Policy&& policy, Range&& range, T const& value)
{
    return tilewise::count_sequence<std::ranges::range_difference_t<Range>>(
        policy, tilewise::sequence_in<Policy>("count", range), equals<wanted<Policy, T>, equality<Policy>>{value, {}});
}

/// Without a policy: the same on the calling thread.
TILEWISE_WITHOUT_POLICY(count, begins_with_range)
/// @}

TILEWISE_NAMESPACE_END
