// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

void bench::histograms::compare_integers(session& run)
{
    using tilewise::integer_axis;
    compare<std::uint8_t>(run, "u8_256", integer_axis{0, 256}, {0, 256, 256}, even_levels<int>{256, 0, 256});
    compare<std::uint16_t>(run, "u16_65536", integer_axis{0, 65536}, {0, 65536, 65536},
                           even_levels<int>{65536, 0, 65536});
    compare<std::int32_t>(run, "i32_1024", integer_axis{0, 1024}, {0, 1024, 1024}, even_levels<int>{1024, 0, 1024});
}
