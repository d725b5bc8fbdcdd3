// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/segmented.hpp>

#include <cassert>
#include <functional>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<double> const x{1, 2, 3, 4, 5, 6};
    std::vector<int> const offsets{0, 3, 3, 6}; // three segments, of which the second is empty
    std::vector<double> sums(3);
    tw::segmented_reduce(tw::par, x, offsets, sums);
    assert(sums == (std::vector<double>{6, 0, 15}));

    std::vector<int> const begins{2, 0}, ends{5, 3}; // in any order; they may overlap
    std::vector<double> products(2);
    tw::segmented_reduce(tw::par, x.begin(), begins.begin(), begins.end(), ends.begin(), products.begin(), 1.0,
                         std::multiplies<>());
    assert(products == (std::vector<double>{60, 6}));
}
//! [program]
