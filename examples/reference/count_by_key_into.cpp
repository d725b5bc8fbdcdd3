// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/count_by_key.hpp>
#include <tilewise/discard_iterator.hpp>

#include <cassert>
#include <functional>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<int> const heights{3, 5, 9, 2, 4, 1};
    std::vector<int> lengths(6);
    long runs = 0; // of heights that do not decrease
    tw::count_by_key_into(tw::par, heights, tw::discard_iterator(), lengths, &runs, std::less_equal<>());
    assert(runs == 3 && lengths[0] == 3 && lengths[1] == 2 && lengths[2] == 1);
}
//! [program]
