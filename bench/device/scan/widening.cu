// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

void bench::scans::compare_widening(session& run)
{
    compare<wider_sum<std::uint8_t, std::int32_t>>(run, "u8_to_i32");
    compare<wider_sum<__half, float>>(run, "f16_to_f32");
    compare<sum_of_transformed<std::uint8_t, float, square>>(run, "u8_to_f32_squares");
}
