// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: a segmented scan writes to the positions of its elements, so the output must be a random access
// lines: 25
#include <tilewise/segmented.hpp>

#include <list>
#include <vector>

int main()
{
    std::vector<int> const numbers{1, 2, 3};
    int const offsets[]{0, 1, 3};
#ifdef TILEWISE_REJECT_FIXED
    std::vector<int> sums(3);
#else
    std::list<int> sums(3);
#endif
    tilewise::segmented_inclusive_scan(tilewise::par, numbers.begin(), offsets, offsets + 2, offsets + 1, sums.begin());
}
