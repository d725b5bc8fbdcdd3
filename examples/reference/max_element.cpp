// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/minmax.hpp>

#include <cassert>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<float> const x{2, 1, 3, 1, 3};
    assert(tw::max_element(tw::par, x) - x.begin() == 2); // the first of equals
}
//! [program]
