// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the algorithms ask of iterators. Looser than the standard's concepts, which reject iterators in wide use:
/// proxies without a common reference, and those of C++17 that promise less than they can.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @addtogroup requirements
/// @{

/// Something to dereference and step: an input iterator of any vintage. (A pointer is one, and not stepped to see: that
/// would complete what it points to, which may be an error.)
template <class It>
concept any_iterator = (std::is_pointer_v<It> && std::is_object_v<std::remove_pointer_t<It>>) ||
                       (std::copy_constructible<It> && !std::integral<It> && requires(It it) {
                           *it;
                           ++it;
                       });

/// Advances by any distance at once, and tells the distance between two positions.
template <class It>
concept random_access = any_iterator<It> && requires(It it, offset n) {
    { it - it } -> std::convertible_to<offset>;
    { it + n } -> std::convertible_to<It>;
    it[n];
};

/// May be read more than once.
template <class It>
concept multi_pass =
    any_iterator<It> &&
    (random_access<It> || std::forward_iterator<It> ||
     std::derived_from<typename std::iterator_traits<It>::iterator_category, std::forward_iterator_tag>);

/// The type of an iterator's elements.
template <any_iterator It>
using value_of = std::iter_value_t<It>;

/// What stands behind an iterator takes values of type T.
template <class Out, class T>
concept writable = any_iterator<Out> && requires(Out out, T value) { *out = std::move(value); };

/// @cond internals
/// What is assigned to a Stored for a value: numbers are converted first, since they may narrow; anything else is left
/// to the assignment.
template <class Stored, class T>
TILEWISE_PORTABLE constexpr decltype(auto) as_stored(T&& value)
{
    if constexpr (std::is_arithmetic_v<Stored> && std::is_arithmetic_v<std::remove_cvref_t<T>>)
        return static_cast<std::remove_cv_t<Stored>>(value);
    else
        return static_cast<T&&>(value);
}

/// Writes a value through an output iterator, converted to what stands there.
template <any_iterator Out, class T>
constexpr void store(Out& out, T&& value)
{
    *out = tilewise::as_stored<std::remove_reference_t<decltype(*out)>>(std::forward<T>(value));
}

/// The position `count` elements after another, in the integer type that the iterator measures distances in.
template <class It>
constexpr It advanced(It const& it, offset count)
{
    if constexpr (requires { typename std::iter_difference_t<It>; })
        return it + static_cast<std::iter_difference_t<It>>(count);
    else
        return it + count;
}

/// Dereferences to a T that stands in memory beside its neighbours.
template <class It, class T>
concept contiguous_of = std::contiguous_iterator<It> &&
                        std::same_as<std::remove_const_t<std::remove_reference_t<std::iter_reference_t<It>>>, T>;
/// @endcond

/// @}

TILEWISE_NAMESPACE_END
