// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: the edges of an axis cannot be of type bool
// lines: 25
#include <tilewise/axis.hpp>

#include <vector>

int main()
{
    std::vector<bool> const edges{false, true};
#ifdef TILEWISE_REJECT_FIXED
    tilewise::variable_axis<int> const axis(edges);
#else
    tilewise::variable_axis const axis(edges);
#endif
    return axis.index(1);
}
