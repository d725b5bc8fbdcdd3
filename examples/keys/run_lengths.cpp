// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encodes a picture as runs of pixels: how many neighbors share a shade, and which. Eight shades stand for all levels
// of brightness, so the predicate is not equality: two pixels belong to one run if their shades are equal. An exclusive
// scan of the lengths says where each run begins, and from that any pixel can be found without decoding the others.

#include "../histograms/picture.hpp"
#include "../scans/everywhere.hpp"

#include <tilewise/count_by_key.hpp>
#include <tilewise/scan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>

namespace {

using namespace example;

/// The shade of a level of brightness.
struct shade_of {
    int levels, shades;
    constexpr int operator()(std::uint16_t level) const { return level * shades / levels; }
};

struct same_shade {
    shade_of shade;
    constexpr bool operator()(std::uint16_t before, std::uint16_t here) const { return shade(before) == shade(here); }
};

/// The first pixel, the length and the beginning of each run.
struct encoded {
    shared_vector<std::uint16_t> pixels;
    shared_vector<std::int64_t> lengths, begins;

    friend bool operator==(encoded const&, encoded const&) = default;
    std::uint16_t pixel(std::int64_t position) const
    {
        auto const after = std::upper_bound(begins.begin(), begins.end(), position);
        return pixels[static_cast<std::size_t>(after - begins.begin()) - 1];
    }
};

template <class Policy>
encoded encode(Policy const& policy, picture const& p, same_shade const& same)
{
    auto const count = p.values.size();
    encoded result{shared_vector<std::uint16_t>(count), shared_vector<std::int64_t>(count), {}};
    auto const ends = tilewise::count_by_key(policy, p.values.begin(), p.values.end(), result.pixels.begin(),
                                             result.lengths.begin(), same);
    result.pixels.erase(ends.first, result.pixels.end());
    result.lengths.erase(ends.second, result.lengths.end());
    result.begins.resize(result.lengths.size());
    tilewise::exclusive_scan(policy, result.lengths.begin(), result.lengths.end(), result.begins.begin(),
                             std::int64_t{0});
    return result;
}

encoded encoded_by_a_loop(picture const& p, same_shade const& same)
{
    encoded result;
    for (std::size_t i = 0; i < p.values.size(); ++i) {
        if (i > 0 && same(p.values[i - 1], p.values[i])) {
            ++result.lengths.back();
        } else {
            result.pixels.push_back(p.values[i]);
            result.lengths.push_back(1);
            result.begins.push_back(static_cast<std::int64_t>(i));
        }
    }
    return result;
}

} // namespace

int main(int argc, char** argv)
try {
    auto const p = read_picture(argc > 1 ? argv[1] : "examples/data/hubble.pgm");
    same_shade const same{{p.largest + 1, 8}};
    auto const expected = encoded_by_a_loop(p, same);
    auto const longest = *std::max_element(expected.lengths.begin(), expected.lengths.end());
    std::printf("%zu pixels in %zu runs, the longest of %lld\n", p.values.size(), expected.lengths.size(),
                static_cast<long long>(longest));
    return check_everywhere([&](auto const& policy) {
        auto const result = encode(policy, p, same);
        bool right = result == expected;
        for (std::size_t i = 0; right && i < p.values.size(); i += 1009) {
            right = same.shade(result.pixel(static_cast<std::int64_t>(i))) == same.shade(p.values[i]);
        }
        return right;
    });
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
