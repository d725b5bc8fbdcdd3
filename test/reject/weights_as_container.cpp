// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: an input that follows a pair of iterators must be an iterator, too
// lines: 25

#include <tilewise/tilewise.hpp>

#include <vector>

int main()
{
    std::vector<float> const x{0.5f, 0.25f};
    std::vector<float> sums(4);
#ifdef TILEWISE_REJECT_FIXED
    tilewise::weighted_histogram(tilewise::par, x.begin(), x.end(), x.begin(), 4, 0.0f, 1.0f, sums);
#else
    tilewise::weighted_histogram(tilewise::par, x.begin(), x.end(), x, 4, 0.0f, 1.0f, sums);
#endif
}
