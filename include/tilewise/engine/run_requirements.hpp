// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the algorithms by key require of keys, predicates and outputs.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// The type in which the elements of an input are combined if there is no `init`.
template <class Input>
struct accumulator_of {
    using type = value_of<Input>;
};
template <class Transform, class It>
struct accumulator_of<transformed<Transform, It>> {
    using type = std::remove_cvref_t<std::invoke_result_t<Transform&, decltype(*std::declval<It&>())>>;
};

/// Returns whether kernels can find the runs of keys. If not, a static_assert says why.
template <class Keys, class Extent, class Pred, class KeysOut>
constexpr bool can_find_runs_on_device()
{
    constexpr bool indexed = std::same_as<Extent, offset>;
    constexpr bool copies = std::is_trivially_copyable_v<value_of<Keys>>;
    constexpr bool reached = copies_as_bytes<Keys> && !known::is_of_host_container<Keys>;
    constexpr bool written =
        random_access<KeysOut> && copies_as_bytes<KeysOut> && !known::is_of_host_container<KeysOut>;
    static_assert(
        indexed,
        "tilewise: device needs random access iterators; copy keys and values into vectors on the device first");
    static_assert(copies, "tilewise: under device, keys must be trivially copyable");
    static_assert(reached, "tilewise: under device, keys must be given by trivially copyable random access iterators");
    static_assert(written, "tilewise: under device, the output of keys must be a trivially copyable random access "
                           "iterator into GPU memory; write to a vector on the device, then copy");
    return tilewise::can_pass_to_kernels<Keys, KeysOut>() &&
           tilewise::can_compute_on_device<Pred, Keys, KeysOut, value_of<Keys>>() && indexed && copies && reached &&
           written;
}

/// Returns whether a policy can find the runs of keys, and write one key of each. If not, a static_assert says why.
template <class Policy, class Keys, class Extent, class Pred, class KeysOut>
constexpr bool can_find_runs()
{
    using key = decltype(*std::declval<Keys&>());
    constexpr bool compares = known::has_device_lambda<Pred> || std::is_invocable_r_v<bool, Pred&, key, key>;
    constexpr bool takes = writable<KeysOut, value_of<Keys>>;
    static_assert(compares,
                  "tilewise: the predicate must accept two neighboring keys, and its result must convert to bool");
    static_assert(takes, "tilewise: keys must be assignable to the elements of their output");
    if constexpr (is_device_policy<Policy>) {
        return compares && takes && engine::can_find_runs_on_device<Keys, Extent, Pred, KeysOut>();
    } else {
        constexpr bool repeats = !std::same_as<Policy, parallel_policy> || (multi_pass<Keys> && multi_pass<KeysOut>);
        static_assert(repeats, "tilewise: par needs forward iterators for keys and for their output; pass "
                               "tilewise::seq, or copy the keys into a vector first");
        return compares && takes && repeats;
    }
}

} // namespace engine
TILEWISE_NAMESPACE_END
