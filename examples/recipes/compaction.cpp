// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps the numbers that satisfy a predicate, in their order: an exclusive scan computes their positions.
#include "recipe.hpp"

#include <tilewise/scan.hpp>

#include <cstddef>
#include <cstdio>
#include <functional>
#include <iterator>
#include <vector>

//! [recipe]
template <class Keep>
std::vector<double> compacted(std::vector<double> const& x, Keep keep)
{
    std::vector<std::size_t> positions(x.size() + 1); // the last is the number of results
    auto const one_if_kept = [&](double value) { return keep(value) ? std::size_t{1} : std::size_t{0}; };
    tw::transform_inclusive_scan(tw::par, x, positions.begin() + 1, std::plus<>(), one_if_kept);
    std::vector<double> kept(positions.back());
    for (std::size_t i = 0; i < x.size(); ++i) // in any order: the positions are known
        if (positions[i] != positions[i + 1])
            kept[positions[i]] = x[i];
    return kept;
}
//! [recipe]

int main(int argc, char** argv)
{
    auto const minutes = column(argc > 1 ? argv[1] : "examples/data/old_faithful.csv", "eruptions");
    auto const is_long = [](double duration) { return duration > 3; };
    auto const kept = compacted(minutes, is_long);
    std::printf("%zu of %zu eruptions took more than 3 minutes\n", kept.size(), minutes.size());

    std::vector<double> expected;
    std::copy_if(minutes.begin(), minutes.end(), std::back_inserter(expected), is_long);
    check(kept == expected);
}
