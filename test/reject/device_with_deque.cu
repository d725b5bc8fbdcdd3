// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: kernels cannot read the elements of a std::deque or a std::vector<bool>
// lines: 15
#include <tilewise/reduce.hpp>

#include <deque>
#include <vector>

int main()
{
#ifdef TILEWISE_REJECT_FIXED
    std::vector<int> const x{1, 2, 3};
#else
    std::deque<int> const x{1, 2, 3};
#endif
    return tilewise::reduce(tilewise::device, x);
}
