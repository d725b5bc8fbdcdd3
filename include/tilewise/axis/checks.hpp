// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The checks of the constructors of axes, and the types of axes.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/axis/exact.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/math.hpp>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>

#include <charconv>
#include <concepts>
#include <string>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace binning {
/// @cond internals
/// @name Checks of constructors
/// @{
template <class X>
std::string text_of(X x)
{
    if constexpr (std::integral<X> && !std::is_same_v<X, decltype(+x)>) { // no to_chars for bool and wide characters
        return binning::text_of(+x);
    } else if constexpr (integer<X> && sizeof(X) > sizeof(offset)) {
        return binning::text_of(static_cast<double>(x));
    } else {
        char buffer[64];
        auto const end = std::to_chars(buffer, buffer + sizeof buffer, x).ptr;
        return {static_cast<char const*>(buffer), static_cast<char const*>(end)};
    }
}

/// Checks the number of cells of an axis, which may be user-defined.
inline void check_cells(char const* algorithm, offset cells)
{
    if (cells < 0 || cells > most_cells)
        reject_argument(algorithm, "an axis can have at most 2^31 - 2 cells, not " + text_of(cells));
}

/// Returns the number of bins, which may be of any integral type, as an int.
template <std::integral B>
int checked_bins(char const* axis, B bins)
{
    if (!binning::less(0, bins))
        tilewise::reject_argument(axis, "there must be at least one bin, not " + binning::text_of(bins));
    if (binning::less(most_cells - flow_cells, bins))
        tilewise::reject_argument(axis, "there can be at most 2^31 - 5 bins, not " + binning::text_of(bins));
    return static_cast<int>(bins);
}

/// Returns an edge as type A. A floating-point A rounds the edge; an integral A rejects an edge that it cannot
/// represent.
template <class A, class X>
A checked_edge(char const* axis, X const& edge)
{
    auto const x = binning::number<A>(edge);
    bool has_value = true;
    if constexpr (integer<A> && std::floating_point<decltype(x)>)
        has_value = x >= static_cast<decltype(x)>(least<A>) && x < above<A, std::remove_const_t<decltype(x)>> &&
                    x == math::floor(x);
    else if constexpr (integer<A>)
        has_value = !binning::less(x, least<A>) && !binning::less(largest<A>, x);
    if (!has_value)
        tilewise::reject_argument(axis, "the edge " + binning::text_of(x) + " is not a number of the axis' type");
    return static_cast<A>(x);
}

/// Returns a bound as type A. If the bound is an integer, A must represent it exactly.
template <class A, class X>
A checked_bound(char const* axis, X x)
{
    A const bound = static_cast<A>(binning::number<A>(x));
    if constexpr (std::integral<X> && std::floating_point<A>) {
        if (!binning::is_exact(x, bound))
            tilewise::reject_argument(axis, "the bound " + binning::text_of(x) + " is not a number of the axis' type");
    } else if constexpr (std::integral<X>) {
        if (binning::less(bound, x) || binning::less(x, bound))
            tilewise::reject_argument(axis, "the bound " + binning::text_of(x) + " is not a number of the axis' type");
    }
    if constexpr (std::floating_point<A>) {
        if (!(bound - bound == 0))
            tilewise::reject_argument(axis, "the bound " + binning::text_of(bound) + " is not finite");
    }
    return bound;
}

template <class A>
void check_bounds(char const* axis, A lower, A upper)
{
    if (!(lower < upper))
        tilewise::reject_argument(axis, "lower (" + binning::text_of(lower) + ") must be less than upper (" +
                                            binning::text_of(upper) + ")");
}
/// @}

/// The type of an axis between bounds of these types: floating-point types as they are, float for half precision, and
/// double for integers.
template <class L, class U = L, class B = std::common_type_t<L, U>>
using floating_bound = std::conditional_t<std::is_floating_point_v<B> && sizeof(B) >= sizeof(float), B,
                                          std::conditional_t<std::is_integral_v<B>, double, float>>;

/// The type of an axis between edges of type E: float for half precision, and E otherwise.
template <class E>
using edge_of =
    std::conditional_t<(std::is_floating_point_v<E> && sizeof(E) < sizeof(float)) || small_float<E>, float, E>;

/// Returns whether an axis can have edges of type A. If not, a static_assert says why.
template <class A>
constexpr bool can_be_edges()
{
    constexpr bool numbers = !std::is_same_v<A, bool>;
    constexpr bool wide_enough = !std::is_floating_point_v<A> || sizeof(A) >= sizeof(float);
    constexpr bool narrow_enough = !std::is_integral_v<A> || sizeof(A) <= sizeof(offset);
    static_assert(numbers, "tilewise: the edges of an axis cannot be of type bool; use an axis of int, which also "
                           "accepts samples of type bool");
    static_assert(wide_enough, "tilewise: an axis cannot have edges of half precision; use float, which represents "
                               "them all and accepts samples of half precision");
    static_assert(narrow_enough, "tilewise: the edges of an axis must have at most 64 bits");
    return numbers && wide_enough && narrow_enough;
}

/// @endcond
} // namespace binning
TILEWISE_NAMESPACE_END
