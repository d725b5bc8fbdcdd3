// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/histogram.hpp>

#include <cassert>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<float> const x{0.5F, 1.5F, 1.75F, 3, 7};
    std::vector<int> counts(4);
    tw::histogram(tw::par, x, tw::regular_axis(4, 0, 4), counts); // 7 is out of range
    assert(counts == (std::vector{1, 2, 0, 1}));
    tw::histogram(tw::par, x.begin(), x.end(), 4, 0.0F, 4.0F, counts.begin()); // the same without an axis
    assert(counts == (std::vector{1, 2, 0, 1}));
    std::vector<double> const edges{0, 1, 10};
    std::vector<int> in_two(2);
    tw::histogram(tw::par, x, edges, in_two); // bins of different widths
    assert(in_two == (std::vector{1, 4}));
}
//! [program]
