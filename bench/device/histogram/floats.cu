// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

#include <string>

namespace bench::histograms {
namespace {

/// The same bins with other options, and with counters of 64 bits.
void compare_options(session& run)
{
    using tilewise::flow, tilewise::regular_axis;
    spread const over{0, 1, 256};
    even_levels<float> const levels{256, 0, 1};
    compare<float>(run, "f32_256_flow_bins", regular_axis{256, 0.0f, 1.0f, {flow::bins}}, over, levels);
    compare<float>(run, "f32_256_flow_clamp", regular_axis{256, 0.0f, 1.0f, {flow::clamp}}, over, levels);
    compare<float>(run, "f32_256_closed_upper", regular_axis{256, 0.0f, 1.0f, {flow::drop, true}}, over, levels);
    compare<float, unsigned long long>(run, "f32_256_u64_counts", regular_axis{256, 0.0f, 1.0f}, over, levels);
}

} // namespace
} // namespace bench::histograms

void bench::histograms::compare_floats(session& run)
{
    using tilewise::regular_axis;
    for (int const bins : {16, 256, 2048, 16384, 57344, 65536, 1 << 20})
        compare<float>(run, "f32_" + std::to_string(bins), regular_axis{bins, 0.0f, 1.0f}, {0, 1, double(bins)},
                       even_levels<float>{bins, 0, 1});
    compare_options(run);
    compare<double>(run, "f64_1000", regular_axis{1000, 0.0, 1.0}, {0, 1, 1000}, even_levels<double>{1000, 0, 1});
}
