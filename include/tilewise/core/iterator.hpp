// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The requirements of the algorithms on iterators. They are weaker than the concepts of the standard, which reject
/// iterators in wide use: proxies without a common reference, and C++17 iterators whose category promises less than
/// they can do.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @addtogroup requirements
/// @{

/// A type that can be dereferenced and incremented: an input iterator of any C++ standard. (A pointer to an object is
/// accepted without checking its increment, which would require the type that it points to to be complete. That may be
/// an error.)
template <class It>
concept any_iterator = (std::is_pointer_v<It> && std::is_object_v<std::remove_pointer_t<It>>) ||
                       (std::copy_constructible<It> && !std::integral<It> && requires(It it) {
                           *it;
                           ++it;
                       });

/// An iterator that can be advanced by any distance at once, indexed, and subtracted from another.
template <class It>
concept random_access = any_iterator<It> && requires(It it, offset n) {
    { it - it } -> std::convertible_to<offset>;
    { it + n } -> std::convertible_to<It>;
    it[n];
};

/// An iterator over elements that can be read more than once.
template <class It>
concept multi_pass =
    any_iterator<It> &&
    (random_access<It> || std::forward_iterator<It> ||
     std::derived_from<typename std::iterator_traits<It>::iterator_category, std::forward_iterator_tag>);

/// The type of an iterator's elements.
template <any_iterator It>
using value_of = std::iter_value_t<It>;

/// An iterator through which values of type T can be written.
template <class Out, class T>
concept writable = any_iterator<Out> && requires(Out out, T value) { *out = std::move(value); };

/// @cond internals
/// Returns what to assign to a Stored for a value: numbers are converted explicitly, since the conversion may narrow.
/// Other values are converted by the assignment.
template <class Stored, class T>
TILEWISE_PORTABLE constexpr decltype(auto) as_stored(T&& value)
{
    if constexpr (std::is_arithmetic_v<Stored> && std::is_arithmetic_v<std::remove_cvref_t<T>>)
        return static_cast<std::remove_cv_t<Stored>>(value);
    else
        return static_cast<T&&>(value);
}

/// Writes a value through an output iterator, converted to the type of the element.
template <any_iterator Out, class T>
constexpr void store(Out& out, T&& value)
{
    *out = tilewise::as_stored<std::remove_reference_t<decltype(*out)>>(std::forward<T>(value));
}

/// Returns the position `count` elements after `it`. `count` is converted to the difference type of the iterator.
TILEWISE_CALLS_ANY
template <class It>
TILEWISE_PORTABLE constexpr It advanced(It const& it, offset count)
{
    if constexpr (requires { typename std::iter_difference_t<It>; })
        return it + static_cast<std::iter_difference_t<It>>(count);
    else
        return it + count;
}

/// A contiguous iterator over elements of type T, which may be const.
template <class It, class T>
concept contiguous_of = std::contiguous_iterator<It> &&
                        std::same_as<std::remove_const_t<std::remove_reference_t<std::iter_reference_t<It>>>, T>;
/// @endcond

/// @}

TILEWISE_NAMESPACE_END
