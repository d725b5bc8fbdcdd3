// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The average over the last twelve months, for every month.
#include "recipe.hpp"

#include <tilewise/segmented.hpp>

#include <cstddef>
#include <cstdio>
#include <numeric>
#include <vector>

//! [recipe]
std::vector<double> moving_average(std::vector<double> const& x, std::ptrdiff_t width)
{
    // Window i is the segment [i, i + width).
    std::vector<std::ptrdiff_t> offsets(x.size() + 1); // 0, 1, 2, ...
    std::iota(offsets.begin(), offsets.end(), std::ptrdiff_t{0});
    std::vector<double> averages(x.size() - static_cast<std::size_t>(width) + 1);
    auto const ends = offsets.begin() + width;
    tw::segmented_reduce(tw::par, x.begin(), offsets.begin(), offsets.end() - width, ends, averages);
    auto const divided = [&](double sum) { return sum / static_cast<double>(width); };
    std::ranges::transform(averages, averages.begin(), divided);
    return averages;
}
//! [recipe]

int main(int argc, char** argv)
{
    auto const ppm = column(argc > 1 ? argv[1] : "examples/data/mauna_loa_co2.csv", "ppm");
    auto const averages = moving_average(ppm, 12);
    std::printf("%zu averages, from %.2f to %.2f ppm\n", averages.size(), averages.front(), averages.back());

    check(averages.size() == ppm.size() - 11);
    for (std::size_t i = 0; i < averages.size(); ++i) {
        double sum = 0;
        for (std::size_t month = i; month < i + 12; ++month)
            sum += ppm[month];
        check(close(averages[i], sum / 12));
    }
}
