// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

#include <functional>

void bench::segments::compare_numbers(session& run)
{
    compare<float>(run, "f32", 0.0f, std::plus<>());
    compare<double>(run, "f64", 0.0, std::plus<>());
}
