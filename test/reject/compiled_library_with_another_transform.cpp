// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: the compiled library reads only numbers in contiguous memory, optionally through tilewise::square,
// options: -DTILEWISE_COMPILED
// lines: 25
#include <tilewise/reduce.hpp>

#include <functional>
#include <vector>

struct half {
    float operator()(float x) const { return x / 2; }
};

int main()
{
    std::vector<float> const x{1, 2, 3};
#ifdef TILEWISE_REJECT_FIXED
    return tilewise::transform_reduce(tilewise::device, x, 0.0, std::plus<>{}, tilewise::square<>{}) == 14;
#else
    return tilewise::transform_reduce(tilewise::device, x, 0.0, std::plus<>{}, half{}) == 3;
#endif
}
