// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/reduce.hpp>

#include <cassert>
#include <functional>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<int> const x{1, 2, 3, 4};
    std::vector<int> results(2);
    auto out = results.begin();
    out = tw::reduce_into(tw::par, x, out); // returns the next position
    out = tw::reduce_into(tw::par, x.begin(), x.end(), out, 1, std::multiplies<>());
    assert(results == (std::vector{10, 24}) && out == results.end());
}
//! [program]
