// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

void bench::scans::compare_sums(session& run)
{
    compare<running_sum<float>>(run, "f32");
    compare<running_sum<std::int32_t>>(run, "i32");
    compare<running_sum<double>>(run, "f64");
    compare<sum_before<float>>(run, "exclusive_f32");
}
