// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../on_device.hpp"

#include <tilewise/axis.hpp>
#include <tilewise/cached_memory.hpp>
#include <tilewise/device/block/axis_tables.cuh>
#include <tilewise/device/cuda/table_buffers.cuh>
#include <tilewise/histogram.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace tw = tilewise;

namespace {

using on_device::device_array;
using on_device::stream;
using owner = std::weak_ptr<void const>;

/// Returns whether the tables of an owner have to be written.
bool are_written(stream const& where, owner const& whose)
{
    tw::gpu::current_device const device(where);
    tw::gpu::table_buffer buffer(device, 1000, whose);
    bool are = false;
    buffer.fill(whose, [&](unsigned char* to) {
        are = true;
        to[999] = 1;
    });
    return are;
}

DEVICE_TEST_WITH_STREAMS(table_buffers, are_written_once_for_an_owner)
{
    tw::release_cached_memory();
    stream const where;
    auto const first = std::make_shared<int const>(1), second = std::make_shared<int const>(1);
    EXPECT_TRUE(are_written(where, first));
    EXPECT_FALSE(are_written(where, first));
    EXPECT_TRUE(are_written(where, second)); // to the same buffer
    EXPECT_TRUE(are_written(where, first));
    {
        tw::gpu::current_device const device(where);
        tw::gpu::table_buffer const taken(device, 1000, first);
        EXPECT_TRUE(are_written(where, second)); // to another one
    }
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(are_written(where, first)) << i;
        EXPECT_FALSE(are_written(where, second)) << i;
        EXPECT_FALSE(are_written(where, second)) << i;
    }
}

DEVICE_TEST_WITH_STREAMS(table_buffers, are_written_for_nobody_each_time)
{
    tw::release_cached_memory();
    stream const where;
    EXPECT_TRUE(are_written(where, {}));
    EXPECT_TRUE(are_written(where, {}));
}

DEVICE_TEST_WITH_STREAMS(table_buffers, know_a_later_owner_at_the_same_address)
{
    tw::release_cached_memory();
    stream const where;
    int const there = 0;
    auto const is_not_freed = [](int const*) {};
    for (int i = 0; i < 9; ++i)
        EXPECT_TRUE(are_written(where, std::shared_ptr<int const>(&there, is_not_freed))) << i;
}

/// What a user may derive from a view: its table is not that of the axis alone.
struct with_another_table : tw::binning::variable_bins<float> {
    int const* another;
};
struct with_an_owner_of_its_own {
    int owner_of_tables() const { return 1; }
};

DEVICE_TEST(table_buffers, know_no_owner_of_tables_of_other_views)
{
    tw::variable_axis const axis{0.0f, 1.0f};
    EXPECT_NE(tw::gpu::owner_of_tables(axis.view()).lock(), nullptr);
    EXPECT_EQ(tw::gpu::owner_of_tables(with_another_table{axis.view(), nullptr}).lock(), nullptr);
    with_an_owner_of_its_own const other;
    EXPECT_EQ(tw::gpu::owner_of_tables(other).lock(), nullptr);
    EXPECT_EQ(other.owner_of_tables(), 1);
}

/// Axes with the same number of edges, of which each but the last ends before the next begins. Their tables are larger
/// than what CUDA copies without a pinned buffer.
DEVICE_TEST_WITH_STREAMS(table_buffers, have_the_tables_of_the_axis_of_each_call)
{
    constexpr std::size_t bins = on_device::interpreted ? 5000 : 20'000;
    std::vector<float> samples, edges;
    for (std::size_t i = 0; i < 500; ++i)
        samples.push_back(static_cast<float>(i * 37 % (bins + 9)));
    for (std::size_t i = 0; i <= bins; ++i)
        edges.push_back(static_cast<float>(i));
    device_array<float> const device_copy(samples);
    stream const where, other;
    tw::variable_axis last(edges);
    for (int i = 0; i < 4; ++i) {
        for (float& edge : edges)
            edge += 0.5f;
        tw::variable_axis const axis(edges), same = axis;
        std::vector<unsigned> expected(bins), expected_last(bins);
        tw::histogram(tw::seq, samples, axis, expected.begin());
        tw::histogram(tw::seq, samples, last, expected_last.begin());
        device_array<unsigned> const counts(bins), counts_of_same(bins), counts_of_last(bins);
        auto const policy = tw::device.on(where).nosync();
        tw::histogram(policy, device_copy, axis, counts.data());
        tw::histogram(policy.on(other), device_copy, last, counts_of_last.data());
        tw::histogram(policy, device_copy, same, counts_of_same.data());
        where.wait();
        other.wait();
        EXPECT_EQ(counts.values(bins), expected) << i;
        EXPECT_EQ(counts_of_same.values(bins), expected) << i;
        EXPECT_EQ(counts_of_last.values(bins), expected_last) << i;
        last = axis;
    }
}

} // namespace
