// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Ranks that are GPUs, connected by NCCL: what they return, and what they throw.
#include "ranks_of_nccl.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/tilewise.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tw = tilewise;

namespace {

using on_device::device_array;
using on_device::part_of;

class ranks_of_nccl : public on_device::ranks_of_nccl {};

struct is_odd {
    TILEWISE_PORTABLE bool operator()(std::int32_t x) const { return x % 2 != 0; }
};

TEST_F(ranks_of_nccl, have_the_values_of_one_range)
{
    for (std::size_t const count : {std::size_t{0}, std::size_t{3}, std::size_t{100'003},
                                    on_device::amount<std::size_t>(1 << 24, 100'003, 300'007)}) {
        std::vector<std::int32_t> x(count), scanned(count), expected(count);
        for (auto& value : x)
            value = static_cast<std::int32_t>(random() % 2000) - 1000;
        auto const sum = tw::reduce(x, std::int64_t{7});
        auto const largest = tw::reduce(x, -2000, tw::maximum<>());
        auto const odd = tw::count_if(x, is_odd());
        tw::inclusive_scan(x, expected, std::plus<>(), 3);
        auto const cuts = cuts_of(count);
        on_each_gpu([&](auto& communicator, cudaStream_t stream) {
            device_array<std::int32_t> const own(part_of(x, cuts, communicator.rank()));
            device_array<std::int32_t> const out(own.size());
            auto const on = tw::distributed(communicator, tw::device.on(stream));
            EXPECT_EQ(tw::reduce(on, own.begin(), own.end(), std::int64_t{7}), sum);
            EXPECT_EQ(tw::reduce(on, own.begin(), own.end(), -2000, tw::maximum<>()), largest);
            EXPECT_EQ(tw::count_if(on, own.begin(), own.end(), is_odd()), odd);
            tw::inclusive_scan(on, own.begin(), own.end(), out.data(), std::plus<>(), 3);
            auto const results = out.values(out.size());
            std::copy(results.begin(), results.end(),
                      scanned.begin() +
                          static_cast<std::ptrdiff_t>(cuts[static_cast<std::size_t>(communicator.rank())]));
        });
        EXPECT_EQ(scanned, expected);
    }
}

TEST_F(ranks_of_nccl, have_the_counts_of_one_range)
{
    for (std::size_t const count :
         {std::size_t{0}, std::size_t{100'003}, on_device::amount<std::size_t>(1 << 24, 100'003, 300'007)}) {
        std::vector<float> x(count);
        std::vector<std::uint16_t> keys(count);
        for (std::size_t i = 0; i < count; ++i) {
            x[i] = static_cast<float>(random() % 4000) / 1000 - 1;
            keys[i] = static_cast<std::uint16_t>(random());
        }
        tw::regular_axis const bins(256, 0.0f, 2.0f, {.flow = tw::flow::bins});
        tw::integer_axis const all_keys(0, 65536);
        std::vector<std::uint32_t> expected(static_cast<std::size_t>(bins.extent()), 5);
        std::vector<std::uint64_t> expected_keys(65536);
        std::vector<std::int64_t> expected_sums(65536);
        tw::histogram_add(x, bins, expected);
        tw::histogram(keys, all_keys, expected_keys);
        tw::reduce_by_index(keys, keys, 65536, expected_sums, std::int64_t{9});
        auto const cuts = cuts_of(count);
        on_each_gpu([&](auto& communicator, cudaStream_t stream) {
            device_array<float> const own(part_of(x, cuts, communicator.rank()));
            device_array<std::uint16_t> const own_keys(part_of(keys, cuts, communicator.rank()));
            device_array<std::uint32_t> const counts(std::vector<std::uint32_t>(expected.size(), 5));
            device_array<std::uint64_t> const counts_of_keys(65536);
            std::vector<std::int64_t> sums(65536);
            auto const on = tw::distributed(communicator, tw::device.on(stream));
            tw::histogram_add(on, own.begin(), own.end(), bins, counts.data());
            tw::histogram(on, own_keys.begin(), own_keys.end(), all_keys, counts_of_keys.data());
            tw::reduce_by_index(on, own_keys.begin(), own_keys.end(), own_keys.begin(), 65536, sums, std::int64_t{9});
            EXPECT_EQ(counts.values(counts.size()), expected);
            EXPECT_EQ(counts_of_keys.values(65536), expected_keys);
            EXPECT_EQ(sums, expected_sums);
        });
    }
}

TEST_F(ranks_of_nccl, find_what_one_finds_in_the_whole_range)
{
    for (std::size_t const count :
         {std::size_t{1}, std::size_t{100'003}, on_device::amount<std::size_t>(1 << 24, 100'003, 300'007)}) {
        std::vector<float> x(count);
        for (float& value : x)
            value = static_cast<float>(random() % 5000); // with many equal ones
        auto const cuts = cuts_of(count);
        on_each_gpu([&](auto& communicator, cudaStream_t stream) {
            device_array<float> const own(part_of(x, cuts, communicator.rank()));
            auto const on = tw::distributed(communicator, tw::device.on(stream));
            auto const [smallest, largest] = tw::minmax_element(on, own.begin(), own.end());
            auto const [first, last] = std::minmax_element(x.begin(), x.end());
            EXPECT_EQ(smallest.index, first - x.begin());
            EXPECT_EQ(largest.index, last - x.begin());
            EXPECT_EQ(tw::min_element(on, own.begin(), own.end()), smallest);
            auto const of_rank = cuts[static_cast<std::size_t>(smallest.rank)];
            EXPECT_EQ(static_cast<std::size_t>(smallest.index - smallest.local), of_rank);
        });
    }
}

TEST_F(ranks_of_nccl, all_throw_what_one_throws)
{
    int const last = static_cast<int>(gpus()) - 1;
    on_each_gpu([&](auto& communicator, cudaStream_t stream) {
        device_array<std::int32_t> const own(std::vector<std::int32_t>(100, 3));
        std::vector<std::uint32_t> counts(communicator.rank() == last ? 7 : 8);
        auto const on = tw::distributed(communicator, tw::device.on(stream));
        try {
            tw::histogram(on, std::span<std::int32_t const>(own.begin(), 100), tw::integer_axis(0, 8), counts);
            ADD_FAILURE() << "no exception";
        } catch (tw::distributed_error const& error) {
            EXPECT_EQ(error.rank(), last);
            EXPECT_THAT(error.what(), testing::HasSubstr("the output range has 7 elements"));
        }
        EXPECT_TRUE(communicator.is_usable());
        EXPECT_EQ(tw::count(on, own.begin(), own.end(), 3), 100 * communicator.size()); // in step again
    });
}

} // namespace
