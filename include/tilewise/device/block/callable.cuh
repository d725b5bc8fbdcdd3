// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How kernels call what is not the library's, so that nvcc rejects what is for the host only: from functions for
/// kernels only. In a function for host and device nvcc leaves such a call out, with a warning at best.

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

/// A function for kernels, whatever is called through it. (Its result's type is spelled out, here and wherever the host
/// asks for it: nvcc hides the bodies of such functions from the host's compiler, which would deduce void.)
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

/// What kernels call for a function, from a function for kernels.
template <class Function>
constexpr auto function_for(Function function)
{
    if constexpr (requires { typename known_function<Function>::type; })
        return typename known_function<Function>::type{};
    else
        return function;
}

/// @name Functions that other libraries' iterators and views call
/// These are for host and device, or constexpr, and hide from nvcc what they call. So kernels are made to call it, in
/// functions that never run.
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

/// Makes kernels call the functions of an iterator or view that reads elements, or gets Written.
template <class Function, class... Arguments>
TILEWISE_DEVICE void guard_call()
{
    using called = decltype(gpu::function_for(std::declval<std::remove_const_t<Function>>()));
    if constexpr (!std::is_member_pointer_v<called>)
        static_cast<void>(
            &call_in_kernel<std::conditional_t<std::is_const_v<Function>, called const, called>, Arguments...>);
}
/// Where an iterator or a view calls a function.
enum class calling { nothing, to_view, to_read, to_write, to_write_numbered, to_read_and_write };
template <class Type>
inline constexpr calling calls_own = [] {
    if constexpr (known::is_in<Type>("std::ranges::transform_view"))
        return calling::to_view;
    else if constexpr (!known::is_in<Type>("thrust::") && !known::is_in<Type>("cuda::"))
        return calling::nothing;
    else if constexpr (known::is_named<Type>("", "::transform_iterator"))
        return calling::to_read;
    else if constexpr (known::is_named<Type>("", "::transform_output_iterator"))
        return calling::to_write;
    else if constexpr (known::is_named<Type>("", "::tabulate_output_iterator"))
        return calling::to_write_numbered;
    else if constexpr (known::is_named<Type>("", "::transform_input_output_iterator"))
        return calling::to_read_and_write;
    else
        return calling::nothing;
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
        if constexpr (calls_own<Kind<Parts...>> != calling::nothing)
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
template <class It, class... Written>
TILEWISE_DEVICE void guard_iterator()
{
    static_cast<void>(&move_in_kernel<It>);
    nested_calls<It, Written...>::guard();
}

/// A reference of Thrust's to an element in memory of a GPU. Converted, it reads that on the host, too, into an object
/// that must have a default constructor.
template <class Reference>
concept refers_to_memory = (known::is_named<std::remove_cvref_t<Reference>>("thrust", "::device_reference") ||
                            known::is_named<std::remove_cvref_t<Reference>>("thrust", "::tagged_reference")) &&
                           requires(Reference&& reference) { *(&reference).get(); };
/// What an iterator refers to so many elements further.
template <class It>
TILEWISE_DEVICE decltype(auto) element_at(It& it, offset n)
{
    if constexpr (refers_to_memory<decltype(it[n])>)
        return *(&it[n]).get();
    else
        return it[n];
}

/// Elements that only kernels read, also from functions for host and device.
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

/// What kernels call for a function, from one that is for the host, too.
template <class Function>
constexpr auto guarded(Function function)
{
    if constexpr (requires { typename known_function<Function>::type; })
        return typename known_function<Function>::type{};
    else
        return in_kernels<Function>{std::move(function)};
}

/// The operator that kernels call for `op`.
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

/// The operator that kernels call for `op` on values of type T. Here, close to the call of the algorithm, nvcc says in
/// few lines what is wrong with one that is for the host only.
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
