// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the suite device_histogram prints.

#include "../table.hpp"

#include <string>

namespace bench::histograms {

inline void print_tables(results const& all)
{
    auto const small = [](measurement const& one) { return one.log2_count() < 26; };
    auto const large = [](measurement const& one) { return one.log2_count() >= 26; };
    for (std::string const part : {"uniform", "one_value", "zipf", "sorted", "hot"}) {
        print_table(all, "microseconds, tilewise/CUB/read bandwidth, " + part, part, small,
                    compared_with(all, {"cub", "read"}, in_microseconds));
        print_table(all, "GB/s of samples, tilewise/CUB/read bandwidth, " + part, part, large,
                    compared_with(all, {"cub", "read"}, in_gigabytes_per_second));
    }
}

} // namespace bench::histograms
