// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// How far sums of floats are from the truth, in the orders that people use.

#include "expect.hpp"

#include <tilewise/reduce.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace tw = tilewise;

namespace {

/// Halves, each added up likewise.
float pairwise(std::span<float const> x)
{
    if (x.size() < 3)
        return std::accumulate(x.begin(), x.end(), 0.0F);
    auto const half = x.size() / 2;
    return pairwise(x.first(half)) + pairwise(x.subspan(half));
}

/// Exact enough to judge the others: a double has 29 bits more.
double exact(std::vector<float> const& x)
{
    return tw::reduce(tw::seq, x, 0.0);
}

} // namespace

int main()
{
    std::printf("%-12s %14s %14s %14s\n", "floats", "left to right", "pairwise", "tilewise");
    for (int log2_size = 10; log2_size <= 26; log2_size += 4) {
        std::mt19937 generator(3);
        std::uniform_real_distribution<float> one(0, 1);
        std::vector<float> x(std::size_t{1} << log2_size);
        for (float& value : x)
            value = one(generator);

        double const truth = exact(x);
        auto const error = [&](float sum) { return std::abs(static_cast<double>(sum) - truth) / truth; };
        //! [orders]
        double const left_to_right = error(std::accumulate(x.begin(), x.end(), 0.0F));
        double const in_halves = error(pairwise(x));
        double const in_tiles = error(tw::reduce(tw::par, x, 0.0F));
        //! [orders]
        std::printf("2^%-10d %14.1e %14.1e %14.1e\n", log2_size, left_to_right, in_halves, in_tiles);
        expect(in_tiles < 1e-6);
        expect(in_tiles < left_to_right || log2_size < 14);
    }
}
