// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/minmax.hpp>

#include <cassert>
#include <functional>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<float> const x{2, 1, 3, 1, 3};
    assert(tw::min_element(tw::par, x) - x.begin() == 1); // the first of equals
    assert(tw::min_element(tw::par, x.begin(), x.end(), std::greater<>()) - x.begin() == 2);
    assert(tw::min_element(tw::par, x.end(), x.end()) == x.end()); // of an empty range
}
//! [program]
