// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

void bench::keys::compare_i32_keys(session& run)
{
    compare<std::int32_t, float>(run, "i32_f32");
    compare<std::int32_t, double>(run, "i32_f64");
    compare<std::int32_t, std::int32_t>(run, "i32_i32");
}
