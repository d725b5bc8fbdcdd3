// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: the compiled library supports only std::plus, multiplies, bit_and, bit_or and bit_xor,
// expect: compile this file with nvcc, or use one of these
// options: -DTILEWISE_COMPILED
// lines: 25
#include <tilewise/reduce.hpp>

#include <vector>

struct last {
    int operator()(int, int b) const { return b; }
};

int main()
{
    std::vector<int> const x{1, 2, 3};
#ifdef TILEWISE_REJECT_FIXED
    return tilewise::reduce(tilewise::device, x, 0, tilewise::maximum<>{});
#else
    return tilewise::reduce(tilewise::device, x, 0, last{});
#endif
}
