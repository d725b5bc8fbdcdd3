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
    assert(tw::reduce(tw::par, x) == 10);                         // a range, from int{}
    assert(tw::reduce(tw::par, x.begin(), x.end(), 0.5) == 10.5); // iterators, in the type of init
    assert(tw::reduce(tw::par, x, 1, std::multiplies<>()) == 24); // another operator
    assert(tw::reduce(x) == 10);                                  // on the calling thread
}
//! [program]
