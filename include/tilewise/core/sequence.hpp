// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The elements of a call, given by iterators or as a range.

#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/extent.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/range.hpp>

#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// The beginning and the extent of the elements of a call.
template <class It, class Extent>
struct sequence {
    char const* algorithm; ///< the called algorithm
    It first;
    Extent end;
    char const* fault = nullptr; ///< the error that the hardened mode finds, or null
};

/// Returns the elements of [first, last), which are read together with those of other iterators.
template <class It, class... Others>
constexpr auto sequence_between(char const* algorithm, It first, It const& last, Others const&... others)
{
    char const* fault = tilewise::fault_in_range(first, last);
    ((fault = fault != nullptr ? fault : tilewise::fault_in_second_range(first, last, others)), ...);
    auto end = tilewise::extent_between<Others...>(first, last);
    return sequence<It, decltype(end)>{algorithm, std::move(first), std::move(end), fault};
}

/// Returns the elements of a range, as an algorithm under Policy reads them. The other ranges are as long.
template <class Policy, class Range, class... Others>
constexpr auto sequence_in(char const* algorithm, Range& range, Others&... others)
{
    char const* fault = nullptr;
    ((fault = fault != nullptr ? fault : tilewise::fault_in_lengths(range, others)), ...);
    auto first = tilewise::begin_of<Policy>(range);
    auto end = tilewise::extent_of<beginning_of<Policy, Others>...>(range, first);
    return sequence<decltype(first), decltype(end)>{algorithm, std::move(first), std::move(end), fault};
}

/// Throws the error that was found in the elements, if any.
template <class It, class Extent>
constexpr void check_sequence(sequence<It, Extent> const& elements)
{
    tilewise::reject_fault(elements.algorithm, elements.fault);
}

/// Returns whether transform_sequence accepts arguments of these types. Without a transform it does.
template <class It>
constexpr bool can_transform_sequence()
{
    return true;
}
/// With a transform, it does if the transform accepts the elements. If not, a static_assert says why.
template <class It, class Transform, class... It2>
constexpr bool can_transform_sequence()
{
    return tilewise::can_transform<Transform, It, It2...>();
}

/// Returns the elements: unchanged, transformed, or transformed in pairs with those that begin at another iterator.
template <class It, class Extent>
constexpr auto transform_sequence(sequence<It, Extent> elements)
{
    return elements;
}
template <class It, class Extent, class Transform>
constexpr auto transform_sequence(sequence<It, Extent> elements, Transform transform)
{
    auto function = tilewise::function_of(std::move(transform));
    using input = transformed<decltype(function), It>;
    return sequence<input, Extent>{elements.algorithm, input(std::move(function), std::move(elements.first)),
                                   std::move(elements.end)};
}
template <class It, class Extent, class Transform, class It2>
constexpr auto transform_sequence(sequence<It, Extent> elements, Transform transform, It2 first2)
{
    auto function = tilewise::function_of(std::move(transform));
    using input = transformed_pairs<decltype(function), It, It2>;
    return sequence<input, Extent>{elements.algorithm,
                                   input(std::move(function), std::move(elements.first), std::move(first2)),
                                   std::move(elements.end)};
}

TILEWISE_NAMESPACE_END
