// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/tilewise.hpp>

#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
static_assert(sizeof(__m256i) == 32, "tilewise leaves the headers that follow it whole");
#endif

int main()
{
    std::vector<int> const ones(100'000, 1);
    int const sum = tilewise::reduce(tilewise::par, ones.begin(), ones.end(), 0);
    return sum == 100'000 ? 0 : 1;
}
