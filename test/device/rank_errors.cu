// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../distributed/ranks.hpp"
#include "rank_elements.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/tilewise.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <span>
#include <string_view>
#include <vector>

namespace tw = tilewise;

namespace {

using ranks::emptied_caches;

struct is_odd {
    TILEWISE_PORTABLE bool operator()(std::int32_t x) const { return x % 2 != 0; }
};

DEVICE_TEST(rank_errors_on_a_gpu, all_throw_what_one_throws)
{
    emptied_caches const at_end;
    ranks::on_each_rank({0, 100, 200}, [&](auto& communicator, std::size_t, std::size_t) {
        on_device::device_array<std::int32_t> const device_copy(100);
        std::vector<std::int32_t> few(communicator.rank() == 1 ? 99 : 100);
        auto const on = tw::distributed(communicator, tw::device);
        try {
            tw::inclusive_scan(on, std::span<std::int32_t const>(device_copy.data(), 100), few);
            ADD_FAILURE() << "no exception";
        } catch (tw::distributed_error const& error) {
            EXPECT_EQ(error.rank(), 1);
        }
        EXPECT_EQ(tw::count_if(on, std::vector<std::int32_t>(10, 1), is_odd()), 20); // host memory, in step again
    });
}

/// A policy for the parts of three ranks that have 100 elements each, or two of them.
template <class On>
auto placed(On const& on)
{
    return on.at(100 * on.communicator().rank(), 100 * on.communicator().size());
}
/// Keys of a rank: the first run and the last one have the same key on all ranks, so they span ranks.
std::vector<int> keys_of_rank()
{
    std::vector<int> keys(100, 1);
    std::fill(keys.begin() + 40, keys.begin() + 60, 2);
    return keys;
}

/// Scratch memory of which there is no more after so many times; -1 for no end.
struct resource_that_ends {
    int left;
    void* allocate(std::size_t bytes, cudaStream_t)
    {
        if (left-- == 0)
            throw std::bad_alloc();
        void* memory = nullptr;
        on_device::expect_success(cudaMalloc(&memory, bytes));
        return memory;
    }
    void deallocate(void* memory, std::size_t, cudaStream_t stream)
    {
        static_cast<void>(cudaStreamSynchronize(stream));
        static_cast<void>(cudaFree(memory));
    }
};

/// Whether `call(policy)` throws on all ranks that rank 1, which has memory for so many allocations, has none left.
template <class Call>
bool all_miss_memory(int allocations, Call const& call)
{
    std::atomic<int> missing = 0;
    ranks::on_each_rank({0, 100, 200, 200}, [&](auto& communicator, std::size_t, std::size_t) {
        resource_that_ends memory{communicator.rank() == 1 ? allocations : -1};
        auto const on = tw::distributed(communicator, tw::device.with(memory));
        try {
            call(on);
        } catch (tw::distributed_error const& error) {
            ++missing;
            EXPECT_EQ(error.rank(), 1);
            if (communicator.rank() == 1) {
                EXPECT_THROW(std::rethrow_if_nested(error), std::bad_alloc);
            }
        }
        EXPECT_EQ(tw::count_if(tw::distributed(communicator, tw::device), std::vector<std::int32_t>(10, 1), is_odd()),
                  30); // in step again
    });
    EXPECT_TRUE(missing == 0 || missing == 3) << missing;
    return missing > 0;
}

/// Has rank 1 run out of memory at each allocation in turn, of which there are at least so many.
template <class Call>
void expect_all_miss_memory(int allocations, Call const& call)
{
    int first = 0;
    while (all_miss_memory(first, call))
        ++first;
    EXPECT_GE(first, allocations);
}

DEVICE_TEST(rank_errors_on_a_gpu, all_throw_where_one_has_no_memory)
{
    emptied_caches const at_end;
    std::vector<std::int32_t> const x(100, 3);
    expect_all_miss_memory(3, [&](auto const& on) { // samples, counts, the counts of all
        on_device::device_array<std::uint32_t> const counts(8);
        tw::histogram(on, x, tw::integer_axis(0, 8), counts.data());
    });
    expect_all_miss_memory(3, [&](auto const& on) {
        on_device::device_array<std::int32_t> const sums(8);
        tw::reduce_by_index(on, x, x, 8, sums.data());
    });
    expect_all_miss_memory(3, [&](auto const& on) { // keys, values, what sorts them, units
        on_device::device_array<float> const sums(8);
        tw::weighted_histogram(on, x, std::vector<float>(100, 1.5F), tw::integer_axis(0, 8), sums.data());
    });
    expect_all_miss_memory(1, [&](auto const& on) { tw::min_element(on, x); });
    std::vector<int> const offsets{0, 50, 250, 260, 300}, keys = keys_of_rank();
    std::vector<float> const y(100, 1.5F);
    expect_all_miss_memory(4, [&](auto const& on) { // offsets, whole segments, parts of others
        on_device::device_array<float> const sums(4);
        tw::segmented_reduce(placed(on), y.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                             sums.data());
    });
    expect_all_miss_memory(4, [&](auto const& on) {
        on_device::device_array<float> const sums(100);
        tw::segmented_inclusive_scan(placed(on), y.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                     sums.data());
    });
    expect_all_miss_memory(4, [&](auto const& on) { // keys at the ends, runs, their values, what spans ranks
        on_device::device_array<float> const sums(100);
        on_device::device_array<int> const found(100);
        tw::reduce_by_key(on, keys, y, found.data(), sums.data());
    });
    expect_all_miss_memory(4, [&](auto const& on) {
        on_device::device_array<float> const sums(100);
        tw::inclusive_scan_by_key(on, keys, y, sums.data());
    });
}

DEVICE_TEST(rank_errors_on_a_gpu, all_throw_where_the_output_of_one_is_too_short)
{
    emptied_caches const at_end;
    ranks::on_each_rank({0, 100, 200}, [&](auto& communicator, std::size_t, std::size_t) {
        std::vector<std::int32_t> const x(100, 3);
        std::vector<std::uint32_t> counts(communicator.rank() == 1 ? 7 : 8);
        auto const on = tw::distributed(communicator, tw::device);
        auto const fails = [&](auto const& call) {
            try {
                call();
                ADD_FAILURE() << "no exception";
            } catch (tw::distributed_error const& error) {
                EXPECT_EQ(error.rank(), 1);
                EXPECT_THAT(error.what(), testing::HasSubstr("the output range has 7 elements"));
            }
        };
        fails([&] { tw::histogram(on, x, tw::integer_axis(0, 8), counts); });
        fails([&] { tw::histogram_add(on, x, tw::integer_axis(0, 8), counts); });
        fails([&] { tw::reduce_by_index(on, x, x, 8, counts, 0u); });
        EXPECT_EQ(tw::min_element(on, x).index, 0); // in step again
    });
}

#ifndef __CUDACC__

/// Has each call of the runtime that any of the ranks makes fail in turn, or every `step`th of them, others under every
/// schedule. All ranks throw; then they are in step, and nothing is left allocated.
template <int step = 1, class Call>
void expect_all_throw_where_a_call_of_the_runtime_fails(int calls, Call const& call)
{
    std::vector<std::size_t> const cuts{0, 100, 200, 300};
    int skipped = static_cast<int>(on_device::variation() % step);
    for (bool is_over = false; !is_over; skipped += step) {
        std::atomic<int> failed = 0;
        simt::runtime::forget_calls();
        simt::runtime::fail("*", skipped, cudaErrorUnknown);
        ranks::on_each_rank(cuts, [&](auto& communicator, std::size_t, std::size_t) {
            try {
                call(tw::distributed(communicator, tw::device));
            } catch (tw::distributed_error const& error) {
                ++failed;
                EXPECT_THAT(error.what(), testing::HasSubstr("cuda"));
            }
        });
        is_over = simt::runtime::failure_is_due();
        bool is_unseen = is_over;
        for (auto const& made : simt::runtime::calls()) // what gives a mode back may fail unseen
            is_unseen = is_unseen || (made.result == cudaErrorUnknown &&
                                      made.name == std::string_view("cudaThreadExchangeStreamCaptureMode"));
        EXPECT_TRUE(failed == 3 || (is_unseen && failed == 0)) << failed << " of 3 ranks, call " << skipped;
        simt::runtime::forget_failures();
        ranks::on_each_rank(cuts, [&](auto& communicator, std::size_t, std::size_t) {
            call(tw::distributed(communicator, tw::device));
        });
    }
    EXPECT_GE(skipped, calls);
}

DEVICE_TEST(rank_errors_on_a_gpu, all_throw_where_any_call_of_the_runtime_fails)
{
    emptied_caches const at_end;
    std::vector<std::int32_t> const x(100, 3);
    std::vector<float> const y(100, 1.5F);
    expect_all_throw_where_a_call_of_the_runtime_fails(8, [&](auto const& on) { EXPECT_EQ(tw::reduce(on, y), 450.F); });
    expect_all_throw_where_a_call_of_the_runtime_fails(8, [&](auto const& on) {
        std::vector<float> out(100);
        tw::inclusive_scan(on, y, out);
        EXPECT_EQ(out.back(), 150.F * static_cast<float>(on.communicator().rank() + 1));
    });
    expect_all_throw_where_a_call_of_the_runtime_fails(8, [&](auto const& on) {
        std::vector<std::uint32_t> counts(8);
        tw::histogram(on, x, tw::integer_axis(0, 8), counts);
        EXPECT_EQ(counts[3], 300u);
    });
    expect_all_throw_where_a_call_of_the_runtime_fails(8, [&](auto const& on) {
        std::vector<std::int32_t> sums(8);
        tw::reduce_by_index(on, x, x, 8, sums);
        EXPECT_EQ(sums[3], 900);
    });
    expect_all_throw_where_a_call_of_the_runtime_fails<5>(8, [&](auto const& on) {
        std::vector<float> sums(8);
        tw::reduce_by_index(on, x, y, 8, sums);
        EXPECT_EQ(sums[3], 450.F);
    });
    expect_all_throw_where_a_call_of_the_runtime_fails(
        8, [&](auto const& on) { EXPECT_EQ(tw::max_element(on, x).index, 0); });
}

DEVICE_TEST(rank_errors_on_a_gpu, all_throw_where_a_call_of_the_runtime_fails_for_segments)
{
    emptied_caches const at_end;
    std::vector<int> const offsets{0, 50, 250, 260, 300};
    std::vector<float> const y(100, 1.5F);
    expect_all_throw_where_a_call_of_the_runtime_fails<5>(8, [&](auto const& on) {
        std::vector<float> sums(4);
        tw::segmented_reduce(placed(on), y.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1, sums);
        EXPECT_EQ(sums, (std::vector<float>{75.F, 300.F, 15.F, 60.F}));
    });
    expect_all_throw_where_a_call_of_the_runtime_fails<5>(8, [&](auto const& on) {
        std::vector<float> sums(100);
        tw::segmented_inclusive_scan(placed(on), y.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                     sums);
        EXPECT_EQ(sums.back(), std::vector({75.F, 225.F, 60.F})[static_cast<std::size_t>(on.communicator().rank())]);
    });
}

DEVICE_TEST(rank_errors_on_a_gpu, all_throw_where_a_call_of_the_runtime_fails_for_runs)
{
    emptied_caches const at_end;
    std::vector<int> const keys = keys_of_rank();
    std::vector<float> const y(100, 1.5F);
    // pinned, so that it takes no call to read them, and no buffers to write them
    constexpr auto pinned = on_device::device_array<float>::kind::pinned;
    on_device::device_array<float> const all_sums(300, 0, pinned);
    on_device::device_array<int> const all_keys(300, 0, on_device::device_array<int>::kind::pinned);
    expect_all_throw_where_a_call_of_the_runtime_fails<5>(8, [&](auto const& on) {
        int const rank = on.communicator().rank();
        float* const sums = all_sums.data() + 100 * rank;
        auto const end = tw::reduce_by_key(on, keys, y, all_keys.data() + 100 * rank, sums).second;
        EXPECT_EQ(end - sums, rank == 0 ? 3 : 2);
        EXPECT_EQ(*(end - 1), rank == 2 ? 60.F : 120.F);
    });
    expect_all_throw_where_a_call_of_the_runtime_fails<5>(8, [&](auto const& on) {
        float* const sums = all_sums.data() + 100 * on.communicator().rank();
        tw::inclusive_scan_by_key(on, keys, y, sums);
        EXPECT_EQ(*sums, on.communicator().rank() == 0 ? 1.5F : 61.5F);
    });
}

#endif

} // namespace
