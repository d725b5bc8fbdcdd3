// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The worked example of docs/order.md: 200 doubles, combined by hand.

#include "expect.hpp"

#include <tilewise/reduce.hpp>

#include <cstddef>
#include <vector>

namespace {

std::vector<double> samples()
{
    std::vector<double> x(200, 1.0);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] /= static_cast<double>(i + 1);
    return x;
}

std::vector<double> const x = samples();

//! [lane]
double lane(std::size_t row, std::size_t l) // N = 16 / sizeof(double) = 2
{
    std::size_t const first = 64 * row + 2 * l;
    return x[first] + x[first + 1];
}
//! [lane]

//! [row]
double tree(std::size_t row, std::size_t first, std::size_t count)
{
    if (count == 1)
        return lane(row, first);
    return tree(row, first, count / 2) + tree(row, first + count / 2, count / 2);
}
double whole_row(std::size_t row)
{
    return tree(row, 0, 32);
}
//! [row]

} // namespace

int main()
{
    //! [reduce]
    double const init = 1000;
    double const run_3 = (whole_row(0) + whole_row(1)) + whole_row(2);
    double const e = lane(3, 0) + (lane(3, 1) + lane(3, 2)); // right-aligned: 3 lanes, the first has no partner
    double const off = run_3 + e;
    double const k_1 = x[198] + x[199];
    double const by_hand = (init + off) + k_1;

    expect(by_hand == tilewise::reduce(tilewise::par, x, init));
    //! [reduce]
    expect(by_hand == tilewise::reduce(tilewise::seq, x, init));
}
