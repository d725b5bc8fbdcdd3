// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/tilewise.hpp>

#include <vector>

int main()
{
    std::vector<int> const ones(100'000, 1);
    int const sum = tilewise::reduce(tilewise::par, ones.begin(), ones.end(), 0);
    return sum == 100'000 ? 0 : 1;
}
