// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: the accumulator, which has the type of init, must be move constructible
// lines: 20
#include <tilewise/reduce.hpp>

#include <vector>

struct total {
    long value;
    total(long sum) : value(sum) {}
#ifndef TILEWISE_REJECT_FIXED
    total(total const&) = delete;
#endif
};

int main()
{
    std::vector<int> const numbers{1, 2, 3};
    auto const add = [](total const& a, total const& b) { return total(a.value + b.value); };
    return tilewise::reduce(tilewise::seq, numbers, total(0), add).value == 6;
}
