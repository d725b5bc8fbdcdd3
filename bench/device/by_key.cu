// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The algorithms by key on the GPU, for runs of every length, beside CUB and the read bandwidth or a copy, in one run
/// and on the same data.
///
/// Every result is compared with that of the host, bit by bit, before it is timed, and CUB's with it for integers.

#include "../suites.hpp"
#include "by_key/parts.cuh"
#include "by_key/tables.hpp"
#include "by_key/targets.hpp"
#include "program.cuh"

namespace {

using namespace bench::keys;

bench::command settings()
{
    return {"device_by_key",
            "reduce,scan,count,call",
            "i32_f32,i32_f64,i32_i32,i64_f32,i64_f64",
            {20, 22, 24, 26},
            {22},
            1};
}

void measure(bench::session& run)
{
    compare_i32_keys(run);
    compare_i64_keys(run);
}

} // namespace

int bench::device::by_key(int argc, char** argv)
{
    return run_program({settings(), measure, keys::print_tables, keys::targets()}, argc, argv);
}
