// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How the elements of a range are divided into segments: offsets, one more than there are segments.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace bench::segments {

enum class lengths { constant, exponential, zipf, one_huge };

struct distribution {
    lengths of;
    std::string_view name;
};
inline constexpr std::array distributions{
    distribution{lengths::constant, "constant"}, distribution{lengths::exponential, "exponential"},
    distribution{lengths::zipf, "Zipf"},         ///< a segment in l is longer than l times the shortest
    distribution{lengths::one_huge, "one huge"}, ///< half of all elements are in one segment
};

/// The mean lengths that are measured, and one segment of everything.
inline std::vector<std::uint64_t> mean_lengths(std::uint64_t count)
{
    std::vector<std::uint64_t> means{1, 3, 8, 16, 32, 100, 1000, 20'000, 1'000'000, 33'000'000};
    std::erase_if(means, [&](std::uint64_t mean) { return mean >= count; });
    means.push_back(count);
    return means;
}

/// Replaces `offsets` by those into `count` elements. (Zipf's lengths have no mean: theirs is about `mean` for a
/// million segments.)
inline void make_offsets(std::vector<std::int32_t>& offsets, lengths kind, std::uint64_t mean, std::uint64_t count)
{
    std::mt19937_64 random(5);
    std::exponential_distribution<double> exponential(1 / static_cast<double>(mean));
    std::uniform_real_distribution<double> uniform;
    double const shortest = std::max(1.0, static_cast<double>(mean) / std::log(1e6));
    offsets.assign(1, 0);
    bool huge_to_come = kind == lengths::one_huge;
    for (std::uint64_t at = 0; at < count;) {
        double length = static_cast<double>(mean);
        if (kind == lengths::exponential)
            length = std::floor(exponential(random) + 0.5);
        else if (kind == lengths::zipf)
            length = std::floor(shortest / (1 - uniform(random)));
        else if (huge_to_come && at >= count / 4) {
            length = static_cast<double>(count / 2);
            huge_to_come = false;
        }
        at += static_cast<std::uint64_t>(std::min(length, static_cast<double>(count - at)));
        offsets.push_back(static_cast<std::int32_t>(at));
    }
}

/// What a setting is called: "f32, exponential, 100".
inline std::string name_of(std::string_view type, std::string_view kind, std::uint64_t mean)
{
    return std::string(type) + ", " + std::string(kind) + ", " + std::to_string(mean);
}

} // namespace bench::segments
