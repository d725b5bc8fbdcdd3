// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream compaction: keeps the numbers that are prime, in their order. Which place a number goes to depends on how many
// before it are kept: an exclusive scan of flags. With the places known, all numbers can move at once.

#include "everywhere.hpp"

#include <tilewise/scan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <iterator>
#include <numeric>

namespace {

using namespace example;

struct is_prime {
    constexpr bool operator()(int number) const
    {
        for (int divisor = 2; divisor <= number / divisor; ++divisor) {
            if (number % divisor == 0) {
                return false;
            }
        }
        return number >= 2;
    }
};

/// Those of `numbers` for which `keep` holds.
template <class Policy, class Keep>
shared_vector<int> compacted(Policy const& policy, shared_vector<int> const& numbers, Keep keep)
{
    if (numbers.empty()) {
        return {};
    }
    shared_vector<int> positions(numbers.size());
    tilewise::transform_exclusive_scan(policy, numbers, positions.begin(), 0, std::plus<>{}, keep);

    shared_vector<int> kept(static_cast<std::size_t>(positions.back() + int{keep(numbers.back())}));
    for (std::size_t i = 0; i < numbers.size(); ++i) { // in any order
        if (keep(numbers[i])) {
            kept[static_cast<std::size_t>(positions[i])] = numbers[i];
        }
    }
    return kept;
}

} // namespace

int main()
{
    shared_vector<int> numbers(1'000'000);
    std::iota(numbers.begin(), numbers.end(), 0);
    shared_vector<int> expected;
    std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(expected), is_prime{});

    std::printf("%zu primes below a million, the last of them", expected.size());
    std::for_each(expected.end() - 5, expected.end(), [](int prime) { std::printf(" %d", prime); });
    std::printf("\n");
    return check_everywhere([&](auto const& policy) { return compacted(policy, numbers, is_prime{}) == expected; });
}
