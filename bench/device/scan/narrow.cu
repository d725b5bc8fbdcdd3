// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

void bench::scans::compare_narrow(session& run)
{
    compare<running_sum<std::int8_t>>(run, "i8");
    compare<running_sum<std::uint8_t>>(run, "u8");
}
