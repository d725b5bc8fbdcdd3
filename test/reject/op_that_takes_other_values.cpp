// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: op must accept two values of the accumulator's type, which is the type of init (without init, of
// lines: 20
#include <tilewise/reduce.hpp>

#include <vector>

struct point {
    int x, y;
};

int main()
{
    std::vector<point> const points(3);
#ifdef TILEWISE_REJECT_FIXED
    auto const op = [](point a, point b) { return point{a.x + b.x, a.y + b.y}; };
#else
    auto const op = [](int sum, point p) { return sum + p.x; }; // a left fold is no reduction
#endif
    return tilewise::reduce(tilewise::par, points, point{0, 0}, op).x;
}
