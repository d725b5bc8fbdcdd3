// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `reduce` under device, by calls of the compiled library.

#include <tilewise/compiled.hpp>
#include <tilewise/compiled/call.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <cstdlib>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace library {

/// The ranges, elements and transform of an input. `ranges` is 0 if the library cannot read the input.
template <class Input>
struct source {
    static constexpr int ranges = 0;
};
template <over_numbers It>
struct source<It> {
    static constexpr int ranges = 1;
    using element = std::iter_value_t<It>;
    using function = std::identity;
    static It first(It const& it) { return it; }
};
template <class Function, over_numbers It>
    requires(what<Function> != transforms::otherwise)
struct source<transformed<Function, It>> {
    static constexpr int ranges = 1;
    using element = std::iter_value_t<It>;
    using function = Function;
    static It const& first(transformed<Function, It> const& input) { return input.base(); }
};
template <over_numbers It1, over_numbers It2>
    requires std::same_as<std::iter_value_t<It1>, std::iter_value_t<It2>>
struct source<transformed_pairs<std::multiplies<>, It1, It2>> {
    static constexpr int ranges = 2;
    using element = std::iter_value_t<It1>;
};

/// Returns whether the library has the reduction of an input that it can read to a T, by an operator that it supports.
template <class Input, class T, class Op>
constexpr bool has_reduction()
{
    using from = source<Input>;
    using E = typename from::element;
    constexpr auto op = *library::operator_of<Op, T>();
    using number = element_for<op, E, T>;
    using accumulator = accumulator_for<op, T>;
    if constexpr (from::ranges == 2) {
        return op == known_operator::plus && compiled::has_products<number, accumulator>();
    } else if constexpr (constexpr auto f = library::function_of<typename from::function, E, T>(); f.has_value()) {
        using signed_or_not = std::conditional_t<*f == known_function::absolute, compiled::number<E>, number>;
        return compiled::has_reduce<op, *f, signed_or_not, accumulator>();
    } else {
        return false;
    }
}

/// Returns whether the library can combine an input to a T. If not, a static_assert says why.
template <class Input, class T, class Op>
constexpr bool can_reduce()
{
    constexpr bool reads = source<Input>::ranges > 0;
    constexpr bool combines = library::operator_of<Op, T>().has_value();
    static_assert(reads, "tilewise: the compiled library reads only numbers in contiguous memory, optionally through "
                         "tilewise::square, tilewise::absolute or, for two ranges, std::multiplies<>; compile this "
                         "file with nvcc, or pass pointers or a vector");
    static_assert(combines, "tilewise: the compiled library supports only std::plus, multiplies, bit_and, bit_or and "
                            "bit_xor, tilewise::minimum and maximum; compile this file with nvcc, or use one of these");
    if constexpr (reads && combines) {
        constexpr bool exists = library::has_reduction<Input, T, Op>();
        static_assert(exists, "tilewise: the compiled library cannot reduce these elements to the type of init; "
                              "compile this file with nvcc, or pass an init of the elements' type");
        return exists;
    } else {
        return false;
    }
}

/// Calls `reduce` with a pointer to the elements of an input, or `add_products` with two pointers if the input is a
/// product of two ranges.
template <class T, class Op, class Input, class Reduce, class AddProducts>
auto with_numbers(Input const& input, Reduce const& reduce, AddProducts const& add_products)
{
    using from = source<Input>;
    using E = typename from::element;
    constexpr auto op = *library::operator_of<Op, T>();
    using number = element_for<op, E, T>;
    if constexpr (from::ranges == 2) {
        return add_products(library::numbers_at<number>(input.base1()), library::numbers_at<number>(input.base2()));
    } else {
        constexpr auto f = *library::function_of<typename from::function, E, T>();
        using signed_or_not = std::conditional_t<f == known_function::absolute, compiled::number<E>, number>;
        return reduce(std::integral_constant<known_function, f>(),
                      library::numbers_at<signed_or_not>(from::first(input)));
    }
}

/// Returns the combination of `init` and `count` elements of an input.
template <class Policy, class Input, class T, class Op>
T reduce(Policy const& policy, Input const& input, offset count, T const& init, Op const&)
{
    if constexpr (!library::can_reduce<Input, T, Op>()) {
        std::abort();
    } else {
        constexpr auto op = *library::operator_of<Op, T>();
        auto const start = static_cast<accumulator_for<op, T>>(init);
        return static_cast<T>(library::with_numbers<T, Op>(
            input,
            [&]<auto f, class E>(std::integral_constant<known_function, f>, E const* first) {
                return compiled::reduce<op, f>(policy, first, count, start);
            },
            [&]<class E>(E const* first1, E const* first2) {
                return compiled::add_products(policy, first1, first2, count, start);
            }));
    }
}

/// Writes the result to `out`: in the stream if `out` is a contiguous iterator, and otherwise on the calling thread.
template <class Policy, class Input, class T, class Op, class Out>
void reduce_into(Policy const& policy, Input const& input, offset count, T const& init, Op const& op, Out& out)
{
    if constexpr (library::can_reduce<Input, T, Op>()) {
        constexpr bool in_memory = std::contiguous_iterator<Out>;
        if constexpr (!in_memory && Policy::waits) {
            tilewise::store(out, library::reduce(policy, input, count, init, op));
        } else {
            constexpr bool stores = stores_numbers<Out, T>;
            static_assert(stores, "tilewise: the compiled library writes results only to memory, in the type of init; "
                                  "compile this file with nvcc, or write to a variable of that type");
            if constexpr (stores) {
                constexpr auto name = *library::operator_of<Op, T>();
                using accumulator = accumulator_for<name, T>;
                auto* const to = library::numbers_to_write<accumulator>(out);
                auto const start = static_cast<accumulator>(init);
                library::with_numbers<T, Op>(
                    input,
                    [&]<auto f, class E>(std::integral_constant<known_function, f>, E const* first) {
                        compiled::reduce_into<name, f>(policy, first, count, to, start);
                    },
                    [&]<class E>(E const* first1, E const* first2) {
                        compiled::add_products_into(policy, first1, first2, count, to, start);
                    });
            }
        }
    }
}

} // namespace library
TILEWISE_NAMESPACE_END
