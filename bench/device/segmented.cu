// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The segmented algorithms on the GPU, for segments of every length and distribution of lengths, beside CUB, the read
/// bandwidth and a copy within the device, in one run and on the same data.
///
/// Every result is compared with that of the host, bit by bit, before it is timed. `scripts/gpu report` turns the
/// output into the tables of docs/benchmarks.

#include "../suites.hpp"
#include "program.cuh"
#include "segmented/parts.cuh"
#include "segmented/tables.hpp"
#include "segmented/targets.hpp"

namespace {

using namespace bench::segments;

bench::command settings()
{
    return {"device_segmented", "reduce,scan,call", "f32,f64,i8,i8_to_i32,affine,matrix", {26}, {22}, 1};
}

void measure(bench::session& run)
{
    compare_numbers(run);
    compare_bytes(run);
    compare_structures(run);
}

} // namespace

int bench::device::segmented(int argc, char** argv)
{
    return run_program({settings(), measure, segments::print_tables, segments::targets()}, argc, argv);
}
