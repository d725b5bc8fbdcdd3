// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gpu.hpp"
#include "options.hpp"
#include "progress.hpp"

#include <tilewise/policy.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>

namespace example {

template <class Policy>
struct named_policy {
    std::string_view name;
    Policy policy;
};

template <class Policy>
named_policy(char const*, Policy) -> named_policy<Policy>;

/// The elements are in ordinary host memory, of which so many bytes are on the GPU at once. Progress is reported as
/// often.
inline constexpr std::size_t bytes_on_gpu = std::size_t{64} << 20;

/// What `--policy` can say; the one place that names the policies.
inline auto const policies = std::tuple{
    named_policy{"seq", tilewise::seq},
    named_policy{"par", tilewise::par},
    named_policy{"device", tilewise::device.budget(bytes_on_gpu).progress(note_progress)},
};

inline std::string policy_names()
{
    return std::apply(
        [](auto const& first, auto const&... others) {
            return (std::string(first.name) + ... + (", " + std::string(others.name)));
        },
        policies);
}

/// Where to compute unless the command line says.
inline std::string_view default_policy()
{
    return has_gpu() ? "device" : "par";
}

/// Calls `use(policy)` with the policy of this name. Throws `usage_error` when there is none, or no GPU for it.
template <class Use>
void with_policy(std::string_view name, Use use)
{
    if (name == "device" && !has_gpu()) {
        throw usage_error(std::string("--policy device: ") + why_no_gpu);
    }
    bool const is_known = std::apply(
        [&](auto const&... known) { return ((known.name == name && (use(known.policy), true)) || ...); }, policies);
    if (!is_known) {
        throw usage_error("unknown policy '" + std::string(name) + "'; there are " + policy_names());
    }
}

} // namespace example
