// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How a call maps to a function of the compiled library: the types, operators and transforms of the library that
/// represent those of the call.

#include <tilewise/compiled.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/functional.hpp>

#include <concepts>
#include <optional>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace library {

using compiled::known_function;
using compiled::known_operator;

/// Returns the operator of the library that is equivalent to Op for values of type T, if there is one.
template <class Op, class T>
constexpr std::optional<known_operator> operator_of()
{
    if constexpr (compiled::is_number<T> && requires { typename known::operator_of<Op, T>::type; }) {
        using same = typename known::operator_of<Op, T>::type;
        if constexpr (std::same_as<same, known::plus>)
            return known_operator::plus;
        else if constexpr (std::same_as<same, known::multiplies>)
            return known_operator::multiplies;
        else if constexpr (std::same_as<same, known::minimum>)
            return known_operator::minimum;
        else if constexpr (std::same_as<same, known::maximum>)
            return known_operator::maximum;
        else if constexpr (std::same_as<same, known::bit_and>)
            return known_operator::bit_and;
        else if constexpr (std::same_as<same, known::bit_or>)
            return known_operator::bit_or;
        else if constexpr (std::same_as<same, known::bit_xor>)
            return known_operator::bit_xor;
        else
            return std::nullopt;
    } else {
        return std::nullopt;
    }
}

/// The kinds of transforms.
enum class transforms { none, to_square, to_absolute, otherwise };
/// The kind of a transform.
template <class Function>
inline constexpr transforms what = transforms::otherwise;
template <>
inline constexpr transforms what<std::identity> = transforms::none;
template <class C>
inline constexpr transforms what<tilewise::square<C>> = transforms::to_square;
template <class C>
inline constexpr transforms what<tilewise::absolute<C>> = transforms::to_absolute;

/// The type in which a transform of elements of type E computes.
template <class E, class Function>
struct computed_in {
    using type = E;
};
template <class E, class C, template <class> class Function>
struct computed_in<E, Function<C>> {
    using type = C;
};
template <class E, template <class> class Function>
struct computed_in<E, Function<void>> {
    using type = decltype(+E());
};

/// Returns the function of the library that is equivalent to Function for elements of type E and an accumulator of type
/// T, if there is one.
template <class Function, class E, class T>
constexpr std::optional<known_function> function_of()
{
    using C = typename computed_in<E, Function>::type;
    constexpr bool floats = std::floating_point<E> && std::floating_point<C> && std::floating_point<T>;
    constexpr bool integers = std::integral<E> && std::integral<C> && std::integral<T>;
    constexpr bool in_accumulator = sizeof(C) == sizeof(T), in_element = sizeof(C) == sizeof(E);
    constexpr bool deduces = std::same_as<Function, tilewise::square<>> || std::same_as<Function, tilewise::absolute<>>;
    constexpr bool is_short = deduces && sizeof(E) < sizeof(C) && sizeof(C) <= sizeof(T);
    if constexpr (what<Function> == transforms::none) {
        return known_function::identity;
    } else if constexpr (what<Function> == transforms::to_square) {
        constexpr bool fits = is_short && (sizeof(E) == 1 || std::is_signed_v<E>); // the square fits in an int
        if constexpr ((floats && in_accumulator) || (integers && (in_accumulator || fits)))
            return known_function::square;
        else if constexpr (floats && in_element)
            return known_function::square_of_element;
    } else if constexpr (what<Function> == transforms::to_absolute) {
        constexpr bool keeps_sign = std::is_signed_v<C> && sizeof(C) > sizeof(E);
        if constexpr (integers && std::is_unsigned_v<E> &&
                      (deduces || keeps_sign || (std::is_unsigned_v<C> && in_element)))
            return known_function::identity;
        else if constexpr (floats && (in_accumulator || in_element))
            return known_function::absolute;
        else if constexpr (integers && std::is_signed_v<E> && std::is_signed_v<C> && (in_accumulator || is_short))
            return known_function::absolute;
    }
    return std::nullopt;
}

/// A contiguous iterator over numbers of types that the library represents.
template <class It>
concept over_numbers = std::contiguous_iterator<It> && compiled::is_number<std::iter_value_t<It>>;

/// Returns the address to which an iterator points, as a pointer to a number type of the library.
template <class Number, over_numbers It>
Number const* numbers_at(It const& it)
{
    return reinterpret_cast<Number const*>(std::to_address(it));
}
/// Returns the same address as a pointer to write to.
template <class Number, over_numbers It>
Number* numbers_to_write(It const& it)
{
    return reinterpret_cast<Number*>(std::to_address(it));
}

/// A contiguous iterator to write through, over numbers that the library represents by the same unsigned type as T.
template <class Out, class T>
concept stores_numbers = over_numbers<Out> && !std::is_const_v<std::remove_reference_t<std::iter_reference_t<Out>>> &&
                         std::same_as<compiled::unsigned_number<std::iter_value_t<Out>>, compiled::unsigned_number<T>>;

/// The accumulator type of the library that represents T.
template <known_operator op, class T>
using accumulator_for = std::conditional_t<wraps(op), compiled::unsigned_number<T>, compiled::number<T>>;
/// The element type of the library that represents E.
template <known_operator op, class E, class T>
using element_for = std::conditional_t<wraps(op) && std::integral<E> && std::integral<T> && sizeof(E) == sizeof(T),
                                       compiled::unsigned_number<E>, compiled::number<E>>;

} // namespace library
TILEWISE_NAMESPACE_END
