// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/histogram.hpp>

#include <cassert>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<float> const first_batch{0.5F, 1.5F}, second_batch{1.75F, 3};
    tw::regular_axis const axis(4, 0, 4);
    std::vector<int> counts(4); // zeros
    tw::histogram_add(tw::par, first_batch, axis, counts);
    tw::histogram_add(tw::par, second_batch.begin(), second_batch.end(), axis, counts.begin());
    assert(counts == (std::vector{1, 2, 0, 1}));
}
//! [program]
