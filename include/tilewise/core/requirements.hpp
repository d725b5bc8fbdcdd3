// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The requirements of the algorithms on their arguments, with the messages that a compiler prints.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/portability.hpp>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// Returns whether kernels can compute with the given types. If not, a static_assert says why.
template <class... Types>
constexpr bool can_compute_on_device()
{
    constexpr bool representable = !(known::has_long_double<Types> || ...);
    constexpr bool callable = !(known::has_host_lambda<Types> || ...);
    constexpr bool checked = !(known::has_host_function<Types> || ...);
    static_assert(representable, "tilewise: kernels do not support long double, which is double in device code; "
                                 "convert to double, or pass tilewise::par");
    static_assert(callable,
                  "tilewise: kernels cannot call this lambda; write [=] __host__ __device__ (...) and compile with "
                  "nvcc --extended-lambda, or pass a function object whose operator() is __host__ __device__");
    static_assert(
        checked,
        "tilewise: kernels cannot call function pointers, std::function, or the results of std::bind, std::not_fn, "
        "std::mem_fn and std::ref; pass a function object whose operator() is __host__ __device__");
    return representable && callable && checked;
}

/// Returns whether nvcc accepts the given iterators in a kernel. If not, a static_assert says why.
template <class... Its>
constexpr bool can_pass_to_kernels()
{
#ifdef __CUDACC__
    constexpr bool named_type = !(known::is_of_view<Its> || ...);
#else
    constexpr bool named_type = true;
#endif
    static_assert(named_type, "tilewise: nvcc does not accept iterators of this view in kernels, because their type is "
                              "private; pass the view itself, or an iterator such as thrust::transform_iterator");
    return named_type;
}

/// Returns whether an input can be combined to a T on a GPU. If not, a static_assert says why.
template <class T, class Op, class Input, class Extent>
constexpr bool can_reduce_on_device()
{
    constexpr bool indexed = std::same_as<Extent, offset>;
    constexpr bool copies = std::is_trivially_copyable_v<T> && sizeof(T) <= 256;
    constexpr bool reached = !known::is_of_host_container<Input>;
    constexpr bool input_copies = copies_as_bytes<Input> || !reached;
    static_assert(
        indexed, "tilewise: device needs random access iterators; copy the elements into a vector on the device first");
    static_assert(copies, "tilewise: under device, the accumulator, which has the type of init, must be trivially "
                          "copyable and have at most 256 bytes");
    static_assert(reached,
                  "tilewise: kernels cannot read the elements of a std::deque or a std::vector<bool>; copy them "
                  "into a std::vector of another type first, or pass tilewise::par");
    static_assert(input_copies, "tilewise: device copies iterators and functions into kernels, so they must be "
                                "trivially copyable");
    return tilewise::can_pass_to_kernels<Input>() && tilewise::can_compute_on_device<T, Op, Input>() && indexed &&
           copies && reached && input_copies;
}

/// Returns whether an input can be combined to a T under a policy. If not, a static_assert says why.
template <class Policy, class T, class Op, class Input, class Extent>
constexpr bool can_reduce()
{
    constexpr bool movable = std::move_constructible<T>;
    static_assert(movable, "tilewise: the accumulator, which has the type of init, must be move constructible");
    if constexpr (is_device_policy<Policy> && (known::has_device_lambda<Op> || known::has_device_lambda<Input>)) {
        return tilewise::can_reduce_on_device<T, Op, Input, Extent>(); // the host cannot query its signature
    } else {
        constexpr bool combines = std::is_invocable_r_v<T, Op&, T, T> || std::is_invocable_r_v<T, Op&, T&, T&>;
        constexpr bool converts = std::is_convertible_v<decltype(*std::declval<Input&>()), T>;
        static_assert(combines, "tilewise: op must accept two values of the accumulator's type, which is the type of "
                                "init (without init, of the elements), and its result must convert to that type");
        static_assert(converts, "tilewise: elements, or results of transform_op, must convert to the accumulator's "
                                "type, which is the type of init");
        if constexpr (is_device_policy<Policy>) {
            return combines && converts && tilewise::can_reduce_on_device<T, Op, Input, Extent>() &&
                   tilewise::can_compute_on_device<decltype(*std::declval<Input&>())>();
        } else {
            constexpr bool readable = std::same_as<Policy, sequenced_policy> || is_forward_input<Input>;
            static_assert(
                readable,
                "tilewise: par needs forward iterators; pass tilewise::seq, or copy the input into a vector first");
            return movable && combines && converts && readable;
        }
    }
}

/// Throws no_device, since nothing in this file can run on a GPU.
[[noreturn]] inline void throw_no_device()
{
    throw no_device("tilewise: this file was not compiled for tilewise::device; compile it with nvcc, or use "
                    "tilewise::par");
}

/// Returns whether the results of a scan, of type T, can be written under a policy. If not, a static_assert says why.
template <class Policy, class T, class Out>
constexpr bool can_write()
{
    constexpr bool copies = std::copy_constructible<T>;
    constexpr bool takes = writable<Out, T>;
    static_assert(copies, "tilewise: the accumulator of a scan must be copy constructible, because the scan writes it "
                          "and continues with it");
    static_assert(takes, "tilewise: the accumulator of a scan must be assignable to the elements of the output");
    if constexpr (is_device_policy<Policy>) {
        constexpr bool indexed = random_access<Out> && copies_as_bytes<Out> && !known::has_host_lambda<Out> &&
                                 !known::is_of_host_container<Out>;
        static_assert(indexed, "tilewise: under device, the output must be a trivially copyable random access iterator "
                               "into GPU memory; write to a vector on the device, then copy");
        return tilewise::can_compute_on_device<Out>() && copies && takes && indexed;
    } else {
        constexpr bool shared = std::same_as<Policy, sequenced_policy> || multi_pass<Out>;
        static_assert(shared, "tilewise: par writes to several positions concurrently, so the output must be a forward "
                              "iterator; pass tilewise::seq, or write to a vector first");
        return copies && takes && shared;
    }
}

TILEWISE_NAMESPACE_END
