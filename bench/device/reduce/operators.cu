// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

void bench::reductions::compare_operators(session& run)
{
    compare<product_of_matrices>(run, "matrix");
    compare<largest_of<std::int32_t>>(run, "i32_largest");
    compare<largest_of<float>>(run, "f32_largest");
}
