// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The reductions of the compiled library: calls of the algorithm.

#include "make.hpp"
#include "operators.hpp"

#include <tilewise/compiled.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/engine/reduce.hpp>
#include <tilewise/functional.hpp>

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace tilewise::compiled {

/// Returns zero in the type in which an absolute value for an accumulator of type T is computed.
template <class T>
constexpr auto signed_number_of()
{
    if constexpr (std::integral<T>)
        return std::make_signed_t<T>{};
    else
        return T{};
}

/// Returns an input that transforms the elements that begin at `first`.
template <known_function f, class E, class T>
auto input_from(E const* first)
{
    if constexpr (f == known_function::identity)
        return first;
    else if constexpr (f == known_function::square)
        return transformed<tilewise::square<T>, E const*>({}, first);
    else if constexpr (f == known_function::square_of_element)
        return transformed<tilewise::square<>, E const*>({}, first);
    else
        return transformed<tilewise::absolute<decltype(signed_number_of<T>())>, E const*>({}, first);
}

template <class E>
auto products_of(E const* first1, E const* first2)
{
    return transformed_pairs<std::multiplies<>, E const*, E const*>({}, first1, first2);
}

template <known_operator op, known_function f, class E, class T>
T reduce(device_policy const& policy, E const* first, std::ptrdiff_t count, T init)
{
    return engine::reduce(policy, input_from<f, E, T>(first), offset{count}, std::move(init), operator_named<op>());
}
template <known_operator op, known_function f, class E, class T, bool waits>
void reduce_into(basic_device_policy<waits> const& policy, E const* first, std::ptrdiff_t count, T* out, T init)
{
    engine::reduce_into(policy, input_from<f, E, T>(first), offset{count}, out, init, operator_named<op>());
}
template <class E, class T>
T add_products(device_policy const& policy, E const* first1, E const* first2, std::ptrdiff_t count, T init)
{
    return engine::reduce(policy, products_of(first1, first2), offset{count}, std::move(init), std::plus<>{});
}
template <class E, class T, bool waits>
void add_products_into(basic_device_policy<waits> const& policy, E const* first1, E const* first2, std::ptrdiff_t count,
                       T* out, T init)
{
    engine::reduce_into(policy, products_of(first1, first2), offset{count}, out, init, std::plus<>{});
}

/// Instantiates the reductions that the library has for elements and accumulators of two lists of types.
template <known_operator op, known_function f, class Elements, class Accumulators>
void make_reductions()
{
    for_each_pair(Elements(), Accumulators(), []<class E, class T>(E*, T*) {
        if constexpr (has_reduce<op, f, E, T>())
            make<&reduce<op, f, E, T>, &reduce_into<op, f, E, T, true>, &reduce_into<op, f, E, T, false>>();
    });
}
template <class Elements, class Accumulators>
void make_products()
{
    for_each_pair(Elements(), Accumulators(), []<class E, class T>(E*, T*) {
        if constexpr (has_products<E, T>())
            make<&add_products<E, T>, &add_products_into<E, T, true>, &add_products_into<E, T, false>>();
    });
}

} // namespace tilewise::compiled
