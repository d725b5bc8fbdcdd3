// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/minmax.hpp>

#include <cassert>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<float> const x{2, 1, 3, 1, 3};
    auto const [smallest, largest] = tw::minmax_element(tw::par, x);
    assert(smallest - x.begin() == 1); // the first of equals
    assert(largest - x.begin() == 4);  // the last of equals, as in the standard library
}
//! [program]
