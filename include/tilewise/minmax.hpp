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
#include <tilewise/engine/call.hpp>
#include <tilewise/engine/minmax.hpp>
#include <tilewise/engine/reduce.hpp>
#include <tilewise/policy.hpp>

#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @cond internals
/// What is found in [first, last); in an empty range its end.
template <template <class> class Answer, template <class> class Better, class Policy, class It, class Less>
Answer<engine::position_under<Policy, It>> find_between(char const* algorithm, Policy const& policy, It const& first,
                                                        It const& last, Less less)
{
    using better = Better<engine::callable_for<Policy, Less>>;
    return engine::in_call(policy, algorithm, [&](auto on) -> Answer<engine::position_under<Policy, It>> {
        tilewise::check_range(algorithm, first, last);
        auto const end = tilewise::extent_between(first, last);
        if constexpr (!engine::call_under<policy_for<Policy>>::is_on_one_machine)
            return on.template best_position<Answer, Better>(first, end, std::move(less));
        else if (first == last)
            return Answer<It>(last);
        else
            return engine::best_position<Answer>(on, first, end, better{engine::callable<Policy>(std::move(less))});
    });
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
Answer<engine::position_under<Policy, std::ranges::borrowed_iterator_t<Range>>>
find_in(char const* algorithm, Policy const& policy, std::remove_reference_t<Range>& range, Less less)
{
    using better = Better<engine::callable_for<Policy, Less>>;
    using answer = Answer<engine::position_under<Policy, std::ranges::borrowed_iterator_t<Range>>>;
    return engine::in_call(policy, algorithm, [&](auto on) -> answer {
        auto const first = tilewise::begin_of<Policy>(range);
        auto const end = tilewise::extent_of(range, first);
        if constexpr (!engine::call_under<policy_for<Policy>>::is_on_one_machine)
            return on.template best_position<Answer, Better>(first, end, std::move(less));
        else if (std::ranges::begin(range) == std::ranges::end(range))
            return answer(std::ranges::begin(range));
        else
            return tilewise::found_in<Range>(
                range,
                engine::best_position<Answer>(on, first, end, better{engine::callable<Policy>(std::move(less))}));
    });
}
/// @endcond

/// @addtogroup min_element
/// The position of the first smallest element by `less`, or the end of an empty range.
///
/// Header `<tilewise/minmax.hpp>`. If `less` is a strict weak ordering, the result is that of the standard's algorithm,
/// whatever the policy. NaNs need a comparison that orders them, too: with any other, the position is the same under
/// seq, par and device, but need not be that of the standard's algorithm.
///
/// @par Requirements
/// Those of @ref reduce, with the range's iterator in place of T; seq, too, needs forward iterators. `less` is called
/// concurrently on copies under par, and in kernels under device. It may get copies of elements of up to 8 bytes.
/// Under device, elements in ordinary host memory must be contiguous: those that an iterator computes from such memory
/// throw `std::invalid_argument`.
/// @par Complexity
/// n comparisons, and as many more as a part of 4 KiB has elements; otherwise that of @ref reduce.
/// @par Errors
/// Those of @ref reduce.
/// @par Example
/// @snippet reference/min_element.cpp program
/// @see [alg.min.max], https://eel.is/c++draft/alg.min.max
/// @{

/// Searches [first, last).
template <execution_policy Policy, any_iterator It, operation Less = std::less<>>
engine::position_under<Policy, It> min_element(Policy&& policy, It first, It last, Less less = {})
{
    return tilewise::find_between<engine::position, engine::first_smallest>("min_element", policy, first, last,
                                                                            std::move(less));
}

/// Searches a range.
template <execution_policy Policy, std::ranges::forward_range Range, operation Less = std::less<>>
engine::position_under<Policy, std::ranges::borrowed_iterator_t<Range>> min_element(Policy&& policy, Range&& range,
                                                                                    Less less = {})
{
    return tilewise::find_in<engine::position, engine::first_smallest, Range>("min_element", policy, range,
                                                                              std::move(less));
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
/// @snippet reference/max_element.cpp program
/// @see [alg.min.max], https://eel.is/c++draft/alg.min.max
/// @{

/// Searches [first, last).
template <execution_policy Policy, any_iterator It, operation Less = std::less<>>
engine::position_under<Policy, It> max_element(Policy&& policy, It first, It last, Less less = {})
{
    return tilewise::find_between<engine::position, engine::first_largest>("max_element", policy, first, last,
                                                                           std::move(less));
}

/// Searches a range.
template <execution_policy Policy, std::ranges::forward_range Range, operation Less = std::less<>>
engine::position_under<Policy, std::ranges::borrowed_iterator_t<Range>> max_element(Policy&& policy, Range&& range,
                                                                                    Less less = {})
{
    return tilewise::find_in<engine::position, engine::first_largest, Range>("max_element", policy, range,
                                                                             std::move(less));
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
/// Those of @ref min_element, with 2 n comparisons, and four more for every element of a part of 4 KiB.
/// @par Example
/// @snippet reference/minmax_element.cpp program
/// @see [alg.min.max], https://eel.is/c++draft/alg.min.max
/// @{

/// Searches [first, last).
template <execution_policy Policy, any_iterator It, operation Less = std::less<>>
std::pair<engine::position_under<Policy, It>, engine::position_under<Policy, It>>
minmax_element(Policy&& policy, It first, It last, Less less = {})
{
    auto const found = tilewise::find_between<engine::extremes, engine::widest>("minmax_element", policy, first, last,
                                                                                std::move(less));
    return {found.smallest, found.largest};
}

/// Searches a range.
template <execution_policy Policy, std::ranges::forward_range Range, operation Less = std::less<>>
auto minmax_element(Policy&& policy, Range&& range, Less less = {})
    -> std::pair<engine::position_under<Policy, std::ranges::borrowed_iterator_t<Range>>,
                 engine::position_under<Policy, std::ranges::borrowed_iterator_t<Range>>>
{
    auto const found =
        tilewise::find_in<engine::extremes, engine::widest, Range>("minmax_element", policy, range, std::move(less));
    return {found.smallest, found.largest};
}

/// Without a policy: the same on the calling thread.
TILEWISE_WITHOUT_POLICY(minmax_element, begins_with_range)
/// @}

TILEWISE_NAMESPACE_END
