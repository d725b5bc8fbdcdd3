// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What smallest and largest elements are reduced with: the comparisons of two positions, and what stands for a
/// position.
///
/// Anything with `*` is a position: an iterator; a `candidate`, which has read its element; a `kept` element, of which
/// only the value matters.

#include <tilewise/core/config.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/portability.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>

#include <limits>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Of two positions, the earlier one first: that of the smaller element, the first of equals.
template <class Less>
struct first_smallest {
    Less less;
    TILEWISE_CALLS_ANY
    template <class It>
    TILEWISE_PORTABLE constexpr It operator()(It const& a, It const& b)
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
    TILEWISE_PORTABLE constexpr It operator()(It const& a, It const& b)
    {
        return less(*a, *b) ? b : a;
    }
};

/// Likewise that of the larger element, the last of equals.
template <class Less>
struct last_largest {
    Less less;
    TILEWISE_CALLS_ANY
    template <class It>
    TILEWISE_PORTABLE constexpr It operator()(It const& a, It const& b)
    {
        return less(*b, *a) ? a : b;
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

/// An element without its index.
template <class E>
struct kept {
    E value;
    TILEWISE_PORTABLE constexpr kept(E const& element) : value(element) {}
    TILEWISE_PORTABLE constexpr E const& operator*() const { return value; }
};

/// An element and its index.
template <class E>
struct candidate {
    E value;
    offset index;
    TILEWISE_PORTABLE constexpr E const& operator*() const { return value; }

    /// The index of what is no element yet.
    static constexpr offset none = std::numeric_limits<offset>::min();
    /// That of the best element of a unit that begins at `first`: which of them it is remains to be seen.
    TILEWISE_PORTABLE static constexpr offset in_unit_at(offset first) { return ~first; }
    TILEWISE_PORTABLE constexpr bool is_found() const { return index >= 0; }
    /// Where that unit begins.
    TILEWISE_PORTABLE constexpr offset unit() const { return ~index; }
};

/// The best values of a unit of elements of type E, with the index that they share.
template <class E, class T>
TILEWISE_PORTABLE constexpr candidate<E> at_index(kept<T> const& best, offset index)
{
    return {static_cast<E>(best.value), index};
}
/// The same for both extremes.
template <class E, class T>
TILEWISE_PORTABLE constexpr extremes<candidate<E>> at_index(extremes<kept<T>> const& best, offset index)
{
    return {engine::at_index<E>(best.smallest, index), engine::at_index<E>(best.largest, index)};
}

/// An answer whose elements have all been found: `best_of_unit(first)` is that of the unit from `first` on.
TILEWISE_CALLS_ANY
template <class E, class BestOfUnit>
TILEWISE_PORTABLE constexpr candidate<E> found_in_units(candidate<E> const& best, BestOfUnit const& best_of_unit)
{
    return best.is_found() ? best : best_of_unit(best.unit());
}
/// The same for both extremes.
TILEWISE_CALLS_ANY
template <class E, class BestOfUnit>
TILEWISE_PORTABLE constexpr extremes<candidate<E>> found_in_units(extremes<candidate<E>> const& best,
                                                                  BestOfUnit const& best_of_unit)
{
    return {best.smallest.is_found() ? best.smallest : best_of_unit(best.smallest.unit()).smallest,
            best.largest.is_found() ? best.largest : best_of_unit(best.largest.unit()).largest};
}

/// The elements of a range as candidates, for kernels: the first one has the index `first_index`.
template <class It, class E>
struct candidates {
    It first;
    offset first_index;
    offset position = 0;

    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE constexpr candidate<E> operator[](offset n) const
    {
        return {static_cast<E>(first[position + n]), first_index + position + n};
    }
    TILEWISE_PORTABLE constexpr candidate<E> operator*() const { return (*this)[0]; }
    TILEWISE_PORTABLE constexpr candidates operator+(offset n) const { return {first, first_index, position + n}; }
};

/// Elements that are compared as copies, which have to be cheap: others stay where they are.
/// (The host cannot ask a lambda for kernels what it takes.)
template <class E, class Better>
concept compared_as_copies =
    std::is_trivially_copyable_v<E> && std::is_trivially_default_constructible_v<E> && sizeof(E) <= sizeof(offset) &&
    (known::has_device_lambda<Better> ||
     std::is_invocable_v<decltype(std::declval<Better&>().less)&, E const&, E const&>);

/// The geometry in which accumulators of type T are combined where elements of type E would be. So a comparison that is
/// no strict weak order has the same answer whatever stands for the positions.
template <class E, class T>
struct geometry_of_elements : standard_geometry {
    static constexpr int lane_vector_bytes = static_cast<int>(order<E>::lane_vector) * static_cast<int>(sizeof(T));
};

} // namespace engine

namespace host {
template <class E>
inline constexpr bool is_never_contracted<engine::kept<E>> = true; // they are selected, and not computed
template <class E>
inline constexpr bool is_never_contracted<engine::extremes<engine::kept<E>>> = true;
} // namespace host
TILEWISE_NAMESPACE_END
