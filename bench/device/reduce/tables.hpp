// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the suite device_reduce prints.

#include "../table.hpp"

namespace bench::reductions {

inline void print_tables(results const& all)
{
    auto const small = [](measurement const& one) { return one.log2_count() < 20; };
    auto const large = [](measurement const& one) { return one.log2_count() >= 20; };
    auto const any = [](measurement const&) { return true; };
    print_table(all, "microseconds, tilewise/CUB", "types", small, compared_with(all, {"cub"}, in_microseconds));
    print_table(all, "GB/s of input, tilewise/CUB", "types", large,
                compared_with(all, {"cub"}, in_gigabytes_per_second));
    print_table(
        all, "GB/s of input, read bandwidth", "types",
        [](measurement const& one) { return one.log2_count() >= 20 && one.what == "f32"; },
        [&](measurement const& ours) {
            auto const* read = all.find(ours, "read");
            return read ? in_gigabytes_per_second(*read) : "";
        });
    print_table(all, "microseconds, tilewise/tilewise on the raw pointer/CUB/Thrust", "wrappings", any,
                compared_with(all, {"tilewise_pointer", "cub", "thrust"}, in_microseconds));
    print_table(all, "microseconds from call to answer, tilewise/tilewise::reduce/CUB/Thrust", "extremes", any,
                compared_with(all, {"reduce", "cub", "thrust"}, in_microseconds));
    print_table(all, "microseconds from call to value, tilewise/CUB/Thrust", "wall", any,
                compared_with(all, {"cub", "thrust"}, in_microseconds));
    print_table(all, "GB/s of host memory from call to value, tilewise/a copy to the GPU/tilewise::par", "host", any,
                compared_with(all, {"copy", "tilewise_par"}, in_gigabytes_per_second));
}

} // namespace bench::reductions
