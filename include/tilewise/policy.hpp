// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Execution policies. A policy decides where and how fast an algorithm runs; it never decides the answer.

#include <tilewise/config.hpp>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN

/// Runs on the calling thread.
struct sequenced_policy {};

/// Runs on all cores through oneTBB: on the threads of the task arena that the caller is in, the caller's among them,
/// and on the calling thread alone where threads do not pay. The calls of operators, transforms and iterators may be
/// concurrent, each thread using copies of its own; if some throw, one of the exceptions reaches the caller.
struct parallel_policy {};

inline constexpr sequenced_policy seq{}; ///< The calling thread. The default of every algorithm.
inline constexpr parallel_policy par{};  ///< All cores.

/// Says which of the library's policies stands for Policy, as a member `type`; specialise it to have algorithms accept
/// a policy of another library. `<tilewise/std_execution.hpp>` does so for the standard's.
template <class Policy>
struct policy_traits {};

/// @cond
template <>
struct policy_traits<sequenced_policy> {
    using type = sequenced_policy;
};
template <>
struct policy_traits<parallel_policy> {
    using type = parallel_policy;
};
/// @endcond

/// A policy: the library's, or one that `policy_traits` knows.
template <class Policy>
concept execution_policy = requires { typename policy_traits<std::remove_cvref_t<Policy>>::type; };

/// The library's policy that stands for Policy.
template <execution_policy Policy>
using policy_for = typename policy_traits<std::remove_cvref_t<Policy>>::type;

TILEWISE_NAMESPACE_END
