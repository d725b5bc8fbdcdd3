// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The interface of the compiled library: device algorithms for the arithmetic types, which files that are not compiled
/// by nvcc can call. The algorithms call it under tilewise::device if `TILEWISE_COMPILED` is defined; programs call the
/// algorithms.
///
/// The library is compiled in another mode than the files that call it. Therefore this interface is outside the inline
/// namespace of the mode, and its parameters are numbers, pointers and policies only.

#include <tilewise/core/config.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tilewise::compiled {

/// The operators that the library supports.
enum class known_operator { plus, multiplies, minimum, maximum, bit_and, bit_or, bit_xor };

/// The transforms that the library supports. All but `square_of_element` convert the element to the accumulator's type
/// first.
enum class known_function { identity, square, square_of_element, absolute };

/// @name Number types
/// One type represents all types of the same size and kind: `std::int32_t` represents `int`, and `std::int64_t` both
/// `long` and `long long`. For operators that wrap, an unsigned type represents all integers of its size, because the
/// bits of the results are the same.
/// @{

/// Returns zero in the type that represents X, or void if there is none.
template <class X>
constexpr auto number_of()
{
    if constexpr (std::same_as<X, float> || std::same_as<X, double>)
        return X{};
    else if constexpr (!std::integral<X> || std::same_as<X, bool>)
        return;
    else if constexpr (sizeof(X) == 1)
        return std::conditional_t<std::is_signed_v<X>, std::int8_t, std::uint8_t>{};
    else if constexpr (sizeof(X) == 2)
        return std::conditional_t<std::is_signed_v<X>, std::int16_t, std::uint16_t>{};
    else if constexpr (sizeof(X) == 4)
        return std::conditional_t<std::is_signed_v<X>, std::int32_t, std::uint32_t>{};
    else if constexpr (sizeof(X) == 8)
        return std::conditional_t<std::is_signed_v<X>, std::int64_t, std::uint64_t>{};
}
/// The type that represents X, or void.
template <class X>
using number = decltype(compiled::number_of<X>());
/// A type that represents X exists.
template <class X>
concept is_number = !std::is_void_v<number<X>>;
/// X is an integral type that has such a type.
template <class X>
concept is_integer = std::integral<X> && is_number<X>;

/// Returns zero in the type that represents X under operators that wrap, or void if there is none.
template <class X>
constexpr auto unsigned_number_of()
{
    if constexpr (is_integer<X>)
        return std::make_unsigned_t<number<X>>{};
    else
        return number<X>();
}
/// The type that represents X under operators that wrap, or void.
template <class X>
using unsigned_number = decltype(compiled::unsigned_number_of<X>());
/// @}

/// Returns whether the bits of an operator's results are the same for signed and unsigned integers.
constexpr bool wraps(known_operator op)
{
    return op != known_operator::minimum && op != known_operator::maximum;
}

/// @name Supported types
/// Which functions the library has for elements of type E and accumulators of type T.
/// @{

/// Floating-point elements, and an accumulator that can represent all their values.
template <class E, class T>
inline constexpr bool are_floats = std::floating_point<E> && std::floating_point<T> && sizeof(E) <= sizeof(T);
/// Integers, and an unsigned accumulator: of the same type, or of a longer one of at least 4 bytes.
template <class E, class T>
inline constexpr bool are_wrapping =
    std::integral<E> && std::unsigned_integral<T> && (std::same_as<E, T> || (sizeof(E) < sizeof(T) && sizeof(T) >= 4));

/// Returns whether the library has the reduction by `op` of elements transformed by `f`.
template <known_operator op, known_function f, class E, class T>
constexpr bool has_reduce()
{
    using enum known_operator;
    constexpr bool own = std::same_as<E, T>, floats = are_floats<E, T>, wrapping = are_wrapping<E, T>;
    if constexpr (f == known_function::identity) {
        if constexpr (op == plus)
            return floats || wrapping || (std::integral<E> && sizeof(E) >= 4 && std::same_as<T, double>);
        else if constexpr (op == multiplies)
            return floats || (own && wrapping);
        else if constexpr (op == minimum || op == maximum)
            return own;
        else
            return own && wrapping;
    } else if constexpr (f == known_function::square) {
        return op == plus && (floats || (wrapping && sizeof(T) >= 4));
    } else if constexpr (f == known_function::square_of_element) {
        return op == plus && floats && !own;
    } else if constexpr (op == plus) {
        return floats ||
               (std::signed_integral<E> && std::unsigned_integral<T> && sizeof(T) >= 4 && sizeof(T) >= sizeof(E));
    } else {
        return op == maximum && own && std::is_signed_v<T> && sizeof(T) >= 4;
    }
}

