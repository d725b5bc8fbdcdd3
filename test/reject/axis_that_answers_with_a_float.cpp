// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: the axis must accept the samples: index(sample) must return the number of a cell
// lines: 25
#include <tilewise/histogram.hpp>

#include <vector>

struct halves {
    long size() const { return 2; }
    long extent() const { return 2; }
#ifdef TILEWISE_REJECT_FIXED
    int index(double x) const { return x < 0.5 ? 0 : 1; }
#else
    double index(double x) const { return 2 * x; }
#endif
};

int main()
{
    std::vector<double> const x{0.1, 0.9};
    std::vector<int> counts(2);
    tilewise::histogram(x, halves{}, counts);
}
