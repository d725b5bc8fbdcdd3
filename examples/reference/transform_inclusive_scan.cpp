// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/scan.hpp>

#include <cassert>
#include <functional>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<int> const x{3, 1, 4, 1, 5};
    std::vector<int> odd(5);
    auto const is_odd = [](int value) { return value % 2; };
    tw::transform_inclusive_scan(tw::par, x, odd, std::plus<>(), is_odd);
    assert(odd == (std::vector{1, 2, 2, 3, 4})); // how many odd numbers so far
    tw::transform_inclusive_scan(tw::par, x.begin(), x.end(), odd.begin(), std::plus<>(), is_odd, 10);
    assert(odd == (std::vector{11, 12, 12, 13, 14}));
}
//! [program]
