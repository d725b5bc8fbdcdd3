// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// What a call holds goes back when the GPU can no longer touch it: whatever ends the call, and whatever is left of it
/// in a graph.
#include "on_device.hpp"

#include <tilewise/cached_memory.hpp>
#include <tilewise/histogram.hpp>
#include <tilewise/minmax.hpp>
#include <tilewise/reduce.hpp>
#include <tilewise/reduce_by_index.hpp>
#include <tilewise/scan.hpp>
#include <tilewise/segmented.hpp>

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#ifndef __CUDACC__
#include <simt/runtime.hpp>
#endif

namespace tw = tilewise;

namespace {

using on_device::amount;
using on_device::device_array;
using on_device::expect_success;
using on_device::graph;
using on_device::stream;

/// Keeps work that is in a stream from starting while it lives. On a GPU, keeps a stream busy before it.
class delay {
public:
    explicit delay([[maybe_unused]] stream const& where)
    {
#ifdef __CUDACC__
        for (int i = 0; i < 20; ++i)
            expect_success(cudaMemsetAsync(load_.data(), i, load_.size(), where));
#else
        simt::runtime::hold_work(true);
#endif
    }
    delay(delay const&) = delete;
    delay& operator=(delay const&) = delete;
    ~delay()
    {
#ifndef __CUDACC__
        simt::runtime::hold_work(false);
#endif
    }

#ifdef __CUDACC__
private:
    device_array<unsigned char> load_{amount<std::size_t>(1 << 28, 1 << 20, 1)};
#endif
};

/// The inputs of all calls. Sums are exact.
struct workload {
    static constexpr std::size_t count = 2 * 4096 + 5, few = 1200, segments = 5, cells = 7; // of a tile of double: 4096
    std::vector<double> x;
    std::vector<int> keys, offsets{0, 3, 3, 700, 701, static_cast<int>(few)};
    std::vector<float> edges{0, 1, 2, 3.5f, 5, 6, 7, 9};

