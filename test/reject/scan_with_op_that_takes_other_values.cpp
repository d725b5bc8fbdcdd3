// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: op must accept two values of the accumulator's type, which is the type of init (without init, of
// lines: 20
#include <tilewise/scan.hpp>

#include <string>
#include <vector>

int main()
{
    std::vector<int> const numbers{1, 2, 3};
    std::vector<int> out(3);
#ifdef TILEWISE_REJECT_FIXED
    auto const op = [](int a, int b) { return a + b; };
#else
    auto const op = [](std::string const& a, std::string const& b) { return a + b; };
#endif
    tilewise::inclusive_scan(numbers, out.begin(), op);
}
