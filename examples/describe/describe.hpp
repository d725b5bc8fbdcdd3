// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "moments.hpp"

#include <tilewise/reduce.hpp>

namespace example {

/// The moments of a range of numbers, in one pass.
template <class Policy, class Numbers>
moments describe(Policy const& policy, Numbers const& numbers)
{
    return tilewise::transform_reduce(policy, numbers.begin(), numbers.end(), moments{}, merge_moments{}, to_moments{});
}

} // namespace example
