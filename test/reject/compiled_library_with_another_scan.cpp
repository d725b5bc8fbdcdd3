// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: the compiled library does not support this scan
// expect: and std::plus for an exclusive scan
// options: -DTILEWISE_COMPILED
// lines: 25
#include <tilewise/scan.hpp>

#include <functional>
#include <vector>

int main()
{
    std::vector<int> const x{1, 2, 3};
    std::vector<int> out(3);
#ifdef TILEWISE_REJECT_FIXED
    tilewise::exclusive_scan(tilewise::device, x, out.begin(), 0, std::plus<>{});
#else
    tilewise::exclusive_scan(tilewise::device, x, out.begin(), 0, tilewise::maximum<>{});
#endif
}
