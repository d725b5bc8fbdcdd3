// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/discard_iterator.hpp>
#include <tilewise/reduce_by_key.hpp>

#include <cassert>
#include <functional>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<int> const days{1, 1, 1, 2, 4, 4};
    std::vector<double> const amounts{10, 20, 30, 5, 1, 2};
    std::vector<long> cents(6);
    long runs = 0;
    tw::transform_reduce_by_key_into(tw::par, days, amounts, tw::discard_iterator(), cents, &runs, std::equal_to<>(),
                                     std::plus<>(), [](double amount) { return static_cast<long>(100 * amount); });
    assert(runs == 3 && cents[0] == 6000 && cents[2] == 300);
}
//! [program]
