// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Exact comparisons of samples with edges, whatever the types of the two.

#include <tilewise/core/config.hpp>
#include <tilewise/core/math.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace binning {
/// @cond internals

/// @name Integers
/// Includes 128-bit integers, which the standard library does not count as integral types in its strict mode.
/// @{
#ifdef __SIZEOF_INT128__
__extension__ using wide_signed = __int128;
__extension__ using wide_unsigned = unsigned __int128;
#else
using wide_signed = std::intmax_t;
using wide_unsigned = std::uintmax_t;
#endif
template <class I>
concept integer = std::integral<I> || std::same_as<I, wide_signed> || std::same_as<I, wide_unsigned>;
/// An integer or a floating-point number.
template <class S>
concept arithmetic = integer<S> || std::floating_point<S>;
template <integer I>
inline constexpr bool has_sign = std::is_same_v<I, wide_signed> || std::is_signed_v<I>;
/// @}

/// Half precision of any library. float represents all its numbers exactly.
template <class S>
concept small_float =
    !std::is_arithmetic_v<S> && !std::is_enum_v<S> && sizeof(S) == 2 && requires(S const& x) { static_cast<float>(x); };

/// A class that unary plus converts to one arithmetic type, such as a proxy for an element.
template <class S>
concept promotes =
    std::is_class_v<S> && requires(S const& x) { requires arithmetic<std::remove_cvref_t<decltype(+x)>>; };

/// Returns the value of a sample in an arithmetic type: the underlying type of an enumeration, or the type to which
/// unary plus converts a class. A class that converts to several types, or only explicitly, is converted to A.
TILEWISE_CALLS_ANY
template <class A, class S>
TILEWISE_PORTABLE constexpr auto number(S const& x)
{
    if constexpr (arithmetic<S>)
        return x;
    else if constexpr (std::is_enum_v<S>)
        return static_cast<std::underlying_type_t<S>>(x);
    else if constexpr (promotes<S>)
        return +x;
    else if constexpr (small_float<S>)
        return static_cast<float>(x);
    else
        return static_cast<A>(x);
}

/// The type that `number` returns, or void if there is none.
template <class S>
struct number_type {
    using type = void;
};
template <class S>
    requires(arithmetic<S> || std::is_enum_v<S> || small_float<S> || promotes<S>)
struct number_type<S> {
    using type = decltype(binning::number<offset>(std::declval<S const&>()));
};
template <class S>
using number_of = typename number_type<std::remove_cvref_t<S>>::type;

/// Returns whether a < b, also if the types differ in signedness.
template <integer A, integer B>
TILEWISE_PORTABLE constexpr bool less(A a, B b)
{
    using wide = std::conditional_t<(sizeof(A) > 8 || sizeof(B) > 8), wide_unsigned, std::uintmax_t>;
    if constexpr (has_sign<A> == has_sign<B>)
        return a < b;
    else if constexpr (has_sign<A>)
        return a < 0 || static_cast<wide>(a) < b;
    else
        return b >= 0 && a < static_cast<wide>(b);
}

/// @name Limits of a type
/// As constants, because kernels cannot call the functions of numeric_limits.
/// @{
template <class A>
inline constexpr A least = std::numeric_limits<A>::lowest();
template <class A>
inline constexpr A largest = std::numeric_limits<A>::max();
template <class A>
inline constexpr A nearest_to_zero = std::numeric_limits<A>::denorm_min();
/// @}

template <integer I>
inline constexpr int digits = static_cast<int>(8 * sizeof(I)) - (has_sign<I> ? 1 : 0);
/// The smallest power of two above the range of an integral type.
template <integer I, std::floating_point F>
inline constexpr F above = static_cast<F>(wide_unsigned{1} << (digits<I> / 2)) *
                           static_cast<F>(wide_unsigned{1} << (digits<I> - digits<I> / 2));
