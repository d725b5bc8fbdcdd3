// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: the accumulator of a scan must be copy constructible
// lines: 20
#include <tilewise/scan.hpp>

#include <memory>
#include <vector>

struct total {
    std::shared_ptr<long> value;
    total(long sum) : value(std::make_shared<long>(sum)) {}
#ifndef TILEWISE_REJECT_FIXED
    total(total&&) = default;
    total& operator=(total&&) = default;
#endif
};

int main()
{
    std::vector<int> const numbers{1, 2, 3};
    std::vector<total> totals;
    for (int const number : numbers)
        totals.emplace_back(number);
    auto const add = [](total const& a, total const& b) { return total(*a.value + *b.value); };
    tilewise::exclusive_scan(numbers, totals.begin(), total(0), add);
}
