// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: op must accept two values of the accumulator's type, which is the type of init (without init, of
// lines: 20
#include <tilewise/reduce.hpp>

#include <vector>

struct point {
    int x = 0, y = 0;
#ifdef TILEWISE_REJECT_FIXED
    friend point operator+(point a, point b) { return {a.x + b.x, a.y + b.y}; }
#endif
};

int main()
{
    std::vector<point> const points(3);
    return tilewise::reduce(points).x;
}
