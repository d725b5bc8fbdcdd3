// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: distributed(communicator, device) returns values and writes none yet; use reduce
// lines: 25
#include <tilewise/distributed.hpp>
#include <tilewise/reduce.hpp>

#include <vector>

int main()
{
    tilewise::self_communicator alone;
    std::vector<int> const x{0, 1};
    int sum = 0;
#ifdef TILEWISE_REJECT_FIXED
    auto const local = tilewise::par;
#else
    auto const local = tilewise::device;
#endif
    tilewise::reduce_into(tilewise::distributed(alone, local), x, &sum);
    return sum;
}
