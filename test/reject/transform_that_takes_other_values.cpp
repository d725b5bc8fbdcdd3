// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: transform_op must accept an element of each input range
// lines: 20
#include <tilewise/reduce.hpp>

#include <functional>
#include <string>
#include <vector>

int main()
{
    std::vector<int> const numbers{1, 2, 3};
#ifdef TILEWISE_REJECT_FIXED
    auto const length = [](int number) { return number; };
#else
    auto const length = [](std::string const& word) { return word.size(); };
#endif
    return tilewise::transform_reduce(tilewise::par, numbers, 0, std::plus<>{}, length);
}
