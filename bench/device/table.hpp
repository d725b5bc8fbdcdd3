// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Measurements as a table for a terminal: one line per input, one column per size.

#include "results.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

using cell = std::function<std::string(measurement const& ours)>;

/// A table of the measurements of `part` that `covers` accepts.
inline void print_table(results const& all, std::string_view title, std::string_view part,
                        std::function<bool(measurement const&)> const& covers, cell const& text)
{
    std::vector<measurement> shown;
    std::vector<std::uint64_t> sizes;
    std::vector<std::pair<std::string, int>> rows;
    for (auto const& one : all.all()) {
        if (one.part != part || one.who != "tilewise" || !covers(one))
            continue;
        shown.push_back(one);
        if (std::ranges::find(sizes, one.count) == sizes.end())
            sizes.push_back(one.count);
        std::pair const row{one.what, one.offset};
        if (std::ranges::find(rows, row) == rows.end())
            rows.push_back(row);
    }
    if (shown.empty())
        return;
    std::ranges::sort(sizes);

    // One column per size, as wide as its widest cell.
    std::vector<std::string> lines(1 + rows.size());
    auto const add_column = [&](auto const& text_of_line) {
        std::size_t width = 0;
        for (std::size_t i = 0; i < lines.size(); ++i)
            width = std::max(width, text_of_line(i).size());
        for (std::size_t i = 0; i < lines.size(); ++i)
            lines[i] += text_of_line(i) + std::string(width + 1 - text_of_line(i).size(), ' ');
    };
    add_column([&](std::size_t i) {
        if (i == 0)
            return std::string();
        auto const& [what, offset] = rows[i - 1];
        return offset == 0 ? what : what + " + " + std::to_string(offset);
    });
    for (auto const size : sizes)
        add_column([&](std::size_t i) {
            if (i == 0)
                return "2^" + std::to_string(std::bit_width(size) - 1);
            for (auto const& one : shown)
                if (one.what == rows[i - 1].first && one.offset == rows[i - 1].second && one.count == size)
                    return text(one);
            return std::string();
        });
    std::printf("\n%.*s\n", static_cast<int>(title.size()), title.data());
    for (auto const& line : lines)
        std::printf("%s\n", line.c_str());
}

/// "ours/theirs", each by `format` from a measurement.
inline cell compared_with(results const& all, std::vector<std::string> others,
                          std::string (*format)(measurement const&))
{
    return [&all, others, format](measurement const& ours) {
        std::string text = format(ours);
        for (auto const& who : others) {
            measurement const* other = all.find(ours, who);
            text += '/';
            text += other ? format(*other) : "-";
        }
        return text;
    };
}

inline std::string in_microseconds(measurement const& one)
{
    char text[32];
    std::snprintf(text, sizeof text, one.microseconds.median < 10 ? "%.2f" : "%.1f", one.microseconds.median);
    return text;
}
inline std::string in_gigabytes_per_second(measurement const& one)
{
    return std::to_string(static_cast<long>(one.gigabytes_per_second() + 0.5));
}

} // namespace bench
