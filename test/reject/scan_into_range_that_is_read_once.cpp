// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: an output range must be a forward range, because its length is checked first
// lines: 25
#include <tilewise/scan.hpp>

#include <iterator>
#include <ranges>
#include <vector>

int main()
{
    std::vector<int> const numbers{1, 2, 3};
    std::vector<int> sums;
#ifdef TILEWISE_REJECT_FIXED
    tilewise::inclusive_scan(numbers, std::back_inserter(sums));
#else
    tilewise::inclusive_scan(numbers, std::views::counted(std::back_inserter(sums), 3));
#endif
}
