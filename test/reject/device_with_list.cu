// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: device needs random access iterators
// lines: 15
#include <tilewise/reduce.hpp>

#include <list>
#include <vector>

int main()
{
#ifdef TILEWISE_REJECT_FIXED
    std::vector<int> const x{1, 2, 3};
#else
    std::list<int> const x{1, 2, 3};
#endif
    return tilewise::reduce(tilewise::device, x);
}
