// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The most frequent values: here the bytes of a file.
#include "recipe.hpp"

#include <tilewise/histogram.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

//! [recipe]
std::vector<int> most_frequent(std::vector<unsigned char> const& text, std::vector<std::int64_t>& counts, int number)
{
    tw::histogram(tw::par, text, tw::integer_axis(0, 256), counts);
    std::vector<int> bins(counts.size());
    std::iota(bins.begin(), bins.end(), 0);
    auto const count = [&](int bin) { return counts[static_cast<std::size_t>(bin)]; };
    std::ranges::partial_sort(bins, bins.begin() + number, std::greater<>(), count); // bins, not samples
    bins.resize(static_cast<std::size_t>(number));
    return bins;
}
//! [recipe]

int main(int argc, char** argv)
{
    auto const text = bytes(argc > 1 ? argv[1] : "LICENSE");
    std::vector<std::int64_t> counts(256);
    auto const top = most_frequent(text, counts, 4);
    std::int64_t before = std::ssize(text);
    for (int const byte : top) {
        auto const number = counts[static_cast<std::size_t>(byte)];
        std::printf("'%c' %lld times\n", byte, static_cast<long long>(number));
        check(number == std::count(text.begin(), text.end(), byte) && number <= before);
        before = number;
    }
    for (int byte = 0; byte < 256; ++byte) // no other byte is more frequent than the last of them
        check(std::ranges::count(top, byte) == 1 || std::ranges::count(text, byte) <= before);
}
