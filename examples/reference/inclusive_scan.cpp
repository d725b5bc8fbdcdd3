// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/scan.hpp>

#include <cassert>
#include <functional>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<int> x{3, 1, 4, 1, 5}, sums(5);
    tw::inclusive_scan(tw::par, x, sums);
    assert(sums == (std::vector{3, 4, 8, 9, 14}));
    tw::inclusive_scan(tw::par, x.begin(), x.end(), x.begin(), std::multiplies<>(), 10); // in place, starting with 10
    assert(x == (std::vector{30, 30, 120, 120, 600}));
}
//! [program]
