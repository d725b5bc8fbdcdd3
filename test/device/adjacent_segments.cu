// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Segments of which each begins where the one before it ends, on the device. Thousands of them are reduced by lanes
/// that have several lane vectors each.

#include "same_bits.hpp"
#include "segments.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tw = tilewise;

namespace {

using on_device::device_array;

DEVICE_TEST(adjacent_segments, have_the_sums_that_each_has_alone)
{
    std::vector<float> floats;
    std::vector<std::int8_t> bytes;
    for (std::uint32_t const bits : shape::some_values<std::uint32_t>(1009)) {
        floats.push_back(1 + static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-33f);
        bytes.push_back(static_cast<std::int8_t>(bits >> 7));
    }
    segments::expect_adjacent_specified<float, tw::standard_geometry>(floats, std::plus<>(), 8);
    segments::expect_adjacent_specified<std::int8_t, tw::standard_geometry>(bytes, std::plus<>(), 9);
}

/// As many rows that the library gives a lane four lane vectors of. (Test `views` has those of a `transform` view.)
DEVICE_TEST(adjacent_segments, may_have_any_elements)
{
    std::vector<std::int32_t> offsets{0};
    for (int i = 0; i < on_device::amount(40'000, 10'000, 2'500); ++i) // i * i is an int
        offsets.push_back(offsets.back() + i * i % 97 + (i % 500 == 0 ? 700 : 0));
    auto const count = static_cast<std::size_t>(offsets.back());
    device_array<std::int32_t> const bounds(offsets);
    auto const check = [&](auto host, auto on_device, auto init, auto op) {
        std::vector<decltype(init)> expected(offsets.size() - 1, init);
        device_array<decltype(init)> const sums(offsets.size() - 1);
        tw::segmented_reduce(tw::seq, host, offsets.begin(), offsets.end() - 1, offsets.begin() + 1, expected.begin(),
                             init, op);
        tw::segmented_reduce(tw::device, on_device, bounds.begin(), bounds.end() - 1, bounds.begin() + 1, sums.begin(),
                             init, op);
        segments::expect_bits(sums.values(offsets.size() - 1), expected, "reduce");
    };
    auto const of_memory = [&]<class E>(E, auto init) {
        auto const x = on_device::some_elements<E>(count);
        device_array<E> const copy(x);
        check(x.begin(), copy.begin(), init, std::plus<>());
    };
    of_memory(float(), 0.0f);
    of_memory(double(), 0.0);
    of_memory(float(), 0.0);
    of_memory(std::int8_t(), 0);
    auto const a = on_device::some_elements<int>(count), b = on_device::some_elements<int>(count);
    device_array<int> const a_copy(a), b_copy(b);
    check(segments::products{0, {a.data(), b.data()}}, segments::products{0, {a_copy.data(), b_copy.data()}}, 1,
          std::plus<>());
}

/// Bytes of short segments: a warp chooses how many of them a lane takes.
DEVICE_TEST(adjacent_segments, of_a_few_bytes_have_sums_of_any_type)
{
    auto const count = on_device::amount(40'000, 10'000, 2'500);
    for (int const most : {3, 13, 40}) {
        std::vector<std::int32_t> offsets{0};
        for (int i = 0; i < count; ++i)
            offsets.push_back(offsets.back() + i * i % most + (i % 200 == 0 ? 700 : i % 50 == 0 ? 200 : 0));
        auto const elements = static_cast<std::size_t>(offsets.back());
        auto const x = on_device::some_elements<std::int8_t>(elements);
        device_array<std::int8_t> const copy(x);
        device_array<std::int32_t> const bounds(offsets);
        auto const check = [&](auto init, auto op) {
            std::vector<decltype(init)> expected(offsets.size() - 1, init);
            device_array<decltype(init)> const sums(offsets.size() - 1);
            tw::segmented_reduce(tw::seq, x.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                 expected.begin(), init, op);
            tw::segmented_reduce(tw::device, copy.begin(), bounds.begin(), bounds.end() - 1, bounds.begin() + 1,
                                 sums.begin(), init, op);
            segments::expect_bits(sums.values(offsets.size() - 1), expected, "reduce");
        };
        check(std::int8_t{3}, std::plus<>());
        check(std::int16_t{3}, std::plus<>());
        check(3, std::plus<>());
        check(std::int64_t{3}, std::plus<>());
        check(3, tw::maximum<>());
    }
}

/// The same call for segments of other lengths: which kernel combines them is decided when the graph runs.
DEVICE_TEST_WITH_STREAMS(adjacent_segments, of_a_graph_have_the_offsets_of_the_moment)
{
    auto const count = on_device::amount<std::size_t>(40'000, 8'000, 2'100);
    auto const longest = on_device::amount<std::int64_t>(190, 190, 20);
    auto const x = on_device::some_elements<float>(static_cast<std::size_t>(longest + 1) * count);
    std::vector<std::int64_t> offsets(count + 1);
    device_array<float> const copy(x), sums(count), scans(x.size());
    device_array<std::int64_t> const bounds(offsets);
    on_device::stream const stream;
    auto const policy = tw::device.on(stream).nosync();
    on_device::graph const captured(stream, [&] {
        tw::segmented_reduce(policy, copy.begin(), bounds.begin(), bounds.end() - 1, bounds.begin() + 1, sums.begin());
        tw::segmented_inclusive_scan(policy, copy.begin(), bounds.begin(), bounds.end() - 1, bounds.begin() + 1,
                                     scans.begin());
    });
    for (std::int64_t const length : {std::int64_t{1}, longest / 2, longest, std::int64_t{3}}) {
        for (std::size_t i = 1; i <= count; ++i)
            offsets[i] = offsets[i - 1] + length + static_cast<std::int64_t>(i % 3) - 1;
        bounds.assign(offsets);
        std::vector<float> expected_sums(count), expected_scans(x.size(), -1);
        tw::segmented_reduce(tw::seq, x, offsets, expected_sums);
        tw::segmented_inclusive_scan(tw::seq, x, offsets, expected_scans);
        scans.assign(std::vector<float>(x.size(), -1));
        captured.launch(stream);
        stream.wait();
        segments::expect_bits(sums.values(count), expected_sums, "reduce");
        segments::expect_bits(scans.values(x.size()), expected_scans, "scan");
    }
}

} // namespace
