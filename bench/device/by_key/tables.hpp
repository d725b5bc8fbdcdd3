// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the suite device_by_key prints.

#include "../table.hpp"

namespace bench::keys {

inline void print_tables(results const& all)
{
    auto const any = [](measurement const&) { return true; };
    print_table(all, "GB/s of keys, values and results, tilewise/CUB/tilewise with a wait/Thrust/read bandwidth",
                "reduce", any, compared_with(all, {"cub", "waits", "thrust", "read"}, in_gigabytes_per_second));
    print_table(
        all, "GB/s of keys, values and results, tilewise/CUB/tilewise with a wait/Thrust/keys read and values copied",
        "scan", any, compared_with(all, {"cub", "waits", "thrust", "copy"}, in_gigabytes_per_second));
    print_table(all, "GB/s of keys and results, run lengths, tilewise/CUB/read bandwidth", "count", any,
                compared_with(all, {"cub", "read"}, in_gigabytes_per_second));
}

} // namespace bench::keys
