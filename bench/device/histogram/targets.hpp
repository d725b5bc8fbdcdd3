// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The targets for histograms on an NVIDIA H200. GB/s are of samples.

#include "../target.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace bench::histograms {

inline std::vector<target> targets()
{
    std::vector<target> all;
    constexpr std::string_view every[] = {"uniform", "one_value", "zipf", "sorted", "hot"};
    auto const promise = [&](std::string_view part, std::string_view what, auto applies, figure value, bool at_least,
                             double limit, std::string const& claim) {
        all.push_back({claim + ", " + std::string(part), std::string(part), {what}, applies, value, at_least, limit});
    };
    auto const at = [](int size) { return sizes(size, size); };

    struct rate {
        std::string_view what;
        double uniform, any;
    };
    for (rate const& one : {rate{"u8_256", 3550, 3550}, rate{"f32_16", 3900, 3900}, rate{"f32_256", 3900, 3900},
                            rate{"f32_2048", 3900, 3900}, rate{"f32_16384", 3800, 3800}, rate{"f32_57344", 3700, 3700},
                            rate{"f64_1000", 4000, 4000}, rate{"f32_65536", 3150, 2700}, rate{"u16_65536", 2400, 1800},
                            rate{"f32_1048576", 1200, 1050}})
        for (auto const part : every) {
            double const limit = part == "uniform" ? one.uniform : one.any;
            promise(part, one.what, at(28), speed(), true, limit,
                    std::string(one.what) + ": >= " + std::to_string(static_cast<int>(limit)) + " GB/s, 2^28");
        }

    for (std::string_view const what :
         {"f32_256_flow_bins", "f32_256_flow_clamp", "f32_256_closed_upper", "f32_256_u64_counts"})
        promise("uniform", what, at(28), speed(), true, 0.95 * 3900,
                std::string(what) + ": >= 0.95 of the target of f32_256, 2^28");
    for (std::string_view const what : {"variable_100", "log_1000"})
        promise("uniform", what, at(28), speed(), true, 3500, std::string(what) + ": >= 3500 GB/s, 2^28");

    for (std::string_view const what : {"f32_weighted_16", "f32_weighted_256", "f32_weighted_2048"})
        for (auto const part : every)
            promise(part, what, at(28), speed(), true, 1500, std::string(what) + ": >= 1500 GB/s, 2^28");

    struct lead {
        std::string_view what;
        double over_cub;
    };
    for (lead const& one : {lead{"u8_256", 1.75}, lead{"f32_2048", 10}, lead{"f32_16384", 10}, lead{"f32_65536", 30},
                            lead{"f32_1048576", 20}})
        promise("uniform", one.what, at(28), speed_over_baseline("cub"), true, one.over_cub,
                std::string(one.what) + ": >= " + std::to_string(one.over_cub).substr(0, 5) + " x CUB, 2^28");
    for (auto const part : every)
        all.push_back({"every axis: >= 0.98 x CUB, 2^28, " + std::string(part),
                       std::string(part),
                       {},
                       at(28),
                       speed_over_baseline("cub"),
                       true,
                       0.98});

    for (auto const part : {every[0], every[1]}) {
        promise(part, "u8_256", at(20), time_over_baseline("cub"), false, 1.10, "u8_256: <= 1.10 of CUB's time, 2^20");
        promise(part, "f32_256", at(20), time_over_baseline("cub"), false, 0.92,
                "f32_256: <= 0.92 of CUB's time, 2^20");
        promise(part, "f32_2048", at(20), time_over_baseline("cub"), false, part == "uniform" ? 0.40 : 0.92,
                "f32_2048: <= 0.40 (one value 0.92) of CUB's time, 2^20");
        for (std::string_view const what : {"u8_256", "f32_256", "f32_2048"})
            promise(part, what, at(24), time_over_baseline("cub"), false, 0.90,
                    std::string(what) + ": <= 0.90 of CUB's time, 2^24");
    }
    for (std::string_view const what : {"i32_1024", "pairs_256x256"})
        promise("uniform", what, at(28), speed_over_baseline("read"), true, 0.80,
                std::string(what) + ": >= 0.80 of read bandwidth, 2^28");
    all.push_back(
        {"a call that does not wait: <= 2 x CUB", "call", {}, sizes(0), time_over_baseline("cub"), false, 2.0});
    return all;
}

} // namespace bench::histograms
