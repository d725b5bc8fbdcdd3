// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the suite device_segmented prints.

#include "../table.hpp"

namespace bench::segments {

inline void print_tables(results const& all)
{
    auto const any = [](measurement const&) { return true; };
    print_table(all, "GB/s of elements, offsets and results, tilewise/CUB/as one range/read bandwidth", "reduce", any,
                compared_with(all, {"cub", "whole", "read"}, in_gigabytes_per_second));
    print_table(all, "GB/s read and written, tilewise/CUB/as one range/copy", "scan", any,
                compared_with(all, {"cub", "whole", "copy"}, in_gigabytes_per_second));
}

} // namespace bench::segments
