// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Operators: `minimum` and `maximum`, and the known operators, the library's own versions of those of `<functional>`.
/// Transforms: `square` and `absolute`.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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

/// @cond internals
/// The known operators. An engine runs one of them in place of an equivalent operator that the user passes: it also
/// combines whole vector registers, and its signed sums and products wrap, so that they are associative.
namespace known {

/// The base of all known operators, by which an engine recognises them.
struct operator_base {};

/// Unsigned arithmetic in which sums and products of T wrap: never narrower than `unsigned`, which promotion to `int`
/// would make signed again.
template <class T>
using wrapping = std::common_type_t<unsigned, std::make_unsigned_t<T>>;

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
    template <class Vector>
    TILEWISE_INLINE static void append(Vector& left, Vector const& right)
    {
        left = right < left ? right : left;
    }
};

/// The known operator for tilewise::maximum.
struct maximum : operator_base, tilewise::maximum<> {
    template <class Vector>
    TILEWISE_INLINE static void append(Vector& left, Vector const& right)
    {
        left = left < right ? right : left;
    }
};

/// The known operator for `std::bit_and`.
struct bit_and : operator_base {
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

/// The types that the known operators take: those whose vector registers every compiler in use can combine.
template <class T>
concept arithmetic =
    std::same_as<T, float> || std::same_as<T, double> || (std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= 8);

/// The known operator equivalent to Op on values of type T: `type`, or nothing when there is none or Op does not
/// compute in T.
template <class Op, class T>
struct operator_of {};

template <class T>
struct operator_of<std::plus<>, T> {
    using type = plus;
};
template <class T>
struct operator_of<std::plus<T>, T> {
    using type = plus;
};
template <class T>
struct operator_of<std::multiplies<>, T> {
    using type = multiplies;
};
template <class T>
struct operator_of<std::multiplies<T>, T> {
    using type = multiplies;
};
template <class T>
struct operator_of<tilewise::minimum<>, T> {
    using type = minimum;
};
template <class T>
struct operator_of<tilewise::minimum<T>, T> {
    using type = minimum;
};
template <class T>
struct operator_of<tilewise::maximum<>, T> {
    using type = maximum;
};
template <class T>
struct operator_of<tilewise::maximum<T>, T> {
    using type = maximum;
};
template <std::integral T>
struct operator_of<std::bit_and<>, T> {
    using type = bit_and;
};
template <std::integral T>
struct operator_of<std::bit_and<T>, T> {
    using type = bit_and;
};
template <std::integral T>
struct operator_of<std::bit_or<>, T> {
    using type = bit_or;
};
template <std::integral T>
struct operator_of<std::bit_or<T>, T> {
    using type = bit_or;
};
template <std::integral T>
struct operator_of<std::bit_xor<>, T> {
    using type = bit_xor;
};
template <std::integral T>
struct operator_of<std::bit_xor<T>, T> {
    using type = bit_xor;
};

/// Whether a type is that of a lambda.
template <class Type>
constexpr bool is_lambda()
{
    std::string_view text = __PRETTY_FUNCTION__; // ... [with Type = function()::<lambda(arguments)>]
    text.remove_prefix(text.find("Type =") + 6);
    text.remove_suffix(1);
    if (text.starts_with(' '))
        text.remove_prefix(1);
    return text.starts_with("lambda [") || text.starts_with("(lambda at") || // nvcc, clang, g++
           (text.ends_with(")>") && text.find("<lambda(") != text.npos);
}

/// Whether a class template's instance goes by a name: the way to know Thrust's iterators without its headers, whose
/// inline namespaces rule out a declaration.
template <class Type>
constexpr bool is_named(std::string_view library, std::string_view name)
{
    std::string_view text = __PRETTY_FUNCTION__; // ... [with Type = library::...::name<arguments>]
    text.remove_prefix(text.find("Type ="));
    text = text.substr(0, text.find_first_of("<;]"));
    return text.find(library) != text.npos && text.ends_with(name);
}

/// Whether a type is declared in a namespace, or in one within: "library::".
template <class Type>
constexpr bool is_in(std::string_view library)
{
    std::string_view text = __PRETTY_FUNCTION__;
    text.remove_prefix(text.find("Type =") + 6);
    if (text.starts_with(' '))
        text.remove_prefix(1);
    return text.starts_with(library);
}

/// Thrust's iterator that is so many elements further than another.
template <class It>
concept behind_offset = known::is_named<It>("thrust", "::offset_iterator") &&
                        requires(It const& it) { requires std::integral<std::remove_cvref_t<decltype(it.offset())>>; };

/// An iterator of a container that kernels cannot follow, or an iterator made of one: a deque has blocks all over host
/// memory, a vector of bool has bits.
template <class Type>
inline constexpr bool is_of_host_container =
    std::same_as<Type, std::vector<bool>::iterator> || std::same_as<Type, std::vector<bool>::const_iterator>;
template <class... Parts, template <class...> class Kind>
inline constexpr bool is_of_host_container<Kind<Parts...>> =
    known::is_named<Kind<Parts...>>("std", "deque_iterator") ||
    known::is_named<Kind<Parts...>>("std", "Deque_iterator") || (is_of_host_container<Parts> || ...);

/// An iterator of std::views::iota over integers, which kernels count themselves.
template <class It>
concept counts_integers = known::is_in<It>("std::ranges::iota_view<") &&
                          requires(It const& it) { requires std::integral<std::remove_cvref_t<decltype(*it)>>; };

/// An iterator of another view of the standard: its type is private, and nvcc takes no such type in a kernel.
template <class It>
concept iterator_of_view = known::is_in<It>("std::ranges::") && (!counts_integers<It>) && requires(It it) { *it; };
/// The same of a type and of what it is made of.
template <class Type>
inline constexpr bool is_of_view = iterator_of_view<Type>;
template <class... Parts, template <class...> class Kind>
inline constexpr bool is_of_view<Kind<Parts...>> = (is_of_view<Parts> || ...);

/// A lambda that nvcc was not told to compile for kernels, or for kernels only. Only nvcc can tell.
#ifdef __CUDACC_EXTENDED_LAMBDA__
template <class Function>
inline constexpr bool is_device_lambda = __nv_is_extended_device_lambda_closure_type(Function);
template <class Function>
inline constexpr bool is_portable_lambda = __nv_is_extended_host_device_lambda_closure_type(Function);
#else
template <class Function>
inline constexpr bool is_device_lambda = false;
template <class Function>
inline constexpr bool is_portable_lambda = false;
#endif
template <class Function>
inline constexpr bool is_host_lambda =
    !is_device_lambda<Function> && !is_portable_lambda<Function> && known::is_lambda<Function>();

/// The same of a type and of what it is made of: an input with a transform, a comparison in an operator.
template <class Type>
inline constexpr bool has_host_lambda = is_host_lambda<Type>;
template <class... Parts, template <class...> class Kind>
inline constexpr bool has_host_lambda<Kind<Parts...>> =
    is_host_lambda<Kind<Parts...>> || (has_host_lambda<Parts> || ...);
template <class Type>
inline constexpr bool has_device_lambda = is_device_lambda<Type>;
template <class... Parts, template <class...> class Kind>
inline constexpr bool has_device_lambda<Kind<Parts...>> =
    is_device_lambda<Kind<Parts...>> || (has_device_lambda<Parts> || ...);
template <class Type>
inline constexpr bool has_portable_lambda = is_portable_lambda<Type>;
template <class... Parts, template <class...> class Kind>
inline constexpr bool has_portable_lambda<Kind<Parts...>> =
    is_portable_lambda<Kind<Parts...>> || (has_portable_lambda<Parts> || ...);

/// A function that only the host can call, or one of the standard's wrappers, in which nvcc does not check what is
/// called.
template <class Function>
constexpr bool is_host_function()
{
    constexpr auto any_of = [](auto... names) { return (known::is_named<Function>("std::", names) || ...); };
    if constexpr (std::is_pointer_v<Function> || std::is_member_pointer_v<Function>)
        return std::is_member_pointer_v<Function> || std::is_function_v<std::remove_pointer_t<Function>>;
    else if constexpr (!known::is_in<Function>("std::"))
        return false;
    else
        return any_of("::_Not_fn", "::_Bind", "::_Bind_result", "::_Bind_front", "::_Bind_back", "::_Mem_fn",
                      "::__not_fn_t", "::__bind", "::__bind_r", "::__bind_front_t", "::__bind_back_t", "::__mem_fn",
                      "::function", "::move_only_function", "::reference_wrapper");
}
/// The same of a type and of what it is made of.
template <class Type>
inline constexpr bool has_host_function = known::is_host_function<Type>();
template <class... Parts, template <class...> class Kind>
inline constexpr bool has_host_function<Kind<Parts...>> =
    known::is_host_function<Kind<Parts...>>() || (has_host_function<Parts> || ...);

/// `long double`, and types made of it or bounded by it: in kernels it is a double, in memory as well.
template <class Type>
constexpr bool is_long_double()
{
    if constexpr (std::is_void_v<Type>)
        return false;
    else if constexpr (requires(Type const& axis) { axis.edge(0); })
        return std::same_as<decltype(std::declval<Type const&>().edge(0)), long double>;
    else
        return std::same_as<Type, long double>;
}
template <class Type>
inline constexpr bool has_long_double = known::is_long_double<Type>();
template <class Type>
inline constexpr bool has_long_double<Type const> = has_long_double<Type>;
template <class Type>
inline constexpr bool has_long_double<Type*> = has_long_double<Type>;
template <class Type>
inline constexpr bool has_long_double<Type&> = has_long_double<Type>;
template <class Type, std::size_t count>
inline constexpr bool has_long_double<Type[count]> = has_long_double<Type>;
template <class Type, std::size_t count, template <class, std::size_t> class Kind>
inline constexpr bool has_long_double<Kind<Type, count>> = has_long_double<Type>;
template <class... Parts, template <class...> class Kind>
inline constexpr bool has_long_double<Kind<Parts...>> =
    known::is_long_double<Kind<Parts...>>() || (has_long_double<Parts> || ...);

/// The known operator equivalent to `op` on values of type T, or else `op` itself.
template <class T, class Op>
constexpr auto operator_or_self(Op op)
{
    if constexpr (arithmetic<T> && requires { typename operator_of<Op, T>::type; })
        return typename operator_of<Op, T>::type{};
    else
        return op;
}

/// An operator that kernels can call in place of one on values of type T that is for the host only: the known operators
/// for the standard's, whatever T is, and of libcu++'s and Thrust's, which a compiler may fuse with a product.
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

/// Op is a known operator.
template <class Op>
concept is_operator = std::derived_from<Op, operator_base>;

/// Every order of combination gives the same bits, so that an engine may choose the fastest.
template <class Op, class T>
concept is_exact = is_operator<Op> && std::integral<T>;

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
            return known::multiplies{}(x, x);
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
            return known::multiplies{}(+x, +x);
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
