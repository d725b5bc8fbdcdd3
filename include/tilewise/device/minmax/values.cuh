// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What smallest and largest elements are on the GPU while only their values matter.

#include <tilewise/core/config.hpp>
#include <tilewise/core/extremes.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/functors.cuh>
#include <tilewise/device/block/known_function.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <concepts>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

using engine::candidate, engine::extremes, engine::kept;

/// @name Values
/// Pass 1 combines values, of which a comparison of positions chooses one. Of numbers that are compared by name, it
/// takes minima and maxima; of integers narrower than a register, in a whole one: i8 6.0 instructions per element,
/// then 2.2.
/// @{
/// 1 for a comparison of E that is known to be `<`, -1 for `>`.
template <class E, class Less>
inline constexpr int direction = std::same_as<Less, is_less>      ? 1
                                 : std::same_as<Less, is_greater> ? -1
                                                                  : 0;
template <class E, class Given, class Less>
inline constexpr int direction<E, on_values_of<Given, Less, E>> = direction<E, Less>;

/// Both of them, of integers.
template <class Smaller, class Larger>
struct both_bounds {
    template <class T>
    TILEWISE_DEVICE extremes<kept<T>> operator()(extremes<kept<T>> const& a, extremes<kept<T>> const& b) const
    {
        return {Smaller{}(*a.smallest, *b.smallest), Larger{}(*a.largest, *b.largest)};
    }
};

/// The operator on values of E that chooses as `better` does.
template <class E, template <class> class Better, class Less>
constexpr auto operator_on_values(Better<Less> const& better)
{
    constexpr bool is_known = direction<E, Less> != 0 && std::is_arithmetic_v<E> && !std::same_as<E, bool>;
    using smaller = std::conditional_t<direction<E, Less> >= 0, minimum, maximum>;
    using larger = std::conditional_t<direction<E, Less> >= 0, maximum, minimum>;
    if constexpr (is_known && std::same_as<Better<Less>, engine::first_smallest<Less>>)
        return smaller{};
    else if constexpr (is_known && std::same_as<Better<Less>, engine::first_largest<Less>>)
        return larger{};
    else if constexpr (is_known && std::integral<E>)
        return both_bounds<smaller, larger>{};
    else
        return better;
}

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
/// @}

} // namespace gpu
TILEWISE_NAMESPACE_END
