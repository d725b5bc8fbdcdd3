// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

void bench::compare_matrices(session& run)
{
    compare<product_of_matrices>(run, "matrix");
}
