// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bad_input.hpp"
#include "moments.hpp"
#include "svg.hpp"

#include <tilewise/histogram.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace example {

/// The double nearest to `mantissa` times a power of ten.
inline double decimal(double mantissa, int exponent)
{
    char text[64];
    char* end = std::to_chars(text, text + 32, mantissa, std::chars_format::fixed, 0).ptr;
    *end++ = 'e';
    end = std::to_chars(end, text + sizeof text, exponent).ptr;
    double number = 0;
    if (std::from_chars(text, end, number).ec == std::errc::result_out_of_range) {
        return std::copysign(std::numeric_limits<double>::max(), mantissa);
    }
    return number;
}

/// Edges of about `bins` bins that have all numbers from `min` to `max`: multiples of 1, 2 or 5 times a power of ten.
/// Each is the double nearest to its decimal number, so that numbers read from decimals lie on the side of an edge that
/// their digits say. Multiples of a step that is no double, such as 0.1, would be off.
inline std::vector<double> round_edges(double min, double max, int bins)
{
    double const largest = std::max(std::abs(min), std::abs(max));
    // (The difference of the largest numbers of both signs is infinite.)
    double const most = std::numeric_limits<double>::max();
    double const least = std::min(std::max({max / bins - min / bins, largest * 1e-14, 1e-300}), most);
    int exponent = static_cast<int>(std::floor(std::log10(least)));
    int digit = 10;
    for (int const candidate : {5, 2, 1}) {
        digit = decimal(candidate, exponent) >= least ? candidate : digit;
    }
    if (min == max) { // one bin of width 1, unless the numbers are too large
        digit = largest < 1e14 ? 1 : digit;
        exponent = largest < 1e14 ? 0 : exponent;
    }
    double const step = decimal(digit, exponent);
    auto const edge = [&](double i) { return decimal(i * digit, exponent); };
    double first = std::floor(min / step); // a guess, which the edges correct
    while (edge(first) > min) {
        --first;
    }
    while (edge(first + 1) <= min && edge(first + 1) < most) {
        ++first;
    }
    std::vector<double> edges{edge(first)};
    do {
        edges.push_back(edge(++first));
    } while (edges.back() <= max && edges.back() < most);
    return edges;
}

/// The bins that a column is drawn in, if nobody says how many: twice the cube root of its length.
inline int usual_bins(std::int64_t count)
{
    return static_cast<int>(std::clamp(std::ceil(2 * std::cbrt(static_cast<double>(count))), 1.0, 40.0));
}

/// The bins for what `m` describes, and one of which has every number. Throws `bad_input` if some are infinite.
inline tilewise::variable_axis<double> round_axis(moments const& m, int bins)
{
    if (!std::isfinite(m.min) || !std::isfinite(m.max)) {
        throw bad_input("there is no histogram of infinite numbers");
    }
    // Clamped: there is no edge above the largest double.
    return tilewise::variable_axis<double>(round_edges(m.min, m.max, bins), {.flow = tilewise::flow::clamp});
}

/// How many numbers each bin has.
template <class Policy>
std::vector<std::uint64_t> bin_counts(Policy const& policy, std::vector<double> const& numbers,
                                      tilewise::variable_axis<double> const& axis)
{
    std::vector<std::uint64_t> counts(static_cast<std::size_t>(axis.extent()));
    tilewise::histogram(policy, numbers, axis, counts.begin());
    return counts;
}

/// A bar of block characters, to an eighth of a character.
inline std::string bar(double characters)
{
    constexpr std::string_view parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    auto const eighths = static_cast<int>(std::ceil(8 * characters));
    std::string result;
    for (int i = 0; i < eighths / 8; ++i) {
        result += "█";
    }
    return result.append(parts[eighths % 8]);
}

inline void print_bins(std::vector<double> const& edges, std::vector<std::uint64_t> const& counts)
{
    auto const most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
    std::printf("%-16s %-16s count\n", "lower", "upper");
    for (std::size_t i = 0; i < counts.size(); ++i) {
        auto const of_bin = static_cast<double>(counts[i]);
        std::printf("%-16.10g %-16.10g %-10.0f %s\n", edges[i], edges[i + 1], of_bin, bar(40 * of_bin / most).c_str());
    }
}

/// Draws the bins of a histogram as columns side by side.
inline svg_drawing drawing_of(std::vector<double> const& edges, std::vector<std::uint64_t> const& counts,
                              std::string const& title)
{
    constexpr double left = 70, bottom = 350, width = 700, height = 300;
    svg_drawing drawing(800, 400, title);
    drawing.words(left, 25, title);
    auto const most = *std::max_element(counts.begin(), counts.end());
    drawing.words(left - 10, bottom - height + 4, std::to_string(most), "end");
    drawing.words(left - 10, bottom + 4, "0", "end");
    double const each = width / static_cast<double>(counts.size());
    std::size_t const label_every = counts.size() / 10 + 1;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        double const x = left + each * static_cast<double>(i);
        double const tall = most == 0 ? 0 : height * static_cast<double>(counts[i]) / static_cast<double>(most);
        drawing.box(x, bottom - tall, 0.96 * each, tall, "#3b82b8",
                    short_text(edges[i]) + " to " + short_text(edges[i + 1]) + ": " + std::to_string(counts[i]));
        if (i % label_every == 0) {
            drawing.words(x, bottom + 20, short_text(edges[i]), "middle");
        }
    }
    drawing.words(left + width, bottom + 20, short_text(edges.back()), "middle");
    drawing.box(left, bottom, width, 1, "#1f2933", "no numbers");
    return drawing;
}

} // namespace example
