// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: ranks wait for each other, so the local policy must wait, too
// lines: 25
#include <tilewise/distributed.hpp>
#include <tilewise/segmented.hpp>

int main()
{
    tilewise::self_communicator alone;
#ifdef TILEWISE_REJECT_FIXED
    auto const policy = tilewise::distributed(alone, tilewise::device).at(0, 3);
#else
    auto const policy = tilewise::distributed(alone, tilewise::device.nosync()).at(0, 3);
#endif
    int const x[] = {1, 2, 3}, offsets[] = {0, 1, 3};
    int sums[2];
    tilewise::segmented_reduce(policy, x, offsets, offsets + 2, offsets + 1, sums);
}
