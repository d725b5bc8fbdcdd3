// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Keys with runs of given lengths.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace bench::keys {

/// How long runs are: all of one length, or exponentially distributed around it.
struct run_lengths {
    std::uint64_t mean;
    bool exponential;
};
inline constexpr run_lengths all_lengths[] = {{1, false},         {4, false}, {32, false}, {1000, false},
                                              {1'000'000, false}, {4, true},  {32, true},  {1000, true}};

/// Replaces `keys` by those of runs with such lengths. Neighboring runs have different keys.
template <class Key>
void make_keys(std::vector<Key>& keys, run_lengths lengths, std::uint64_t count)
{
    std::mt19937_64 random(7);
    std::exponential_distribution<double> exponential(1 / static_cast<double>(lengths.mean));
    keys.clear();
    keys.reserve(count);
    for (Key key = 0; keys.size() < count; ++key) {
        auto length = lengths.mean;
        if (lengths.exponential)
            length = 1 + static_cast<std::uint64_t>(exponential(random));
        keys.insert(keys.end(), std::min(length, count - keys.size()), key);
    }
}

/// What a setting is called: "i32_f32, exponential, 32".
inline std::string name_of(std::string_view types, run_lengths lengths)
{
    return std::string(types) + (lengths.exponential ? ", exponential, " : ", constant, ") +
           std::to_string(lengths.mean);
}

/// The mean length in the name of a setting.
inline std::uint64_t mean_of(std::string_view what)
{
    auto const digits = what.substr(what.rfind(' ') + 1);
    std::uint64_t mean = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), mean);
    return mean;
}

} // namespace bench::keys
