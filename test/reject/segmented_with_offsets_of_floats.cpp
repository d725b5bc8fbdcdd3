// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: the offsets at which segments begin and end must be integers
// lines: 25
#include <tilewise/segmented.hpp>

#include <vector>

int main()
{
    std::vector<float> const numbers{1, 2, 3};
    std::vector<float> sums(2);
#ifdef TILEWISE_REJECT_FIXED
    std::vector<int> const offsets{0, 1, 3};
#else
    std::vector<float> const offsets{0, 1, 3};
#endif
    tilewise::segmented_reduce(numbers.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1, sums.begin());
}
