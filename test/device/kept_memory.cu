// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// What is left of a call when it is over: memory that a graph goes on using, tables that have yet to be copied, and
/// what is kept for the next calls.
#include "workloads.hpp"

#include <tilewise/cached_memory.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace tw = tilewise;

namespace {

using on_device::amount;
using on_device::device_array;
using on_device::expect_success;
using on_device::graph;
using on_device::stream;
using namespace workloads;

// ---- graphs

DEVICE_TEST_WITH_STREAMS(graphs, own_the_tables_of_their_axes)
{
    for (std::size_t const bins : {std::size_t{50}, many_bins}) {
        counted_samples const work(bins);
        device_array<float> const device_copy(work.samples);
        device_array<unsigned> const counts(bins), sums(bins), twos(std::vector<unsigned>(work.samples.size(), 2));
        stream const where, other;
        {
            graph const replayed(where, [&] {
                auto const policy = tw::device.on(where).nosync();
                auto edges = edges_of(bins);
                tw::histogram(policy, device_copy.begin(), device_copy.end(), edges.begin(), edges.end(),
                              counts.data());
                tw::weighted_histogram(policy, device_copy.begin(), device_copy.end(), twos.begin(), edges.begin(),
                                       edges.end(), sums.data());
                std::fill(edges.begin(), edges.end(), -1.0f);
            });
            std::vector<unsigned> ordinary(bins); // takes what is not the graph's
            tw::histogram(tw::device.on(other), device_copy, edges_of(bins), ordinary.begin());
            EXPECT_EQ(ordinary, work.expected);
            tw::release_cached_memory();
            auto twice = work.expected;
            for (auto& each : twice)
                each *= 2;
            for (int i = 0; i < 2; ++i) {
                counts.assign(std::vector<unsigned>(bins, 77));
                expect_success(cudaDeviceSynchronize());
                replayed.launch(where);
                replayed.launch(other); // at once
                where.wait();
                other.wait();
                EXPECT_EQ(counts.values(bins), work.expected);
                EXPECT_EQ(sums.values(bins), twice);
            }
        }
        tw::release_cached_memory(); // what the graph had
    }
}

/// Hands memory out again as soon as it comes back, whatever streams do.
struct pool {
    std::vector<std::pair<void*, std::size_t>> idle, all;
    int allocations = 0, deallocations = 0;

