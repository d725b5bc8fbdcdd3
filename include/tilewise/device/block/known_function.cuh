// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Which of the library's function objects kernels call in place of a given one.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/core/type_names.hpp>
#include <tilewise/device/block/functors.cuh>
#include <tilewise/functional.hpp>

#include <string_view>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A function object of functors.cuh that takes values converted to T, and returns the type that `Given` returns.
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

/// Returns the function object of functors.cuh for one of the standard library or of libcu++ (which are Thrust's, too),
/// regardless of the type to which that converts its arguments. Those of libcu++ are `__host__ __device__`, so nvcc
/// does not check what they call.
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

/// The same for the library's own class templates.
template <template <class> class Kind>
struct known_kind {};
// clang-format off
template <> struct known_kind<tilewise::minimum> { using type = minimum; };
template <> struct known_kind<tilewise::maximum> { using type = maximum; };
template <> struct known_kind<tilewise::square> { using type = square_of; };
template <> struct known_kind<tilewise::absolute> { using type = magnitude_of; };
// clang-format on

/// The function object that kernels call in place of another: `type`, or no member if they call that one itself.
template <class Function>
struct known_function {};
template <is_known_by_name Function>
struct known_function<Function> {
    using type = decltype(gpu::known_by_name<Function>());
};
template <>
struct known_function<tilewise::argmin> {
    using type = smaller_of_indexed;
};
template <>
struct known_function<tilewise::argmax> {
    using type = larger_of_indexed;
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
