// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/count.hpp>

#include <cassert>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<float> const x{2, 1, 3, 1, 3};
    assert(tw::count_if(tw::par, x, [](float value) { return value < 2.5F; }) == 3);
}
//! [program]
