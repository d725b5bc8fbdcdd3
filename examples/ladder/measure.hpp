// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Runs the versions of a ladder, checks them, times them, and says what came of it.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ladder {

/// A version, ready to run.
struct version {
    std::string name;
    std::function<void()> run;        ///< until its result is there, or is sure to come in the stream
    std::function<bool()> is_right;   ///< asked after a run
    double bytes;                     ///< that have to be moved, whatever the version moves
    std::string remark = {};          // NOLINT(readability-redundant-member-init): g++ warns without
    bool is_wrong_on_purpose = false; ///< so that nobody is surprised
};

/// What was measured of it.
struct measured {
    std::string name, remark;
    double microseconds, bytes;
    bool is_right;
};

/// Times calls of a function.
using stopwatch = std::function<double(std::function<void()> const&)>;

inline double seconds_on_host(std::function<void()> const& run)
{
    auto const begin = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The median of some runs after one that is not counted; slow versions are run less often.
inline double median_microseconds(std::function<void()> const& run, stopwatch const& seconds, int runs)
{
    double const first = seconds(run);
    std::vector<double> times(static_cast<std::size_t>(first > 0.2 ? 1 : runs));
    for (double& time : times)
        time = seconds(run) * 1e6;
    std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
    return times[times.size() / 2];
}

/// A ladder, from its first version to its last.
struct report {
    std::string name, ceiling_name;
    double ceiling; ///< bytes per microsecond
    std::vector<measured> versions;
};

inline report climb(std::string name, std::vector<version> const& versions, std::string ceiling_name, double ceiling,
                    stopwatch const& seconds, int runs)
{
    report result{std::move(name), std::move(ceiling_name), ceiling, {}};
    for (version const& one : versions) {
        double const microseconds = median_microseconds(one.run, seconds, runs);
        bool const right = one.is_right();
        result.versions.push_back({one.name, one.remark, microseconds, one.bytes, right || one.is_wrong_on_purpose});
        if (one.is_wrong_on_purpose)
            result.versions.back().remark = right ? "right, by chance" : "wrong";
    }
    return result;
}

/// A table for people.
inline void print(report const& ladder)
{
    std::printf("%s\n\n%-36s %12s %10s %12s %10s\n", ladder.name.c_str(), "version", "microseconds", "GB/s",
                ("% of " + ladder.ceiling_name).c_str(), "factor");
    double before = 0;
    for (measured const& one : ladder.versions) {
        double const speed = one.bytes / one.microseconds;
        std::printf("%-36s %12.1f %10.1f %12.1f ", one.name.c_str(), one.microseconds, speed / 1e3,
                    100 * speed / ladder.ceiling);
        if (before > 0)
            std::printf("%9.2fx", before / one.microseconds);
        else
            std::printf("%10s", "");
        std::printf("%s%s%s\n", one.remark.empty() ? "" : "  ", one.remark.c_str(), one.is_right ? "" : "  WRONG");
        before = one.microseconds;
    }
    std::printf("\n");
}

/// The same for programs, as JSON.
inline std::string as_json(std::vector<report> const& ladders, std::string const& machine)
{
    std::string text = "{\"machine\": \"" + machine + "\", \"ladders\": [";
    char number[64];
    for (std::size_t i = 0; i < ladders.size(); ++i) {
        std::snprintf(number, sizeof number, "%.6g", ladders[i].ceiling / 1e3);
        text += (i > 0 ? ",\n" : "\n") + ("{\"name\": \"" + ladders[i].name) + "\", \"ceiling\": \"" +
                ladders[i].ceiling_name + "\", \"ceiling_gb_per_s\": " + number + ", \"versions\": [";
        for (std::size_t j = 0; j < ladders[i].versions.size(); ++j) {
            measured const& one = ladders[i].versions[j];
            std::snprintf(number, sizeof number, "%.6g, \"bytes\": %.17g", one.microseconds, one.bytes);
            text += (j > 0 ? ",\n  " : "\n  ") + ("{\"name\": \"" + one.name) + "\", \"microseconds\": " + number +
                    ", \"remark\": \"" + one.remark + "\"}";
        }
        text += "]}";
    }
    return text + "]}\n";
}

} // namespace ladder
