// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/segmented.hpp>

#include <cassert>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<double> x{1, 2, 3, 4, 5, 6};
    std::vector<int> const offsets{0, 3, 6};                    // two segments
    tw::segmented_exclusive_scan(tw::par, x, offsets, x, 10.0); // in place
    assert(x == (std::vector<double>{10, 11, 13, 10, 14, 19}));
}
//! [program]
