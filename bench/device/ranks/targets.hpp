// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The targets for several NVIDIA H200.

#include "../target.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// How much faster than a call on one GPU, without ranks.
inline figure speed_over_one_gpu()
{
    return [](results const& all, measurement const& ours) {
        auto const algorithm = ours.what.substr(0, ours.what.find(','));
        return speed_over(ours, all.find(ours, "device", {}, algorithm + ", 1 rank"));
    };
}

/// How much of a linear speedup is left in weak scaling: the time of a call on one GPU, without ranks, for the elements
/// of one rank, over that of all ranks.
inline figure share_of_linear()
{
    return [](results const& all, measurement const& ours) {
        auto const comma = ours.what.find(',');
        measurement of_one = ours;
        of_one.count /= static_cast<std::uint64_t>(std::stoi(ours.what.substr(comma + 2)));
        return speed_over(ours, all.find(of_one, "device", {}, ours.what.substr(0, comma) + ", 1 rank"));
    };
}

/// The time of a call beyond that of the local call, as a number of all-reduces of 8 bytes.
inline figure all_reduces_above_local(std::string who)
{
    return [=](results const& all, measurement const& ours) -> std::optional<double> {
        measurement const *call = all.find(ours, who), *local = all.find(ours, "device"),
                          *one = all.find(ours, "all_reduce");
        return call && local && one
                   ? std::optional((call->microseconds.median - local->microseconds.median) / one->microseconds.median)
                   : std::nullopt;
    };
}

inline std::vector<target> rank_targets()
{
    std::vector<std::string_view> const sums{"reduce, 2 ranks"}, scans{"inclusive_scan, 2 ranks"},
        histograms{"histogram_256, 2 ranks", "histogram_65536, 2 ranks"},
        placed{"reduce, 2 ranks", "inclusive_scan, 2 ranks"};
    std::vector<std::string_view> const weak_sums{"reduce, 2 ranks", "reduce, 4 ranks", "reduce, 8 ranks"},
        weak_scans{"inclusive_scan, 2 ranks", "inclusive_scan, 4 ranks", "inclusive_scan, 8 ranks"},
        weak_histograms{"histogram_256, 2 ranks",   "histogram_256, 4 ranks",   "histogram_256, 8 ranks",
                        "histogram_65536, 2 ranks", "histogram_65536, 4 ranks", "histogram_65536, 8 ranks"};
    auto const one_gpu = speed_over_one_gpu(), linear = share_of_linear();
    auto const above = all_reduces_above_local("tilewise"), above_at = all_reduces_above_local("tilewise_at");
    return {
        {"reduce, 2 ranks: >= 1.95 x one GPU, 2^32 and more", "strong", sums, sizes(32), one_gpu, true, 1.95},
        {"inclusive_scan, 2 ranks: >= 1.95 x one GPU, 2^32 and more", "strong", scans, sizes(32), one_gpu, true, 1.95},
        {"histogram, 2 ranks: >= 1.95 x one GPU, 2^32 and more", "strong", histograms, sizes(32), one_gpu, true, 1.95},
        {"reduce: >= 0.95 of linear, 2^30 on each GPU", "weak", weak_sums, sizes(0), linear, true, 0.95},
        {"inclusive_scan: >= 0.95 of linear, 2^30 on each GPU", "weak", weak_scans, sizes(0), linear, true, 0.95},
        {"histogram: >= 0.95 of linear, 2^30 on each GPU", "weak", weak_histograms, sizes(0), linear, true, 0.95},
        {"reduce, 2 ranks: <= 2 all-reduces of 8 bytes above the local call", "latency", sums, sizes(0), above, false,
         2.0},
        {"inclusive_scan, 2 ranks: <= 2 all-reduces of 8 bytes above the local call", "latency", scans, sizes(0), above,
         false, 2.0},
        {"histogram, 2 ranks: <= 2 all-reduces of 8 bytes above the local call", "latency", histograms, sizes(0), above,
         false, 2.0},
        {"reduce and inclusive_scan, 2 ranks, known positions: <= 2 all-reduces of 8 bytes above the local call",
         "latency", placed, sizes(0), above_at, false, 2.0},
    };
}

} // namespace bench
