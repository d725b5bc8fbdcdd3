// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The median and other quantiles of many values of a few kinds, here the gray levels of an image, without sorting them.
#include "recipe.hpp"

#include <tilewise/histogram.hpp>
#include <tilewise/scan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

//! [recipe]
using counters = std::vector<std::int64_t>;

counters cumulative_counts(std::vector<unsigned char> const& levels)
{
    counters up_to(256); // up_to[v]: how many levels are at most v
    tw::histogram(tw::par, levels, tw::integer_axis(0, 256), up_to);
    tw::inclusive_scan(up_to, up_to);
    return up_to;
}

std::ptrdiff_t quantile(counters const& up_to, double part) // 0: the least level, 0.5: the median
{
    auto const rank = static_cast<std::int64_t>(part * static_cast<double>(up_to.back() - 1));
    return std::upper_bound(up_to.begin(), up_to.end(), rank) - up_to.begin();
}
//! [recipe]

int main(int argc, char** argv)
{
    auto levels = bytes(argc > 1 ? argv[1] : "examples/data/hubble.pgm", 15);
    auto const up_to = cumulative_counts(levels);
    std::printf("median %td, 99 %% up to %td\n", quantile(up_to, 0.5), quantile(up_to, 0.99));

    std::ranges::sort(levels);
    for (double const part : {0.0, 0.25, 0.5, 0.75, 0.99, 1.0})
        check(quantile(up_to, part) == levels[static_cast<std::size_t>(part * static_cast<double>(levels.size() - 1))]);
}
