// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Where every form of reduction meets every policy.

#include <tilewise/config.hpp>
#include <tilewise/error.hpp>
#include <tilewise/functional.hpp>
#include <tilewise/host/opaque.hpp>
#include <tilewise/host/reduce.hpp>
#include <tilewise/input.hpp>
#include <tilewise/iterator.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/reduce.cuh>
#endif

#include <concepts>
#include <cstdlib>
#include <functional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// Whether an input can be combined to a T on a GPU. If not, one sentence says why.
template <class T, class Op, class Input, class Extent>
constexpr bool can_reduce_on_device()
{
    constexpr bool indexed = std::same_as<Extent, offset>;
    constexpr bool copies = std::is_trivially_copyable_v<T> && sizeof(T) <= 256;
    constexpr bool input_copies = copies_as_bytes<Input>;
    constexpr bool callable = !named::has_host_lambda<Op> && !named::has_host_lambda<Input>;
    static_assert(indexed, "tilewise: device needs random access iterators, which kernels can index; copy the elements "
                           "of a list, stream or tree into a vector on the device first");
    static_assert(copies, "tilewise: under device the accumulator, of init's type, must be trivially copyable and have "
                          "at most 256 bytes");
    static_assert(input_copies, "tilewise: device copies iterators and functions into kernels, so they must be "
                                "trivially copyable");
    static_assert(callable,
                  "tilewise: kernels cannot call this lambda; write [=] __host__ __device__ (...) and compile "
                  "with nvcc --extended-lambda, or pass a function object with such an operator()");
    return indexed && copies && input_copies && callable;
}

/// Whether an input can be combined to a T under a policy. If not, one sentence says why.
template <class Policy, class T, class Op, class Input, class Extent>
constexpr bool can_reduce()
{
    constexpr bool movable = std::move_constructible<T>;
    static_assert(movable, "tilewise: the accumulator, of init's type, must be move constructible");
    if constexpr (is_device_policy<Policy> && (named::has_device_lambda<Op> || named::has_device_lambda<Input>)) {
        return can_reduce_on_device<T, Op, Input, Extent>(); // the host cannot ask what it takes and returns
    } else {
        constexpr bool combines = std::is_invocable_r_v<T, Op&, T, T> || std::is_invocable_r_v<T, Op&, T&, T&>;
        constexpr bool converts = std::is_convertible_v<decltype(*std::declval<Input&>()), T>;
        static_assert(combines,
                      "tilewise: op must take two values of the accumulator's type, which is init's (without init, "
                      "the elements'), and its result must convert to that type");
        static_assert(converts, "tilewise: elements, or results of transform_op, must convert to the accumulator's "
                                "type, which is init's");
        if constexpr (is_device_policy<Policy>) {
            return combines && converts && can_reduce_on_device<T, Op, Input, Extent>();
        } else {
            constexpr bool readable = std::same_as<Policy, sequenced_policy> || is_forward_input<Input>;
            static_assert(readable,
                          "tilewise: par needs iterators that can be read more than once (forward iterators); pass "
                          "tilewise::seq, or copy the input into a vector first");
            return movable && combines && converts && readable;
        }
    }
}

#ifdef __CUDACC__
/// Calls an operator as a kernel does, but close to the call of the algorithm: if it is for the host only, nvcc says so
/// and how to help it in a few lines.
template <class T, class Op>
__device__ void call_in_kernel(Op& op, T& value)
{
    static_cast<void>(op(value, value));
}
#endif

/// Says that nothing here can run on a GPU.
[[noreturn]] inline void throw_no_device()
{
    throw no_device("tilewise: this file was not compiled for tilewise::device; compile it with nvcc, or use "
                    "tilewise::par");
}

/// Combines `init`, which is spent, and an input to a T. The policy is dispatched on here and nowhere else.
template <class Policy, class Input, class Extent, class T, class Op>
T reduce_input(Policy policy, Input input, Extent end, T&& init, Op op)
{
    if constexpr (is_device_policy<Policy>) {
        static_assert(Policy::waits, "tilewise: a policy with nosync() returns before there is a value to return; use "
                                     "reduce_into or transform_reduce_into");
        if constexpr (Policy::waits && can_reduce<Policy, T, Op, Input, Extent>()) {
#ifdef TILEWISE_DEVICE_ENGINE
            auto kernel_op = gpu::operator_for(named::portable_twin_or_self<T>(op));
#ifdef __CUDACC__
            if constexpr (std::is_invocable_v<decltype(kernel_op)&, T&, T&>)
                static_cast<void>(&call_in_kernel<T, decltype(kernel_op)>);
#endif
            return gpu::reduce<standard_geometry>(policy, input, end, init, kernel_op);
#else
            throw_no_device();
#endif
        } else {
            std::abort();
        }
    } else if constexpr (can_reduce<Policy, T, Op, Input, Extent>()) {
        if constexpr (std::same_as<Extent, offset>) {
            if (end <= 0)
                return std::move(init);
        } else if (input == end) {
            return std::move(init);
        }
        host::make_opaque(init);
        T result = host::reduce<standard_geometry>(policy, std::move(input), std::move(end), std::move(init),
                                                   named::twin_or_self<T>(std::move(op)));
        host::make_opaque(result);
        return result;
    } else {
        std::abort(); // a T may be neither moved nor made
    }
}

/// The same, written through `out`: by a kernel, in stream order, under a device policy.
template <class Policy, class Input, class Extent, class Out, class T, class Op>
Out reduce_input_into(Policy policy, Input input, Extent end, Out out, T init, Op op)
{
    if constexpr (!is_device_policy<Policy>) {
        tilewise::store(out, reduce_input(policy, std::move(input), std::move(end), std::move(init), std::move(op)));
    } else if constexpr (can_reduce<Policy, T, Op, Input, Extent>()) {
#ifdef TILEWISE_DEVICE_ENGINE
        gpu::reduce_into<standard_geometry>(policy, input, end, init,
                                            gpu::operator_for(named::portable_twin_or_self<T>(op)), out);
#else
        throw_no_device();
#endif
    }
    return ++out;
}

TILEWISE_NAMESPACE_END
