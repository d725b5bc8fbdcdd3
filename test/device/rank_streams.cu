// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Calls over ranks whose communicator sums counters in GPU memory and waits for streams.
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
#include <new>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tw = tilewise;

namespace {

using ranks::elements, ranks::emptied_caches, ranks::memory, ranks::memory_on, ranks::part_of;

/// Ranks that are threads, with the members of ranks that are GPUs. Calls of the runtime are repeated if they fail:
/// these are no failures of a collective.
class gpu_ranks {
public:
    explicit gpu_ranks(tw::thread_communicator& ranks) : ranks_(ranks) {}
    gpu_ranks(gpu_ranks const&) = delete;
    gpu_ranks& operator=(gpu_ranks const&) = delete;
    ~gpu_ranks() { release(); }

    int rank() const { return ranks_.rank(); }
    int size() const { return ranks_.size(); }
    void all_gather(void const* own, std::size_t bytes, void* all) { ranks_.all_gather(own, bytes, all); }
    void all_gather_v(void const* own, std::span<std::size_t const> sizes, void* all)
    {
        ranks_.all_gather_v(own, sizes, all);
    }
    void exchange(std::span<tw::outgoing const> out, std::span<tw::incoming const> in) { ranks_.exchange(out, in); }

    std::uint64_t* device_counters(std::size_t count)
    {
        release();
        void* memory = nullptr;
        on_device::expect_success(cudaMalloc(&memory, count * sizeof(std::uint64_t)));
        count_ = count;
        return counters_ = static_cast<std::uint64_t*>(memory);
    }
    void all_reduce_add(std::uint64_t* counters, std::size_t count, cudaStream_t stream)
    {
        ++sums;
        EXPECT_EQ(counters, counters_);
        EXPECT_EQ(count, count_);
        if (fails)
            throw tw::distributed_error(0, "a sum that fails");
        std::vector<std::uint64_t> values(count);
        auto const copy = [&](void* to, void const* from) {
            repeated(
                [&] { return cudaMemcpyAsync(to, from, count * sizeof(std::uint64_t), cudaMemcpyDefault, stream); });
            repeated([&] { return cudaStreamSynchronize(stream); });
        };
        copy(values.data(), counters);
        ranks_.all_reduce_add(values.data(), count);
        copy(counters, values.data());
    }
    void wait(cudaStream_t stream)
    {
        ++waits;
        repeated([&] { return cudaStreamSynchronize(stream); });
    }

    int sums = 0, waits = 0;
    bool fails = false;

private:
    template <class Call>
    static void repeated(Call const& call)
    {
        for (int attempt = 0; attempt < 3 && call() != cudaSuccess; ++attempt)
            static_cast<void>(cudaGetLastError());
    }
    void release()
    {
        repeated([&] { return cudaFree(counters_); });
        counters_ = nullptr;
    }

