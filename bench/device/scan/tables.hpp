// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the suite device_scan prints.

#include "../table.hpp"

namespace bench::scans {

inline void print_tables(results const& all)
{
    auto const small = [](measurement const& one) { return one.log2_count() < 20; };
    auto const large = [](measurement const& one) { return one.log2_count() >= 20; };
    auto const any = [](measurement const&) { return true; };
    print_table(all, "microseconds, tilewise/CUB/copy", "types", small,
                compared_with(all, {"cub", "copy"}, in_microseconds));
    print_table(all, "GB/s read and written, tilewise/CUB/copy", "types", large,
                compared_with(all, {"cub", "copy"}, in_gigabytes_per_second));
    print_table(all, "GB/s with one element off, tilewise/tilewise aligned/CUB", "alignments", any,
                compared_with(all, {"tilewise_aligned", "cub"}, in_gigabytes_per_second));
    print_table(all, "GB/s, tilewise/tilewise on raw pointers/CUB/Thrust", "wrappings", any,
                compared_with(all, {"tilewise_pointer", "cub", "thrust"}, in_gigabytes_per_second));
    print_table(all, "microseconds from call to completion, tilewise/CUB/Thrust/Thrust's par_nosync", "wall", any,
                compared_with(all, {"cub", "thrust", "thrust_nosync"}, in_microseconds));
}

} // namespace bench::scans
