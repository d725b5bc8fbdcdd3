// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A target for an NVIDIA H200, and whether a run meets it. All but times on the host are
/// cold.
///
/// Ratios are rounded to two decimals before they are compared, as they are written.

#include "results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// The figure of a measurement that a target is about; none if its counterpart was not measured.
using figure = std::function<std::optional<double>(results const&, measurement const&)>;

inline std::optional<double> speed_over(measurement const& ours, measurement const* other)
{
    return other ? std::optional(other->microseconds.median / ours.microseconds.median) : std::nullopt;
}
inline figure speed_over_baseline(std::string who)
{
    return [=](results const& all, measurement const& ours) { return speed_over(ours, all.find(ours, who)); };
}
/// The same where a baseline moves another number of bytes.
inline figure rate_over_baseline(std::string who)
{
    return [=](results const& all, measurement const& ours) -> std::optional<double> {
        measurement const* other = all.find(ours, who);
        return other ? std::optional(ours.gigabytes_per_second() / other->gigabytes_per_second()) : std::nullopt;
    };
}
inline figure speed_over_aligned()
{
    return [](results const& all, measurement const& ours) {
        return ours.offset == 0 ? std::nullopt : speed_over(ours, all.find(ours, ours.who, 0));
    };
}
inline figure speed()
{
    return [](results const&, measurement const& ours) { return std::optional(ours.gigabytes_per_second()); };
}
inline figure microseconds_behind(std::string who)
{
    return [=](results const& all, measurement const& ours) -> std::optional<double> {
        measurement const* other = all.find(ours, who);
        return other ? std::optional(ours.microseconds.median - other->microseconds.median) : std::nullopt;
    };
}
/// The share of a baseline's time that ours takes.
inline figure time_over_baseline(std::string who)
{
    return [=](results const& all, measurement const& ours) -> std::optional<double> {
        measurement const* other = all.find(ours, who);
        return other ? std::optional(ours.microseconds.median / other->microseconds.median) : std::nullopt;
    };
}

/// The time that a call keeps the host beyond that of a launch, as a share of a baseline's.
inline figure time_without_launch_over_baseline(std::string who)
{
    return [=](results const& all, measurement const& ours) -> std::optional<double> {
        measurement const *other = all.find(ours, who), *launch = all.find(ours, "launch");
        return other && launch ? std::optional((ours.microseconds.median - launch->microseconds.median) /
                                               other->microseconds.median)
                               : std::nullopt;
    };
}

/// The measurements of 2^least to 2^most elements.
inline std::function<bool(measurement const&)> sizes(int least, int most = 63)
{
    return [=](measurement const& one) { return least <= one.log2_count() && one.log2_count() <= most; };
}

struct target {
    std::string claim;
    std::string part;
    std::vector<std::string_view> what; ///< or empty: whatever was measured
    std::function<bool(measurement const&)> covers;
    figure value;
    bool at_least; ///< or at most
    double limit;
};

/// What became of a target.
struct verdict {
    bool measured = false, pass = true;
    double worst = 0;
    measurement where;
};

inline verdict judge(target const& target, results const& all)
{
    verdict result;
    for (auto const& one : all.all()) {
        if (one.part != target.part || (one.who != "tilewise" && one.who != "tilewise_on_stream") ||
            one.cold != (target.part != "wall" && target.part != "host" && target.part != "extremes" &&
                         target.part != "call" && target.part != "latency") ||
            !(target.what.empty() || std::ranges::find(target.what, one.what) != target.what.end()) ||
            !target.covers(one))
            continue;
        auto const value = target.value(all, one);
        if (!value)
            continue;
        double const rounded = std::round(*value * 100) / 100;
        result.pass &= target.at_least ? rounded >= target.limit : rounded <= target.limit;
        if (!result.measured || (target.at_least ? *value < result.worst : *value > result.worst)) {
            result.worst = *value;
            result.where = one;
        }
        result.measured = true;
    }
    return result;
}

/// Prints whether each target is kept, and writes it to the results.
inline void report_targets(results& all, std::vector<target> const& targets)
{
    std::printf("\nThe targets for an NVIDIA H200: worst figure, and where\n");
    for (auto const& one : targets) {
        verdict const found = judge(one, all);
        char const* const word = !found.measured ? "none" : found.pass ? "pass" : "MISS";
        char worst[96] = "not measured";
        if (found.measured)
            std::snprintf(worst, sizeof worst, "%.*f  %s 2^%d + %d%s", found.worst < 100 ? 3 : 0, found.worst,
                          found.where.what.c_str(), found.where.log2_count(), found.where.offset,
                          found.where.who == "tilewise" ? "" : " on a stream");
        std::printf("%s  %-61s %s\n", word, one.claim.c_str(), worst);
        all.write(
            json_line().text("kind", "target").text("claim", one.claim).text("verdict", word).text("worst", worst));
    }
}

} // namespace bench
