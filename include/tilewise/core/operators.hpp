// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The known operators. An engine uses a known operator in place of an equivalent operator that the user passes: it
/// also combines whole vector registers, and its signed sums and products wrap, so that they are associative. One
/// transform is known as well, that of `count_if`.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/core/type_names.hpp>
#include <tilewise/functional.hpp>

#include <concepts>
#include <limits>

TILEWISE_NAMESPACE_BEGIN
namespace known {

/// The base of all known operators, by which an engine recognises them.
struct operator_base {
    /// The identity element: combined with any T, it gives that T.
    template <class T>
    static constexpr T identity{};
};

/// The known operator for `std::plus`.
struct plus : operator_base {
    template <class T>
    TILEWISE_PORTABLE constexpr T operator()(T a, T b) const
    {
        if constexpr (std::integral<T>)
            return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
        else
            return a + b;
    }
    template <class Vector>
    TILEWISE_INLINE static void append(Vector& left, Vector const& right)
    {
        left = left + right;
    }
};

/// The known operator for `std::multiplies`.
struct multiplies : operator_base {
    template <class T>
    static constexpr T identity{1};
    template <class T>
    TILEWISE_PORTABLE constexpr T operator()(T a, T b) const
    {
        if constexpr (std::integral<T>)
            return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b));
        else
            return a * b;
    }
    template <class Vector>
    TILEWISE_INLINE static void append(Vector& left, Vector const& right)
    {
        left = left * right;
    }
};

/// The known operator for tilewise::minimum.
struct minimum : operator_base, tilewise::minimum<> {
    template <class T>
    static constexpr T identity = std::numeric_limits<T>::max();
    template <class Vector>
    TILEWISE_INLINE static void append(Vector& left, Vector const& right)
    {
        left = right < left ? right : left;
    }
};

/// The known operator for tilewise::maximum.
struct maximum : operator_base, tilewise::maximum<> {
    template <class T>
    static constexpr T identity = std::numeric_limits<T>::lowest();
    template <class Vector>
    TILEWISE_INLINE static void append(Vector& left, Vector const& right)
    {
        left = left < right ? right : left;
    }
};

/// The known operator for `std::bit_and`.
struct bit_and : operator_base {
    template <class T>
    static constexpr T identity = static_cast<T>(~T{});
    template <class T>
    TILEWISE_PORTABLE constexpr T operator()(T a, T b) const
    {
        return static_cast<T>(a & b);
    }
    template <class Vector>
    TILEWISE_INLINE static void append(Vector& left, Vector const& right)
    {
        left = left & right;
    }
};

/// The known operator for `std::bit_or`.
struct bit_or : operator_base {
    template <class T>
    TILEWISE_PORTABLE constexpr T operator()(T a, T b) const
    {
        return static_cast<T>(a | b);
    }
    template <class Vector>
    TILEWISE_INLINE static void append(Vector& left, Vector const& right)
    {
        left = left | right;
    }
};

/// The known operator for `std::bit_xor`.
struct bit_xor : operator_base {
    template <class T>
    TILEWISE_PORTABLE constexpr T operator()(T a, T b) const
    {
        return static_cast<T>(a ^ b);
    }
    template <class Vector>
    TILEWISE_INLINE static void append(Vector& left, Vector const& right)
    {
        left = left ^ right;
    }
};

/// The types that the known operators accept: those whose vector registers all supported compilers can combine.
template <class T>
concept arithmetic =
    std::same_as<T, float> || std::same_as<T, double> || (std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= 8);

/// The known operator equivalent to the function objects of a class template, for the types that it accepts.
template <template <class> class Kind, class T>
struct operator_like {};
// clang-format off
template <class T> struct operator_like<std::plus, T> { using type = plus; };
template <class T> struct operator_like<std::multiplies, T> { using type = multiplies; };
template <class T> struct operator_like<tilewise::minimum, T> { using type = minimum; };
template <class T> struct operator_like<tilewise::maximum, T> { using type = maximum; };
template <std::integral T> struct operator_like<std::bit_and, T> { using type = bit_and; };
template <std::integral T> struct operator_like<std::bit_or, T> { using type = bit_or; };
template <std::integral T> struct operator_like<std::bit_xor, T> { using type = bit_xor; };
// clang-format on

/// The known operator equivalent to Op on values of type T, as member `type`. There is no member if there is no such
/// operator or Op does not compute in T.
template <class Op, class T>
struct operator_of {};
template <template <class> class Kind, class T>
struct operator_of<Kind<void>, T> : operator_like<Kind, T> {};
template <template <class> class Kind, class T>
struct operator_of<Kind<T>, T> : operator_like<Kind, T> {};

/// Returns the known operator equivalent to `op` on values of type T, or `op` itself if there is none.
template <class T, class Op>
constexpr auto operator_or_self(Op op)
{
    if constexpr (arithmetic<T> && requires { typename operator_of<Op, T>::type; })
        return typename operator_of<Op, T>::type{};
    else
        return op;
}

/// Returns an operator that kernels can call in place of `op` on values of type T: a known operator for one of the
/// standard's, whatever T is, and for plus of libcu++ and Thrust, which a compiler may fuse with a multiplication.
/// Returns `op` itself otherwise.
template <class T, class Op>
constexpr auto portable_operator_or_self(Op op)
{
    if constexpr (requires { typename operator_of<Op, T>::type; })
        return typename operator_of<Op, T>::type{};
    else if constexpr (known::is_in<Op>("cuda::") && known::is_named<Op>("cuda", "::plus"))
        return plus{};
    else
        return op;
}

/// A known operator.
template <class Op>
concept is_operator = std::derived_from<Op, operator_base>;

/// A known operator on integers: every order of combination gives the same bits, so an engine may choose the fastest.
template <class Op, class T>
concept is_exact = is_operator<Op> && std::integral<T>;

/// The transform whose sum is the number of elements that satisfy a predicate: it returns 1 for these, and 0 for
/// others. An engine may call the predicate instead.
template <class Predicate, class Count>
struct one_if {
    Predicate predicate;
    TILEWISE_CALLS_ANY
    template <class Element>
    TILEWISE_PORTABLE constexpr Count operator()(Element&& element)
    {
        return predicate(static_cast<Element&&>(element)) ? Count{1} : Count{0};
    }
    /// The same with counts of another type.
    template <class Other>
    constexpr one_if<Predicate, Other> as() const
    {
        return {predicate};
    }
};
/// Whether a transform is a `one_if`.
template <class Transform>
inline constexpr bool is_one_if = false;
template <class Predicate, class Count>
inline constexpr bool is_one_if<one_if<Predicate, Count>> = true;

} // namespace known
TILEWISE_NAMESPACE_END
