// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The histograms on the GPU beside CUB's and a kernel that only reads, in one run and on the same data.
///
/// Every count is compared with that of a search among the published edges before it is timed, and after.
/// `scripts/gpu report` turns the output into the tables of docs/benchmarks.

#include "../suites.hpp"
#include "histogram/parts.cuh"
#include "histogram/tables.hpp"
#include "histogram/targets.hpp"
#include "program.cuh"

namespace {

using namespace bench::histograms;

bench::command settings()
{
    return {"device_histogram",
            "uniform,one_value,zipf,sorted,hot,warm,call",
            "u8_256,u16_65536,i32_1024,f32_16,f32_256,f32_256_flow_bins,f32_256_flow_clamp,f32_256_closed_upper,"
            "f32_256_u64_counts,f32_2048,f32_16384,f32_57344,f32_65536,f32_1048576,f64_1000,"
            "variable_100,variable_5000,log_1000,pairs_256x256,f32_weighted_16,f32_weighted_256,f32_weighted_2048,"
            "i32_weighted_256",
            {10, 16, 20, 22, 24, 26, 28},
            {20, 24, 28},
            8};
}

void measure(bench::session& run)
{
    compare_integers(run);
    compare_floats(run);
    compare_edges(run);
    compare_pairs(run);
    compare_weighted(run);
}

} // namespace

int bench::device::histogram(int argc, char** argv)
{
    return run_program({settings(), measure, histograms::print_tables, histograms::targets()}, argc, argv);
}
