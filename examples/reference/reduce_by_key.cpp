// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/reduce_by_key.hpp>

#include <cassert>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<int> const days{1, 1, 1, 2, 4, 4};
    std::vector<double> const amounts{10, 20, 30, 5, 1, 2};
    std::vector<int> found(6);
    std::vector<double> sums(6);
    auto const [found_end, sums_end] = tw::reduce_by_key(tw::par, days, amounts, found, sums);
    found.erase(found_end, found.end());
    sums.erase(sums_end, sums.end());
    assert(found == (std::vector{1, 2, 4}));
    assert(sums == (std::vector<double>{60, 5, 3}));
}
//! [program]
