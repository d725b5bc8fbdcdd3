// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The function objects that kernels call in place of those of the standard, of libcu++ and of the library itself.
/// They are for kernels only, so that nvcc rejects one that calls an operator for the host only. (Where the caller is
/// for host and device, nvcc leaves the call out, with a warning at best.)

#include <tilewise/core/config.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/core/type_names.hpp>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/functional.hpp>

#include <iterator>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// @name The known operators
/// Of numbers, the library's own; of other types, what the standard says.
/// @{
struct multiplies : known::operator_base {
    template <class T>
    TILEWISE_DEVICE T operator()(T const& a, T const& b) const
    {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
            return known::multiplies{}(a, b);
        else
            return static_cast<T>(a * b);
    }
};
struct minimum : known::operator_base {
    template <class T>
    TILEWISE_DEVICE T operator()(T const& a, T const& b) const
    {
        return b < a ? b : a;
    }
};
struct maximum : known::operator_base {
    template <class T>
    TILEWISE_DEVICE T operator()(T const& a, T const& b) const
    {
        return a < b ? b : a;
    }
};
/// @}

/// @name The function objects of `<functional>`
/// They compute what those do.
/// @{
struct sum_of {
    template <class A, class B>
    TILEWISE_DEVICE auto operator()(A const& a, B const& b) const -> decltype(a + b)
    {
        return a + b;
    }
};
struct difference_of {
    template <class A, class B>
    TILEWISE_DEVICE auto operator()(A const& a, B const& b) const -> decltype(a - b)
    {
        if constexpr (std::is_same_v<A, B> && machine_number<A> && !std::is_integral_v<A>)
            return gpu::add_rounded(a, static_cast<A>(-b)); // as an operator: not fused with a product of a transform
        else
            return a - b;
    }
};
struct product_of {
    template <class A, class B>
    TILEWISE_DEVICE auto operator()(A const& a, B const& b) const -> decltype(a * b)
    {
        return a * b;
    }
};
struct quotient_of {
    template <class A, class B>
    TILEWISE_DEVICE auto operator()(A const& a, B const& b) const -> decltype(a / b)
    {
        return a / b;
    }
};
struct remainder_of {
    template <class A, class B>
    TILEWISE_DEVICE auto operator()(A const& a, B const& b) const -> decltype(a % b)
    {
        return a % b;
    }
};
struct negative_of {
    template <class A>
    TILEWISE_DEVICE auto operator()(A const& a) const -> decltype(-a)
    {
        return -a;
    }
};
struct is_equal {
    template <class A, class B>
    TILEWISE_DEVICE auto operator()(A const& a, B const& b) const -> decltype(a == b)
    {
        return a == b;
    }
};
struct is_not_equal {
    template <class A, class B>
    TILEWISE_DEVICE auto operator()(A const& a, B const& b) const -> decltype(a != b)
    {
        return a != b;
    }
};
struct is_greater {
    template <class A, class B>
    TILEWISE_DEVICE auto operator()(A const& a, B const& b) const -> decltype(a > b)
    {
        return a > b;
    }
};
struct is_less {
    template <class A, class B>
    TILEWISE_DEVICE auto operator()(A const& a, B const& b) const -> decltype(a < b)
    {
        return a < b;
    }
};
struct is_at_least {
    template <class A, class B>
    TILEWISE_DEVICE auto operator()(A const& a, B const& b) const -> decltype(a >= b)
    {
        return a >= b;
    }
};
struct is_at_most {
    template <class A, class B>
    TILEWISE_DEVICE auto operator()(A const& a, B const& b) const -> decltype(a <= b)
    {
        return a <= b;
    }
};
struct both_of {
    template <class A, class B>
    TILEWISE_DEVICE auto operator()(A const& a, B const& b) const -> decltype(a && b)
    {
        return a && b;
    }
};
struct one_of {
    template <class A, class B>
    TILEWISE_DEVICE auto operator()(A const& a, B const& b) const -> decltype(a || b)
    {
        return a || b;
    }
};
struct opposite_of {
    template <class A>
    TILEWISE_DEVICE auto operator()(A const& a) const -> decltype(!a)
    {
        return !a;
    }
};
struct common_bits_of {
    template <class A, class B>
    TILEWISE_DEVICE auto operator()(A const& a, B const& b) const -> decltype(a & b)
    {
        return a & b;
    }
};
struct all_bits_of {
    template <class A, class B>
    TILEWISE_DEVICE auto operator()(A const& a, B const& b) const -> decltype(a | b)
    {
        return a | b;
    }
};
struct different_bits_of {
    template <class A, class B>
    TILEWISE_DEVICE auto operator()(A const& a, B const& b) const -> decltype(a ^ b)
    {
        return a ^ b;
    }
};
struct other_bits_of {
    template <class A>
    TILEWISE_DEVICE auto operator()(A const& a) const -> decltype(~a)
    {
        return ~a;
    }
};
struct same_as_given {
    template <class A>
    TILEWISE_DEVICE A operator()(A const& a) const
    {
        return a;
    }
};
/// @}

