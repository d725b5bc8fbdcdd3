// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: a call with nosync() returns before its result is computed; use reduce_into
// lines: 15
#include <tilewise/reduce.hpp>

int sum(int const* first, int const* last)
{
#ifdef TILEWISE_REJECT_FIXED
    return tilewise::reduce(tilewise::device, first, last);
#else
    return tilewise::reduce(tilewise::device.nosync(), first, last);
#endif
}
