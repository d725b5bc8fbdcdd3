// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: kernels do not support long double, which is double in device code
// lines: 36
#include <tilewise/histogram.hpp>

#ifdef TILEWISE_REJECT_FIXED
using number = double;
#else
using number = long double;
#endif

void count(float const* first, float const* last, int* counts)
{
    tilewise::histogram(tilewise::device, first, last, 10, number{0}, number{1}, counts);
}
