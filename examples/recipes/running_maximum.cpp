// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The largest value so far, at every position, and how often there was a new one.
#include "recipe.hpp"

#include <tilewise/functional.hpp>
#include <tilewise/scan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

//! [recipe]
std::vector<double> running_maximum(std::vector<double> const& x)
{
    std::vector<double> largest(x.size());
    tw::inclusive_scan(tw::par, x, largest, tw::maximum<>());
    return largest;
}
//! [recipe]

int main(int argc, char** argv)
{
    auto const ppm = column(argc > 1 ? argv[1] : "examples/data/mauna_loa_co2.csv", "ppm");
    auto const largest = running_maximum(ppm);

    double expected = ppm[0];
    int records = 0;
    for (std::size_t i = 0; i < ppm.size(); ++i) {
        records += expected < ppm[i] ? 1 : 0;
        expected = std::max(expected, ppm[i]);
        check(largest[i] == expected);
    }
    std::printf("%d records after the first month, the last %g ppm\n", records, largest.back());
}