/// @name The library's transforms
/// @{
struct square_of {
    template <class A>
    TILEWISE_DEVICE auto operator()(A const& a) const -> decltype(tilewise::square<>{}(a))
    {
        if constexpr (std::is_integral_v<A>)
            return known::multiplies{}(+a, +a);
        else
            return a * a;
    }
};
struct magnitude_of {
    template <class A>
    TILEWISE_DEVICE auto operator()(A const& a) const -> decltype(tilewise::absolute<>{}(a))
    {
        if constexpr (std::is_integral_v<A>)
            return tilewise::absolute<>{}(a);
        else
            return A{} < a ? a : A{} - a;
    }
};
/// @}

/// One of the function objects above, of values converted to T, with the result of `Given`.
template <class Given, class Function, class T>
struct on_values_of {
    template <class U = T>
    TILEWISE_DEVICE std::invoke_result_t<Given const&, U const&, U const&> operator()(T const& a, T const& b) const
    {
        return static_cast<std::invoke_result_t<Given const&, U const&, U const&>>(Function{}(a, b));
    }
    template <class U = T>
    TILEWISE_DEVICE std::invoke_result_t<Given const&, U const&> operator()(T const& a) const
    {
        return static_cast<std::invoke_result_t<Given const&, U const&>>(Function{}(a));
    }
};

/// What computes the same as the function objects of a class template of the standard, or nothing.
template <template <class> class Kind>
struct known_kind {};
// clang-format off
template <> struct known_kind<std::plus> { using type = sum_of; };
template <> struct known_kind<std::minus> { using type = difference_of; };
template <> struct known_kind<std::multiplies> { using type = product_of; };
template <> struct known_kind<std::divides> { using type = quotient_of; };
template <> struct known_kind<std::modulus> { using type = remainder_of; };
template <> struct known_kind<std::negate> { using type = negative_of; };
template <> struct known_kind<std::equal_to> { using type = is_equal; };
template <> struct known_kind<std::not_equal_to> { using type = is_not_equal; };
template <> struct known_kind<std::greater> { using type = is_greater; };
template <> struct known_kind<std::less> { using type = is_less; };
template <> struct known_kind<std::greater_equal> { using type = is_at_least; };
template <> struct known_kind<std::less_equal> { using type = is_at_most; };
template <> struct known_kind<std::logical_and> { using type = both_of; };
template <> struct known_kind<std::logical_or> { using type = one_of; };
template <> struct known_kind<std::logical_not> { using type = opposite_of; };
template <> struct known_kind<std::bit_and> { using type = common_bits_of; };
template <> struct known_kind<std::bit_or> { using type = all_bits_of; };
template <> struct known_kind<std::bit_xor> { using type = different_bits_of; };
template <> struct known_kind<std::bit_not> { using type = other_bits_of; };
template <> struct known_kind<tilewise::minimum> { using type = minimum; };
template <> struct known_kind<tilewise::maximum> { using type = maximum; };
template <> struct known_kind<tilewise::square> { using type = square_of; };
template <> struct known_kind<tilewise::absolute> { using type = magnitude_of; };
// clang-format on

