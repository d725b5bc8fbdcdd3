// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tilewise/scan.hpp>

#include <functional>

namespace example {

/// A number as running totals take it: what is missing adds nothing.
struct or_zero {
    constexpr double operator()(double x) const { return x != x ? 0.0 : x; }
};

/// Writes the sum of each number and all before it. Returns the end of the output.
template <class Policy, class Numbers, class Out>
Out running_totals(Policy const& policy, Numbers const& numbers, Out out)
{
    return tilewise::transform_inclusive_scan(policy, numbers.begin(), numbers.end(), out, std::plus<>{}, or_zero{});
}

} // namespace example
