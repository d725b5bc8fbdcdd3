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
#include <tilewise/policy.hpp>
#include <tilewise/reduction.hpp>

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

/// @cond internals
/// Of two positions, the earlier one first: that of the smaller element, the first of equals.
template <class Less>
struct first_smallest {
    Less less;
    TILEWISE_CALLS_ANY
    template <class It>
    TILEWISE_PORTABLE constexpr It operator()(It a, It b)
    {
        return less(*b, *a) ? b : a;
    }
};

/// Likewise that of the larger element, the first of equals.
template <class Less>
struct first_largest {
    Less less;
    TILEWISE_CALLS_ANY
    template <class It>
    TILEWISE_PORTABLE constexpr It operator()(It a, It b)
    {
        return less(*a, *b) ? b : a;
    }
};

/// The positions of the first smallest and the last largest element seen.
template <class It>
struct extremes {
    It smallest, largest;
    TILEWISE_PORTABLE constexpr extremes(It only) : smallest(only), largest(only) {}
    TILEWISE_PORTABLE constexpr extremes(It smallest_so_far, It largest_so_far)
        : smallest(smallest_so_far), largest(largest_so_far)
    {}
};

/// The extremes of two stretches, the earlier one first.
template <class Less>
struct widest {
    Less less;
    TILEWISE_CALLS_ANY
    template <class It>
    TILEWISE_PORTABLE constexpr extremes<It> operator()(extremes<It> const& a, extremes<It> const& b)
    {
        return {less(*b.smallest, *a.smallest) ? b.smallest : a.smallest,
                less(*b.largest, *a.largest) ? a.largest : b.largest};
    }
};

/// What is looked for: one position, or the `extremes`.
template <class It>
using position = It;

/// A position as the number of its element.
template <class It>
struct numbered {
    It const& first;
    offset number;
    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE constexpr decltype(auto) operator*() const { return first[number]; }
};

/// The better of two answers in numbers of elements, which kernels can pass around whatever the iterators are.
template <class Better, class It>
struct better_of_numbers {
    Better better;
    It first;

    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE constexpr offset operator()(offset a, offset b)
    {
        return better(numbered<It>{first, a}, numbered<It>{first, b}).number;
    }
    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE constexpr extremes<offset> operator()(extremes<offset> const& a, extremes<offset> const& b)
    {
        using at = numbered<It>;
        auto const best = better(extremes<at>(at{first, a.smallest}, at{first, a.largest}),
                                 extremes<at>(at{first, b.smallest}, at{first, b.largest}));
        return {best.smallest.number, best.largest.number};
    }
};

/// The same for kernels, which have to be able to read what iterators find.
template <class Better, class It>
auto better_in_kernels(Better const& better, It const& first)
{
#ifdef TILEWISE_DEVICE_ENGINE
    if constexpr (std::contiguous_iterator<It>)
        return better_of_numbers<Better, std::add_pointer_t<std::iter_reference_t<It>>>{better, std::to_address(first)};
    else
        return better_of_numbers<Better, gpu::elements_in_kernels<It>>{better, {first}};
#else
    return better_of_numbers<Better, It>{better, first};
#endif
}

/// An answer in numbers, as positions.
template <class It>
constexpr It found_at(It const& first, offset number)
{
    return first + number;
}
template <class It>
constexpr extremes<It> found_at(It const& first, extremes<offset> const& numbers)
{
    return {first + numbers.smallest, first + numbers.largest};
}

/// The numbers that an answer names.
constexpr std::array<offset, 2> numbers_in(offset number)
{
    return {number, number};
}
constexpr std::array<offset, 2> numbers_in(extremes<offset> const& numbers)
{
    return {numbers.smallest, numbers.largest};
}
/// An answer with a function of its numbers in their place.
template <class Function>
constexpr offset renumbered(offset number, Function const& function)
{
    return function(number);
}
template <class Function>
constexpr extremes<offset> renumbered(extremes<offset> const& numbers, Function const& function)
{
    return {function(numbers.smallest), function(numbers.largest)};
}

