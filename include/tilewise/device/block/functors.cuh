// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The function objects that kernels call in place of those of the standard, of libcu++ and of the library itself.
/// They are for kernels only, so that nvcc rejects one that calls an operator for the host only. (Where the caller is
/// for host and device, nvcc leaves the call out, with a warning at best.)

#include <tilewise/core/config.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/functional.hpp>

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

/// @name The operators on values with indices
/// @{
struct smaller_of_indexed {
    template <class Indexed>
    TILEWISE_DEVICE Indexed operator()(Indexed const& a, Indexed const& b) const
    {
        return b.value < a.value ? b : a;
    }
};
struct larger_of_indexed {
    template <class Indexed>
    TILEWISE_DEVICE Indexed operator()(Indexed const& a, Indexed const& b) const
    {
        return a.value < b.value ? b : a;
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

} // namespace gpu
TILEWISE_NAMESPACE_END
