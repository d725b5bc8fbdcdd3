// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How kernels call functions that are not the library's: from `__device__` functions, so that nvcc rejects host-only
/// functions. In a `__host__ __device__` function nvcc drops such a call, with a warning at best.

#include <tilewise/core/config.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/core/type_names.hpp>
#include <tilewise/device/block/functors.cuh>
#include <tilewise/device/block/known_function.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A `__device__` function object that calls any function. (The type of its result is spelled out, here and wherever
/// host code needs it: nvcc hides the bodies of such functions from the host compiler, which would deduce void.)
template <class Function>
struct in_kernels {
    Function function;
    template <class... Arguments>
    TILEWISE_DEVICE auto operator()([[maybe_unused]] Arguments&&... arguments)
        -> decltype(function(static_cast<Arguments&&>(arguments)...))
    {
        return function(static_cast<Arguments&&>(arguments)...);
    }
    template <class... Arguments>
    TILEWISE_DEVICE auto operator()([[maybe_unused]] Arguments&&... arguments) const
        -> decltype(function(static_cast<Arguments&&>(arguments)...))
    {
        return function(static_cast<Arguments&&>(arguments)...);
    }
};

/// Returns what kernels call in place of a function, in `__device__` functions.
template <class Function>
constexpr auto function_for(Function function)
{
    if constexpr (requires { typename known_function<Function>::type; })
        return typename known_function<Function>::type{};
    else
        return function;
}

/// @name Functions that other libraries' iterators and views call
/// Those iterators and views are `__host__ __device__` or constexpr, so nvcc does not check what they call. Therefore
/// `__device__` functions that never run make the same calls.
/// @{
template <class Function, class... Arguments>
TILEWISE_DEVICE void call_in_kernel(Function& function, Arguments... arguments)
{
    static_cast<void>(function(static_cast<Arguments>(arguments)...));
}
template <class It>
TILEWISE_DEVICE void move_in_kernel(It const& it)
{
    static_cast<void>(it + offset{});
}

/// Makes nvcc check that kernels can call a function with the given arguments.
template <class Function, class... Arguments>
TILEWISE_DEVICE void guard_call()
{
    using called = decltype(gpu::function_for(std::declval<std::remove_const_t<Function>>()));
    if constexpr (!std::is_member_pointer_v<called>)
        static_cast<void>(
            &call_in_kernel<std::conditional_t<std::is_const_v<Function>, called const, called>, Arguments...>);
}
/// When an iterator or a view calls its function.
enum class calling { none, to_view, to_read, to_write, to_write_numbered, to_read_and_write };
template <class Type>
inline constexpr calling calls_own = [] {
    if constexpr (known::is_in<Type>("std::ranges::transform_view"))
        return calling::to_view;
    else if constexpr (!known::is_in<Type>("thrust::") && !known::is_in<Type>("cuda::"))
        return calling::none;
    else if constexpr (known::is_named<Type>("", "::transform_iterator"))
        return calling::to_read;
    else if constexpr (known::is_named<Type>("", "::transform_output_iterator"))
        return calling::to_write;
    else if constexpr (known::is_named<Type>("", "::tabulate_output_iterator"))
        return calling::to_write_numbered;
    else if constexpr (known::is_named<Type>("", "::transform_input_output_iterator"))
        return calling::to_read_and_write;
    else
        return calling::none;
}();

template <class Type, class... Written>
struct nested_calls {
    TILEWISE_DEVICE static void guard() {}
};
template <template <class...> class Kind, class... Parts, class... Written>
struct nested_calls<Kind<Parts...>, Written...> {
    TILEWISE_DEVICE static void guard()
    {
        (nested_calls<Parts, Written...>::guard(), ...);
        if constexpr (calls_own<Kind<Parts...>> != calling::none)
            guard_own<calls_own<Kind<Parts...>>, Parts...>();
    }

private:
    template <calling how, class First, class Second, class... Rest>
    TILEWISE_DEVICE static void guard_own()
    {
        if constexpr (how == calling::to_view)
            gpu::guard_call<Second const, std::ranges::range_reference_t<First const>>();
        else if constexpr (how == calling::to_read)
            gpu::guard_call<First, std::iter_reference_t<Second>>();
        else if constexpr (how == calling::to_read_and_write && sizeof...(Written) == 0)
            gpu::guard_call<First, std::iter_reference_t<std::tuple_element_t<0, std::tuple<Rest...>>>>();
        else if constexpr (sizeof...(Written) == 0)
            return;
        else if constexpr (how == calling::to_write)
            gpu::guard_call<First, Written const&...>();
        else if constexpr (how == calling::to_write_numbered)
            gpu::guard_call<First, offset, Written const&...>();
        else
            gpu::guard_call<Second, Written const&...>();
    }
};
template <template <class, std::size_t> class Kind, class View, std::size_t i, class... Written> // elements_view
struct nested_calls<Kind<View, i>, Written...> : nested_calls<View, Written...> {};
/// Makes nvcc check the functions that an iterator or a view calls to read elements, or to write values of type
/// Written.
template <class It, class... Written>
TILEWISE_DEVICE void guard_iterator()
{
    static_cast<void>(&move_in_kernel<It>);
    nested_calls<It, Written...>::guard();
}

/// A Thrust reference to an element in device memory. Its conversion reads the element on the host, too, into an object
/// that must have a default constructor.
template <class Reference>
concept refers_to_memory = (known::is_named<std::remove_cvref_t<Reference>>("thrust", "::device_reference") ||
                            known::is_named<std::remove_cvref_t<Reference>>("thrust", "::tagged_reference")) &&
                           requires(Reference&& reference) { *(&reference).get(); };
/// Returns `it[n]`, or the element itself if that is a Thrust reference.
template <class It>
TILEWISE_DEVICE decltype(auto) element_at(It& it, offset n)
{
    if constexpr (refers_to_memory<decltype(it[n])>)
        return *(&it[n]).get();
    else
        return it[n];
}

/// Elements that only kernels read, also in `__host__ __device__` functions.
template <class It>
struct elements_in_kernels {
    It it;
    TILEWISE_DEVICE decltype(auto) operator[](offset n) const
    {
        gpu::guard_iterator<It>();
        return gpu::element_at(it, n);
    }
};
/// @}

/// Returns what kernels call in place of a function, in `__host__ __device__` functions.
template <class Function>
constexpr auto guarded(Function function)
{
    if constexpr (requires { typename known_function<Function>::type; })
        return typename known_function<Function>::type{};
    else
        return in_kernels<Function>{std::move(function)};
}

/// Returns the operator that kernels call in place of `op`.
template <class Op>
constexpr auto operator_for(Op op)
{
    if constexpr (std::same_as<Op, known::plus>)
        return plus{};
    else if constexpr (std::same_as<Op, known::multiplies>)
        return multiplies{};
    else if constexpr (std::same_as<Op, known::minimum>)
        return minimum{};
    else if constexpr (std::same_as<Op, known::maximum>)
        return maximum{};
    else
        return gpu::function_for(op);
}

/// Returns the operator that kernels call in place of `op` on values of type T. Checks here, close to the call of the
/// algorithm, that kernels can call it, so that nvcc's message about a host-only operator is short.
template <class T, class Op>
constexpr auto operator_on(Op op)
{
    auto const kernel_op = operator_for(known::portable_operator_or_self<T>(op));
#ifdef __CUDACC__
    static_cast<void>(&combine<T, std::remove_const_t<decltype(kernel_op)>>);
#endif
    return kernel_op;
}

} // namespace gpu
TILEWISE_NAMESPACE_END
