// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: the accumulator of a scan must be assignable to the elements of the output
// lines: 25
#include <tilewise/scan.hpp>

#include <vector>

int main()
{
    std::vector<int> const numbers{1, 2, 3};
#ifdef TILEWISE_REJECT_FIXED
    std::vector<long> sums(3);
#else
    std::vector<long> const sums(3);
#endif
    tilewise::inclusive_scan(numbers, sums.begin());
}
