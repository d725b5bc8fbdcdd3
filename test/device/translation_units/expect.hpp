// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What both translation units of a program do, each with types of its own: the calls differ, their kernels do not.

#include "on_device.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace translation_units {

namespace tw = tilewise;

/// The kernel that scans runs of more than a tile knows nothing of the keys.
template <class Key>
void expect_scans_by_key_of_seq()
{
    std::size_t const count = on_device::amount<std::size_t>(1'000'003, 50'021, 30'011);
    std::vector<Key> keys;
    std::vector<float> elements;
    for (std::size_t i = 0; i < count; ++i) {
        keys.push_back(static_cast<Key>(i < count / 2 ? i : 0)); // short runs, and a long one
        elements.push_back(1 / static_cast<float>(i + 1));
    }
    std::vector<float> expected(count);
    tw::inclusive_scan_by_key(tw::seq, keys, elements, expected);
    on_device::device_array<Key> const keys_there(keys);
    on_device::device_array<float> const elements_there(elements), results(count);
    tw::inclusive_scan_by_key(tw::device, keys_there.begin(), keys_there.end(), elements_there.begin(),
                              results.begin());
    EXPECT_EQ(results.values(count), expected);
}

/// The kernel that counts cells of partitioned samples knows nothing of the samples.
template <class Sample>
void expect_large_histogram_of_seq()
{
    std::size_t const count = on_device::amount<std::size_t>(1 << 22, 5000, 1000);
    int const cells = on_device::amount(1 << 20, 1 << 10, 1 << 10);
    std::vector<Sample> samples;
    for (std::size_t i = 0; i < count; ++i)
        samples.push_back(static_cast<Sample>(i * i % 1000003));
    tw::regular_axis const axis(cells, Sample{0}, Sample{1000003});
    std::vector<std::int32_t> expected(static_cast<std::size_t>(cells));
    tw::histogram(tw::seq, samples, axis, expected);
    on_device::device_array<Sample> const there(samples);
    on_device::device_array<std::int32_t> const counts(expected.size());
    tw::histogram(tw::device, there.begin(), there.end(), axis, counts.begin());
    EXPECT_EQ(counts.values(expected.size()), expected);
}

/// Of the second translation unit.
void expect_scans_by_long_keys_of_seq();
void expect_large_histogram_of_doubles_of_seq();

} // namespace translation_units
