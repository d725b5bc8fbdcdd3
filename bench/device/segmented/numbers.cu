// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

#include <functional>

void bench::segments::compare_numbers(session& run)
{
    compare<float>(run, "f32", 0, std::plus<>());
    compare<double>(run, "f64", 0, std::plus<>());
    compare<std::int8_t>(run, "i8", 0, std::plus<>());
}
