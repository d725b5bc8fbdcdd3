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
    assert(tw::transform_reduce(tw::par, x, 0, std::plus<>(), square) == 30);
    assert(tw::transform_reduce(tw::par, x, y, 0) == 300); // the sum of the products of pairs
    auto const difference = [](int a, int b) { return b - a; };
    assert(tw::transform_reduce(tw::par, x.begin(), x.end(), y.begin(), 0, std::plus<>(), difference) == 90);

    struct point {
        double x, y;
    };
    std::vector<point> const points{{1, 2}, {3, 4}};
    assert(tw::transform_reduce(tw::par, points, 0.0, std::plus<>(), &point::y) == 6);
}
//! [program]
