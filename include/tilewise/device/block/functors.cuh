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

#include <string_view>
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

/// The function object above for one of the standard or of libcu++ (which are Thrust's, too), whatever it converts its
/// arguments to. libcu++'s are for host and device, and hide from nvcc what they call.
// clang-format off
template <class Function>
constexpr auto known_by_name()
{
    constexpr auto is = [](std::string_view name) { return known::is_named<Function>("", name); };
    if constexpr (!known::is_in<Function>("std::") && !known::is_in<Function>("cuda::")) return;
    else if constexpr (is("::plus")) return sum_of{};
    else if constexpr (is("::minus")) return difference_of{};
    else if constexpr (is("::multiplies")) return product_of{};
    else if constexpr (is("::divides")) return quotient_of{};
    else if constexpr (is("::modulus")) return remainder_of{};
    else if constexpr (is("::negate")) return negative_of{};
    else if constexpr (is("::equal_to")) return is_equal{};
    else if constexpr (is("::not_equal_to")) return is_not_equal{};
    else if constexpr (is("::greater")) return is_greater{};
    else if constexpr (is("::less")) return is_less{};
    else if constexpr (is("::greater_equal")) return is_at_least{};
    else if constexpr (is("::less_equal")) return is_at_most{};
    else if constexpr (is("::logical_and")) return both_of{};
    else if constexpr (is("::logical_or")) return one_of{};
    else if constexpr (is("::logical_not")) return opposite_of{};
    else if constexpr (is("::bit_and")) return common_bits_of{};
    else if constexpr (is("::bit_or")) return all_bits_of{};
    else if constexpr (is("::bit_xor")) return different_bits_of{};
    else if constexpr (is("::bit_not")) return other_bits_of{};
    else if constexpr (is("::identity")) return same_as_given{};
}
// clang-format on
template <class Function>
concept is_known_by_name = !std::is_void_v<decltype(gpu::known_by_name<Function>())>;

/// The same for the class templates of the library's own.
template <template <class> class Kind>
struct known_kind {};
// clang-format off
template <> struct known_kind<tilewise::minimum> { using type = minimum; };
template <> struct known_kind<tilewise::maximum> { using type = maximum; };
template <> struct known_kind<tilewise::square> { using type = square_of; };
template <> struct known_kind<tilewise::absolute> { using type = magnitude_of; };
// clang-format on

/// What kernels call in place of a function object: `type`, or nothing for one that is called itself.
template <class Function>
struct known_function {};
template <is_known_by_name Function>
struct known_function<Function> {
    using type = decltype(gpu::known_by_name<Function>());
};
template <template <class> class Kind, class T>
    requires(is_known_by_name<Kind<T>> && !std::is_void_v<T>)
struct known_function<Kind<T>> {
    using type = on_values_of<Kind<T>, decltype(gpu::known_by_name<Kind<T>>()), T>;
};
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

} // namespace gpu
TILEWISE_NAMESPACE_END
