// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: par needs forward iterators
// lines: 20
#include <tilewise/reduce.hpp>

#include <iterator>
#include <sstream>

int main()
{
    std::istringstream text("1 2 3");
#ifdef TILEWISE_REJECT_FIXED
    auto const policy = tilewise::seq;
#else
    auto const policy = tilewise::par;
#endif
    return tilewise::reduce(policy, std::istream_iterator<int>(text), std::istream_iterator<int>());
}
