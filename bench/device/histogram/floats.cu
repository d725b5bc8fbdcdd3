// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

#include <string>

void bench::histograms::compare_floats(session& run)
{
    using tilewise::regular_axis;
    for (int const bins : {16, 256, 2048, 16384, 57344, 65536, 1 << 20})
        compare<float>(run, "f32_" + std::to_string(bins), regular_axis{bins, 0.0f, 1.0f}, {0, 1, double(bins)},
                       even_levels<float>{bins, 0, 1});
    compare<double>(run, "f64_1000", regular_axis{1000, 0.0, 1.0}, {0, 1, 1000}, even_levels<double>{1000, 0, 1});
}
