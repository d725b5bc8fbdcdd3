// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// reduce on the GPU beside CUB, Thrust and a kernel that only reads, in one run and on the same data.
///
/// Every result is checked before it is timed. `scripts/gpu report` turns the output into the tables of
/// docs/benchmarks.

#include "../suites.hpp"
#include "program.cuh"
#include "reduce/parts.cuh"
#include "reduce/tables.hpp"
#include "reduce/targets.hpp"

namespace {

using namespace bench::reductions;

bench::command settings()
{
    std::vector<int> sizes{4, 6, 8};
    for (int size = 10; size <= 32; ++size)
        sizes.push_back(size);
    return {"device_reduce",
            "types,warm,call,entropies,extremes,wrappings,wall,host",
            "f32,f64,i32,i8_to_i32,i8,f16,u8_to_f32_squares,f16_to_f32_squares,matrix,i32_largest,f32_largest",
            sizes,
            {4, 8, 10, 12, 13, 14, 16, 18, 20, 22, 24, 26, 28, 30},
            4};
}

void measure(bench::session& run)
{
    if (run.chosen.wants_part("types")) {
        compare_floats_and_integers(run);
        compare_narrow(run);
        compare_transforms(run);
        compare_operators(run);
    }
    if (run.chosen.wants_part("entropies"))
        compare_entropies(run);
    if (run.chosen.wants_part("extremes"))
        compare_extremes(run);
    if (run.chosen.wants_part("wrappings"))
        compare_wrappings(run);
    if (run.chosen.wants_part("wall"))
        compare_wall_time(run);
    if (run.chosen.wants_part("host"))
        compare_host_memory(run);
}

} // namespace

int bench::device::reduce(int argc, char** argv)
{
    return run_program({settings(), measure, reductions::print_tables, reductions::targets()}, argc, argv);
}
