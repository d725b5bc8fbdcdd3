// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Smallest and largest elements: a reduction of their positions, on every engine.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/engine/reduce.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/minmax.cuh>
#endif

#include <array>
#include <concepts>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

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

/// The extremes of two ranges, the earlier one first.
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

/// An iterator that is the number of its element, which kernels can pass around whatever the iterators are.
template <class It>
struct numbered {
    It const& first;
    offset number;
    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE constexpr decltype(auto) operator*() const { return first[number]; }
};

/// The better of two answers in numbers of elements.
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

/// The numbers in an answer, twice the same one.
constexpr std::array<offset, 2> numbers_in(offset number)
{
    return {number, number};
}
/// The two numbers in an answer.
constexpr std::array<offset, 2> numbers_in(extremes<offset> const& numbers)
{
    return {numbers.smallest, numbers.largest};
}

/// Combines the positions of a range, which is not empty, to an Answer. The first position is where the accumulator
/// starts, and is read again as an element, which changes nothing.
template <template <class> class Answer, class Policy, class It, class Extent, class Better>
Answer<It> best_position(Policy policy, It first, Extent end, Better better)
{
    constexpr bool readable = multi_pass<It>;
    static_assert(readable,
                  "tilewise: min_element, max_element and minmax_element need iterators that can be read more "
                  "than once (forward iterators)");
    if constexpr (!readable) {
        return Answer<It>(first);
    } else if constexpr (is_device_policy<Policy> && random_access<It>) {
        auto const find = [&]<class There, class Count>(There const& there, Count const& count) {
            return engine::numbers_in(engine::reduce(policy, positions<offset>(0), count, Answer<offset>(0),
                                                     better_of_numbers<Better, There>{better, there}));
        };
#ifdef TILEWISE_DEVICE_ENGINE
        auto const found = gpu::find_two(policy, first, end, find);
#else
        auto const found = find(first, end);
#endif
        if constexpr (std::same_as<Answer<It>, It>)
            return first + found[0];
        else
            return {first + found[0], first + found[1]};
    } else {
        return engine::reduce(policy, positions<It>(first), std::move(end), Answer<It>(first), std::move(better));
    }
}

} // namespace engine
TILEWISE_NAMESPACE_END
