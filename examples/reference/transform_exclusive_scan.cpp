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
    std::vector<int> positions(5);
    auto const is_odd = [](int value) { return value % 2; };
    tw::transform_exclusive_scan(tw::par, x, positions, 0, std::plus<>(), is_odd);
    assert(positions == (std::vector{0, 1, 2, 2, 3})); // of the odd numbers among themselves
}
//! [program]
