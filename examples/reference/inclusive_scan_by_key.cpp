// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/scan_by_key.hpp>

#include <cassert>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<int> const days{1, 1, 1, 2, 4, 4};
    std::vector<double> const amounts{10, 20, 30, 5, 1, 2};

    std::vector<double> totals(6);
    tw::inclusive_scan_by_key(tw::par, days, amounts, totals);
    assert(totals == (std::vector<double>{10, 30, 60, 5, 1, 3})); // each day begins anew
}
//! [program]
