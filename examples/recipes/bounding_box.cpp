// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bounding box of points whose coordinates are in separate arrays.
#include "recipe.hpp"

#include <tilewise/reduce.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

//! [recipe]
struct box {
    double left, right, bottom, top;
};

box bounding_box(std::vector<double> const& x, std::vector<double> const& y) // of at least one point
{
    auto const of_point = [](double px, double py) { return box{px, px, py, py}; };
    auto const around = [](box const& a, box const& b) {
        return box{std::min(a.left, b.left), std::max(a.right, b.right), std::min(a.bottom, b.bottom),
                   std::max(a.top, b.top)};
    };
    return tw::transform_reduce(tw::par, x, y, of_point(x[0], y[0]), around, of_point);
}
//! [recipe]

int main(int argc, char** argv)
{
    char const* const file = argc > 1 ? argv[1] : "examples/data/old_faithful.csv";
    auto const x = column(file, "eruptions"), y = column(file, "waiting");
    auto const [left, right, bottom, top] = bounding_box(x, y);
    std::printf("[%g, %g] x [%g, %g]\n", left, right, bottom, top);

    auto const [least_x, most_x] = std::minmax_element(x.begin(), x.end());
    auto const [least_y, most_y] = std::minmax_element(y.begin(), y.end());
    check(left == *least_x && right == *most_x && bottom == *least_y && top == *most_y);
}
