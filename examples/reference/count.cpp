// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/count.hpp>

#include <cassert>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<float> const x{2, 1, 3, 1, 3};
    assert(tw::count(tw::par, x, 3) == 2);
    assert(tw::count(tw::par, x.begin(), x.end(), 7) == 0);
}
//! [program]
