// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/reduce.hpp>
#include <tilewise/zip.hpp>

#include <cassert>
#include <functional>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<float> const x{1, 2, 3}, y{4, 5, 6};
    std::vector<double> const weights{0.5, 0.25, 0.25};
    auto const weighted = [](auto const& tuple) {
        auto const& [a, b, weight] = tuple;
        return weight * static_cast<double>(a * b);
    };
    assert(tw::transform_reduce(tw::par, tw::zip(x, y, weights), 0.0, std::plus<>(), weighted) == 9);
}
//! [program]
