// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: segments are given by iterators, or by two ranges
// expect: two ranges: the elements, and the offsets between the segments
// lines: 25

#include <tilewise/tilewise.hpp>

#include <vector>

int main()
{
    std::vector<float> const x{0.5f, 0.25f};
    std::vector<int> const n{0, 1, 2};
    std::vector<float> sums(4);
#ifdef TILEWISE_REJECT_FIXED
    tilewise::segmented_reduce(tilewise::seq, x.begin(), n.begin(), n.end() - 1, n.begin() + 1, sums.begin());
#else
    tilewise::segmented_reduce(tilewise::seq, x.begin(), n.begin(), n.end() - 1, n, sums.begin());
#endif
}
