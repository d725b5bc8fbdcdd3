// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: kernels do not support long double, which is double in device code
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
