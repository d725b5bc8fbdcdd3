// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/scan.hpp>

#include <cassert>
#include <functional>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<int> const counts{3, 1, 4, 1, 5};
    std::vector<int> begins(5);
    tw::exclusive_scan(tw::par, counts, begins, 0); // where each part begins
    assert(begins == (std::vector{0, 3, 4, 8, 9}));
    tw::exclusive_scan(tw::par, counts.begin(), counts.end(), begins.begin(), 2, std::multiplies<>());
    assert(begins == (std::vector{2, 6, 6, 24, 24}));
}
//! [program]
