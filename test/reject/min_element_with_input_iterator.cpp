// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: min_element, max_element and minmax_element need forward iterators
// lines: 20
#include <tilewise/minmax.hpp>

#include <iterator>
#include <sstream>
#include <vector>

int main()
{
    std::istringstream text("3 1 2");
    std::istream_iterator<int> const first(text), last;
#ifdef TILEWISE_REJECT_FIXED
    std::vector<int> const numbers(first, last);
    return *tilewise::min_element(numbers.begin(), numbers.end());
#else
    return *tilewise::min_element(first, last);
#endif
}
