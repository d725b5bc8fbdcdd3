// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: transform_op must accept an element of each input range
// lines: 20
#include <tilewise/reduce.hpp>

#include <functional>
#include <vector>

int main()
{
    std::vector<double> const x{1, 2, 3}, y{4, 5, 6};
#ifdef TILEWISE_REJECT_FIXED
    auto const product = [](double a, double b) { return a * b; };
#else
    auto const product = [](double a) { return a * a; };
#endif
    return tilewise::transform_reduce(x.begin(), x.end(), y.begin(), 0.0, std::plus<>{}, product) > 0;
}
