// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

void bench::reductions::compare_narrow(session& run)
{
    compare<sum_of<std::int8_t, std::int32_t>>(run, "i8_to_i32");
    compare<sum_of<std::int8_t, std::int8_t>>(run, "i8");
    compare<sum_of<__half, __half>>(run, "f16");
}
