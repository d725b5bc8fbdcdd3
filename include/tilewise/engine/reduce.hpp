// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The reductions of every engine. The headers in this folder choose the engine for a policy, and nothing else does.

#include <tilewise/core/config.hpp>
#include <tilewise/core/extent.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/portability.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/core/sequence.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/call.hpp>
#include <tilewise/error.hpp>
#include <tilewise/host/reduce.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/reduce.cuh>
#elif defined(TILEWISE_COMPILED)
#include <tilewise/compiled/reduce.hpp>
#endif

#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Whether this file compiles kernels, which run what is called under device.
#ifdef TILEWISE_DEVICE_ENGINE
inline constexpr bool has_kernels = true;
#else
inline constexpr bool has_kernels = false;
#endif

/// The function to use in place of a user's function that the library calls within one of its own: kernels need one
/// that nvcc rejects if they cannot call it.
template <class Policy, class Function>
constexpr auto callable(Function function)
{
#ifdef TILEWISE_DEVICE_ENGINE
    if constexpr (!is_device_policy<policy_for<Policy>>)
        return function;
    else if constexpr (known::has_host_function<Function> || known::has_host_lambda<Function>)
        return function; // can_compute_on_device rejects it with a sentence
    else
        return gpu::guarded(std::move(function));
#else
    return function;
#endif
}
/// Its type.
template <class Policy, class Function>
using callable_for = decltype(engine::callable<Policy>(std::declval<Function>()));

#ifdef TILEWISE_DEVICE_ENGINE
/// Sums up a transform that is one where its predicate holds, and zero elsewhere, in more than 32 bits.
template <class Op, class T, class Input>
inline constexpr bool counts_in_many_bits = false;
template <class T, class Transform, class It>
inline constexpr bool counts_in_many_bits<known::plus, T, transformed<Transform, It>> =
    std::integral<T> && sizeof(T) > sizeof(std::int32_t) && known::is_one_if<Transform>;

/// Such a sum, in 32 bits as far as they go: the order is that of T, and cannot matter; loads of narrow elements are
/// twice as wide.
template <class Geometry, class Policy, class Transform, class It, class T>
T count_on_device(Policy const& policy, transformed<Transform, It> const& input, offset count, T sum)
{
    constexpr offset most = offset{1} << 30;
    auto const narrow = input.transform().template as<std::int32_t>();
    for (offset begin = 0; begin < count; begin += most)
        sum += gpu::reduce<Geometry>(policy, transformed(narrow, tilewise::advanced(input.base(), begin)),
                                     std::min(most, count - begin), std::int32_t{0},
                                     gpu::operator_on<std::int32_t>(known::plus{}));
    return sum;
}
#endif

/// Whether a device policy waits for what a call returns. If not, one sentence says so.
template <class Policy>
constexpr bool can_return_a_value()
{
    static_assert(Policy::waits, "tilewise: a call with nosync() returns before its result is computed; use "
                                 "reduce_into or transform_reduce_into");
    return Policy::waits;
}

/// Combines `init`, which is moved from, and an input to a T.
template <class Geometry = standard_geometry, class Policy, class Input, class Extent, class T, class Op>
T reduce(Policy policy, Input input, Extent end, T&& init, Op op)
{
    if constexpr (is_engine<Policy>) {
        return policy.reduce(std::move(input), std::move(end), std::move(init), std::move(op));
    } else if constexpr (is_device_policy<Policy>) {
        if constexpr (engine::can_return_a_value<Policy>() && tilewise::can_reduce<Policy, T, Op, Input, Extent>()) {
#ifdef TILEWISE_DEVICE_ENGINE
            if constexpr (counts_in_many_bits<decltype(known::operator_or_self<T>(op)), T, Input>)
                return engine::count_on_device<Geometry>(policy, input, end, T(init));
            else
                return gpu::reduce<Geometry>(policy, input, end, init, gpu::operator_on<T>(op));
#elif defined(TILEWISE_COMPILED)
            return library::reduce(policy, input, end, init, op);
#else
            throw_no_device();
#endif
        } else {
            std::abort();
        }
    } else if constexpr (tilewise::can_reduce<Policy, T, Op, Input, Extent>()) {
        if (tilewise::is_empty_input(input, end))
            return std::move(init);
        host::make_opaque(init);
        T result = host::reduce<Geometry>(policy, std::move(input), std::move(end), std::move(init),
                                          known::operator_or_self<T>(std::move(op)));
        host::make_opaque(result);
        return result;
    } else {
        std::abort(); // a T may be neither moved nor made
    }
}

/// The same, written through `out`: by a kernel, in stream order, under a device policy.
template <class Policy, class Input, class Extent, class Out, class T, class Op>
Out reduce_into(Policy policy, Input input, Extent end, Out out, T init, Op op)
{
    if constexpr (hardened && std::is_pointer_v<Out>) {
        if (out == nullptr)
            reject_argument("reduce_into", "the output is null");
    }
    if constexpr (is_engine<Policy>) {
        return policy.reduce_into(std::move(input), std::move(end), std::move(out), std::move(init), std::move(op));
    } else if constexpr (!is_device_policy<Policy>) {
        tilewise::store(out, engine::reduce(policy, std::move(input), std::move(end), std::move(init), std::move(op)));
    } else if constexpr (tilewise::can_reduce<Policy, T, Op, Input, Extent>() &&
                         tilewise::can_compute_on_device<Out>()) {
#ifdef TILEWISE_DEVICE_ENGINE
        gpu::reduce_into<standard_geometry>(policy, input, end, init, gpu::operator_on<T>(op), out);
#elif defined(TILEWISE_COMPILED)
        library::reduce_into(policy, input, end, init, op, out);
#else
        throw_no_device();
#endif
    }
    return ++out;
}

/// Combines `init`, which is moved from, and the elements of a sequence. The elements may be transformed, alone or in
/// pairs with the elements of a second sequence.
template <class Policy, class It, class Extent, class T, class Op, class... TransformAndIt2>
T reduce_sequence(Policy const& policy, sequence<It, Extent> elements, T&& init, Op op, TransformAndIt2... other)
{
    if constexpr (tilewise::can_transform_sequence<It, TransformAndIt2...>()) {
        return engine::in_call(policy, elements.algorithm, [&](auto on) -> T {
            tilewise::check_sequence(elements);
            auto input = tilewise::transform_sequence(std::move(elements), std::move(other)...);
            return engine::reduce(on, std::move(input.first), std::move(input.end), std::move(init), std::move(op));
        });
    } else {
        return std::move(init);
    }
}

/// Writes the same result to `*out`.
template <class Policy, class It, class Extent, class Out, class T, class Op, class... TransformAndIt2>
output_end<Out> reduce_sequence_into(Policy const& policy, sequence<It, Extent> elements, Out&& out, T&& init, Op op,
                                     TransformAndIt2... other)
{
    if constexpr (tilewise::can_transform_sequence<It, TransformAndIt2...>()) {
        return engine::in_call(policy, elements.algorithm, [&](auto on) -> output_end<Out> {
            tilewise::check_sequence(elements);
            auto to = tilewise::output_begin<Policy>(elements.algorithm, offset{1}, std::forward<Out>(out));
            auto input = tilewise::transform_sequence(std::move(elements), std::move(other)...);
            return tilewise::output_position<Out>(out,
                                                  engine::reduce_into(on, std::move(input.first), std::move(input.end),
                                                                      std::move(to), std::move(init), std::move(op)));
        });
    } else {
        std::abort();
    }
}

} // namespace engine
TILEWISE_NAMESPACE_END
