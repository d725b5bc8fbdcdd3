// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: weights are converted to the type of the sums, and integers would truncate floating-point weights
// lines: 20
#include <tilewise/histogram.hpp>

#include <vector>

int main()
{
    std::vector<int> const x{0, 1, 1};
    std::vector<double> const weights{0.5, 0.5, 0.5};
#ifdef TILEWISE_REJECT_FIXED
    std::vector<double> sums(2);
#else
    std::vector<int> sums(2);
#endif
    tilewise::weighted_histogram(x, weights, tilewise::integer_axis<int>(0, 2), sums);
}
