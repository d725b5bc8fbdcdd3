// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/reduce.hpp>

#include <cassert>
#include <functional>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<int> const x{1, 2, 3, 4}, y{10, 20, 30, 40};
    auto const square = [](int value) { return value * value; };
    int squares = 0, products = 0;
    tw::transform_reduce_into(tw::par, x, &squares, 0, std::plus<>(), square);
    tw::transform_reduce_into(tw::par, x.begin(), x.end(), y.begin(), &products, 0);
    assert(squares == 30 && products == 300);
}
//! [program]
