// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: and its result must convert to that type
// lines: 20
#include <tilewise/reduce.hpp>

#include <string>
#include <vector>

int main()
{
    std::vector<int> const numbers{1, 2, 3};
#ifdef TILEWISE_REJECT_FIXED
    auto const op = [](int a, int b) { return a + b; };
#else
    auto const op = [](int a, int b) { return std::to_string(a + b); };
#endif
    return tilewise::reduce(tilewise::seq, numbers.begin(), numbers.end(), 0, op);
}
