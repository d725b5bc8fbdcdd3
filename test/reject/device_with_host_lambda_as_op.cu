// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: kernels cannot call this lambda
// lines: 15
#include <tilewise/reduce.hpp>

struct larger {
    TILEWISE_PORTABLE int operator()(int a, int b) const { return a < b ? b : a; }
};

int sum(int const* first, int const* last)
{
#ifdef TILEWISE_REJECT_FIXED
    larger const op;
#else
    auto const op = [](int a, int b) { return a < b ? b : a; };
#endif
    return tilewise::reduce(tilewise::device, first, last, 0, op);
}
