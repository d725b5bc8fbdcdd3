// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"

#include <tilewise/reduce.hpp>

#include <ranges>

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
}
