// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The command line of a suite.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// The command line of a suite, and what it measures where that says nothing else.
struct command {
    std::string name, parts, types;    ///< all parts, and all types of the part `types`, for the usage
    std::vector<int> sizes, few_sizes; ///< logarithms of the numbers of elements; and with --quick
    int most_gigabytes;                ///< of input or of output
};

inline std::string usage(command const& one)
{
    std::string text = "Usage: tilewise_bench " + one.name + " [options]\n";
    text += "  --parts A,B          what to measure: " + one.parts + " (all)\n";
    text += "  --types A,B          the types of the part `types`: " + one.types + " (all)\n";
    text += "  --sizes 4,8,10-28,30 binary logarithms of the numbers of elements; arrays then have up to 16 GiB "
            "instead of " +
            std::to_string(one.most_gigabytes) + "\n";
    return text +
           "  --offsets 0,1        elements that the input begins past an aligned address (both)\n"
           "  --warm               keeps inputs that fit in the cache; by default it is flushed before each run\n"
           "  --quick              measures fewer sizes\n"
           "  --out FILE           writes JSON lines to FILE\n"
           "  --commit TEXT        the commit to write to FILE\n";
}

struct options {
    std::vector<int> sizes;
    std::uint64_t most_bytes = 0; // of an array
    std::vector<int> offsets{0, 1};
    std::vector<std::string> types, parts; // empty: all
    bool warm = false, quick = false;
    std::string out, commit = "unknown commit";

    bool wants_part(std::string_view part) const { return wants(parts, part); }
    bool wants_type(std::string_view type) const { return wants(types, type); }

private:
    static bool wants(std::vector<std::string> const& chosen, std::string_view one)
    {
        return chosen.empty() || std::ranges::find(chosen, one) != chosen.end();
    }
};

inline std::vector<std::string> split(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    while (!text.empty()) {
        auto const end = std::min(text.find(separator), text.size());
        parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

inline int number(std::string_view text, int least, int most)
{
    int value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
        throw std::invalid_argument("not a number from " + std::to_string(least) + " to " + std::to_string(most) +
                                    ": " + std::string(text));
    return value;
}

/// "4,8,10-12" as 4, 8, 10, 11, 12.
inline std::vector<int> numbers(std::string_view text, int least, int most)
{
    std::vector<int> values;
    for (auto const& part : split(text, ',')) {
        auto const ends = split(part, '-');
        if (ends.empty() || ends.size() > 2)
            throw std::invalid_argument("not a range of numbers: " + part);
        for (int value = number(ends.front(), least, most), last = number(ends.back(), least, most); value <= last;
             ++value)
            values.push_back(value);
    }
    return values;
}

/// The names in `text`, each of which is one of `known`.
inline std::vector<std::string> names(std::string_view text, std::string_view known)
{
    auto const all = split(known, ',');
    auto chosen = split(text, ',');
    for (auto const& name : chosen)
        if (std::ranges::find(all, name) == all.end())
            throw std::invalid_argument("none of " + std::string(known) + ": " + name);
    return chosen;
}

inline options parse(command const& one, int argc, char** argv)
{
    options result;
    result.sizes = one.sizes;
    result.most_bytes = static_cast<std::uint64_t>(one.most_gigabytes) << 30;
    bool sizes_given = false;
    for (int i = 1; i < argc; ++i) {
        std::string_view const name = argv[i];
        auto const value = [&]() -> std::string_view {
            if (++i == argc)
                throw std::invalid_argument("no value after " + std::string(name));
            return argv[i];
        };
        if (name == "--parts") {
            result.parts = names(value(), one.parts);
            if (std::ranges::all_of(result.parts, [](auto const& part) { return part == "warm" || part == "call"; }))
                throw std::invalid_argument("warm and call are measured beside other parts, not alone");
        } else if (name == "--types") {
            result.types = names(value(), one.types);
        } else if (name == "--sizes") {
            result.sizes = numbers(value(), 0, 34);
            result.most_bytes = std::uint64_t{16} << 30;
            sizes_given = true;
        } else if (name == "--offsets") {
            result.offsets = numbers(value(), 0, 64);
        } else if (name == "--warm") {
            result.warm = true;
        } else if (name == "--quick") {
            result.quick = true;
        } else if (name == "--out") {
            result.out = value();
        } else if (name == "--commit") {
            result.commit = value();
        } else {
            throw std::invalid_argument("unknown option " + std::string(name));
        }
    }
    if (result.quick && !sizes_given)
        result.sizes = one.few_sizes;
    return result;
}

} // namespace bench
