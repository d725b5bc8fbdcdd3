// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: scattered() is for histogram and histogram_add
// lines: 30
#include <tilewise/distributed.hpp>
#include <tilewise/reduce.hpp>

#include <vector>

int main()
{
    tilewise::self_communicator alone;
    std::vector<int> const x{1, 2};
#ifdef TILEWISE_REJECT_FIXED
    auto const policy = tilewise::distributed(alone);
#else
    auto const policy = tilewise::distributed(alone).scattered();
#endif
    tilewise::reduce(policy, x);
}
