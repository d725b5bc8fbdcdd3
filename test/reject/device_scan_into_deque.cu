// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: under device, the output must be a trivially copyable random access iterator into GPU memory
// lines: 15
#include <tilewise/scan.hpp>

#include <deque>
#include <vector>

int main()
{
    std::vector<int> const x{1, 2, 3};
#ifdef TILEWISE_REJECT_FIXED
    std::vector<int> sums(3);
#else
    std::deque<int> sums(3);
#endif
    tilewise::inclusive_scan(tilewise::device, x, sums.begin());
}
