// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: the compiled library cannot reduce these elements to the type of init
// options: -DTILEWISE_COMPILED
// lines: 25
#include <tilewise/reduce.hpp>

#include <vector>

int main()
{
    std::vector<long long> const x{1, 2, 3};
#ifdef TILEWISE_REJECT_FIXED
    return tilewise::reduce(tilewise::device, x, 0LL) == 6;
#else
    return tilewise::reduce(tilewise::device, x, 0) == 6; // would cut the sum off
#endif
}
