// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: the compiled library has no segmented algorithms; compile this file with nvcc, or use tilewise::par
// options: -DTILEWISE_COMPILED
// lines: 25
#include <tilewise/segmented.hpp>

#include <vector>

int main()
{
    std::vector<int> const x{1, 2, 3}, offsets{0, 2, 3};
    std::vector<int> sums(2);
#ifdef TILEWISE_REJECT_FIXED
    auto const policy = tilewise::par;
#else
    auto const policy = tilewise::device;
#endif
    tilewise::segmented_reduce(policy, x.begin(), offsets.begin(), offsets.begin() + 2, offsets.begin() + 1,
                               sums.begin(), 0);
}
