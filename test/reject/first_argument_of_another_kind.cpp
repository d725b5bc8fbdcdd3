// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: the first argument must be a policy, an iterator or a range
// lines: 20
#include <tilewise/tilewise.hpp>

#include <vector>

int main()
{
    std::vector<int> const numbers{1, 2, 3};
#ifdef TILEWISE_REJECT_FIXED
    auto const& policy = tilewise::par;
#else
    int const policy = 2; // threads?
#endif
    tilewise::count(policy, numbers, 1);
}
