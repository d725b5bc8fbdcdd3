// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: distributed(communicator, device) supports reduction by key only for integers and known operators,
// lines: 25
#include <tilewise/distributed.hpp>
#include <tilewise/histogram.hpp>

#include <vector>

int main()
{
    tilewise::self_communicator alone;
    std::vector<int> const x{0, 1};
#ifdef TILEWISE_REJECT_FIXED
    std::vector<int> const weights{2, 3};
    std::vector<int> sums(2);
#else
    std::vector<float> const weights{2, 3};
    std::vector<float> sums(2);
#endif
    tilewise::weighted_histogram(tilewise::distributed(alone, tilewise::device), x, weights,
                                 tilewise::integer_axis(0, 2), sums);
}
