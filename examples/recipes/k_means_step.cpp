// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One step of the k-means algorithm: the mean of the points that are nearest to each center.
#include "recipe.hpp"

#include <tilewise/histogram.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

//! [recipe]
struct point {
    double x = 0, y = 0, count = 0; // also a sum of points
    friend point operator+(point a, point b) { return {a.x + b.x, a.y + b.y, a.count + b.count}; }
};

std::vector<point> sums_by_center(std::vector<point> const& points, std::vector<point> const& centers)
{
    auto const nearest = [&](point p) {
        auto const distance = [p](point c) { return std::hypot(p.x - c.x, p.y - c.y); };
        return static_cast<int>(std::ranges::min_element(centers, {}, distance) - centers.begin());
    };
    std::vector<point> sums(centers.size()); // the weight of a point is the point itself
    tw::weighted_histogram(tw::par, points, points, tw::function_axis(centers.size(), nearest), sums);
    return sums; // divided by their counts, the next centers
}
//! [recipe]

int main(int argc, char** argv)
{
    auto const x = column(argc > 1 ? argv[1] : "examples/data/old_faithful.csv", "eruptions");
    auto const y = column(argc > 1 ? argv[1] : "examples/data/old_faithful.csv", "waiting");
    std::vector<point> points, expected(2);
    for (std::size_t i = 0; i < x.size(); ++i) {
        points.push_back({x[i], y[i], 1});
        point& sum = expected[std::hypot(x[i] - 4, y[i] - 80) < std::hypot(x[i] - 2, y[i] - 50) ? 1 : 0];
        sum = sum + points[i];
    }
    auto const sums = sums_by_center(points, {{2, 50}, {4, 80}});
    for (std::size_t i = 0; i < 2; ++i)
        check(sums[i].count == expected[i].count && close(sums[i].x, expected[i].x) && close(sums[i].y, expected[i].y));
    std::printf("a center: %.4f min, %.3f min\n", sums[1].x / sums[1].count, sums[1].y / sums[1].count);
}
