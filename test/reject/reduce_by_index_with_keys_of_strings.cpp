// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: keys must be integers or enumerations
// lines: 20
#include <tilewise/histogram.hpp>

#include <string>
#include <vector>

int main()
{
#ifdef TILEWISE_REJECT_FIXED
    std::vector<int> const keys{0, 1, 1};
#else
    std::vector<std::string> const keys{"0", "1", "1"};
#endif
    std::vector<int> const values{1, 2, 3};
    std::vector<int> sums(2);
    tilewise::reduce_by_index(tilewise::par, keys.begin(), keys.end(), values.begin(), 2, sums.begin());
}
