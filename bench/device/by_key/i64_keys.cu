// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

void bench::keys::compare_i64_keys(session& run)
{
    compare<std::int64_t, float>(run, "i64_f32");
    compare<std::int64_t, double>(run, "i64_f64");
}
