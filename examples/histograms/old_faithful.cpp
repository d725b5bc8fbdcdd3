// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A histogram of two dimensions: how long an eruption of the geyser Old Faithful lasts, and how long one then waits for
// the next. A product of two axes counts pairs; the pairs are read from two columns. It shows two
// clusters: short eruptions before short waits, and long before long.
//
// Sums over the waits of each duration are the histogram of the durations alone, and the other way round.

#include "../describe/csv.hpp"
#include "../describe/input_file.hpp"
#include "../describe/svg.hpp"
#include "../scans/everywhere.hpp"

#include <tilewise/histogram.hpp>
#include <tilewise/zip.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

namespace {

using namespace example;

using counters = shared_vector<std::uint32_t>;

shared_vector<double> column(char const* file, char const* name)
{
    auto const numbers = std::get<std::vector<double>>(read_csv(input_file(file).text(), name).values);
    return {numbers.begin(), numbers.end()};
}

tilewise::regular_axis<double> const minutes{15, 1.5, 5.25}, wait{12, 40, 100};
auto const durations = static_cast<std::size_t>(minutes.size()), waits = static_cast<std::size_t>(wait.size());

/// The cell of duration i and wait j is i * waits + j: the last axis turns fastest.
counters counts_by_a_loop(shared_vector<double> const& duration, shared_vector<double> const& waiting)
{
    counters counts(durations * waits);
    for (std::size_t eruption = 0; eruption < duration.size(); ++eruption) {
        for (std::size_t i = 0; i < durations; ++i) {
            for (std::size_t j = 0; j < waits; ++j) {
                double const x = duration[eruption], y = waiting[eruption], left = 1.5 + 0.25 * static_cast<double>(i),
                             below = 40 + 5 * static_cast<double>(j);
                counts[i * waits + j] += left <= x && x < left + 0.25 && below <= y && y < below + 5 ? 1 : 0;
            }
        }
    }
    return counts;
}

void print(counters const& counts)
{
    for (std::size_t j = waits; j-- > 0;) {
        std::printf("%3.0f |", wait.edge(static_cast<std::ptrdiff_t>(j)));
        for (std::size_t i = 0; i < durations; ++i) {
            auto const count = counts[i * waits + j];
            count == 0 ? std::printf("  .") : std::printf("%3u", count);
        }
        std::printf("\n");
    }
    std::printf("min  1.5   2    2.5    3    3.5    4    4.5    5 min\n");
}

/// Prints the cell with the most eruptions among some durations, whose cells are adjacent.
void print_most(char const* of, counters const& counts, std::size_t first, std::size_t last)
{
    auto const begin = counts.begin() + static_cast<std::ptrdiff_t>(first * waits);
    auto const most = std::max_element(begin, counts.begin() + static_cast<std::ptrdiff_t>(last * waits));
    auto const cell = most - counts.begin(), i = cell / wait.size(), j = cell % wait.size();
    std::printf("%s eruptions: most often %g to %g minutes, and %g to %g until the next: %u\n", of, minutes.edge(i),
                minutes.edge(i + 1), wait.edge(j), wait.edge(j + 1), *most);
}

svg_drawing drawing_of(counters const& counts)
{
    constexpr double left = 80, top = 50, cell = 36;
    auto const x = [](std::size_t i) { return left + cell * static_cast<double>(i); };
    auto const y = [](std::size_t j) { return top + cell * static_cast<double>(waits - 1 - j); };
    svg_drawing drawing(680, 540, "Eruptions of Old Faithful");
    drawing.words(left, 30, "Old Faithful: minutes of an eruption, and minutes until the next");
    auto const most = *std::max_element(counts.begin(), counts.end());
    for (std::size_t i = 0; i < durations; ++i) {
        for (std::size_t j = 0; j < waits; ++j) {
            auto const count = counts[i * waits + j];
            char colour[8]; // from white to blue
            auto const pale = 255 - 200 * count / most;
            std::snprintf(colour, sizeof colour, "#%02x%02x%02x", pale & 255U, (pale / 2 + 127) & 255U, 255U);
            drawing.box(x(i), y(j), cell, cell, count == 0 ? "#f7f7f7" : colour, std::to_string(count));
        }
    }
    for (std::size_t i = 0; i <= durations; i += 2) {
        drawing.words(x(i), top + cell * static_cast<double>(waits) + 20,
                      short_text(minutes.edge(static_cast<std::ptrdiff_t>(i))), "middle");
    }
    for (std::size_t j = 0; j < waits; ++j) {
        drawing.words(left - 10, y(j) + cell, short_text(wait.edge(static_cast<std::ptrdiff_t>(j))), "end");
    }
    return drawing;
}

} // namespace

int main(int argc, char** argv)
try {
    char const* const file = argc > 1 ? argv[1] : "examples/data/old_faithful.csv";
    auto const duration = column(file, "eruptions"), waiting = column(file, "waiting");

    auto const expected = counts_by_a_loop(duration, waiting);
    print(expected);
    auto const at_three = static_cast<std::size_t>(minutes.index(3.0));
    print_most("short", expected, 0, at_three);
    print_most("long", expected, at_three, durations);
    if (argc > 2) {
        drawing_of(expected).write(argv[2]);
    }
    return check_everywhere([&](auto const& policy) {
        counters counts(durations * waits), of_duration(durations), of_wait(waits);
        tilewise::histogram(policy, tilewise::zip(duration, waiting), tilewise::product_axis(minutes, wait),
                            counts.begin());
        tilewise::histogram(policy, duration, minutes, of_duration.begin());
        tilewise::histogram(policy, waiting, wait, of_wait.begin());
        bool const right =
            counts == expected && std::accumulate(counts.begin(), counts.end(), std::size_t{0}) == duration.size();
        for (std::size_t i = 0; i < durations; ++i) {
            for (std::size_t j = 0; j < waits; ++j) {
                of_duration[i] -= counts[i * waits + j];
                of_wait[j] -= counts[i * waits + j];
            }
        }
        return right && of_duration == counters(durations) && of_wait == counters(waits);
    });
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