    void* allocate(std::size_t bytes, cudaStream_t)
    {
        ++allocations;
        for (auto& [memory, size] : idle)
            if (memory != nullptr && size >= bytes)
                return std::exchange(memory, nullptr);
        cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
        expect_success(cudaThreadExchangeStreamCaptureMode(&mode));
        void* memory = nullptr;
        expect_success(cudaMalloc(&memory, bytes));
        expect_success(cudaThreadExchangeStreamCaptureMode(&mode));
        all.emplace_back(memory, bytes);
        return memory;
    }
    void deallocate(void* memory, std::size_t bytes, cudaStream_t)
    {
        ++deallocations;
        idle.emplace_back(memory, bytes);
    }
    pool() = default;
    pool(pool const&) = delete;
    pool& operator=(pool const&) = delete;
    ~pool()
    {
        for (auto const& each : all)
            static_cast<void>(cudaFree(each.first));
    }
};

DEVICE_TEST_WITH_STREAMS(graphs, have_what_a_resource_gave_them)
{
    workload const work;
    device_workload const device_copy(work);
    stream const where, other;
    device_array<double> const in_graph(most_results), outside(most_results);
    for (int const algorithm : {2, 4}) {
        auto const right = expected(algorithm, work);
        pool kept;
        {
            graph const replayed(
                where, [&] { run(algorithm, tw::device.on(where).with(kept).nosync(), device_copy, in_graph.data()); });
            EXPECT_GE(kept.allocations, 1);
            EXPECT_EQ(kept.deallocations, 0); // the graph's for good
            in_graph.assign(std::vector<double>(most_results, 0));
            outside.assign(std::vector<double>(most_results, 0));
            expect_success(cudaDeviceSynchronize());
            replayed.launch(where);
            run(algorithm, tw::device.on(other).with(kept).nosync(), device_copy, outside.data());
            where.wait();
            other.wait();
            EXPECT_EQ(in_graph.values(most_results), right) << algorithm;
            EXPECT_EQ(outside.values(most_results), right) << algorithm;
        }
        failing_resource of_graph{-1}; // whose memory nodes of the graph allocate
        graph const replayed(
            where, [&] { run(algorithm, tw::device.on(where).with(of_graph).nosync(), device_copy, in_graph.data()); });
        EXPECT_EQ(of_graph.live, 0);
        for (int i = 0; i < 2; ++i) // which the nodes free again
            replayed.launch(where);
        where.wait();
        EXPECT_EQ(in_graph.values(most_results), right) << algorithm;
    }
}

DEVICE_TEST_WITH_STREAMS(graphs, are_traced_and_not_timed)
{
    workload const work;
    device_workload const device_copy(work);
    stream const where;
    device_array<double> const result(1);
    int launches = 0;
    double microseconds = 0;
    auto sink = [&](tw::launch_record const& record) {
        ++launches;
        microseconds += record.microseconds;
    };
    graph const replayed(where, [&] {
        run(0, tw::device.on(where).nosync().trace(sink, tw::trace_mode::timed), device_copy, result.data());
    });
    EXPECT_GE(launches, 1);
    EXPECT_EQ(microseconds, 0);
    replayed.launch(where);
    where.wait();
    EXPECT_EQ(result.value(), expected(0, work)[0]);
}

// ---- waiting

#ifdef __CUDACC__
/// Has a stream wait for this thread, but not for ever.
class gate {
public:
    explicit gate(stream const& where)
    {
        expect_success(cudaLaunchHostFunc(
            where,
            [](void* self) {
                auto& open = static_cast<gate*>(self)->open_;
                auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
                while (!open && std::chrono::steady_clock::now() < end)
                    std::this_thread::yield();
                static_cast<gate*>(self)->timed_out_ = !open;
            },
            this));
    }
    /// \returns whether nobody waited for the stream before
    bool open()
    {
        open_ = true;
        return !timed_out_;
    }

private:
    std::atomic<bool> open_ = false, timed_out_ = false;
};
#else
class gate {
public:
    explicit gate(stream const&) { simt::runtime::forget_calls(); }
    bool open()
    {
        return simt::runtime::count("a wait in cudaMemcpyAsync") + simt::runtime::count("cudaStreamSynchronize") +
                   simt::runtime::count("cudaEventSynchronize") + simt::runtime::count("cudaFreeHost") ==
               0;
    }
};
#endif

DEVICE_TEST_WITH_STREAMS(nosync, does_not_wait_for_an_axis_of_any_size)
{
    for (std::size_t const bins : {std::size_t{50}, many_bins, amount<std::size_t>(200'000, 100'000, 100)}) {
        counted_samples const work(bins);
        device_array<float> const device_copy(work.samples);
        device_array<unsigned> const counts(bins), again(bins);
        stream const where;
        tw::histogram(tw::device.on(where), device_copy, edges_of(bins), counts.data()); // kernels are loaded
        gate entrance(where);
        for (unsigned* const out : {counts.data(), again.data()}) {
            auto edges = edges_of(bins);
            tw::histogram(tw::device.on(where).nosync(), device_copy, edges, out);
            std::fill(edges.begin(), edges.end(), -1.0f);
        }
        EXPECT_TRUE(entrance.open()) << bins;
        where.wait();
        EXPECT_EQ(counts.values(bins), work.expected);
        EXPECT_EQ(again.values(bins), work.expected);
    }
}

// ---- what is kept

#ifndef __CUDACC__

DEVICE_TEST_WITH_STREAMS(kept_memory, is_what_the_largest_call_needed)
{
    tw::release_cached_memory();
    stream const where;
    auto const before = simt::runtime::live();
    std::vector<int> x;
    std::size_t const step = 4100;
    for (int i = 0; i < 16; ++i) {
        x.resize(x.size() + step, 1);
        tw::reduce(tw::device.on(where).budget(1 << 30), x);
    }
    where.wait();
    auto const after = simt::runtime::live();
    EXPECT_LE(after.device_bytes - before.device_bytes, 2 * x.size() * sizeof(int));
    EXPECT_GE(after.device_bytes - before.device_bytes, x.size() * sizeof(int)); // which the next call takes
    simt::runtime::forget_calls();
    tw::reduce(tw::device.on(where), x);
    EXPECT_EQ(simt::runtime::count("allocation"), 0);
    tw::release_cached_memory();
    EXPECT_EQ(simt::runtime::live().device_bytes, before.device_bytes);
    EXPECT_LE(simt::runtime::live().pinned_bytes, before.pinned_bytes);
}

#endif

DEVICE_TEST_WITH_STREAMS(kept_memory, of_many_streams_is_bounded)
{
#ifdef __CUDACC__
    auto const of_pool = [](cudaMemPoolAttr attribute) {
        cudaMemPool_t pool = nullptr;
        std::uint64_t bytes = 0;
        expect_success(cudaDeviceSynchronize());
        expect_success(cudaDeviceGetDefaultMemPool(&pool, 0));
        expect_success(cudaMemPoolGetAttribute(pool, attribute, &bytes));
        return static_cast<std::size_t>(bytes);
    };
    auto const in_use = [&] { return of_pool(cudaMemPoolAttrUsedMemCurrent); };
    auto const held = [&] {
        return of_pool(cudaMemPoolAttrReservedMemCurrent);
    }; // (cudaFree is not taken off the other)
#else
    auto const in_use = [] { return simt::runtime::live().device_bytes; }, held = in_use;
#endif
    tw::release_cached_memory();
    std::size_t const before = in_use(), held_before = held(), streams = 100;
    std::vector<unsigned char> const x(amount<std::size_t>(20 << 20, 20 << 20, 3000), 1);
    for (std::size_t i = 0; i < streams; ++i) {
        stream const where;
        EXPECT_EQ(tw::reduce(tw::device.on(where), x, std::size_t{}), x.size());
    }
    EXPECT_LE(in_use() - before, (std::size_t{512} << 20) + (std::size_t{64} << 20));
    EXPECT_GT(held(), held_before);
    tw::release_cached_memory();
    EXPECT_EQ(held(), held_before);
    tw::release_cached_memory(); // nothing is left
    EXPECT_EQ(tw::reduce(tw::device, x, std::size_t{}), x.size());
}

#ifndef __CUDACC__

DEVICE_TEST_WITH_STREAMS(kept_memory, serves_calls_that_find_no_other)
{
    std::vector<unsigned char> const x(100'000, 1);
    stream const where;
    for (int i = 0; i < 3; ++i) {
        stream const ended;
        EXPECT_EQ(tw::reduce(tw::device.on(ended), x, std::size_t{}), x.size());
    }
    simt::runtime::set_devices({{.memory_bytes = simt::runtime::live().device_bytes + 1000}});
    EXPECT_EQ(tw::reduce(tw::device.on(where), x, std::size_t{}), x.size());
    simt::runtime::set_devices({{}});
}

#endif

} // namespace
