// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [first_program]
#include <tilewise/tilewise.hpp>

#include <cstdio>
#include <vector>

int main()
{
    namespace tw = tilewise;
    std::vector<float> const x(10'000'000, 0.1F);

    double const sum = tw::reduce(tw::par, x.begin(), x.end(), 0.0);   // all cores
    double const again = tw::reduce(tw::seq, x.begin(), x.end(), 0.0); // this thread, the same bits
    float const dot = tw::transform_reduce(tw::par, x, x, 0.0F);       // ranges work, too

    std::printf("sum %.17g, dot %.9g\n", sum, dot);
    return sum == again ? 0 : 1;
}
//! [first_program]