/// What kernels call in place of a function object: `type`, or nothing for one that is called itself.
template <class Function>
struct known_function {};
template <template <class> class Kind, class T>
    requires requires { typename known_kind<Kind>::type; }
struct known_function<Kind<T>> {
    using type = on_values_of<Kind<T>, typename known_kind<Kind>::type, T>;
};
template <template <class> class Kind>
    requires requires { typename known_kind<Kind>::type; }
struct known_function<Kind<void>> {
    using type = typename known_kind<Kind>::type;
};
// clang-format off
template <> struct known_function<std::identity> { using type = same_as_given; };
template <> struct known_function<std::ranges::equal_to> { using type = is_equal; };
template <> struct known_function<std::ranges::not_equal_to> { using type = is_not_equal; };
template <> struct known_function<std::ranges::greater> { using type = is_greater; };
template <> struct known_function<std::ranges::less> { using type = is_less; };
template <> struct known_function<std::ranges::greater_equal> { using type = is_at_least; };
template <> struct known_function<std::ranges::less_equal> { using type = is_at_most; };
// clang-format on

/// The same of libcu++'s function objects, which are Thrust's, too: for host and device, they hide from nvcc what they
/// call.
template <class Function>
constexpr auto known_by_name()
{
    if constexpr (!known::is_in<Function>("cuda::"))
        return;
    else if constexpr (known::is_named<Function>("cuda", "::plus"))
        return sum_of{};
    else if constexpr (known::is_named<Function>("cuda", "::minus"))
        return difference_of{};
    else if constexpr (known::is_named<Function>("cuda", "::multiplies"))
        return product_of{};
    else if constexpr (known::is_named<Function>("cuda", "::divides"))
        return quotient_of{};
    else if constexpr (known::is_named<Function>("cuda", "::modulus"))
        return remainder_of{};
    else if constexpr (known::is_named<Function>("cuda", "::negate"))
        return negative_of{};
    else if constexpr (known::is_named<Function>("cuda", "::equal_to"))
        return is_equal{};
    else if constexpr (known::is_named<Function>("cuda", "::not_equal_to"))
        return is_not_equal{};
    else if constexpr (known::is_named<Function>("cuda", "::greater"))
        return is_greater{};
    else if constexpr (known::is_named<Function>("cuda", "::less"))
        return is_less{};
    else if constexpr (known::is_named<Function>("cuda", "::greater_equal"))
        return is_at_least{};
    else if constexpr (known::is_named<Function>("cuda", "::less_equal"))
        return is_at_most{};
    else if constexpr (known::is_named<Function>("cuda", "::logical_and"))
        return both_of{};
    else if constexpr (known::is_named<Function>("cuda", "::logical_or"))
        return one_of{};
    else if constexpr (known::is_named<Function>("cuda", "::logical_not"))
        return opposite_of{};
    else if constexpr (known::is_named<Function>("cuda", "::bit_and"))
        return common_bits_of{};
    else if constexpr (known::is_named<Function>("cuda", "::bit_or"))
        return all_bits_of{};
    else if constexpr (known::is_named<Function>("cuda", "::bit_xor"))
        return different_bits_of{};
    else if constexpr (known::is_named<Function>("cuda", "::bit_not"))
        return other_bits_of{};
}
template <template <class> class Kind, class T>
    requires(!std::is_void_v<T> && !std::is_void_v<decltype(gpu::known_by_name<Kind<T>>())>)
struct known_function<Kind<T>> {
    using type = on_values_of<Kind<T>, decltype(gpu::known_by_name<Kind<T>>()), T>;
};
template <template <class> class Kind>
    requires(!std::is_void_v<decltype(gpu::known_by_name<Kind<void>>())>)
struct known_function<Kind<void>> {
    using type = decltype(gpu::known_by_name<Kind<void>>());
};

} // namespace gpu
TILEWISE_NAMESPACE_END
