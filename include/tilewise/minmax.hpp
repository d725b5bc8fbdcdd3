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
#include <tilewise/engine/reduce.hpp>
#include <tilewise/policy.hpp>

#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @cond internals
/// What is found in [first, last); in an empty range its end.
template <template <class> class Answer, template <class> class Better, class Policy, class It, class Less>
Answer<It> find_between(Policy const& policy, It const& first, It const& last, Less less)
{
    if (first == last)
        return Answer<It>(last);
    return engine::best_position<Answer>(
        tilewise::resolve(policy), first, tilewise::extent_between(first, last),
        Better<engine::callable_for<Policy, Less>>{engine::callable<Policy>(std::move(less))});
}

/// What is found in a range, as its iterators.
template <class Range, class It>
auto found_in(Range& range, It const& found)
{
    return tilewise::position_in<Range>(range, found);
}
template <class Range, class It>
auto found_in(Range& range, engine::extremes<It> const& found)
{
    return engine::extremes(tilewise::position_in<Range>(range, found.smallest),
                            tilewise::position_in<Range>(range, found.largest));
}
template <template <class> class Answer, template <class> class Better, class Range, class Policy, class Less>
Answer<std::ranges::borrowed_iterator_t<Range>> find_in(Policy const& policy, std::remove_reference_t<Range>& range,
                                                        Less less)
{
    if (std::ranges::begin(range) == std::ranges::end(range))
        return Answer<std::ranges::borrowed_iterator_t<Range>>(std::ranges::begin(range));
    auto const first = tilewise::begin_of<Policy>(range);
    return tilewise::found_in<Range>(
        range, engine::best_position<Answer>(
                   tilewise::resolve(policy), first, tilewise::extent_of(range, first),
                   Better<engine::callable_for<Policy, Less>>{engine::callable<Policy>(std::move(less))}));
}
/// @endcond

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
    return tilewise::find_between<engine::position, engine::first_smallest>(policy, first, last, std::move(less));
}

/// Finds it in a range.
template <execution_policy Policy, std::ranges::forward_range Range, operation Less = std::less<>>
std::ranges::borrowed_iterator_t<Range> min_element(Policy&& policy, Range&& range, Less less = {})
{
    return tilewise::find_in<engine::position, engine::first_smallest, Range>(policy, range, std::move(less));
}

/// Without a policy: the same on the calling thread.
TILEWISE_WITHOUT_POLICY(min_element, begins_with_range)
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
    return tilewise::find_between<engine::position, engine::first_largest>(policy, first, last, std::move(less));
}

/// Finds it in a range.
template <execution_policy Policy, std::ranges::forward_range Range, operation Less = std::less<>>
std::ranges::borrowed_iterator_t<Range> max_element(Policy&& policy, Range&& range, Less less = {})
{
    return tilewise::find_in<engine::position, engine::first_largest, Range>(policy, range, std::move(less));
}

/// Without a policy: the same on the calling thread.
TILEWISE_WITHOUT_POLICY(max_element, begins_with_range)
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
    auto const found = tilewise::find_between<engine::extremes, engine::widest>(policy, first, last, std::move(less));
    return {found.smallest, found.largest};
}

/// Finds them in a range.
template <execution_policy Policy, std::ranges::forward_range Range, operation Less = std::less<>>
auto minmax_element(Policy&& policy, Range&& range, Less less = {})
    -> std::pair<std::ranges::borrowed_iterator_t<Range>, std::ranges::borrowed_iterator_t<Range>>
{
    auto const found = tilewise::find_in<engine::extremes, engine::widest, Range>(policy, range, std::move(less));
    return {found.smallest, found.largest};
}

/// Without a policy: the same on the calling thread.
TILEWISE_WITHOUT_POLICY(minmax_element, begins_with_range)
/// @}

TILEWISE_NAMESPACE_END
