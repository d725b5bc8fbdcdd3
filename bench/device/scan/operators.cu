// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

void bench::scans::compare_operators(session& run)
{
    compare<running<affine, composition>>(run, "affine");
    compare<running<matrix, matrix_product>>(run, "matrix");
    compare<running<triple, sum_of_triples>>(run, "triple");
}
