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

/// Small tiles: of so many threads, which read so many bytes each, and so many keys in a launch.
template <int block_threads, int bytes, tilewise::offset keys = tilewise::gpu::by_key_tuning::keys_per_launch>
struct small_tiles : tilewise::gpu::by_key_tuning {
    static constexpr tilewise::offset keys_per_launch = keys;
    static constexpr int threads = block_threads, bytes_per_thread = bytes;
    template <int>
    static constexpr int blocks_per_multiprocessor = 1;
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

/// Publishes the runs of the tiles before `tile`, a prefix only for the first one. Then looks back.
template <int threads>
TILEWISE_KERNEL(threads, 1)
publish_and_look_back(tilewise::gpu::run_status status, tilewise::offset tile, tilewise::gpu::run_count* found)
{
    for (int i = tilewise::gpu::thread_index(); i < tile; i += threads)
        (i == 0 ? status.prefixes() : status.tiles)
            .publish(i, tilewise::gpu::run_count{static_cast<unsigned>(i + 1) % 3, static_cast<unsigned>(5 * i)});
    auto const before = status.before(tile);
    if (tilewise::gpu::thread_index() == 0)
        *found = before;
}

inline void expect_look_back(tilewise::offset tiles)
{
    tilewise::gpu::run_count expected = {0, 0};
    for (unsigned i = 0; i < static_cast<unsigned>(tiles); ++i)
        expected = {expected.runs + (i + 1) % 3, (i + 1) % 3 > 0 ? 5 * i : expected.last};
    on_device::device_array<unsigned long long> const words(
        std::vector<unsigned long long>(static_cast<std::size_t>(tiles * tilewise::gpu::run_status::words_per_tile)));
    on_device::device_array<tilewise::gpu::run_count> const found(1);
    auto* const prefixes = words.data() + tiles * tilewise::gpu::run_status::words_per_tile / 2;
    tilewise::gpu::run_status const status{{nullptr, 0, {words.data(), 1}, {prefixes, 1}}};
    constexpr int threads = tilewise::gpu::warp_size;
    on_device::expect_success(
        tilewise::gpu::start(&publish_and_look_back<threads>, {1, threads}, nullptr, status, tiles, found.data()));
    EXPECT_EQ(found.value().runs, expected.runs) << tiles;
    EXPECT_EQ(found.value().last, expected.last) << tiles;
}

} // namespace runs
