// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: there are no algorithms by key under distributed(communicator, device) yet
// lines: 25
#include <tilewise/distributed.hpp>
#include <tilewise/reduce_by_key.hpp>

int main()
{
    tilewise::self_communicator alone;
#ifdef TILEWISE_REJECT_FIXED
    auto const policy = tilewise::distributed(alone, tilewise::par);
#else
    auto const policy = tilewise::distributed(alone, tilewise::device);
#endif
    int const keys[] = {1, 1, 2}, values[] = {1, 2, 3};
    int found[2], sums[2];
    tilewise::reduce_by_key(policy, keys, values, found, sums);
}
