// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/tilewise.hpp>

#include <cstdio>
#include <vector>

int main()
{
    std::vector<float> const x(1'000'000, 0.1F);
    double const one_thread = tilewise::reduce(tilewise::seq, x, 0.0);
    double const all_cores = tilewise::reduce(tilewise::par, x, 0.0);
    std::printf("sum %.17g\n", all_cores);
    return one_thread == all_cores ? 0 : 1;
}
