// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Operators: `minimum` and `maximum`, `argmin` and `argmax`. Transforms: `square`, `absolute` and `with_index`.

#include <tilewise/core/config.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN

/// @addtogroup operators
/// @{

/// The smaller of two values, the first of equals: `b < a ? b : a`. Associative unless NaNs occur.
template <class T = void>
struct minimum {
    /// the smaller
    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE constexpr T operator()(T const& a, T const& b) const { return b < a ? b : a; }
};

/// The larger of two values, the first of equals: `a < b ? b : a`. Associative unless NaNs occur.
template <class T = void>
struct maximum {
    /// the larger
    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE constexpr T operator()(T const& a, T const& b) const { return a < b ? b : a; }
};

/// Deduces its type.
template <>
struct minimum<void> {
    /// the smaller
    TILEWISE_CALLS_ANY
    template <class T>
    TILEWISE_PORTABLE constexpr T operator()(T const& a, T const& b) const
    {
        return b < a ? b : a;
    }
};

/// Deduces its type.
template <>
struct maximum<void> {
    /// the larger
    TILEWISE_CALLS_ANY
    template <class T>
    TILEWISE_PORTABLE constexpr T operator()(T const& a, T const& b) const
    {
        return a < b ? b : a;
    }
};

/// A value and its position.
template <class T, class Index = std::ptrdiff_t>
struct indexed {
    T value;     ///< the value
    Index index; ///< its position, or whatever else belongs to it
};

/// Of two `indexed` values the one with the smaller value, the first of equals. With it, `reduce` and
/// `transform_reduce` return the smallest value and its position; `min_element`, which returns the position alone,
/// is faster.
struct argmin {
    /// the smaller
    TILEWISE_CALLS_ANY
    template <class T, class Index>
    TILEWISE_PORTABLE constexpr indexed<T, Index> operator()(indexed<T, Index> const& a,
                                                             indexed<T, Index> const& b) const
    {
        return b.value < a.value ? b : a;
    }
};

/// Likewise the one with the larger value, the first of equals.
struct argmax {
    /// the larger
    TILEWISE_CALLS_ANY
    template <class T, class Index>
    TILEWISE_PORTABLE constexpr indexed<T, Index> operator()(indexed<T, Index> const& a,
                                                             indexed<T, Index> const& b) const
    {
        return a.value < b.value ? b : a;
    }
};

/// A transform of two ranges, of values and of what belongs to them, such as the integers of `std::views::iota`.
struct with_index {
    /// both in one
    TILEWISE_CALLS_ANY
    template <class T, class Index>
    TILEWISE_PORTABLE constexpr indexed<T, Index> operator()(T const& value, Index const& index) const
    {
        return {value, index};
    }
};

/// @cond internals
namespace known {
/// Unsigned arithmetic in which sums and products of T wrap: never narrower than `unsigned`, which promotion to `int`
/// would make signed again.
template <class T>
using wrapping = std::common_type_t<unsigned, std::make_unsigned_t<T>>;
} // namespace known
/// @endcond

/// The square of a value converted to T. Signed integers wrap.
template <class T = void>
struct square {
    /// the square
    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE constexpr T operator()(T const& x) const
    {
        if constexpr (std::integral<T>)
            return static_cast<T>(known::wrapping<T>(x) * known::wrapping<T>(x));
        else
            return x * x;
    }
};

/// Deduces its type: that of `x * x`, which for short integers is `int`.
template <>
struct square<void> {
    /// the square
    TILEWISE_CALLS_ANY
    template <class T>
    TILEWISE_PORTABLE constexpr auto operator()(T const& x) const
    {
        if constexpr (std::integral<T>)
            return square<decltype(+x)>{}(+x);
        else
            return x * x;
    }
};

/// The absolute value of a value converted to T; of zeros the positive one. The least signed integer, which has none,
/// stays what it is.
template <class T = void>
struct absolute {
    /// the absolute value
    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE constexpr T operator()(T const& x) const
    {
        if constexpr (std::integral<T>)
            return x < T{} ? static_cast<T>(known::wrapping<T>{} - static_cast<known::wrapping<T>>(x)) : x;
        else
            return T{} < x ? x : T{} - x;
    }
};

/// Deduces its type: that of `+x`, which for short integers is `int`.
template <>
struct absolute<void> {
    /// the absolute value
    TILEWISE_CALLS_ANY
    template <class T>
    TILEWISE_PORTABLE constexpr auto operator()(T const& x) const
    {
        if constexpr (std::integral<T>)
            return absolute<decltype(+x)>{}(+x);
        else
            return absolute<T>{}(x);
    }
};

/// @}

TILEWISE_NAMESPACE_END
