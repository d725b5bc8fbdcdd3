// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Recognises types that kernels do not support: host lambdas and functions, iterators of host containers, long double.

#include <tilewise/core/config.hpp>
#include <tilewise/core/type_names.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace known {

/// Whether Type is an iterator of a container that kernels cannot traverse, or made of one: the blocks of a deque are
/// all over host memory, and a vector of bool has bits.
template <class Type>
inline constexpr bool is_of_host_container =
    std::same_as<Type, std::vector<bool>::iterator> || std::same_as<Type, std::vector<bool>::const_iterator>;
template <class... Parts, template <class...> class Kind>
inline constexpr bool is_of_host_container<Kind<Parts...>> =
    known::is_named<Kind<Parts...>>("std", "deque_iterator") ||
    known::is_named<Kind<Parts...>>("std", "Deque_iterator") || (is_of_host_container<Parts> || ...);

/// An iterator of std::views::iota over integers, which kernels compute themselves.
template <class It>
concept counts_integers = known::is_in<It>("std::ranges::iota_view<") &&
                          requires(It const& it) { requires std::integral<std::remove_cvref_t<decltype(*it)>>; };

/// An iterator of another view of the standard: its type is private, and nvcc does not accept private types in kernels.
template <class It>
concept iterator_of_view = known::is_in<It>("std::ranges::") && (!counts_integers<It>) && requires(It it) { *it; };
/// The same for a type and its template arguments.
template <class Type>
inline constexpr bool is_of_view = iterator_of_view<Type>;
template <class... Parts, template <class...> class Kind>
inline constexpr bool is_of_view<Kind<Parts...>> = (is_of_view<Parts> || ...);

/// Whether Function is a lambda for the device, for host and device, or for the host only. Only nvcc can distinguish
/// them.
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

/// The same for a type and its template arguments, such as an input with a transform or an operator with a comparison.
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

/// Returns whether Function is a pointer to a function or a member, which only the host can call, or one of the
/// standard's wrappers, in which nvcc does not check what is called.
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
/// The same for a type and its template arguments.
template <class Type>
inline constexpr bool has_host_function = known::is_host_function<Type>();
template <class... Parts, template <class...> class Kind>
inline constexpr bool has_host_function<Kind<Parts...>> =
    known::is_host_function<Kind<Parts...>>() || (has_host_function<Parts> || ...);

/// Returns whether a type is `long double`, or an axis with edges of that type. has_long_double also finds it in the
/// parts of a type. In kernels, a long double is a double, in memory as well.
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

} // namespace known
TILEWISE_NAMESPACE_END
