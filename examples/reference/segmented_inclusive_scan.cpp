// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/segmented.hpp>

#include <cassert>
#include <functional>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<double> const x{1, 2, 3, 4, 5, 6};
    std::vector<int> const offsets{0, 3, 6}; // two segments
    std::vector<double> sums(6);
    tw::segmented_inclusive_scan(tw::par, x, offsets, sums);
    assert(sums == (std::vector<double>{1, 3, 6, 4, 9, 15}));
    tw::segmented_inclusive_scan(tw::par, x.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                 sums.begin(), std::plus<>(), 10.0);
    assert(sums == (std::vector<double>{11, 13, 16, 14, 19, 25}));
}
//! [program]
