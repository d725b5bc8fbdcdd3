// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equalizes a picture, which makes details in dark regions visible: each brightness gets about the same number of
// pixels. A histogram counts the pixels of each brightness, and its exclusive scan the darker ones, which determines
// the new brightness. These counts are integers, so the picture is the same, bit for bit, under every policy.
//
// The program reads and writes binary PGM and PPM files of 8 or 16 bits. All color channels share one histogram.

#include "../scans/everywhere.hpp"
#include "picture.hpp"

#include <tilewise/histogram.hpp>
#include <tilewise/scan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <string>

namespace {

using namespace example;

using counters = shared_vector<std::uint64_t>;

/// How many values of a picture are 0, 1, and so on.
template <class Policy>
counters counts_of(Policy const& policy, picture const& p)
{
    counters counts(static_cast<std::size_t>(p.largest) + 1);
    tilewise::histogram(policy, p.values, tilewise::integer_axis{0, p.largest + 1}, counts.begin());
    return counts;
}

/// The level that each level becomes: the middle of where its pixels would lie if all were sorted by brightness and
/// spread over the levels evenly.
template <class Policy>
counters flattening_levels(Policy const& policy, counters const& counts)
{
    counters darker(counts.size()), levels(counts.size());
    tilewise::exclusive_scan(policy, counts, darker.begin(), std::uint64_t{0});
    auto const all = darker.back() + counts.back();
    for (std::size_t level = 0; level < levels.size(); ++level) {
        auto const middle = (2 * darker[level] + counts[level]) * levels.size() / (2 * all);
        levels[level] = std::min(middle, levels.size() - 1);
    }
    return levels;
}

template <class Policy>
picture equalised(Policy const& policy, picture p)
{
    auto const levels = flattening_levels(policy, counts_of(policy, p));
    std::transform(p.values.begin(), p.values.end(), p.values.begin(),
                   [&](auto value) { return static_cast<std::uint16_t>(levels[value]); });
    return p;
}

counters counts_by_a_loop(picture const& p)
{
    counters counts(static_cast<std::size_t>(p.largest) + 1);
    for (auto const value : p.values) {
        ++counts[value];
    }
    return counts;
}

/// How far a histogram is from flat, times twice the levels: by how many pixels too many or too few are up to some
/// level (the distance of Kolmogorov and Smirnov).
std::uint64_t distance_from_flat(counters const& counts)
{
    auto const all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    std::uint64_t here = 0, flat = 0, farthest = 0;
    for (auto const count : counts) {
        here += 2 * counts.size() * count;
        flat += 2 * all;
        farthest = std::max(farthest, here > flat ? here - flat : flat - here);
    }
    return farthest;
}

} // namespace

int main(int argc, char** argv)
try {
    auto const before = read_picture(argc > 1 ? argv[1] : "examples/data/hubble.pgm");
    auto const after = equalised(tilewise::seq, before);

    auto const expected = counts_by_a_loop(before);
    auto const levels = expected.size();
    auto const far = distance_from_flat(expected), near = distance_from_flat(counts_by_a_loop(after));
    auto const share = [&](std::uint64_t distance) {
        return 100.0 * static_cast<double>(distance) / static_cast<double>(2 * levels * before.values.size());
    };
    std::printf("%d x %d pixels, %zu levels; from flat before: %.1f %%, after: %.1f %%\n", before.width, before.height,
                levels, share(far), share(near));

    // Pixels that were equal stay so. Therefore half of the most frequent level's pixels may be too many, and no more.
    auto const most = *std::max_element(expected.begin(), expected.end());
    bool const is_flat = near <= levels * most;
    if (!is_flat) {
        std::printf("NOT as flat as can be\n");
    }
    if (argc > 2) {
        write_picture(after, argv[2]);
        if (!(read_picture(argv[2]) == after)) {
            throw bad_input("what was written to " + std::string(argv[2]) + " is not what it holds");
        }
    }
    int const status = check_everywhere([&](auto const& policy) {
        auto const counts = counts_of(policy, before);
        return counts == expected && equalised(policy, before) == after &&
               std::accumulate(counts.begin(), counts.end(), std::size_t{0}) == before.values.size();
    });
    return is_flat ? status : 1;
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
