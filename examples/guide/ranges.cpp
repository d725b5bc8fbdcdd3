// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"

#include <tilewise/reduce.hpp>
#include <tilewise/zip.hpp>

#include <forward_list>
#include <functional>
#include <iterator>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

namespace tw = tilewise;

int main()
{
    //! [containers]
    std::vector<int> const x{1, 2, 3, 4};
    expect(tw::reduce(tw::par, std::span(x).first(3)) == 6);

    std::forward_list<int> const list{1, 2, 3};
    expect(tw::reduce(tw::par, list) == 6);

    std::vector<bool> const flags{true, false, true};
    expect(tw::reduce(tw::par, flags, 0) == 2);
    //! [containers]

    //! [zip]
    std::vector<double> const prices{2, 3, 5}, rates{0.5, 0.25, 0.2};
    std::vector<int> const amounts{4, 4, 10};
    auto const value = [](auto const& tuple) {
        auto const& [price, rate, amount] = tuple;
        return price * rate * amount;
    };
    expect(tw::transform_reduce(tw::par, tw::zip(prices, rates, amounts), 0.0, std::plus<>{}, value) == 17);
    //! [zip]

    //! [input_iterators]
    std::istringstream text("1 2 3");
    expect(tw::reduce(tw::seq, std::istream_iterator<int>(text), std::istream_iterator<int>()) == 6);
    //! [input_iterators]
}
