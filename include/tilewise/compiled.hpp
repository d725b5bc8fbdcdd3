// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The compiled library: device algorithms for the arithmetic types, to be called from a file that nvcc never sees. The
/// algorithms call it under tilewise::device where `TILEWISE_COMPILED` is defined; programs call the algorithms.
///
/// The library is of another mode than the files that call it. So this is the same in every mode, and has nothing in it
/// but numbers, pointers and policies.

#include <tilewise/core/config.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tilewise::compiled {

/// The operators in the library.
enum class known_operator { plus, multiplies, minimum, maximum, bit_and, bit_or, bit_xor };

/// The transforms in the library. All but `square_of_element` convert the element to the accumulator's type first.
enum class known_function { identity, square, square_of_element, absolute };

/// @name Numbers
/// Types of one size and kind are one type here: `int`, and `long` or `long long`, whichever it is. For operators that
/// wrap, numbers of one size are unsigned, which makes the same bits.
/// @{

/// One of the type that stands for X, or nothing.
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
/// The type that stands for X, or void.
template <class X>
using number = decltype(compiled::number_of<X>());
/// There is a type that stands for X.
template <class X>
concept is_number = !std::is_void_v<number<X>>;
/// It is an integer.
template <class X>
concept is_integer = std::integral<X> && is_number<X>;

/// One of the type that stands for X where integers have no sign.
template <class X>
constexpr auto unsigned_number_of()
{
    if constexpr (is_integer<X>)
        return std::make_unsigned_t<number<X>>{};
    else
        return number<X>();
}
/// The type that stands for X there, or void.
template <class X>
using unsigned_number = decltype(compiled::unsigned_number_of<X>());
/// @}

/// An operator for which signs make no difference.
constexpr bool wraps(known_operator op)
{
    return op != known_operator::minimum && op != known_operator::maximum;
}

/// @name What there is
/// For elements of type E and accumulators of type T.
/// @{

/// Floating-point elements, and an accumulator that has them all.
template <class E, class T>
inline constexpr bool are_floats = std::floating_point<E> && std::floating_point<T> && sizeof(E) <= sizeof(T);
/// Integers, and an accumulator that wraps, of their own type or a longer one.
template <class E, class T>
inline constexpr bool are_wrapping =
    std::integral<E> && std::unsigned_integral<T> &&
    (std::same_as<E, T> || (sizeof(E) < sizeof(T) && sizeof(T) >= 4)); // a sum that wraps, of what it may convert

/// Reductions.
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

/// Sums of the products of pairs.
template <class E, class T>
constexpr bool has_products()
{
    return are_floats<E, T> || (std::same_as<E, T> && std::unsigned_integral<T> && sizeof(T) >= 4);
}

/// Scans: the exclusive ones are sums.
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

/// Histograms of samples of type S, in bins of equal width between bounds of type A.
template <class S, class A>
constexpr bool has_regular_bins()
{
    return are_floats<S, A> ||
           (std::same_as<A, double> && (std::same_as<S, std::int32_t> || std::same_as<S, std::uint8_t>));
}
/// The same in a bin for every integer.
template <class S, class A>
constexpr bool has_integer_bins()
{
    if constexpr (std::same_as<A, std::int32_t>)
        return std::same_as<S, std::uint8_t> || std::same_as<S, std::uint16_t> || std::same_as<S, std::int32_t> ||
               std::same_as<S, std::uint32_t>;
    else
        return std::same_as<A, std::int64_t> && std::same_as<S, std::int64_t>;
}
/// The same between edges.
template <class S, class A>
constexpr bool has_bins_between()
{
    return are_floats<S, A> || (std::same_as<S, A> && std::same_as<A, std::int32_t>);
}
/// @}

/// @name The library
/// Defined where a `has_...` above is true. The pointers are to memory of the GPU or of the host, as for the
/// algorithms.
/// @{

/// Combines `init` and `count` elements.
template <known_operator op, known_function f, class E, class T>
[[gnu::visibility("default")]] T reduce(device_policy const& policy, E const* first, std::ptrdiff_t count, T init);

/// The same into `*out`.
template <known_operator op, known_function f, class E, class T, bool waits>
[[gnu::visibility("default")]] void reduce_into(basic_device_policy<waits> const& policy, E const* first,
                                                std::ptrdiff_t count, T* out, T init);

/// Adds up `init` and the products of `count` pairs.
template <class E, class T>
[[gnu::visibility("default")]] T add_products(device_policy const& policy, E const* first1, E const* first2,
                                              std::ptrdiff_t count, T init);

/// The same into `*out`.
template <class E, class T, bool waits>
[[gnu::visibility("default")]] void add_products_into(basic_device_policy<waits> const& policy, E const* first1,
                                                      E const* first2, std::ptrdiff_t count, T* out, T init);

/// Scans `count` elements, after `*init` where there is one.
template <known_operator op, bool inclusive, class E, class T, bool waits>
[[gnu::visibility("default")]] void scan(basic_device_policy<waits> const& policy, E const* first, std::ptrdiff_t count,
                                         T* out, T const* init);

/// What axes of all kinds have: their options as numbers.
struct axis_ends {
    int flow;
    bool closed_upper;
};

/// Counts `count` samples in bins of equal width; in counters that are overwritten, or added to.
template <class S, class A, class C, bool waits>
[[gnu::visibility("default")]] void count_in_regular(basic_device_policy<waits> const& policy, S const* first,
                                                     std::ptrdiff_t count, int bins, A lower, A upper, axis_ends ends,
                                                     C* counts, bool adds);

/// The same in a bin for every integer.
template <class S, class A, class C, bool waits>
[[gnu::visibility("default")]] void count_in_integers(basic_device_policy<waits> const& policy, S const* first,
                                                      std::ptrdiff_t count, A lower, A upper, axis_ends ends, C* counts,
                                                      bool adds);

/// The same between edges, which are in memory of the host.
template <class S, class A, class C, bool waits>
[[gnu::visibility("default")]] void count_between(basic_device_policy<waits> const& policy, S const* first,
                                                  std::ptrdiff_t count, A const* edges, std::ptrdiff_t edge_count,
                                                  axis_ends ends, C* counts, bool adds);
/// @}

} // namespace tilewise::compiled
