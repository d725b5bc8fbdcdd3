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
    tw::exclusive_scan_by_key(tw::par, days.begin(), days.end(), amounts.begin(), totals.begin(), 100.0);
    assert(totals == (std::vector<double>{100, 110, 130, 100, 100, 101}));
}
//! [program]
