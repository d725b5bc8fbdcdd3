// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What was measured: a summary of the runs of one competitor in one setting, and all of them, also as JSON lines.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

/// Microseconds of several runs. [low, high] is the 95 % confidence interval of the median, for any distribution. With
/// fewer than six runs, these are the least and the greatest time.
struct summary {
    double median = 0, quartile1 = 0, quartile3 = 0, low = 0, high = 0;
    int runs = 0;
};

/// Of n sorted runs, which one begins that interval. The number of runs below the median of all is that of heads among
/// n tosses of a coin.
inline std::size_t end_of_interval(std::size_t n)
{
    double exactly = std::exp2(-double(n)), at_most = exactly; // the probability of so many heads
    for (std::size_t heads = 0;; ++heads) {
        exactly *= double(n - heads) / double(heads + 1);
        at_most += exactly;
        if (2 * at_most > 0.05)
            return heads;
    }
}

inline summary summarise(std::vector<double> runs)
{
    std::ranges::sort(runs);
    auto const last = double(runs.size() - 1);
    auto const at = [&](double share) { return runs[static_cast<std::size_t>(share * last + 0.5)]; };
    auto const end = end_of_interval(runs.size());
    return {at(0.5), at(0.25), at(0.75), runs[end], runs[runs.size() - 1 - end], static_cast<int>(runs.size())};
}

/// One competitor in one setting.
struct measurement {
    std::string part; ///< types, wrappings, wall, ...
    std::string what; ///< the type or the iterator
    std::string who;  ///< tilewise, cub, thrust, read, copy, ...
    std::uint64_t count = 0;
    int offset = 0; ///< elements from the aligned base
    bool cold = true;
    std::uint64_t bytes = 0; ///< of input for reduce, read and written for scans
    summary microseconds;

    int log2_count() const { return static_cast<int>(std::bit_width(count)) - 1; }
    double gigabytes_per_second() const { return double(bytes) / microseconds.median * 1e-3; }
};

/// One line of a JSON file, member by member.
class json_line {
public:
    json_line& text(std::string_view name, std::string_view value)
    {
        add(name) += '"';
        for (char const letter : value)
            if (letter == '"' || letter == '\\') {
                (line_ += '\\') += letter;
            } else if (static_cast<unsigned char>(letter) < ' ') {
                char code[8];
                std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned char>(letter));
                line_ += code;
            } else {
                line_ += letter;
            }
        line_ += '"';
        return *this;
    }
    json_line& number(std::string_view name, double value)
    {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.12g", value);
        add(name) += digits;
        return *this;
    }
    json_line& truth(std::string_view name, bool value)
    {
        add(name) += value ? "true" : "false";
        return *this;
    }
    std::string str() const { return line_ + "}\n"; }

private:
    std::string& add(std::string_view name)
    {
        line_ += line_.size() == 1 ? "\"" : ", \"";
        return (line_ += name) += "\": ";
    }
    std::string line_ = "{";
};

/// Every measurement of a run.
class results {
public:
    explicit results(std::string const& path)
    {
        if (path.empty())
            return;
        file_.open(path);
        if (!file_)
            throw std::runtime_error("cannot write " + path);
    }

    /// Writes a line at once, so that an interrupted run leaves what it has.
    void write(json_line const& line) { file_ << line.str() << std::flush; }

    void add(measurement one)
    {
        write(json_line()
                  .text("kind", "measurement")
                  .text("part", one.part)
                  .text("what", one.what)
                  .text("who", one.who)
                  .number("n", double(one.count))
                  .number("offset", one.offset)
                  .truth("cold", one.cold)
                  .number("bytes", double(one.bytes))
                  .number("median_us", one.microseconds.median)
                  .number("quartile1_us", one.microseconds.quartile1)
                  .number("quartile3_us", one.microseconds.quartile3)
                  .number("low_us", one.microseconds.low)
                  .number("high_us", one.microseconds.high)
                  .number("runs", one.microseconds.runs)
                  .number("gb_per_s", one.gigabytes_per_second()));
        all_.push_back(std::move(one));
    }

    std::vector<measurement> const& all() const { return all_; }

    /// What `who` took in the setting of `like`, with another offset or another input if asked for.
    measurement const* find(measurement const& like, std::string_view who, std::optional<int> offset = {},
                            std::optional<std::string_view> what = {}) const
    {
        for (auto const& one : all_)
            if (one.who == who && one.part == like.part && one.what == what.value_or(like.what) &&
                one.count == like.count && one.offset == offset.value_or(like.offset) && one.cold == like.cold)
                return &one;
        return nullptr;
    }

private:
    std::vector<measurement> all_;
    std::ofstream file_;
};

} // namespace bench
