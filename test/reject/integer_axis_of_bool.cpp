// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: the edges of an axis cannot be of type bool
// lines: 25
#include <tilewise/axis.hpp>

int main()
{
#ifdef TILEWISE_REJECT_FIXED
    tilewise::integer_axis<int> const axis(false, true);
#else
    tilewise::integer_axis const axis(false, true);
#endif
    return axis.index(1);
}
