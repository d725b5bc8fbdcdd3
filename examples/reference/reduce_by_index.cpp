// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/functional.hpp>
#include <tilewise/reduce_by_index.hpp>

#include <cassert>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<int> const keys{2, 0, 2, 1, 2, 7};
    std::vector<double> const values{3, 1, 5, 4, 2, 100};
    std::vector<double> largest(4);
    tw::reduce_by_index(tw::par, keys, values, 4, largest, 0.0, tw::maximum<>()); // the key 7 is ignored
    assert(largest == (std::vector<double>{1, 4, 5, 0}));
}
//! [program]
