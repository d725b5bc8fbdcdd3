// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare.cuh"
#include "parts.cuh"

#include <cstdint>
#include <functional>

void bench::segments::compare_bytes(session& run)
{
    compare<std::int8_t>(run, "i8", std::int8_t{0}, std::plus<>());
    compare<std::int8_t>(run, "i8_to_i32", 0, std::plus<>());
}