/// The answer for the elements from `first` on, in numbers of them. `find(elements, end)` finds it where kernels can
/// read the elements: of host memory in copies, if need be one piece after the other, each behind the best elements of
/// those before it.
template <class Policy, class It, class Extent, class Find>
auto best_number([[maybe_unused]] Policy const& policy, It const& first, Extent const& end, Find const& find)
{
#ifdef TILEWISE_DEVICE_ENGINE
    if constexpr (std::contiguous_iterator<It> && std::same_as<Extent, offset>) {
        using element = std::iter_value_t<It>;
        auto const* const elements = static_cast<element const*>(std::to_address(first));
        gpu::device_call const call("reduce", end, policy, gpu::reduce_without_waiting);
        std::optional<gpu::staging> staged(std::in_place, call);
        gpu::memory_view<element> whole = {elements, end};
        offset const at_once = staged->elements_at_once(end, staged->bytes_per_element(whole),
                                                        gpu::staging_tuning::least_elements, 2 * sizeof(element));
        auto answer = find(staged->stage_in(elements, at_once), at_once);
        for (offset begin = at_once; begin < end; begin += at_once) {
            offset const count = std::min(at_once, end - begin);
            auto const before = tilewise::numbers_in(answer);
            constexpr auto ahead = static_cast<offset>(before.size());
            staged.emplace(call);
            auto const* const there =
                staged->stage_in({elements + before[0], elements + before[1]}, elements + begin, count);
            answer = tilewise::renumbered(find(there, ahead + count), [&](offset number) {
                return number < ahead ? before[static_cast<std::size_t>(number)] : begin + number - ahead;
            });
        }
        return answer;
    } else if constexpr (std::same_as<Extent, offset>) {
        gpu::device_call const call("reduce", end, policy, gpu::reduce_without_waiting);
        auto view = gpu::view_of(first, end);
        if (gpu::staging(call).bytes_per_element(view) > 0)
            gpu::check_readable("reduce", gpu::memory_kind::pageable);
    }
#endif
    return find(first, end);
}

/// Combines the positions of a range, which is not empty, to an Answer. The first position is where the accumulator
/// starts, and is read again as an element, which changes nothing.
template <template <class> class Answer, execution_policy Policy, any_iterator It, class Extent, class Better>
Answer<It> best_position(Policy&& policy, It first, Extent end, Better better)
{
    constexpr bool readable = multi_pass<It>;
    static_assert(readable,
                  "tilewise: min_element, max_element and minmax_element need iterators that can be read more "
                  "than once (forward iterators)");
    if constexpr (!readable) {
        return Answer<It>(first);
    } else if constexpr (is_device_policy<policy_for<Policy>> && random_access<It>) {
        auto const find = [&]<class There, class Count>(There const& there, Count const& count) {
            return tilewise::reduce_input(tilewise::resolve(policy), positions<offset>(0), count, Answer<offset>(0),
                                          tilewise::better_in_kernels(better, there));
        };
        return tilewise::found_at(first, tilewise::best_number(tilewise::resolve(policy), first, end, find));
    } else {
        return tilewise::reduce_input(tilewise::resolve(policy), positions<It>(first), std::move(end),
                                      Answer<It>(first), std::move(better));
    }
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
    return first == last ? last
                         : tilewise::best_position<position>(
                               policy, first, tilewise::extent_between(first, last),
                               first_smallest<callee_in<Policy, Less>>{tilewise::called_in<Policy>(std::move(less))});
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
        range, tilewise::best_position<position>(
                   policy, first, tilewise::extent_of(range, first),
                   first_smallest<callee_in<Policy, Less>>{tilewise::called_in<Policy>(std::move(less))}));
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
    return first == last ? last
                         : tilewise::best_position<position>(
                               policy, first, tilewise::extent_between(first, last),
                               first_largest<callee_in<Policy, Less>>{tilewise::called_in<Policy>(std::move(less))});
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
        range, tilewise::best_position<position>(
                   policy, first, tilewise::extent_of(range, first),
                   first_largest<callee_in<Policy, Less>>{tilewise::called_in<Policy>(std::move(less))}));
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
    auto const found = tilewise::best_position<extremes>(
        policy, first, tilewise::extent_between(first, last),
        widest<callee_in<Policy, Less>>{tilewise::called_in<Policy>(std::move(less))});
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
    auto const found = tilewise::best_position<extremes>(
        policy, first, tilewise::extent_of(range, first),
        widest<callee_in<Policy, Less>>{tilewise::called_in<Policy>(std::move(less))});
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
