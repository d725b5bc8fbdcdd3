// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The calls of the tests of what a call holds: every algorithm, what it has to write, and what is to be left alone
/// meanwhile.
#include "on_device.hpp"

#include <tilewise/histogram.hpp>
#include <tilewise/reduce.hpp>
#include <tilewise/reduce_by_index.hpp>
#include <tilewise/scan.hpp>
#include <tilewise/segmented.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#ifndef __CUDACC__
#include <simt/runtime.hpp>
#endif

namespace workloads {

namespace tw = tilewise;
using on_device::amount;
using on_device::device_array;
using on_device::expect_success;
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
inline std::vector<double> expected(int algorithm, workload const& work)
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

/// So many bins, between edges that nobody has when a call returns.
inline std::vector<float> edges_of(std::size_t bins)
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

struct thrown {};

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

} // namespace workloads
