// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: under device, keys that ranks exchange must have at most 256 bytes
// lines: 25
#include <tilewise/distributed.hpp>
#include <tilewise/reduce_by_key.hpp>

struct wide {
    int part[80];
    friend bool operator==(wide const& a, wide const& b) noexcept { return a.part[0] == b.part[0]; }
};

int main()
{
    tilewise::self_communicator alone;
#ifdef TILEWISE_REJECT_FIXED
    auto const policy = tilewise::distributed(alone, tilewise::par);
#else
    auto const policy = tilewise::distributed(alone, tilewise::device);
#endif
    wide const keys[] = {{{1}}, {{1}}, {{2}}};
    int const values[] = {1, 2, 3};
    wide found[2];
    int sums[2];
    tilewise::reduce_by_key(policy, keys, values, found, sums);
}
