// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: kernels cannot read the elements of a std::deque or a std::vector<bool>
// lines: 15
#include <tilewise/count.hpp>

#include <vector>

int main()
{
#ifdef TILEWISE_REJECT_FIXED
    std::vector<char> const x{1, 0, 1};
#else
    std::vector<bool> const x{1, 0, 1};
#endif
    return static_cast<int>(tilewise::count(tilewise::device, x.begin(), x.end(), true));
}
