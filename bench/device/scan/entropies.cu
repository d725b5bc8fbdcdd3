// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Does it matter what is added up? Integers of ever less entropy: fewer bits that flip take less power.

#include "compare.cuh"
#include "parts.cuh"

#include <cstdint>

void bench::scans::compare_entropies(session& run)
{
    announced const part("entropies");
    comparison<running_sum<std::int32_t>>(run, "i32", 28, 1).measure_entropies();
}
