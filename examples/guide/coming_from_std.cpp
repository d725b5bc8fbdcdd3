// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the standard library beside those of tilewise.

#include "expect.hpp"

//! [include]
#include <tilewise/std_execution.hpp>
#include <tilewise/tilewise.hpp>
//! [include]

#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace tw = tilewise;

namespace {

std::vector<int> const x{3, 1, 4, 1, 5, 9, 2, 6}, y{2, 7, 1, 8, 2, 8, 1, 8};

void same_call()
{
    //! [same_call]
    expect(std::reduce(std::execution::par, x.begin(), x.end()) == 31);
    expect(tw::reduce(std::execution::par, x.begin(), x.end()) == 31); // another namespace
    expect(tw::reduce(tw::par, x.begin(), x.end()) == 31);             // and another policy
    expect(tw::reduce(tw::par, x) == 31);                              // and a range
    //! [same_call]
}

void scans()
{
    std::vector<int> out(x.size()), expected(x.size());
    auto const op = std::multiplies<>{};
    auto const f = [](int value) { return value % 3 + 1; };

    //! [scans]
    std::inclusive_scan(std::execution::par, x.begin(), x.end(), expected.begin());
    tw::inclusive_scan(tw::par, x.begin(), x.end(), out.begin());
    expect(out == expected);

    std::inclusive_scan(std::execution::par, y.begin(), y.end(), expected.begin(), op, 1);
    tw::inclusive_scan(tw::par, y.begin(), y.end(), out.begin(), op, 1);
    expect(out == expected);

    std::exclusive_scan(std::execution::par, x.begin(), x.end(), expected.begin(), 10);
    tw::exclusive_scan(tw::par, x.begin(), x.end(), out.begin(), 10);
    expect(out == expected);

    std::transform_exclusive_scan(std::execution::par, x.begin(), x.end(), expected.begin(), 1, op, f);
    tw::transform_exclusive_scan(tw::par, x.begin(), x.end(), out.begin(), 1, op, f);
    expect(out == expected);
    //! [scans]

    // The other rows of the table.
    std::inclusive_scan(x.begin(), x.end(), expected.begin(), op);
    tw::inclusive_scan(x.begin(), x.end(), out.begin(), op);
    expect(out == expected);
    std::exclusive_scan(x.begin(), x.end(), expected.begin(), 2, op);
    tw::exclusive_scan(x.begin(), x.end(), out.begin(), 2, op);
    expect(out == expected);
    std::transform_inclusive_scan(x.begin(), x.end(), expected.begin(), op, f);
    tw::transform_inclusive_scan(x.begin(), x.end(), out.begin(), op, f);
    expect(out == expected);
    std::transform_inclusive_scan(x.begin(), x.end(), expected.begin(), op, f, 2);
    tw::transform_inclusive_scan(x.begin(), x.end(), out.begin(), op, f, 2);
    expect(out == expected);
    std::partial_sum(x.begin(), x.end(), expected.begin());
    tw::inclusive_scan(x.begin(), x.end(), out.begin());
    expect(out == expected);
    std::partial_sum(x.begin(), x.end(), expected.begin(), op);
    tw::inclusive_scan(x.begin(), x.end(), out.begin(), op);
    expect(out == expected);
}

void searches()
{
    auto const first = x.begin(), last = x.end();
    auto const is_odd = [](int value) { return value % 2 == 1; };
    auto const more = std::greater<>{};

    //! [searches]
    expect(std::count(first, last, 1) == tw::count(tw::par, first, last, 1));
    expect(std::count_if(first, last, is_odd) == tw::count_if(tw::par, first, last, is_odd));
    expect(std::min_element(first, last) == tw::min_element(tw::par, first, last)); // the first of the two ones
    expect(std::max_element(first, last, more) == tw::max_element(tw::par, first, last, more));
    expect(std::minmax_element(y.begin(), y.end()) ==
           tw::minmax_element(tw::par, y.begin(), y.end())); // the last eight
    //! [searches]
    expect(tw::minmax_element(tw::par, y).second == y.end() - 1);
}

void in_sequence()
{
    auto const first = x.begin(), last = x.end(), first2 = y.begin();

    //! [in_sequence]
    expect(std::accumulate(first, last, 0) == tw::reduce(tw::par, first, last, 0));
    expect(std::accumulate(first, last, 1, std::multiplies<>{}) ==
           tw::reduce(tw::par, first, last, 1, std::multiplies<>{}));
    expect(std::inner_product(first, last, first2, 0) == tw::transform_reduce(tw::par, first, last, first2, 0));

    auto const number_of_digits = [](int digits, int value) { return digits + (value < 10 ? 1 : 2); }; // int, element
    auto const digits_of = [](int value) { return value < 10 ? 1 : 2; };
    expect(std::accumulate(first, last, 0, number_of_digits) ==
           tw::transform_reduce(tw::par, first, last, 0, std::plus<>{}, digits_of));
    //! [in_sequence]
    expect(std::inner_product(first, last, first2, 0, std::plus<>{}, std::minus<>{}) ==
           tw::transform_reduce(tw::par, first, last, first2, 0, std::plus<>{}, std::minus<>{}));
}

void order()
{
    //! [order]
    std::vector<std::string> const words{"operands ", "keep ", "their ", "order"};
    expect(tw::reduce(tw::par, words, std::string{}) == "operands keep their order"); // std::reduce may mix them up
    //! [order]
}

void exceptions()
{
    //! [exceptions]
    bool caught = false;
    try {
        tw::count_if(std::execution::par, x.begin(), x.end(), [](int value) {
            return value == 9 ? throw std::runtime_error("nine") : true; // in the standard library: std::terminate
        });
    } catch (std::runtime_error const&) {
        caught = true;
    }
    expect(caught);
    //! [exceptions]
}

} // namespace

int main()
{
    same_call();
    scans();
    searches();
    in_sequence();
    order();
    exceptions();
}
