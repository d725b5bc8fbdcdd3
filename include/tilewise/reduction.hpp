// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Where every form of reduction meets every policy.

#include <tilewise/config.hpp>
#include <tilewise/functional.hpp>
#include <tilewise/host/opaque.hpp>
#include <tilewise/host/reduce.hpp>
#include <tilewise/input.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstdlib>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// Whether an input can be combined to a T under a policy. If not, one sentence says why.
template <class Policy, class T, class Op, class Input>
constexpr bool can_reduce()
{
    constexpr bool movable = std::move_constructible<T>;
    constexpr bool combines = std::is_invocable_r_v<T, Op&, T, T> || std::is_invocable_r_v<T, Op&, T&, T&>;
    constexpr bool converts = std::is_convertible_v<decltype(*std::declval<Input&>()), T>;
    constexpr bool readable = std::same_as<Policy, sequenced_policy> || is_forward_input<Input>;
    static_assert(movable, "tilewise: the accumulator, of init's type, must be move constructible");
    static_assert(combines,
                  "tilewise: op must take two values of the accumulator's type, which is init's (without init, "
                  "the elements'), and its result must convert to that type");
    static_assert(converts, "tilewise: elements, or results of transform_op, must convert to the accumulator's type, "
                            "which is init's");
    static_assert(readable, "tilewise: par needs iterators that can be read more than once (forward iterators); pass "
                            "tilewise::seq, or copy the input into a vector first");
    return movable && combines && converts && readable;
}

/// Combines `init`, which is spent, and an input to a T. The policy is dispatched on here and nowhere else.
template <class Policy, class Input, class Extent, class T, class Op>
T reduce_input(Policy policy, Input input, Extent end, T&& init, Op op)
{
    if constexpr (can_reduce<Policy, T, Op, Input>()) {
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

TILEWISE_NAMESPACE_END
