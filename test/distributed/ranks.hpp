// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Ranges cut into parts or segments, and ranks as threads that have one part each.

#include <tilewise/distributed/threads.hpp>
#include <tilewise/order.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace ranks {

/// Offsets of segments.
struct segments {
    std::vector<tilewise::offset> begins, ends;
};

/// Segments that do not overlap, in random order: empty ones, of a few elements, and long ones, with gaps. In a third
/// of all cases each has less than `few` elements.
inline segments random_segments(std::size_t elements, std::size_t few, std::mt19937& random)
{
    std::size_t const most = random() % 3 == 0 ? few : elements / 2 + 1;
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (std::size_t at = 0; at < elements;) {
        std::size_t const end = std::min(elements, at + random() % most);
        all.emplace_back(at, end);
        at = end + (random() % 2 == 0 ? 0 : random() % 5);
        if (random() % 4 == 0)
            all.emplace_back(at, at);
    }
    std::shuffle(all.begin(), all.end(), random);
    segments of;
    for (auto const& [begin, end] : all) {
        of.begins.push_back(static_cast<tilewise::offset>(std::min(begin, elements)));
        of.ends.push_back(static_cast<tilewise::offset>(std::min(end, elements)));
    }
    return of;
}

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
