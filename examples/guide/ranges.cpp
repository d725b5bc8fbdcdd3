// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"

#include <tilewise/reduce.hpp>

#include <forward_list>
#include <iterator>
#include <span>
#include <sstream>
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

    //! [input_iterators]
    std::istringstream text("1 2 3");
    expect(tw::reduce(tw::seq, std::istream_iterator<int>(text), std::istream_iterator<int>()) == 6);
    //! [input_iterators]
}
