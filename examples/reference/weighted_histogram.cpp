// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/histogram.hpp>

#include <cassert>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<float> const x{0.5F, 1.5F, 1.75F, 3};
    std::vector<double> const weights{10, 20, 30, 40};
    std::vector<double> sums(4);
    tw::weighted_histogram(tw::par, x, weights, tw::regular_axis(4, 0, 4), sums);
    assert(sums == (std::vector<double>{10, 50, 0, 40}));
    tw::weighted_histogram(tw::par, x.begin(), x.end(), weights.begin(), 4, 0, 4, sums.begin()); // without an axis
    assert(sums == (std::vector<double>{10, 50, 0, 40}));
}
//! [program]
