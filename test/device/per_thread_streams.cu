// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Compiled so that each thread has a default stream of its own: that is where calls go which choose none.
#ifndef __CUDACC__
#define CUDA_API_PER_THREAD_DEFAULT_STREAM 1
#elif !defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#error "this test needs nvcc --default-stream per-thread"
#endif

#include "same_bits.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

namespace {

using on_device::amount;
using on_device::device_array;
using on_device::expect_success;
using on_device::graph;
using on_device::same_bits;
using on_device::stream;

unsigned long long id_of(cudaStream_t where)
{
    unsigned long long id = 0;
    expect_success(cudaStreamGetId(where, &id));
    return id;
}

/// Elements, and what calls have to make of them.
class workload {
public:
    explicit workload(float first)
    {
        elements_[0] = first;
        device_copy_.assign(elements_);
        tw::inclusive_scan(elements_, scanned_.begin());
    }
    float const* begin() const { return device_copy_.begin(); }
    float const* end() const { return device_copy_.end(); }
    float sum() const { return tw::reduce(elements_, 0.5f); }
    std::vector<float>& elements() { return elements_; }
    void assign() const { device_copy_.assign(elements_); }

    /// Returned values, and results that are looked at after waiting for `to_wait_for`.
    void run(cudaStream_t where, cudaStream_t to_wait_for) const
    {
        EXPECT_TRUE(same_bits(tw::reduce(tw::device.on(where), begin(), end(), 0.5f), sum()));
        device_array<float> const out(elements_.size());
        tw::inclusive_scan(tw::device.on(where).nosync(), begin(), end(), out.data());
        expect_success(cudaStreamSynchronize(to_wait_for));
        EXPECT_TRUE(std::ranges::equal(out.values(elements_.size()), scanned_, same_bits<float>));
    }

private:
    static std::size_t size() { return amount<std::size_t>(1 << 20, 1 << 17, 20'000); }
    std::vector<float> elements_ = on_device::some_elements<float>(size()), scanned_ = std::vector<float>(size());
    device_array<float> device_copy_{size()};
};

/// Calls `body(i)` in the i-th of two threads.
template <class Body>
void in_two_threads(Body body)
{
    std::thread other([=] { body(1); });
    body(0);
    other.join();
}

DEVICE_TEST_WITH_STREAMS(per_thread_streams, are_one_for_each_thread)
{
    EXPECT_EQ(id_of(nullptr), id_of(cudaStreamPerThread));
    EXPECT_NE(id_of(nullptr), id_of(cudaStreamLegacy));
    std::vector<unsigned long long> ids(2);
    in_two_threads([&](std::size_t thread) { ids[thread] = id_of(nullptr); });
    EXPECT_NE(ids[0], ids[1]);
}

/// Code of this mode has names of its own: the linker must not take another's for it.
TEST(per_thread_streams, are_a_mode)
{
    EXPECT_NE(std::string(typeid(tw::gpu::scratch_cache).name()).find("_per_thread"), std::string::npos);
}

DEVICE_TEST_WITH_STREAMS(per_thread_streams, serve_two_threads_at_once)
{
    workload const work[2] = {workload(1), workload(1e9f)};
    in_two_threads([&](std::size_t thread) {
        for (int i = 0; i < amount(200, 5, 2); ++i) {
            work[thread].run(nullptr, cudaStreamPerThread);
            work[thread].run(cudaStreamPerThread, nullptr);
            work[thread].run(cudaStreamLegacy, cudaStreamLegacy);
        }
    });
}

/// What one thread's stream does is captured, while another thread's runs.
DEVICE_TEST_WITH_STREAMS(per_thread_streams, are_captured_one_without_the_other)
{
    workload captured(1);
    workload const outside(1e9f);
    device_array<float> const result(1);
    outside.run(nullptr, nullptr);

    graph const replayed(
        cudaStreamPerThread,
        [&] {
            EXPECT_THROW(tw::reduce(tw::device, captured.begin(), captured.end(), 0.5f), std::invalid_argument);
            tw::reduce_into(tw::device.nosync(), captured.begin(), captured.end(), result.data(), 0.5f);
            std::thread([&] { outside.run(nullptr, nullptr); }).join();
        },
        cudaStreamCaptureModeRelaxed);
    for (int i = 0; i < 3; ++i) {
        captured.elements()[0] += 100;
        captured.assign();
        replayed.launch(nullptr);
        expect_success(cudaStreamSynchronize(nullptr));
        EXPECT_TRUE(same_bits(result.value(), captured.sum()));
    }
}

#ifdef __CUDACC__

/// Holds a stream up until it is told to go on, or for ten seconds.
class barrier {
public:
    void hold(cudaStream_t where)
    {
        expect_success(cudaLaunchHostFunc(
            where,
            [](void* data) {
                auto& self = *static_cast<barrier*>(data);
                std::unique_lock lock(self.mutex_);
                self.gave_up_ = !self.changed_.wait_for(lock, std::chrono::seconds(10), [&] { return self.open_; });
            },
            this));
    }
    void open()
    {
        std::lock_guard const lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    bool gave_up() const { return gave_up_; }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = false, gave_up_ = false;
};

/// Answers come while the stream of another thread is held up.
TEST(per_thread_streams, do_not_wait_for_each_other)
{
    if (on_device::is_small())
        GTEST_SKIP() << "a tool that waits for every kernel would wait for the barrier";
    workload const work(1);
    work.run(nullptr, nullptr); // loads the kernels
    std::thread([&] { work.run(nullptr, nullptr); }).join();
    device_array<float> const result(1, 0, device_array<float>::kind::pinned);
    barrier held;
    held.hold(nullptr);
    tw::reduce_into(tw::device.nosync(), work.begin(), work.end(), result.data(), 0.5f); // behind the barrier
    std::thread([&] {
        for (int i = 0; i < 20; ++i)
            EXPECT_TRUE(same_bits(tw::reduce(tw::device, work.begin(), work.end(), 0.5f), work.sum()));
    }).join();
    EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
    held.open();
    expect_success(cudaStreamSynchronize(nullptr));
    EXPECT_FALSE(held.gave_up());
    EXPECT_TRUE(same_bits(result.value(), work.sum()));
}

#endif

} // namespace
