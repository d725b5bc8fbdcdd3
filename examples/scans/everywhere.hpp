// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../describe/gpu.hpp"

#include <tilewise/policy.hpp>

#include <cstdio>

namespace example {

/// Calls `is_right(policy)` with every policy that can run here, and prints the outcomes. Returns the exit status.
template <class Claim>
int check_everywhere(Claim is_right)
{
    int status = 0;
    auto const check = [&](char const* name, auto const& policy) {
        bool const right = is_right(policy);
        std::printf("%s: %s\n", name, right ? "as the plain loop has it" : "WRONG");
        status |= right ? 0 : 1;
    };
    check("seq", tilewise::seq);
    check("par", tilewise::par);
#ifdef __CUDACC__
    if (has_gpu()) {
        check("device", tilewise::device);
    }
#endif
    return status;
}

} // namespace example
