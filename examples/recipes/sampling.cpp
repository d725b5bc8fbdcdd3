// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random values with the frequencies of a histogram: a scan computes the cumulative counts, and a search inverts them.
#include "recipe.hpp"

#include <tilewise/histogram.hpp>
#include <tilewise/scan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

//! [recipe]
std::vector<std::int64_t> cumulative_counts(std::vector<unsigned char> const& samples)
{
    std::vector<std::int64_t> up_to(256); // up_to[v]: how many samples are at most v
    tw::histogram(tw::par, samples, tw::integer_axis(0, 256), up_to);
    tw::inclusive_scan(up_to, up_to);
    return up_to;
}

std::ptrdiff_t sample_of_rank(std::vector<std::int64_t> const& up_to, std::int64_t rank) // < up_to.back()
{
    return std::upper_bound(up_to.begin(), up_to.end(), rank) - up_to.begin();
}
//! [recipe]

int main(int argc, char** argv)
{
    auto levels = bytes(argc > 1 ? argv[1] : "examples/data/hubble.pgm", 15);
    auto const up_to = cumulative_counts(levels);
    std::mt19937_64 random(1);
    for (int i = 0; i < 3; ++i) // (a rank modulo the number of samples: the bias is less than 2^-45)
        std::printf("random pixel %td\n", sample_of_rank(up_to, static_cast<std::int64_t>(random() % levels.size())));

    std::ranges::sort(levels); // all ranks give all samples, each as often as it occurs
    for (std::size_t i = 0; i < levels.size(); ++i)
        check(sample_of_rank(up_to, static_cast<std::int64_t>(i)) == levels[i]);
}
