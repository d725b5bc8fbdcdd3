// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"

#include <tilewise/functional.hpp>
#include <tilewise/reduce.hpp>

#include <limits>
#include <ranges>
#include <vector>

namespace tw = tilewise;

int main()
{
    //! [views]
    auto const numbers = std::views::iota(1, 101);
    expect(tw::reduce(tw::par, numbers) == 5050);

    auto const squares = numbers | std::views::transform([](int i) { return i * i; });
    expect(tw::reduce(tw::par, squares) == 338350);

    auto even = numbers | std::views::filter([](int i) { return i % 2 == 0; }); // not random access
    expect(tw::reduce(tw::par, even) == 2550);
    //! [views]

    //! [argmin]
    std::vector<float> const x{3, 1, 4, 1, 5};
    tw::indexed<float, int> const none{std::numeric_limits<float>::infinity(), -1};
    auto const smallest =
        tw::transform_reduce(tw::par, x, std::views::iota(0, 5), none, tw::argmin{}, tw::with_index{});
    expect(smallest.value == 1 && smallest.index == 1); // the first of equals
    //! [argmin]
}
