// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: par writes to several positions concurrently, so the output must be a forward iterator
// lines: 25
#include <tilewise/scan.hpp>

#include <iterator>
#include <vector>

int main()
{
    std::vector<int> const numbers{1, 2, 3};
    std::vector<int> sums;
#ifdef TILEWISE_REJECT_FIXED
    auto const policy = tilewise::seq;
#else
    auto const policy = tilewise::par;
#endif
    tilewise::inclusive_scan(policy, numbers, std::back_inserter(sums));
}