/// Returns whether the library has the sum of the products of pairs of elements.
template <class E, class T>
constexpr bool has_products()
{
    return are_floats<E, T> || (std::same_as<E, T> && std::unsigned_integral<T> && sizeof(T) >= 4);
}

/// Returns whether the library has the scan by `op`. An exclusive scan is always a sum.
template <known_operator op, bool inclusive, class E, class T>
constexpr bool has_scan()
{
    using enum known_operator;
    constexpr bool own = std::same_as<E, T>, wide = sizeof(T) >= 4;
    if constexpr (op == plus)
        return are_floats<E, T> || (are_wrapping<E, T> && wide && (own || sizeof(T) == 4 || sizeof(E) == 4));
    else if constexpr (op == multiplies)
        return inclusive && own && wide && (std::floating_point<T> || std::unsigned_integral<T>);
    else if constexpr (op == minimum || op == maximum)
        return inclusive && own && wide;
    else
        return inclusive && own && wide && std::unsigned_integral<T>;
}

/// Returns whether the library has histograms of samples of type S in bins of equal width between bounds of type A.
template <class S, class A>
constexpr bool has_regular_bins()
{
    return are_floats<S, A> ||
           (std::same_as<A, double> && (std::same_as<S, std::int32_t> || std::same_as<S, std::uint8_t>));
}
/// Returns whether the library has histograms with one bin for each integer.
template <class S, class A>
constexpr bool has_integer_bins()
{
    if constexpr (std::same_as<A, std::int32_t>)
        return std::same_as<S, std::uint8_t> || std::same_as<S, std::uint16_t> || std::same_as<S, std::int32_t> ||
               std::same_as<S, std::uint32_t>;
    else
        return std::same_as<A, std::int64_t> && std::same_as<S, std::int64_t>;
}
/// Returns whether the library has histograms with bins between given edges.
template <class S, class A>
constexpr bool has_bins_between()
{
    return are_floats<S, A> || (std::same_as<S, A> && std::same_as<A, std::int32_t>);
}
/// @}

/// @name Functions
/// Each function is defined for the types for which the corresponding `has_...` above is true. The pointers refer to
/// GPU or host memory, as for the algorithms.
/// @{

/// Returns the combination of `init` and `count` elements.
template <known_operator op, known_function f, class E, class T>
[[gnu::visibility("default")]] T reduce(device_policy const& policy, E const* first, std::ptrdiff_t count, T init);

/// Writes the combination of `init` and `count` elements to `*out`.
template <known_operator op, known_function f, class E, class T, bool waits>
[[gnu::visibility("default")]] void reduce_into(basic_device_policy<waits> const& policy, E const* first,
                                                std::ptrdiff_t count, T* out, T init);

/// Returns the sum of `init` and the products of `count` pairs.
template <class E, class T>
[[gnu::visibility("default")]] T add_products(device_policy const& policy, E const* first1, E const* first2,
                                              std::ptrdiff_t count, T init);

/// Writes the sum of `init` and the products of `count` pairs to `*out`.
template <class E, class T, bool waits>
[[gnu::visibility("default")]] void add_products_into(basic_device_policy<waits> const& policy, E const* first1,
                                                      E const* first2, std::ptrdiff_t count, T* out, T init);

/// Scans `count` elements, starting with `*init` unless `init` is null.
template <known_operator op, bool inclusive, class E, class T, bool waits>
[[gnu::visibility("default")]] void scan(basic_device_policy<waits> const& policy, E const* first, std::ptrdiff_t count,
                                         T* out, T const* init);

/// The axis_options of an axis, as types that are the same in every mode.
struct axis_ends {
    int flow;
    bool closed_upper;
};

/// Counts `count` samples in bins of equal width. Adds to the counters if `adds`, and overwrites them otherwise.
template <class S, class A, class C, bool waits>
[[gnu::visibility("default")]] void count_in_regular(basic_device_policy<waits> const& policy, S const* first,
                                                     std::ptrdiff_t count, int bins, A lower, A upper, axis_ends ends,
                                                     C* counts, bool adds);

/// Counts samples in the same way with one bin for each integer.
template <class S, class A, class C, bool waits>
[[gnu::visibility("default")]] void count_in_integers(basic_device_policy<waits> const& policy, S const* first,
                                                      std::ptrdiff_t count, A lower, A upper, axis_ends ends, C* counts,
                                                      bool adds);

/// Counts samples in the same way in the bins between edges, which are in host memory.
template <class S, class A, class C, bool waits>
[[gnu::visibility("default")]] void count_between(basic_device_policy<waits> const& policy, S const* first,
                                                  std::ptrdiff_t count, A const* edges, std::ptrdiff_t edge_count,
                                                  axis_ends ends, C* counts, bool adds);
/// @}

} // namespace tilewise::compiled
