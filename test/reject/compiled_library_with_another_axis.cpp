// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: the compiled library supports only regular_axis, variable_axis, log_axis and integer_axis
// options: -DTILEWISE_COMPILED
// lines: 25
#include <tilewise/histogram.hpp>

#include <vector>

struct parity {
    int operator()(int x) const { return x % 2; }
};

int main()
{
    std::vector<int> const x{1, 2, 3};
    std::vector<int> counts(2);
#ifdef TILEWISE_REJECT_FIXED
    tilewise::histogram(tilewise::device, x, tilewise::integer_axis{0, 2}, counts.begin());
#else
    tilewise::histogram(tilewise::device, x, tilewise::function_axis(2, parity{}), counts.begin());
#endif
}
