// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `min_element`, `max_element` and `minmax_element`: reductions of the positions in a range.

#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/range.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/minmax.hpp>
#include <tilewise/policy.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @addtogroup min_element
/// The position of the first smallest element by `less`, or the end of an empty range.
///
/// Header `<tilewise/minmax.hpp>`. `less` is a strict weak ordering, and so has the answer that the standard's
/// algorithm has, whatever the policy. Numbers with NaNs among them need a comparison that says where these stand.
///
/// @par Requirements
/// Those of @ref reduce, with the range's iterator in place of T; seq, too, needs forward iterators. `less` is called
/// concurrently on copies under par, and in kernels under device.
/// @par Complexity
/// n comparisons; otherwise that of @ref reduce.
/// @par Errors
/// Those of @ref reduce.
/// @par Example
/// @snippet guide/composed.cpp composed
/// @see [alg.min.max], https://eel.is/c++draft/alg.min.max
/// @{

/// Finds it in [first, last).
template <execution_policy Policy, any_iterator It, operation Less = std::less<>>
It min_element(Policy&& policy, It first, It last, Less less = {})
{
    tilewise::check_range("min_element", first, last);
    return first == last
               ? last
               : engine::best_position<engine::position>(policy, first, tilewise::extent_between(first, last),
                                                         engine::first_smallest<engine::callable_for<Policy, Less>>{
                                                             engine::callable<Policy>(std::move(less))});
}

/// Finds it in a range.
template <execution_policy Policy, std::ranges::forward_range Range, operation Less = std::less<>>
std::ranges::borrowed_iterator_t<Range> min_element(Policy&& policy, Range&& range, Less less = {})
{
    if (std::ranges::begin(range) == std::ranges::end(range))
        return std::ranges::begin(range);
    using It = beginning_of<Policy, Range>;
    It const first = tilewise::begin_of<Policy>(range);
    return tilewise::position_in<Range>(
        range, engine::best_position<engine::position>(policy, first, tilewise::extent_of(range, first),
                                                       engine::first_smallest<engine::callable_for<Policy, Less>>{
                                                           engine::callable<Policy>(std::move(less))}));
}

/// Without a policy: the same on the calling thread.
template <class First, class... Rest>
    requires begins_with_range<First, Rest...>
auto min_element(First&& first, Rest&&... rest)
{
    if constexpr (tilewise::needs_no_policy<First>())
        return tilewise::min_element(seq, std::forward<First>(first), std::forward<Rest>(rest)...);
}
/// @}

/// @addtogroup max_element
/// The position of the first largest element by `less`, or the end of an empty range.
///
/// Header `<tilewise/minmax.hpp>`.
///
/// @par Requirements, complexity, errors
/// Those of @ref min_element.
/// @par Example
/// @snippet guide/composed.cpp composed
/// @see [alg.min.max], https://eel.is/c++draft/alg.min.max
/// @{

/// Finds it in [first, last).
template <execution_policy Policy, any_iterator It, operation Less = std::less<>>
It max_element(Policy&& policy, It first, It last, Less less = {})
{
    tilewise::check_range("max_element", first, last);
    return first == last
               ? last
               : engine::best_position<engine::position>(policy, first, tilewise::extent_between(first, last),
                                                         engine::first_largest<engine::callable_for<Policy, Less>>{
                                                             engine::callable<Policy>(std::move(less))});
}

/// Finds it in a range.
template <execution_policy Policy, std::ranges::forward_range Range, operation Less = std::less<>>
std::ranges::borrowed_iterator_t<Range> max_element(Policy&& policy, Range&& range, Less less = {})
{
    if (std::ranges::begin(range) == std::ranges::end(range))
        return std::ranges::begin(range);
    using It = beginning_of<Policy, Range>;
    It const first = tilewise::begin_of<Policy>(range);
    return tilewise::position_in<Range>(
        range, engine::best_position<engine::position>(policy, first, tilewise::extent_of(range, first),
                                                       engine::first_largest<engine::callable_for<Policy, Less>>{
                                                           engine::callable<Policy>(std::move(less))}));
}

/// Without a policy: the same on the calling thread.
template <class First, class... Rest>
    requires begins_with_range<First, Rest...>
auto max_element(First&& first, Rest&&... rest)
{
    if constexpr (tilewise::needs_no_policy<First>())
        return tilewise::max_element(seq, std::forward<First>(first), std::forward<Rest>(rest)...);
}
/// @}

/// @addtogroup minmax_element
/// The positions of the first smallest and the last largest element by `less`, or twice the end of an empty range.
///
/// Header `<tilewise/minmax.hpp>`.
///
/// @par Requirements, complexity, errors
/// Those of @ref min_element, with 2 n comparisons.
/// @par Example
/// @snippet guide/composed.cpp composed
/// @see [alg.min.max], https://eel.is/c++draft/alg.min.max
/// @{

/// Finds them in [first, last).
template <execution_policy Policy, any_iterator It, operation Less = std::less<>>
std::pair<It, It> minmax_element(Policy&& policy, It first, It last, Less less = {})
{
    tilewise::check_range("minmax_element", first, last);
    if (first == last)
        return {last, last};
    auto const found = engine::best_position<engine::extremes>(
        policy, first, tilewise::extent_between(first, last),
        engine::widest<engine::callable_for<Policy, Less>>{engine::callable<Policy>(std::move(less))});
    return {found.smallest, found.largest};
}

/// Finds them in a range.
template <execution_policy Policy, std::ranges::forward_range Range, operation Less = std::less<>>
auto minmax_element(Policy&& policy, Range&& range, Less less = {})
    -> std::pair<std::ranges::borrowed_iterator_t<Range>, std::ranges::borrowed_iterator_t<Range>>
{
    if (std::ranges::begin(range) == std::ranges::end(range))
        return {std::ranges::begin(range), std::ranges::begin(range)};
    using It = beginning_of<Policy, Range>;
    It const first = tilewise::begin_of<Policy>(range);
    auto const found = engine::best_position<engine::extremes>(
        policy, first, tilewise::extent_of(range, first),
        engine::widest<engine::callable_for<Policy, Less>>{engine::callable<Policy>(std::move(less))});
    return {tilewise::position_in<Range>(range, found.smallest), tilewise::position_in<Range>(range, found.largest)};
}

/// Without a policy: the same on the calling thread.
template <class First, class... Rest>
    requires begins_with_range<First, Rest...>
auto minmax_element(First&& first, Rest&&... rest)
{
    if constexpr (tilewise::needs_no_policy<First>())
        return tilewise::minmax_element(seq, std::forward<First>(first), std::forward<Rest>(rest)...);
}
/// @}

TILEWISE_NAMESPACE_END
