// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Passes a call of an algorithm to its engine, for policies that do more than select one.

#include <tilewise/core/config.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Calls `body(policy)`, which does all the work of a call of an algorithm. A distributed policy specialises this
/// template: it reports an exception that leaves `body` to all ranks, and passes an engine as the policy.
template <class Policy>
struct call_under {
    static constexpr bool is_on_one_machine = true; ///< every engine can run the call
    template <class It>
    using position = It; ///< the type that is returned in place of an iterator

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

/// The type that an algorithm under a policy returns in place of an iterator.
template <class Policy, class It>
using position_under = typename call_under<policy_for<Policy>>::template position<It>;

/// The number of results for so many cells that a call writes, which is fewer where ranks scatter them.
template <class Policy>
offset results_for([[maybe_unused]] Policy const& policy, offset cells)
{
    if constexpr (requires { policy.results_for(cells); })
        return policy.results_for(cells);
    else
        return cells;
}

/// A policy whose member functions run the algorithms.
template <class Policy>
concept is_engine = requires { typename Policy::local_policy; };

/// The policy under which the elements of this process are processed.
template <class Policy>
struct local_policy {
    using type = Policy;
};
template <is_engine Policy>
struct local_policy<Policy> {
    using type = typename Policy::local_policy;
};
/// The same, as an alias.
template <class Policy>
using local_policy_of = typename local_policy<Policy>::type;

} // namespace engine
TILEWISE_NAMESPACE_END
