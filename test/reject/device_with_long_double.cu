// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: kernels have no long double
// lines: 24
#include <tilewise/reduce.hpp>

#ifdef TILEWISE_REJECT_FIXED
using number = double;
#else
using number = long double;
#endif

double sum(number const* first, number const* last)
{
    return tilewise::reduce(tilewise::device, first, last, 0.0);
}
