// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"

#include <tilewise/reduce.hpp>

#include <cstdint>
#include <vector>

namespace tw = tilewise;

int main()
{
    //! [init]
    std::vector<std::uint8_t> const bytes(1000, 255);
    expect(tw::reduce(tw::par, bytes) == 24);         // wraps in the elements' type, modulo 256
    expect(tw::reduce(tw::par, bytes, 0) == 255'000); // init chooses int

    std::vector<double> const halves(1000, 0.5);
    expect(tw::reduce(tw::par, halves, 0) == 0); // int again: each half is converted first
    expect(tw::reduce(tw::par, halves, 0.0) == 500);
    //! [init]
}
