// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: --expt-relaxed-constexpr
// lines: 34
#include <tilewise/reduce.hpp>

struct larger {
#ifdef TILEWISE_REJECT_FIXED
    TILEWISE_PORTABLE constexpr int operator()(int a, int b) const { return a < b ? b : a; }
#else
    constexpr int operator()(int a, int b) const { return a < b ? b : a; }
#endif
};

int sum(int const* first, int const* last)
{
    return tilewise::reduce(tilewise::device, first, last, 0, larger{});
}
