// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What an engine reads: an iterator as it is, or one of the inputs below, which an algorithm lays over iterators. An
/// input needs `*` and `++`, comparison with the end of its range, and `+ n` where its iterators are random access. It is
/// passed by value.

#include <tilewise/config.hpp>
#include <tilewise/iterator.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <ranges>

TILEWISE_NAMESPACE_BEGIN

/// The elements of one range, transformed.
template <class Transform, class It>
struct transformed {
    Transform transform;
    It it;

    constexpr decltype(auto) operator*() { return transform(*it); }
    constexpr transformed& operator++()
    {
        ++it;
        return *this;
    }
    template <class Sentinel>
    friend constexpr bool operator==(transformed const& input, Sentinel const& last)
    {
        return input.it == last;
    }
    friend constexpr transformed operator+(transformed const& input, offset n)
        requires random_access<It>
    {
        return {input.transform, input.it + n};
    }
};

template <class Transform, class It>
transformed(Transform, It) -> transformed<Transform, It>;

/// The elements of two ranges, transformed in pairs.
template <class Transform, class It1, class It2>
struct transformed_pairs {
    Transform transform;
    It1 it1;
    It2 it2;

    constexpr decltype(auto) operator*() { return transform(*it1, *it2); }
    constexpr transformed_pairs& operator++()
    {
        ++it1;
        ++it2;
        return *this;
    }
    template <class Sentinel>
    friend constexpr bool operator==(transformed_pairs const& input, Sentinel const& last)
    {
        return input.it1 == last;
    }
    friend constexpr transformed_pairs operator+(transformed_pairs const& input, offset n)
        requires random_access<It1> && random_access<It2>
    {
        return {input.transform, input.it1 + n, input.it2 + n};
    }
};

/// The positions of a range in place of its elements: for algorithms that answer with an iterator.
template <class It>
struct positions {
    It it;

    constexpr It operator*() const { return it; }
    constexpr positions& operator++()
    {
        ++it;
        return *this;
    }
    template <class Sentinel>
    friend constexpr bool operator==(positions const& input, Sentinel const& last)
    {
        return input.it == last;
    }
    friend constexpr positions operator+(positions const& input, offset n)
        requires random_access<It>
    {
        return {input.it + n};
    }
};

/// May be read more than once, from any place that a copy was left at.
template <class Input>
inline constexpr bool is_forward_input = forward<Input>;
template <class Transform, class It>
inline constexpr bool is_forward_input<transformed<Transform, It>> = forward<It>;
template <class Transform, class It1, class It2>
inline constexpr bool is_forward_input<transformed_pairs<Transform, It1, It2>> = forward<It1> && forward<It2>;
template <class It>
inline constexpr bool is_forward_input<positions<It>> = forward<It>;

/// Where an input ends: the number of its elements if the iterators tell it at once, else the end of its range.
template <class It, class Sentinel>
constexpr auto extent(It const& first, Sentinel const& last)
{
    if constexpr (random_access<It> && requires { { last - first } -> std::convertible_to<offset>; })
        return static_cast<offset>(last - first);
    else
        return last;
}

/// The same for the whole of a range.
template <class Range>
constexpr auto extent_of(Range& range)
{
    if constexpr (random_access<std::ranges::iterator_t<Range>> && std::ranges::sized_range<Range>)
        return static_cast<offset>(std::ranges::size(range));
    else
        return extent(std::ranges::begin(range), std::ranges::end(range));
}

TILEWISE_NAMESPACE_END
