// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

void bench::reductions::compare_floats_and_integers(session& run)
{
    compare<sum_of<float, float>>(run, "f32");
    compare<sum_of<double, double>>(run, "f64");
    compare<sum_of<std::int32_t, std::int32_t>>(run, "i32");
}