/// Whether `above` is finite: 2^128 is not finite as float.
template <class I, std::floating_point F>
inline constexpr bool reaches_above = true;
template <integer I, std::floating_point F>
inline constexpr bool reaches_above<I, F> = digits<I> < std::numeric_limits<F>::max_exponent;

template <class X>
TILEWISE_PORTABLE constexpr bool is_nan(X x)
{
    if constexpr (std::is_floating_point_v<X>)
        return x != x;
    else
        return false;
}

/// Returns the next number of type A below `x`, which is finite or infinity.
template <std::floating_point A>
TILEWISE_PORTABLE A next_below(A x)
{
    if constexpr (sizeof(A) > 8) {
        return math::nextafter(x, -std::numeric_limits<A>::infinity());
    } else {
        using bits_type = std::conditional_t<sizeof(A) == 4, std::int32_t, std::int64_t>;
        if (x == 0)
            return -nearest_to_zero<A>;
        bits_type bits;
        std::memcpy(&bits, &x, sizeof x);
        bits += x > 0 ? -1 : 1;
        std::memcpy(&x, &bits, sizeof x);
        return x;
    }
}

/// Returns whether a number is below the range of an integral type.
template <std::integral A, class X>
TILEWISE_PORTABLE constexpr bool is_below_all(X x)
{
    if constexpr (integer<X>)
        return binning::less(x, least<A>);
    else
        return x < static_cast<X>(least<A>);
}

/// Whether A represents all numbers of type X within its range exactly.
template <std::floating_point A, class X>
inline constexpr bool has_digits_for = std::numeric_limits<X>::digits <= std::numeric_limits<A>::digits;
template <std::floating_point A, integer X>
inline constexpr bool has_digits_for<A, X> = digits<X> <= std::numeric_limits<A>::digits;

/// Returns the largest number of type A that is not above `x`. Then `edge <= x` is equivalent to `edge <=
/// round_down<A>(x)` for every edge of type A: comparisons are exact even though the sample is rounded. NaN stays NaN.
/// For an integral A, `x` is neither NaN nor below the range of A.
template <class A, class X>
TILEWISE_PORTABLE A round_down(X x)
{
    if constexpr (std::is_same_v<A, X>) {
        return x;
    } else if constexpr (std::integral<A> && integer<X>) {
        return binning::less(largest<A>, x) ? largest<A> : static_cast<A>(x);
    } else if constexpr (std::integral<A>) {
        return x >= above<A, X> ? largest<A> : static_cast<A>(math::floor(x));
    } else if constexpr (has_digits_for<A, X>) {
        return static_cast<A>(x);
    } else if constexpr (integer<X> && !reaches_above<X, A>) {
        return binning::round_down<A>(binning::round_down<double>(x));
    } else {
        A const nearest = static_cast<A>(x);
        bool is_above = false;
        if constexpr (integer<X>)
            is_above = nearest >= above<X, A> || static_cast<X>(nearest) > x;
        else
            is_above = static_cast<X>(nearest) > x;
        return is_above ? binning::next_below(nearest) : nearest;
    }
}

/// Returns whether `rounded`, which is round_down<A>(x), equals `x`.
template <class A, class X>
TILEWISE_PORTABLE constexpr bool is_exact(X x, A rounded)
{
    if constexpr (std::is_same_v<A, X>)
        return true;
    else if constexpr (std::integral<A> && integer<X>)
        return !binning::less(x, rounded) && !binning::less(rounded, x);
    else if constexpr (std::integral<A>)
        return x < above<A, X> && x == math::floor(x);
    else if constexpr (has_digits_for<A, X>)
        return true;
    else if constexpr (integer<X> && !reaches_above<X, A>)
        return binning::is_exact<double>(x, static_cast<double>(rounded));
    else if constexpr (integer<X>)
        return rounded < above<X, A> && static_cast<X>(rounded) == x;
    else
        return static_cast<X>(rounded) == x;
}

/// @endcond
} // namespace binning
TILEWISE_NAMESPACE_END
