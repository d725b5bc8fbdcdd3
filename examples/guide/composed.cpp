// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"

#include <tilewise/count.hpp>
#include <tilewise/minmax.hpp>

#include <cmath>
#include <vector>

namespace tw = tilewise;

int main()
{
    //! [composed]
    std::vector<float> const x{2, 1, 3, 1, 3};
    expect(tw::count(tw::par, x, 3.0F) == 2);
    expect(tw::count_if(tw::par, x, [](float value) { return value < 2.5F; }) == 3);

    expect(tw::min_element(tw::par, x) == x.begin() + 1); // the first of equals
    expect(tw::max_element(tw::par, x) == x.begin() + 2); // the first of equals
    auto const [smallest, largest] = tw::minmax_element(tw::par, x);
    expect(smallest == x.begin() + 1 && largest == x.begin() + 4); // the last largest, as std
    //! [composed]

    auto const last = x.end();
    expect(tw::min_element(tw::par, last, last) == last);

    //! [nan]
    std::vector<double> const measured{1.5, std::nan(""), 0.5};
    auto const nan_last = [](double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); };
    expect(*tw::min_element(tw::par, measured, nan_last) == 0.5);
    //! [nan]
}
