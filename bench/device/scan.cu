// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The scans on the GPU beside CUB, Thrust and a copy within the device, in one run and on the same data.
///
/// Every result is checked before it is timed. `scripts/gpu report` turns the output into the tables of
/// docs/benchmarks.

#include "../suites.hpp"
#include "program.cuh"
#include "scan/parts.cuh"
#include "scan/tables.hpp"
#include "scan/targets.hpp"

namespace {

using namespace bench::scans;

bench::command settings()
{
    std::vector<int> sizes{4, 6, 8};
    for (int size = 10; size <= 32; ++size)
        sizes.push_back(size);
    return {"device_scan",
            "types,warm,call,alignments,entropies,wrappings,wall",
            "f32,i32,f64,exclusive_f32,i8,u8,u8_to_i32,f16_to_f32,u8_to_f32_squares,affine,matrix,triple",
            sizes,
            {10, 12, 14, 16, 18, 20, 21, 22, 23, 24, 25, 26, 28, 30},
            8};
}

void measure(bench::session& run)
{
    if (run.chosen.wants_part("types") || run.chosen.wants_part("alignments")) {
        compare_sums(run);
        compare_narrow(run);
        compare_widening(run);
        compare_operators(run);
    }
    if (run.chosen.wants_part("entropies"))
        compare_entropies(run);
    if (run.chosen.wants_part("wrappings"))
        compare_wrappings(run);
    if (run.chosen.wants_part("wall"))
        compare_wall_time(run);
}

} // namespace

int bench::device::scan(int argc, char** argv)
{
    return run_program({settings(), measure, scans::print_tables, scans::targets()}, argc, argv);
}
