// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: counters cannot be of type bool, which holds no count above one
// lines: 20
#include <tilewise/histogram.hpp>

#include <vector>

int main()
{
    std::vector<int> const x{0, 1, 1};
#ifdef TILEWISE_REJECT_FIXED
    std::vector<char> counts(2);
#else
    std::vector<bool> counts(2);
#endif
    tilewise::histogram(tilewise::par, x, tilewise::integer_axis<int>(0, 2), counts);
}