    workload()
    {
        for (std::size_t i = 0; i < count; ++i) {
            x.push_back(static_cast<double>(i * 7 % 11));
            keys.push_back(static_cast<int>(i * 5 % 8)); // 7 belongs to no cell
        }
    }
    template <class T>
    static T const* first(std::vector<T> const& host)
    {
        return host.data();
    }
    template <class T>
    static T const* first(device_array<T> const& device_copy)
    {
        return device_copy.data();
    }
};
/// The same on the GPU.
struct device_workload {
    device_array<double> x;
    device_array<int> keys, offsets;
    std::vector<float> const& edges;
    explicit device_workload(workload const& work)
        : x(work.x), keys(work.keys), offsets(work.offsets), edges(work.edges)
    {}
    template <class T>
    static T const* first(device_array<T> const& device_copy)
    {
        return device_copy.data();
    }
};

constexpr std::size_t most_results = workload::count;

/// Every algorithm, by number; results are written to `out`.
constexpr int algorithms = 7;
template <class Policy, class Work>
void run(int algorithm, Policy const& policy, Work const& work, double* out)
{
    auto const x = work.first(work.x);
    auto const keys = work.first(work.keys), offsets = work.first(work.offsets);
    constexpr auto few = workload::few, segments = workload::segments, cells = workload::cells;
    switch (algorithm) {
    case 0:
        return void(tw::reduce_into(policy, x, x + workload::count, out, 1.0));
    case 1:
        return void(tw::inclusive_scan(policy, x, x + workload::count, out));
    case 2:
        return void(tw::segmented_reduce(policy, x, offsets, offsets + segments, offsets + 1, out, 1.0));
    case 3:
        return void(tw::segmented_inclusive_scan(policy, x, offsets, offsets + segments, offsets + 1, out));
    case 4: // is sorted; the edges are the call's own axis
        return void(tw::weighted_histogram(policy, x, x + few, x, work.edges.begin(), work.edges.end(), out));
    case 5:
        return void(tw::histogram(policy, x, x + few, work.edges.begin(), work.edges.end(),
                                  reinterpret_cast<std::uint64_t*>(out)));
    default: // adds integers up
        return void(tw::reduce_by_index(policy, keys, keys + few, keys, cells, reinterpret_cast<int*>(out), 1));
    }
}

/// What a call has to write.
std::vector<double> expected(int algorithm, workload const& work)
{
    std::vector<double> out(most_results, 0);
    run(algorithm, tw::seq, work, out.data());
    return out;
}

/// A reduction of other elements in another stream, whose result comes through the same pinned memory.
class bystander {
public:
    void expect_right() const
    {
        EXPECT_EQ(tw::reduce(tw::device.on(where_), twos_.begin(), twos_.end()), 2000);
        EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
    }

private:
    stream where_;
    device_array<int> twos_{std::vector<int>(1000, 2)};
};

struct thrown {};

// ---- exceptions

/// Calls `call(sink)` with sinks that throw at the first launch, the second, ..., until none does.
template <class Call>
int throw_at_every_launch(Call call)
{
    for (int skipped = 0;; ++skipped) {
        int launches = 0;
        auto sink = [&](tw::launch_record const&) {
            if (launches++ == skipped)
                throw thrown();
        };
        try {
            call(sink);
        } catch (thrown const&) {
            continue;
        }
        return skipped;
    }
}

DEVICE_TEST_WITH_STREAMS(exceptions, of_a_sink_leave_nothing_to_the_next_call)
{
    workload const work;
    device_workload const device_copy(work);
    bystander const other;
    other.expect_right();
    stream const where;
    int thrown_in_all = 0;
    thrown_in_all += throw_at_every_launch([&](auto& sink) {
        delay const delayed(where);
        try {
            EXPECT_EQ(tw::reduce(tw::device.on(where).trace(sink), device_copy.x.data(),
                                 device_copy.x.data() + work.count, 1.0),
                      expected(0, work)[0]);
        } catch (thrown const&) {
            other.expect_right();
            throw;
        }
    });
    thrown_in_all += throw_at_every_launch([&](auto& sink) { // its reach is a line, too
        std::vector<double> out(work.segments);
        delay const delayed(where);
        try {
            run(2, tw::device.on(where).trace(sink), work, out.data());
        } catch (thrown const&) {
            other.expect_right();
            throw;
        }
    });
    EXPECT_GE(thrown_in_all, 2);
    for (int algorithm = 0; algorithm < algorithms; ++algorithm) {
        auto const right = expected(algorithm, work);
        thrown_in_all = throw_at_every_launch([&](auto& sink) {
            auto const out = std::make_unique<device_array<double>>(right);
            try {
                run(algorithm, tw::device.on(where).trace(sink), device_copy, out->data());
            } catch (thrown const&) {
                expect_success(cudaStreamQuery(where)); // a call that waits is over, so that its output may go
                throw;
            }
            EXPECT_EQ(out->values(most_results), right) << algorithm;
        });
        EXPECT_GE(thrown_in_all, 1) << algorithm;
    }
    where.wait();
    other.expect_right();
}

/// Everything that was allocated while it lives is given back.
class nothing_is_lost {
public:
    nothing_is_lost(nothing_is_lost const&) = delete;
    nothing_is_lost& operator=(nothing_is_lost const&) = delete;
#ifdef __CUDACC__
    nothing_is_lost() {}
    ~nothing_is_lost() {}
#else
    nothing_is_lost() : before_((tw::release_cached_memory(), simt::runtime::live())) {}
    ~nothing_is_lost()
    {
        expect_success(cudaDeviceSynchronize());
        tw::release_cached_memory();
        EXPECT_EQ(simt::runtime::live(), before_);
    }

private:
    decltype(simt::runtime::live()) before_;
#endif
};

/// Elements and results are in host memory. With the small budget segments are staged one at a time.
DEVICE_TEST_WITH_STREAMS(exceptions, of_a_sink_return_what_is_staged)
{
    workload const work;
    bystander const other;
    stream const where;
    for (std::size_t const budget : {std::size_t{0}, std::size_t{1}})
        for (int algorithm = 0; algorithm < algorithms; ++algorithm) {
            if (budget != 0 && algorithm != 2 && algorithm != 3)
                continue;
            auto const right = expected(algorithm, work);
            int const thrown_in_all = throw_at_every_launch([&](auto& sink) {
                nothing_is_lost const checked;
                std::vector<double> out(most_results, 0);
                {
                    delay const delayed(where);
                    try {
                        run(algorithm, tw::device.on(where).budget(budget).trace(sink), work, out.data());
                    } catch (thrown const&) {
                        expect_success(cudaStreamQuery(where));
                        other.expect_right();
                        throw;
                    }
                }
                EXPECT_EQ(out, right) << algorithm;
            });
            EXPECT_GE(thrown_in_all, budget == 0 ? 1 : 10) << algorithm;
        }
    int const thrown_in_all = throw_at_every_launch([&](auto& sink) { // a reduction within another call's staging
        nothing_is_lost const checked;
        auto const found = tw::max_element(tw::device.on(where).trace(sink), work.x.begin(), work.x.end());
        EXPECT_EQ(found - work.x.begin(), 3); // 21 % 11
    });
    EXPECT_GE(thrown_in_all, 1);
}

/// Throws at an allocation.
struct failing_resource {
    int skipped, live = 0;
    void* allocate(std::size_t bytes, cudaStream_t where)
    {
        if (skipped-- == 0)
            throw thrown();
        void* memory = nullptr;
        expect_success(cudaMallocAsync(&memory, bytes, where));
        ++live;
        return memory;
    }
    void deallocate(void* memory, std::size_t, cudaStream_t where)
    {
        expect_success(cudaFreeAsync(memory, where));
        --live;
    }
};

DEVICE_TEST_WITH_STREAMS(exceptions, of_a_resource_return_what_it_gave)
{
    workload const work;
    device_workload const device_copy(work);
    bystander const other;
    stream const where;
    for (int algorithm = 0; algorithm < algorithms; ++algorithm) {
        auto const right = expected(algorithm, work);
        for (int skipped = 0;; ++skipped) {
            std::vector<double> out(most_results, 0); // takes scratch for copies, too
            failing_resource memory{skipped};
            bool threw = false;
            try {
                run(algorithm, tw::device.on(where).with(memory), device_copy, out.data());
            } catch (thrown const&) {
                threw = true;
            }
            EXPECT_EQ(memory.live, 0) << algorithm;
            other.expect_right();
            if (threw)
                continue;
            EXPECT_EQ(out, right) << algorithm;
            break;
        }
    }
}

struct resource_that_throws_at_the_end : failing_resource {
    void deallocate(void* memory, std::size_t bytes, cudaStream_t where)
    {
        failing_resource::deallocate(memory, bytes, where);
        throw thrown();
    }
};

DEVICE_TEST_WITH_STREAMS(exceptions, of_a_resource_that_takes_memory_back_end_nothing)
{
    workload const work;
    device_workload const device_copy(work);
    stream const where;
    device_array<double> const out(1);
    resource_that_throws_at_the_end memory{{-1}};
    run(2, tw::device.on(where).with(memory), device_copy, device_array<double>(work.segments).data());
    EXPECT_EQ(memory.live, 0);
}

// ---- graphs

/// So many bins, between edges that nobody has when a call returns.
std::vector<float> edges_of(std::size_t bins)
{
    std::vector<float> edges;
    for (std::size_t i = 0; i <= bins; ++i)
        edges.push_back(static_cast<float>(i) / 4);
    return edges;
}
/// What a table takes that CUDA copies only after waiting.
constexpr std::size_t many_bins = on_device::interpreted ? 11'000 : 20'000; // counters of 48 KiB at most there

/// Samples, and what is counted between such edges.
struct counted_samples {
    std::vector<float> samples;
    std::vector<unsigned> expected;
    explicit counted_samples(std::size_t bins) : expected(bins)
    {
        for (std::size_t i = 0; i < 500; ++i)
            samples.push_back(static_cast<float>(i * 37 % (bins + 9)) / 4);
        tw::histogram(tw::seq, samples, edges_of(bins), expected.begin());
    }
};

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

// ---- errors of CUDA

/// Lets each call of the runtime that `call` makes fail in its turn, with nothing kept before it. Nothing may be lost.
template <class Call>
int fail_every_call_of_the_runtime(bystander const& other, Call call)
{
    for (int skipped = 0;; ++skipped) {
        tw::release_cached_memory();
        auto const before = simt::runtime::live();
        simt::runtime::fail("*", skipped, cudaErrorUnknown);
        bool threw = false;
        try {
            call();
        } catch (tw::cuda_error const&) {
            threw = true;
        }
        bool const over = simt::runtime::failure_is_due();
        simt::runtime::forget_failures();
        other.expect_right();
        expect_success(cudaDeviceSynchronize());
        tw::release_cached_memory();
        EXPECT_EQ(simt::runtime::live(), before) << "call " << skipped;
        if (over || testing::Test::HasFailure()) {
            EXPECT_FALSE(threw);
            return skipped;
        }
    }
}

/// An old GPU is the current device, on which two passes begin at one tile.
class old_gpu {
public:
    old_gpu()
    {
        simt::runtime::set_devices({{}, {.major = 8}});
        expect_success(cudaSetDevice(1));
    }
    old_gpu(old_gpu const&) = delete;
    old_gpu& operator=(old_gpu const&) = delete;
    ~old_gpu() { static_cast<void>(cudaSetDevice(0)); }
};

DEVICE_TEST_WITH_STREAMS(errors_of_cuda, lose_nothing)
{
    old_gpu const current;
    workload const work;
    device_workload const device_copy(work);
    bystander const other;
    stream const where;
    for (int algorithm = 0; algorithm < algorithms; ++algorithm) {
        SCOPED_TRACE(algorithm);
        if (on_device::leaves_to_other_schedule(static_cast<std::size_t>(algorithm)))
            continue;
        auto const right = expected(algorithm, work);
        EXPECT_GE(fail_every_call_of_the_runtime(other,
                                                 [&] { // with copies of host memory
                                                     std::vector<double> out(most_results, 0);
                                                     delay const delayed(where);
                                                     run(algorithm, tw::device.on(where), work, out.data());
                                                     EXPECT_EQ(out, right);
                                                 }),
                  15);
        device_array<double> const out(right);
        EXPECT_GE(fail_every_call_of_the_runtime(other,
                                                 [&] {
                                                     delay const delayed(where);
                                                     run(algorithm, tw::device.on(where).nosync(), device_copy,
                                                         out.data());
                                                 }),
                  5);
        where.wait();
        EXPECT_EQ(out.values(most_results), right);
    }
    for (int const algorithm : {2, 3}) { // segments are staged one at a time
        auto const right = expected(algorithm, work);
        EXPECT_GE(fail_every_call_of_the_runtime(other,
                                                 [&] {
                                                     std::vector<double> out(most_results, 0);
                                                     delay const delayed(where);
                                                     run(algorithm, tw::device.on(where).budget(1), work, out.data());
                                                     EXPECT_EQ(out, right);
                                                 }),
                  40);
    }
    EXPECT_GE(fail_every_call_of_the_runtime(other,
                                             [&] {
                                                 delay const delayed(where);
                                                 EXPECT_EQ(tw::reduce(tw::device.on(where), device_copy.x.begin(),
                                                                      device_copy.x.begin() + 1000),
                                                           tw::reduce(tw::seq, work.x.data(), work.x.data() + 1000));
                                             }),
              7);
}

DEVICE_TEST_WITH_STREAMS(errors_of_cuda, lose_no_tables)
{
    counted_samples const work(many_bins);
    device_array<float> const device_copy(work.samples);
    device_array<unsigned> const counts(many_bins);
    bystander const other;
    stream const where;
    EXPECT_GE(fail_every_call_of_the_runtime(other,
                                             [&] {
                                                 tw::histogram(tw::device.on(where).nosync(), device_copy,
                                                               edges_of(many_bins), counts.data());
                                             }),
              8);
    for (int skipped = 0;; ++skipped) { // in a capture, which some errors end
        tw::release_cached_memory();
        auto const before = simt::runtime::live();
        expect_success(cudaStreamBeginCapture(where, cudaStreamCaptureModeThreadLocal));
        simt::runtime::fail("*", skipped, cudaErrorUnknown);
        try {
            tw::histogram(tw::device.on(where).nosync(), device_copy, edges_of(50), counts.data());
        } catch (tw::cuda_error const&) {
        }
        bool const over = simt::runtime::failure_is_due();
        simt::runtime::forget_failures();
        cudaGraph_t made = nullptr;
        static_cast<void>(cudaStreamEndCapture(where, &made));
        if (made != nullptr)
            expect_success(cudaGraphDestroy(made));
        static_cast<void>(cudaGetLastError());
        other.expect_right();
        tw::release_cached_memory();
        EXPECT_EQ(simt::runtime::live(), before) << "call " << skipped;
        if (over || testing::Test::HasFailure()) {
            EXPECT_GE(skipped, 8);
            break;
        }
    }
}

/// A call fails after some of its kernels were launched. The memory that is kept for the stream serves the next calls.
DEVICE_TEST_WITH_STREAMS(errors_of_cuda, leave_no_counts)
{
    workload const work;
    device_workload const device_copy(work);
    stream const where;
    auto const policy = tw::device.on(where);
    auto const check = [&](auto const& call, std::vector<double> const& right, int launches) {
        for (int skipped = 0;; ++skipped) {
            device_array<double> const out(std::vector<double>(most_results, 0)),
                again(std::vector<double>(most_results, 0));
            call(out.data());
            simt::runtime::fail("cudaLaunchKernelEx", skipped, cudaErrorUnknown);
            try {
                call(out.data());
            } catch (tw::cuda_error const&) {
            }
            bool const over = simt::runtime::failure_is_due();
            simt::runtime::forget_failures();
            call(again.data());
            EXPECT_EQ(again.values(most_results), right) << "after " << skipped;
            if (over) {
                EXPECT_GE(skipped, launches) << "launches that failed";
                break;
            }
        }
    };
    for (int const algorithm : {2, 3}) // of few segments, which are reduced in one launch
        check([&](double* out) { run(algorithm, policy, device_copy, out); }, expected(algorithm, work),
              algorithm == 2 ? 1 : 3);
    std::vector<int> many(40); // segments of an element, and a long one
    std::iota(many.begin(), many.end(), 0);
    many.push_back(static_cast<int>(work.x.size()));
    int const segments = static_cast<int>(many.size()) - 1;
    device_array<int> const bounds(many);
    std::vector<double> sums(most_results, 0);
    tw::segmented_reduce(tw::seq, work.x.begin(), many.begin(), many.end() - 1, many.begin() + 1, sums.begin());
    check(
        [&](double* out) {
            tw::segmented_reduce(policy, device_copy.x.begin(), bounds.begin(), bounds.begin() + segments,
                                 bounds.begin() + 1, out);
        },
        sums, 2);
}

/// Another thread begins a capture of the stream while the call waits: the wait fails, and the kernel runs later.
DEVICE_TEST_WITH_STREAMS(errors_of_cuda, in_a_wait_that_cannot_be_had_lose_the_line)
{
    bystander const other;
    other.expect_right();
    stream const where;
    device_array<int> const ones(std::vector<int>(1000, 1));
    delay const delayed(where);
    simt::runtime::fail("cudaStreamSynchronize", 0, cudaErrorStreamCaptureUnsupported);
    simt::runtime::fail("cudaStreamSynchronize", 0, cudaErrorStreamCaptureUnsupported);
    EXPECT_THROW(tw::reduce(tw::device.on(where), ones.begin(), ones.end()), tw::cuda_error);
    EXPECT_FALSE(simt::runtime::failure_is_due());
    for (int i = 0; i < 3; ++i)
        other.expect_right();
}

#endif

// ---- the end of a context; the last test, since nothing made before it is there afterwards

DEVICE_TEST_WITH_STREAMS(a_reset, is_survived_by_every_algorithm)
{
    workload const work;
    for (int i = 0; i < amount(3, 3, 2); ++i) {
        {
            device_workload const device_copy(work);
            stream const where;
            for (cudaStream_t const in : {where.get(), cudaStream_t{}}) {
                for (int algorithm = 0; algorithm < algorithms; ++algorithm) {
                    auto const right = expected(algorithm, work);
                    std::vector<double> out(most_results, 0);
                    run(algorithm, tw::device.on(in), device_copy, out.data());
                    EXPECT_EQ(out, right) << algorithm;
                    out.assign(most_results, 0);
                    run(algorithm, tw::device.on(in), work, out.data());
                    EXPECT_EQ(out, right) << algorithm;
                }
                for (std::size_t const count : {std::size_t{1000}, amount<std::size_t>(1 << 17, 1 << 17, 70'000),
                                                amount<std::size_t>(1 << 22, 1 << 18, 100)}) { // every kernel
                    device_array<unsigned char> const ones(std::vector<unsigned char>(count, 1));
                    device_array<int> const sums(count);
                    EXPECT_EQ(tw::reduce(tw::device.on(in), ones.begin(), ones.end(), 0), static_cast<int>(count));
                    tw::inclusive_scan(tw::device.on(in), ones.begin(), ones.end(), sums.begin(), std::plus<>{}, 0);
                    EXPECT_EQ(sums.value(count - 1), static_cast<int>(count));
                }
                for (std::size_t const bins : {many_bins, amount<std::size_t>(300'000, 300'000, 100)}) {
                    counted_samples const counted(bins);
                    device_array<float> const samples(counted.samples);
                    device_array<unsigned> const counts(bins);
                    tw::histogram(tw::device.on(in), samples, edges_of(bins), counts.data());
                    EXPECT_EQ(counts.values(bins), counted.expected);
                }
            }
            if (i == 1)
                tw::release_cached_memory(); // of a device that was reset
        }
        expect_success(cudaDeviceReset());
    }
}

} // namespace
