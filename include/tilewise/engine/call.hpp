// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How a call of an algorithm reaches its engine, where the policy is more than the choice of one.

#include <tilewise/core/config.hpp>
#include <tilewise/policy.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Calls `body(policy)`, in which a call of an algorithm does all its work. A distributed policy specialises this: all
/// ranks learn of an exception that leaves `body`, and the policy it passes on is an engine.
template <class Policy>
struct call_under {
    static constexpr bool is_on_one_machine = true; ///< every engine can run it
    template <class It>
    using position = It; ///< what stands for an iterator in the answer

    template <class Body>
    static decltype(auto) run(Policy const& policy, char const*, Body&& body)
    {
        return body(policy);
    }
};

/// The same for any policy that algorithms accept.
template <class Policy, class Body>
decltype(auto) in_call(Policy const& policy, char const* algorithm, Body&& body)
{
    return call_under<policy_for<Policy>>::run(tilewise::resolve(policy), algorithm, body);
}

/// What an algorithm under a policy answers with where it answers with an iterator.
template <class Policy, class It>
using position_under = typename call_under<policy_for<Policy>>::template position<It>;

/// A policy whose member functions run the algorithms.
template <class Policy>
concept is_engine = requires { typename Policy::local_policy; };

} // namespace engine
TILEWISE_NAMESPACE_END
