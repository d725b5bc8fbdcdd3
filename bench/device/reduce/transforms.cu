// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

void bench::reductions::compare_transforms(session& run)
{
    compare<sum_of<std::uint8_t, float, square>>(run, "u8_to_f32_squares");
    compare<sum_of<__half, float, square>>(run, "f16_to_f32_squares");
}
