// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

void bench::segments::compare_structures(session& run)
{
    compare<affine>(run, "affine", affine{1, 0}, composition());
    compare<matrix>(run, "matrix", matrix{1, 0, 0, 1}, matrix_product());
}
