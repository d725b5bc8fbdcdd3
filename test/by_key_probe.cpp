// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// A quick digest of the tests of the algorithms by key, for the mutation list: on the host, and in the interpreter.

#include "runs.hpp"
#include "segments.hpp"
#ifdef TILEWISE_DEVICE_ENGINE
#include "found_runs.hpp"
#endif

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <stdexcept>
#include <vector>

namespace {

#ifdef TILEWISE_DEVICE_ENGINE
using geometry = segments::steep_geometry;

TEST(ByKeyProbe, FindsOutputsThatAreTooShort)
{
    int const keys[]{1, 1, 2};
    int out[3]{7, 7, 7};
    std::vector<int> few(1), enough(2);
    EXPECT_THROW(tilewise::count_by_key(tilewise::device, keys, keys + 3, out, few), std::invalid_argument);
    EXPECT_NO_THROW(tilewise::count_by_key(tilewise::device, keys, keys + 3, out, enough));
    EXPECT_EQ(out[1], 2);
    EXPECT_EQ(out[2], 7);
}

TEST(ByKeyProbe, FindsRunsInParts)
{
    backend::run([] {
        runs::expect_runs_at<std::int32_t, runs::small_parts<64, 2>>(4, 1501);
        runs::expect_runs_at<std::uint8_t, runs::small_parts<64, 1>>(3, 4900); // 154 parts
        runs::expect_runs_at<runs::packed_key<40>, runs::small_parts<32, 2>>(2, 900);
        runs::expect_dense_runs_at<std::int32_t, runs::large_parts>(0, 6999);
    });
}

TEST(ByKeyProbe, CombinesRowsAsTheOrderSays)
{
    backend::run([] {
        // A run of more than a tile of 1024 values, one of three chunks, and one of three rows among short ones.
        std::vector<std::size_t> many(1600, 1);
        many.insert(many.begin() + 400, {1100, 2, 300});
        many.front() = 70;
        // A run that reaches into the second part, where the first 32 rows are of it alone.
        std::vector<std::size_t> late(1600, 1);
        late.front() = 3200;
        // A run that begins in the last lane of a row of memory in which none has two lane vectors.
        std::vector<std::size_t> late_in_row(31, 1);
        late_in_row.push_back(40);
        // Rows of memory in which every value begins a run, behind a run of whole rows; the last one lacks a value.
        using order = tilewise::order<shape::bytes<12>, runs::many_chunks>;
        auto const row = static_cast<std::size_t>(order::row);
        std::vector<std::size_t> rows_of_ones(5 * row - 1, 1);
        rows_of_ones.front() = static_cast<std::size_t>(order::tile) + row;
        rows_of_ones[1] = row; // otherwise, the row behind the first run would have one
        // Likewise, but in each row a run of two.
        std::vector<std::size_t> nearly_ones(5 * row, 1);
        for (std::size_t i = 3; i < nearly_ones.size(); i += row - 1)
            nearly_ones[i] = 2;
        for (auto const& lengths : std::vector<std::vector<std::size_t>>{{130, 1, 33, 260, 5, 700},
                                                                         {3200, 1, 40, 1, 300},
                                                                         many,
                                                                         late,
                                                                         late_in_row,
                                                                         rows_of_ones,
                                                                         nearly_ones,
                                                                         std::vector<std::size_t>(4 * row, 1)}) {
            auto const keys = runs::keys_of<int>(lengths);
            runs::expect_specified<runs::many_chunks>(keys, shape::some_values<shape::bytes<12>>(keys.size()),
                                                      shape::non_associative<shape::bytes<12>>());
        }
    });
}

TEST(ByKeyProbe, ListsWhereLargeKeysAre)
{
    backend::run([] {
        std::vector<std::size_t> lengths(300, 1);
        lengths.insert(lengths.begin() + 200, {3, 70, 2});
        auto const keys = runs::keys_of<runs::wide_key>(lengths);
        runs::expect_specified<geometry>(keys, shape::some_values<std::uint32_t>(keys.size()),
                                         shape::non_associative<std::uint32_t>());
    });
}
#else
using geometry = backend::tiny_geometry;

TEST(ByKeyProbe, FindsOutputsThatAreTooShort)
{
    std::vector<int> const keys{1, 1, 2};
    std::vector<int> few(1), enough(2);
    EXPECT_THROW(tilewise::count_by_key(keys, enough, few), std::invalid_argument);
    EXPECT_NO_THROW(tilewise::count_by_key(keys, enough, enough));
}

TEST(ByKeyProbe, FindsRunsOfLists)
{
    std::list<int> const keys{1, 1, 2, 2, 2, 1};
    std::vector<int> sums(3), counts(3), scans(6);
    tilewise::reduce_by_key(keys, keys, tilewise::discard_iterator(), sums);
    EXPECT_EQ(sums, (std::vector<int>{2, 6, 1}));
    tilewise::count_by_key(keys, tilewise::discard_iterator(), counts);
    EXPECT_EQ(counts, (std::vector<int>{2, 3, 1}));
    tilewise::exclusive_scan_by_key(keys, keys, scans, 1);
    EXPECT_EQ(scans, (std::vector<int>{1, 2, 1, 3, 5, 1}));
}

/// Runs of equal keys of every length up to a few blocks of 128 bytes, which differ in one bit.
template <class Key>
void expect_ends_of_runs()
{
    for (std::size_t length = 1; length < 500; ++length) {
        Key const one = static_cast<Key>(1 + length), other = static_cast<Key>(one ^ 64);
        std::vector<Key> keys(length, one), found(4);
        keys.insert(keys.end(), 200, other);
        keys.push_back(one);
        keys.insert(keys.end(), length, other);
        std::vector<std::ptrdiff_t> counts(4);
        tilewise::count_by_key(keys, found, counts);
        ASSERT_EQ(found, (std::vector<Key>{one, other, one, other})) << length;
        ASSERT_EQ(counts, (std::vector<std::ptrdiff_t>{static_cast<std::ptrdiff_t>(length), 200, 1,
                                                       static_cast<std::ptrdiff_t>(length)}));
    }
}

TEST(ByKeyProbe, FindsTheEndsOfLongRuns)
{
    expect_ends_of_runs<signed char>();
    expect_ends_of_runs<std::uint16_t>();
    expect_ends_of_runs<int>();
    expect_ends_of_runs<std::uint64_t>();
}
#endif

TEST(ByKeyProbe, FindsTheOrder)
{
    backend::run([] { runs::expect_all_specified<std::int32_t, std::uint32_t, geometry>(); });
}

} // namespace