    tw::thread_communicator& ranks_;
    std::uint64_t* counters_ = nullptr;
    std::size_t count_ = 0;
};
static_assert(tw::communicator<gpu_ranks>);

/// Calls `work(communicator, begin, end)` on such a rank for each part.
template <class Work>
void on_each_gpu(std::vector<std::size_t> const& cuts, Work const& work)
{
    ranks::on_each_rank(cuts, [&](auto& threads, std::size_t begin, std::size_t end) {
        gpu_ranks communicator(threads);
        work(communicator, begin, end, threads);
    });
}

/// An axis without cells.
struct no_cells {
    TILEWISE_PORTABLE int size() const { return 0; }
    TILEWISE_PORTABLE int extent() const { return size(); }
    TILEWISE_PORTABLE int index(std::uint8_t) const { return -1; }
};

template <class Counter, class Sample, class Axis>
void expect_one_histogram(std::vector<Sample> const& x, Axis const& axis, std::mt19937& random)
{
    auto const cells = static_cast<std::size_t>(axis.extent());
    std::vector<Counter> const before(cells + 1, 7);
    std::vector<Counter> expected(before), expected_more(before);
    tw::histogram(x, axis, expected);
    tw::histogram_add(x, axis, expected_more);
    on_each_gpu(ranks::few_cuts_of(x.size(), random),
                [&](auto& communicator, std::size_t begin, std::size_t end, auto const& threads) {
                    elements<Sample> own(part_of(x, begin, end), memory_on(threads));
                    elements<Counter> counts(before, memory_on(threads, 1)), more(before, memory_on(threads, 2));
                    auto const on = tw::distributed(communicator, tw::device);
                    EXPECT_EQ(tw::histogram(on, own.data(), own.end(), axis, counts.data()), counts.data() + cells);
                    EXPECT_EQ(counts.values(), expected);
                    EXPECT_EQ(tw::histogram_add(on, own.data(), own.end(), axis, more.data()), more.data() + cells);
                    EXPECT_EQ(more.values(), expected_more);
                    EXPECT_EQ(communicator.sums, 2);
                });
}

DEVICE_TEST(counts_added_on_gpus, are_those_of_one_range)
{
    emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    for (std::size_t const count :
         {std::size_t{0}, std::size_t{5}, on_device::amount<std::size_t>(1 << 20, 20'000, 3000)}) {
        std::vector<float> x(count);
        std::vector<std::uint8_t> bytes(count);
        for (std::size_t i = 0; i < count; ++i) {
            x[i] = static_cast<float>(random() % 4000) / 1000 - 1;
            bytes[i] = static_cast<std::uint8_t>(random());
        }
        expect_one_histogram<std::uint32_t>(x, tw::regular_axis(100, 0.0f, 2.0f, {.flow = tw::flow::bins}), random);
        expect_one_histogram<std::int64_t>(bytes, tw::integer_axis(0, 256), random);
        expect_one_histogram<std::uint64_t>(x, tw::regular_axis(700, 0.0f, 2.0f), random);
        expect_one_histogram<std::uint32_t>(bytes, no_cells(), random);
    }
}

/// Memory of a resource of which rank 1 has none.
struct no_memory {
    void* allocate(std::size_t, cudaStream_t) { throw std::bad_alloc(); }
    void deallocate(void*, std::size_t, cudaStream_t) {}
};

DEVICE_TEST(counts_added_on_gpus, are_not_written_where_a_rank_has_failed)
{
    emptied_caches const at_end;
    std::vector<std::size_t> const cuts{0, 100, 200, 300};
    for (bool const is_pageable : {false, true})
        on_each_gpu(cuts, [&](auto& communicator, std::size_t, std::size_t, auto const& threads) {
            std::vector<std::int32_t> const x(100, 3); // staged, which takes memory
            elements<std::int32_t> samples(x, threads.rank() == 1 ? memory::pageable : memory::pinned);
            elements<std::uint32_t> counts({1, 2, 3, 4, 5, 6, 7, 8}, is_pageable ? memory::pageable : memory::device);
            no_memory resource;
            auto const call = [&](auto const& local) {
                tw::histogram_add(tw::distributed(communicator, local), samples.data(), samples.end(),
                                  tw::integer_axis(0, 8), counts.data());
            };
            try {
                threads.rank() == 1 ? call(tw::device.with(resource)) : call(tw::device);
                ADD_FAILURE() << "no exception";
            } catch (tw::distributed_error const& error) {
                EXPECT_EQ(error.rank(), 1);
                EXPECT_THAT(error.what(), testing::StartsWith("tilewise::histogram_add: rank 1: std::bad_alloc"));
            }
            EXPECT_EQ(communicator.sums, 0);
            EXPECT_EQ(counts.values(), (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8}));
            call(tw::device); // in step again
            EXPECT_EQ(counts.values(), (std::vector<std::uint32_t>{1, 2, 3, 304, 5, 6, 7, 8}));
        });
}

DEVICE_TEST(counts_added_on_gpus, throw_what_the_sum_throws)
{
    emptied_caches const at_end;
    on_each_gpu({0, 100, 200}, [&](auto& communicator, std::size_t, std::size_t, auto const&) {
        on_device::device_array<std::uint32_t> const counts(8);
        communicator.fails = true;
        try {
            tw::histogram(tw::distributed(communicator, tw::device), std::vector<std::int32_t>(100, 3),
                          tw::integer_axis(0, 8), counts.data());
            ADD_FAILURE() << "no exception";
        } catch (tw::distributed_error const& error) {
            EXPECT_EQ(error.what(), std::string("a sum that fails"));
        }
        EXPECT_EQ(communicator.sums, 1);
    });
}

DEVICE_TEST(counts_added_on_gpus, all_throw_where_the_output_of_one_is_too_short)
{
    emptied_caches const at_end;
    on_each_gpu({0, 100, 200}, [&](auto& communicator, std::size_t, std::size_t, auto const&) {
        std::vector<std::uint32_t> counts(communicator.rank() == 1 ? 7 : 8);
        try {
            tw::histogram(tw::distributed(communicator, tw::device), std::vector<std::int32_t>(100, 3),
                          tw::integer_axis(0, 8), counts);
            ADD_FAILURE() << "no exception";
        } catch (tw::distributed_error const& error) {
            EXPECT_EQ(error.rank(), 1);
            EXPECT_THAT(error.what(), testing::HasSubstr("the output range has 7 elements"));
        }
        EXPECT_EQ(communicator.sums, 0);
    });
}

#ifndef __CUDACC__

/// Has each call of the runtime that any of the ranks makes fail in turn. All ranks throw, or none does.
template <class Call>
void expect_all_throw_where_a_call_of_the_runtime_fails(Call const& call)
{
    std::vector<std::size_t> const cuts{0, 100, 200, 300};
    int skipped = 0;
    for (bool is_over = false; !is_over; ++skipped) {
        std::atomic<int> failed = 0;
        on_each_gpu(cuts, [&](auto& communicator, std::size_t, std::size_t, auto& threads) {
            std::byte own{}, all[3];
            if (threads.rank() == 0)
                simt::runtime::fail("*", skipped, cudaErrorUnknown);
            threads.all_gather(&own, 1, all); // from here on
            try {
                call(communicator);
            } catch (tw::distributed_error const& error) {
                ++failed;
                EXPECT_THAT(error.what(), testing::HasSubstr("cuda"));
            }
        });
        is_over = simt::runtime::failure_is_due();
        EXPECT_TRUE(failed == 3 || failed == 0) << failed << " of 3 ranks, call " << skipped;
        simt::runtime::forget_failures();
        on_each_gpu(cuts, [&](auto& communicator, std::size_t, std::size_t, auto&) { call(communicator); });
    }
    EXPECT_GE(skipped, 20);
}

DEVICE_TEST(counts_added_on_gpus, all_throw_where_any_call_of_the_runtime_fails)
{
    emptied_caches const at_end;
    std::vector<std::int32_t> const x(100, 3);
    expect_all_throw_where_a_call_of_the_runtime_fails([&](auto& communicator) {
        std::vector<std::uint32_t> counts(8);
        tw::histogram(tw::distributed(communicator, tw::device), x, tw::integer_axis(0, 8), counts);
        EXPECT_EQ(counts[3], 300u);
    });
}

DEVICE_TEST(scans_that_wait_by_the_communicator, all_throw_where_any_call_of_the_runtime_fails)
{
    emptied_caches const at_end;
    std::vector<float> const x(100, 1.5F);
    expect_all_throw_where_a_call_of_the_runtime_fails([&](auto& communicator) {
        std::vector<float> out(100);
        tw::inclusive_scan(tw::distributed(communicator, tw::device), x, out);
        EXPECT_EQ(out.back(), 150.F * static_cast<float>(communicator.rank() + 1));
    });
}

#endif

DEVICE_TEST(scans_that_wait_by_the_communicator, have_the_bits_of_one_range)
{
    emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    for (std::size_t const count :
         {std::size_t{0}, std::size_t{5}, on_device::amount<std::size_t>(1 << 20, 30'000, 5000)}) {
        auto const x = on_device::some_elements<float>(count);
        std::vector<float> expected(count);
        tw::inclusive_scan(x, expected);
        on_each_gpu(ranks::few_cuts_of(count, random), [&](auto& communicator, std::size_t begin, std::size_t end,
                                                           auto const& threads) {
            elements<float> own(part_of(x, begin, end), memory_on(threads));
            elements<float> out(std::vector<float>(end - begin), memory_on(threads, 1));
            tw::inclusive_scan(tw::distributed(communicator, tw::device), own.data(), own.end(), out.data());
            EXPECT_EQ(communicator.waits, begin < end ? 1 : 0);
            ranks::expect_same(out.values(), part_of(expected, begin, end));
        });
    }
}

} // namespace
