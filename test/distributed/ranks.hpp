// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Ranges cut into parts, and ranks as threads that have one each.

#include <tilewise/distributed/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace ranks {

/// Random cuts of [0, count): anywhere, even, beside multiples of a unit, with empty parts, with parts of 0 to 2
/// elements, or many within few elements. Part r is [cuts[r], cuts[r + 1]).
inline std::vector<std::size_t> cuts_of(std::size_t count, std::size_t unit, std::mt19937& random)
{
    static constexpr std::size_t numbers[] = {1, 2, 3, 5, 8, 19};
    std::size_t const parts = numbers[random() % std::size(numbers)], kind = random() % 6;
    std::vector<std::size_t> cuts{0, count};
    while (cuts.size() <= parts) {
        std::size_t const so_far = cuts.size() - 1;
        std::size_t const cut = kind == 0   ? random() % (count + 1)
                                : kind == 1 ? count * so_far / parts
                                : kind == 2 ? random() % (count / unit + 1) * unit + random() % 3
                                : kind == 3 ? cuts[random() % cuts.size()]
                                : kind == 4 ? cuts.back() % std::max(count, std::size_t{1}) + random() % 3
                                            : count / 2 + random() % (2 * parts);
        cuts.push_back(std::min(cut, count));
    }
    std::sort(cuts.begin(), cuts.end());
    return cuts;
}

/// Calls `work(communicator, begin, end)` on a rank for each part.
template <class Work>
void on_each_rank(std::vector<std::size_t> const& cuts, Work work)
{
    tilewise::thread_communicator::run(static_cast<int>(cuts.size()) - 1, [&](tilewise::thread_communicator& own) {
        auto const rank = static_cast<std::size_t>(own.rank());
        work(own, cuts[rank], cuts[rank + 1]);
    });
}

} // namespace ranks
