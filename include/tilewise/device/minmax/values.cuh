// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What smallest and largest elements are on the GPU while only their values matter. The first pass combines values, of
/// which a comparison of positions chooses one. Of numbers that are compared by name, it takes minima and maxima: of
/// bytes two at a time, of other integers in whole registers, of floats in any order unless one is NaN.

#include <tilewise/core/config.hpp>
#include <tilewise/core/extremes.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/functors.cuh>
#include <tilewise/device/block/known_function.cuh>
#include <tilewise/device/block/lane_aggregate.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <concepts>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

using engine::candidate, engine::extremes, engine::kept;

/// 1 for a comparison of E that is known to be `<`, -1 for `>`.
template <class E, class Less>
inline constexpr int direction = std::same_as<Less, is_less>      ? 1
                                 : std::same_as<Less, is_greater> ? -1
                                                                  : 0;
template <class E, class Given, class Less>
inline constexpr int direction<E, on_values_of<Given, Less, E>> = direction<E, Less>;

/// Whether minima and maxima stand for a comparison of E.
template <class E, class Less>
inline constexpr bool is_compared_by_bounds =
    direction<E, Less> != 0 && std::is_arithmetic_v<E> && !std::same_as<E, bool>;

/// Both bounds.
template <class Smallest, class Largest>
struct both_bounds {
    template <class T>
    TILEWISE_DEVICE extremes<kept<T>> operator()(extremes<kept<T>> const& a, extremes<kept<T>> const& b) const
    {
        return {Smallest{}(*a.smallest, *b.smallest), Largest{}(*a.largest, *b.largest)};
    }
};
template <class Smallest, class Largest>
struct bounds_of_bytes<both_bounds<Smallest, Largest>> {
    template <class E, class T>
    static constexpr bool is_taken = true;
    template <class E, class T, int count>
    TILEWISE_DEVICE static T of(unsigned const* words)
    {
        return {bounds_of_bytes<Smallest>::template of<E, int, count>(words),
                bounds_of_bytes<Largest>::template of<E, int, count>(words)};
    }
};

/// What `Better` looks for, in terms of minima and maxima.
template <class E, class Better, class Minimum, class Maximum>
struct bounds_for;
template <class E, class Less, class Minimum, class Maximum>
struct bounds_for<E, engine::first_smallest<Less>, Minimum, Maximum> {
    using type = std::conditional_t<(direction<E, Less> > 0), Minimum, Maximum>;
};
template <class E, class Less, class Minimum, class Maximum>
struct bounds_for<E, engine::first_largest<Less>, Minimum, Maximum> {
    using type = std::conditional_t<(direction<E, Less> > 0), Maximum, Minimum>;
};
template <class E, class Less, class Minimum, class Maximum>
struct bounds_for<E, engine::widest<Less>, Minimum, Maximum> {
    using type = both_bounds<typename bounds_for<E, engine::first_smallest<Less>, Minimum, Maximum>::type,
                             typename bounds_for<E, engine::first_largest<Less>, Minimum, Maximum>::type>;
};

/// The operator on values of E that chooses as `better` does.
template <class E, template <class> class Better, class Less>
constexpr auto operator_on_values(Better<Less> const& better)
{
    constexpr bool finds_both = std::same_as<Better<Less>, engine::widest<Less>>;
    if constexpr (is_compared_by_bounds<E, Less> && (std::integral<E> || !finds_both))
        return typename bounds_for<E, Better<Less>, minimum, maximum>::type{};
    else
        return better; // of floats, the last of equal largest ones is not their maximum, if one is NaN
}

/// @name Bounds that are NaN if an element is
/// What a comparison chooses among floats with NaNs depends on the order. Among others, every order gives equal values,
/// whose positions are found afterwards: so 0 may stand for -0.
/// @{
struct minimum_or_nan {
    TILEWISE_DEVICE float operator()(float a, float b) const { return gpu::bound_or_nan<true>(a, b); }
};
struct maximum_or_nan {
    TILEWISE_DEVICE float operator()(float a, float b) const { return gpu::bound_or_nan<false>(a, b); }
};
template <class E, class Better>
inline constexpr bool has_bounds_or_nan = false;
template <class E, template <class> class Better, class Less>
inline constexpr bool has_bounds_or_nan<E, Better<Less>> = std::same_as<E, float> && is_compared_by_bounds<E, Less>;

TILEWISE_DEVICE bool is_nan(float bound)
{
    return bound != bound;
}
TILEWISE_DEVICE bool is_nan(extremes<kept<float>> const& bounds)
{
    return gpu::is_nan(*bounds.smallest);
}
/// @}

/// Comparisons of numbers may be called on any values.
template <template <class> class Better, class Less, template <class> class Position, class E>
    requires is_compared_by_bounds<E, Less>
inline constexpr bool accepts_any_operand<Better<Less>, extremes<Position<E>>> = true;

/// Bounds may be taken of any values, and in any order.
template <class Op>
inline constexpr bool are_bounds = std::same_as<Op, minimum_or_nan> || std::same_as<Op, maximum_or_nan>;
template <class Smallest, class Largest>
inline constexpr bool are_bounds<both_bounds<Smallest, Largest>> = true;
template <class Op, class T>
    requires are_bounds<Op>
inline constexpr bool takes_any_order<Op, T> = true;
template <class Op, class T>
    requires are_bounds<Op>
inline constexpr bool accepts_any_operand<Op, T> = true;

/// A number that holds any E and fills a register.
template <class E>
struct promoted {
    using type = E;
};
template <std::integral E>
struct promoted<E> {
    using type = decltype(+E());
};

/// What an operator on values combines, for an Answer in candidates.
template <class Answer, class E, class Better, class Op>
using value_for =
    std::conditional_t<known::is_operator<Op>, typename promoted<E>::type,
                       std::conditional_t<std::same_as<Answer, candidate<E>>, kept<E>,
                                          extremes<kept<typename std::conditional_t<
                                              std::same_as<Op, Better>, std::type_identity<E>, promoted<E>>::type>>>>;

/// The best values of a unit as candidates.
template <class E, class Value>
TILEWISE_DEVICE auto candidates_of(Value const& best, offset index)
{
    if constexpr (std::is_arithmetic_v<Value>)
        return engine::at_index<E>(kept<Value>(best), index);
    else
        return engine::at_index<E>(best, index);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
