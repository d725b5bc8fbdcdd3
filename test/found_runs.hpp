// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The runs that the kernel finds, against those of a plain loop.

#include "runs.hpp"
#include "segments.hpp"

#include <tilewise/count_by_key.hpp>
#include <tilewise/discard_iterator.hpp>
#include <tilewise/scan_by_key.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace runs {

/// A key of so many bytes, at any address.
template <int size>
struct packed_key {
    unsigned char value[size];

    packed_key() = default;
    explicit packed_key(std::size_t i) : value{} { value[size - 1] = static_cast<unsigned char>(i); }
    TILEWISE_PORTABLE friend bool operator==(packed_key const& x, packed_key const& y)
    {
        bool equal = true;
        for (int i = 0; i < size; ++i)
            equal = equal && x.value[i] == y.value[i];
        return equal;
    }
};

/// Small parts, of so many words, in blocks of so many threads. Many of their runs are written without a list.
template <int block_threads, int words>
struct small_parts : tilewise::gpu::by_key_tuning {
    static constexpr int threads = block_threads, words_at_once = words, combining_blocks_per_multiprocessor = 1;
    static constexpr int least_part = 32 * words, most_part = 32 * words, least_rows_to_scan = least_part;
    static constexpr int dense_runs = 12 * words;
};

/// Parts of more keys than a warp writes about at once.
struct large_parts : small_parts<64, 2> {
    static constexpr int least_part = 3072, most_part = 3072, least_rows_to_scan = least_part;
    static constexpr int dense_runs = tilewise::gpu::by_key_tuning::dense_runs;
};

/// Compares the first keys and the lengths of runs, and the list of where they begin, with those of a plain loop.
template <class Tuning, class Keys, class Key, class Pred = std::equal_to<>>
void expect_runs_of(Keys const& there, std::vector<Key> const& keys, Pred is_same = {})
{
    auto const of = runs_of(keys, is_same);
    auto const count = static_cast<tilewise::offset>(keys.size());
    auto const pred = tilewise::gpu::function_for(is_same);
    on_device::device_array<Key> const found(of.size());
    on_device::device_array<std::int64_t> const lengths(of.size()), positions(keys.size()),
        ones(std::vector<std::int64_t>(keys.size(), 1));
    auto const number = tilewise::gpu::count_by_key<Tuning>("test", tilewise::device, there, count, pred, found.data(),
                                                            lengths.data(), tilewise::discard_iterator());
    ASSERT_EQ(number, static_cast<tilewise::offset>(of.size()));
    auto const first_keys = found.values(of.size());
    auto const counts = lengths.values(of.size());
    tilewise::gpu::scan_by_key<segments::steep_geometry, tilewise::scan_form::inclusive, std::int64_t, Tuning>(
        "test", tilewise::device, there, count, ones.data(), pred, positions.data(), std::optional<std::int64_t>(),
        tilewise::gpu::plus());
    auto const in_run = positions.values(keys.size());
    for (std::size_t i = 0; i < of.size(); ++i) {
        auto const begin = static_cast<std::size_t>(of.begins[i]), end = static_cast<std::size_t>(of.ends[i]);
        ASSERT_EQ(counts[i], of.ends[i] - of.begins[i]) << i;
        ASSERT_EQ(first_keys[i], keys[begin]) << i;
        for (std::size_t k = begin; k < end; ++k)
            ASSERT_EQ(in_run[k], static_cast<std::int64_t>(k - begin) + 1) << k;
    }
}

/// Short runs, and some of several tiles.
template <class Key, class Tuning>
void expect_runs_at(std::size_t misalignment, std::size_t count)
{
    std::vector<Key> keys;
    for (std::size_t i = 0; keys.size() < count; ++i) {
        std::size_t const length = i % 41 == 17 ? 700 : 1 + i * i % (i % 90 < 40 ? 2 : 11);
        keys.insert(keys.end(), std::min(length, count - keys.size()), make_key<Key>(i));
    }
    on_device::device_array<Key> const there(keys, misalignment);
    expect_runs_of<Tuning>(there.data(), keys);
}

/// Runs of one key or two, and long ones between them.
template <class Key, class Tuning>
void expect_dense_runs_at(std::size_t misalignment, std::size_t count)
{
    std::vector<Key> keys;
    for (std::size_t i = 0; keys.size() < count; ++i) {
        std::size_t const length = i % 1700 == 1100 ? 1300 : 1 + (i % 9 == 4);
        keys.insert(keys.end(), std::min(length, count - keys.size()), make_key<Key>(i));
    }
    on_device::device_array<Key> const there(keys, misalignment);
    expect_runs_of<Tuning>(there.data(), keys);
}

} // namespace runs
