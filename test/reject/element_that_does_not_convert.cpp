// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: elements, or results of transform_op, must convert to the accumulator's type, which is the type of
// lines: 20
#include <tilewise/reduce.hpp>

#include <string>
#include <vector>

int main()
{
    std::vector<std::string> const words{"a", "b"};
#ifdef TILEWISE_REJECT_FIXED
    std::string const init;
#else
    int const init = 0;
#endif
    auto const result = tilewise::reduce(tilewise::par, words, init);
    return result == init;
}
