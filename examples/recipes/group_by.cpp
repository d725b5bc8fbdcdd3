// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mean and the extremes of a column for each group of rows, in one pass: CO2 over Mauna Loa, by year.
#include "recipe.hpp"

#include <tilewise/reduce_by_key.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

//! [recipe]
struct summary {
    double sum, least, most;
    int count;
};

std::vector<summary> summaries_by(std::vector<double> const& keys, std::vector<double> const& values)
{
    auto const of_one = [](double x) { return summary{x, x, x, 1}; };
    auto const joined = [](summary const& a, summary const& b) {
        return summary{a.sum + b.sum, std::min(a.least, b.least), std::max(a.most, b.most), a.count + b.count};
    };
    std::vector<summary> groups(keys.size());
    auto const ends = tw::transform_reduce_by_key(tw::par, keys, values, tw::discard_iterator(), groups,
                                                  std::equal_to<>(), joined, of_one);
    groups.erase(ends.second, groups.end());
    return groups;
}
//! [recipe]

int main(int argc, char** argv)
{
    auto const ppm = column(argc > 1 ? argv[1] : "examples/data/mauna_loa_co2.csv", "ppm");
    auto const years = summaries_by(column(argc > 1 ? argv[1] : "examples/data/mauna_loa_co2.csv", "year"), ppm);
    std::printf("1959: mean %.4f, from %g to %g\n", years[0].sum / 12, years[0].least, years[0].most);
    for (std::size_t i = 0; i < ppm.size(); i += 12) { // the months of a year
        auto const [sum, least, most, count] = years[i / 12];
        auto const [low, high] = std::minmax_element(&ppm[i], &ppm[i] + 12);
        check(least == *low && most == *high && count == 12 && close(sum, std::accumulate(&ppm[i], &ppm[i] + 12, 0.0)));
    }
}
