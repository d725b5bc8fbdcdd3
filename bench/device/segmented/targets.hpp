// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The targets for segments on an NVIDIA H200. GB/s are of elements, offsets and results.

#include "../target.hpp"
#include "lengths.hpp"

#include <charconv>
#include <functional>
#include <string_view>
#include <vector>

namespace bench::segments {

/// The mean length in the name of a setting.
inline std::uint64_t mean_of(std::string_view what)
{
    auto const digits = what.substr(what.rfind(' ') + 1);
    std::uint64_t mean = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), mean);
    return mean;
}

inline std::vector<target> targets()
{
    auto const means = [](std::uint64_t least, std::uint64_t most) -> std::function<bool(measurement const&)> {
        return [=](measurement const& one) {
            auto const mean = mean_of(one.what);
            return one.log2_count() >= 26 && least <= mean && mean <= most;
        };
    };
    constexpr std::uint64_t any = ~std::uint64_t{0};
    auto const everything = [](measurement const& one) { return mean_of(one.what) == one.count; };
    return {
        {"reduce: >= 0.85 x read bandwidth, mean length 100 and more",
         "reduce",
         {},
         means(100, any),
         rate_over_baseline("read"),
         true,
         0.85},
        {"reduce: >= 0.60 x read bandwidth, mean length 8 to 32",
         "reduce",
         {},
         means(8, 99),
         rate_over_baseline("read"),
         true,
         0.60},
        {"reduce: >= 1500 GB/s, mean length 3", "reduce", {}, means(3, 3), speed(), true, 1500},
        {"reduce: ahead of CUB", "reduce", {}, means(0, any), speed_over_baseline("cub"), true, 1.00},
        {"reduce, one segment: >= 0.95 x one range",
         "reduce",
         {},
         everything,
         speed_over_baseline("whole"),
         true,
         0.95},
        {"scan: >= 0.85 x a copy, mean length 100 and more",
         "scan",
         {},
         means(100, any),
         rate_over_baseline("copy"),
         true,
         0.85},
        {"scan: ahead of CUB, from 3.3 on", "scan", {}, means(0, any), speed_over_baseline("cub"), true, 1.00},
        {"scan, one segment: >= 0.95 x one range", "scan", {}, everything, speed_over_baseline("whole"), true, 0.95},
        {"scan: >= 0.60 x a copy, mean length 8 to 32",
         "scan",
         {},
         means(8, 99),
         rate_over_baseline("copy"),
         true,
         0.60},
    };
}

} // namespace bench::segments
