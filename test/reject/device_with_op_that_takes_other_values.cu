// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: op must accept two values of the accumulator's type, which is the type of init (without init, of
// lines: 15
#include <tilewise/reduce.hpp>

struct point {
    int x, y;
};
struct sum_of_points {
#ifdef TILEWISE_REJECT_FIXED
    TILEWISE_PORTABLE point operator()(point a, point b) const { return {a.x + b.x, a.y + b.y}; }
#else
    TILEWISE_PORTABLE int operator()(int sum, point b) const { return sum + b.x; } // a left fold is no reduction
#endif
};

int sum(point const* first, point const* last)
{
    return tilewise::reduce(tilewise::device, first, last, point{0, 0}, sum_of_points{}).x;
}
