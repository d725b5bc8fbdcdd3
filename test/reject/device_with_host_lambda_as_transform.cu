// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: kernels cannot call this lambda
// lines: 15
#include <tilewise/reduce.hpp>

#include <functional>

struct square {
    TILEWISE_PORTABLE int operator()(int a) const { return a * a; }
};

int sum(int const* first, int const* last)
{
#ifdef TILEWISE_REJECT_FIXED
    square const transform;
#else
    auto const transform = [](int a) { return a * a; };
#endif
    return tilewise::transform_reduce(tilewise::device, first, last, 0, std::plus<>{}, transform);
}
