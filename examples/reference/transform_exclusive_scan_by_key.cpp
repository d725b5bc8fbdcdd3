// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/scan_by_key.hpp>

#include <cassert>
#include <functional>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<int> const days{1, 1, 1, 2, 4, 4};
    std::vector<double> const amounts{10, 20, 30, 5, 1, 2};

    std::vector<long> cents(6);
    tw::transform_exclusive_scan_by_key(tw::par, days, amounts, cents, 0L, std::equal_to<>(), std::plus<>(),
                                        [](double amount) { return static_cast<long>(100 * amount); });
    assert(cents == (std::vector<long>{0, 1000, 3000, 0, 0, 100}));
}
//! [program]
