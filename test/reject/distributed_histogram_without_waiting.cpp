// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: ranks wait for each other, so the local policy must wait, too
// lines: 25
#include <tilewise/distributed.hpp>
#include <tilewise/histogram.hpp>

#include <vector>

int main()
{
    tilewise::self_communicator alone;
    std::vector<int> const x{0, 1};
    std::vector<int> counts(2);
#ifdef TILEWISE_REJECT_FIXED
    auto const local = tilewise::device;
#else
    auto const local = tilewise::device.nosync();
#endif
    tilewise::histogram(tilewise::distributed(alone, local), x, tilewise::integer_axis(0, 2), counts);
}
