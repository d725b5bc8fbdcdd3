// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The targets for runs of keys on an NVIDIA H200.

#include "../target.hpp"
#include "lengths.hpp"

#include <functional>
#include <vector>

namespace bench::keys {

inline std::vector<target> targets()
{
    auto const lengths = [](std::uint64_t least) -> std::function<bool(measurement const&)> {
        return [=](measurement const& one) { return one.log2_count() >= 20 && mean_of(one.what) >= least; };
    };
    auto const large = [](measurement const& one) { return one.log2_count() >= 26 && mean_of(one.what) >= 32; };
    return {
        {"reduce: >= 1.3 x CUB", "reduce", {}, lengths(0), speed_over_baseline("cub"), true, 1.30},
        {"scan: >= 1.3 x CUB", "scan", {}, lengths(0), speed_over_baseline("cub"), true, 1.30},
        {"count: ahead of CUB", "count", {}, lengths(0), speed_over_baseline("cub"), true, 1.00},
        {"reduce: >= 0.80 x read bandwidth, mean length 32 and more",
         "reduce",
         {},
         large,
         rate_over_baseline("read"),
         true,
         0.80},
        {"scan: >= 0.80 x a copy, mean length 32 and more", "scan", {}, large, rate_over_baseline("copy"), true, 0.80},
    };
}

} // namespace bench::keys
