// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What both translation units do, each with a type of its own: the calls differ, and launch the same kernels.

#include "on_device.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace translation_units {

namespace tw = tilewise;

/// Compares with seq. The kernel that scans runs of more than a tile does not depend on the keys.
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

/// Defined by the second translation unit.
void expect_scans_by_long_keys_of_seq();

} // namespace translation_units
