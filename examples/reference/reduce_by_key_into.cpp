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
    std::vector<double> largest(6);
    long runs = 0;
    tw::reduce_by_key_into(tw::par, days, amounts, tw::discard_iterator(), largest, &runs, std::equal_to<>(),
                           [](double a, double b) { return a < b ? b : a; });
    assert(runs == 3 && largest[0] == 30 && largest[2] == 2);
}
//! [program]
