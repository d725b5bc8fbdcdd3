// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Streams of other devices than the current one, captured ones among them, and streams that have some of a device's
/// multiprocessors.

#include "same_bits.hpp"

#include <tilewise/tilewise.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#ifdef __CUDACC__
#include <cuda.h>
#else
#include <simt/runtime.hpp>
#endif

namespace {

using on_device::amount;
using on_device::device_array;
using on_device::expect_success;
using on_device::graph;
using on_device::stream;

/// Makes a device the current one while it lives.
class current {
public:
    explicit current(int device) { expect_success(cudaSetDevice(device)); }
    current(current const&) = delete;
    current& operator=(current const&) = delete;
    ~current() { static_cast<void>(cudaSetDevice(0)); }
};

/// What calls of every algorithm compute from some elements.
class workload {
public:
    explicit workload(std::size_t count)
        : elements_(count), keys_(count), device_copy_(count), device_keys_(count), scanned_(count), counts_(cells),
          sums_(cells), segment_sums_(1), total_(1), offsets_(2)
    {
        std::iota(elements_.begin(), elements_.end(), 1);
        for (std::size_t i = 0; i < count; ++i)
            keys_[i] = static_cast<int>(i % cells);
        device_copy_.assign(elements_);
        device_keys_.assign(keys_);
        offsets_.assign({0, static_cast<int>(count)});
        tw::inclusive_scan(tw::seq, elements_.begin(), elements_.end(), elements_.begin());
    }
    /// Puts them into a stream.
    void start(cudaStream_t where) const
    {
        auto const policy = tw::device.on(where).nosync();
        tw::reduce_into(policy, device_copy_.begin(), device_copy_.end(), total_.data());
        tw::inclusive_scan(policy, device_copy_.begin(), device_copy_.end(), scanned_.begin());
        tw::histogram(policy, device_keys_.begin(), device_keys_.end(), tw::integer_axis{0, cells}, counts_.begin());
        tw::reduce_by_index(policy, device_keys_.begin(), device_keys_.end(), device_copy_.begin(), cells,
                            sums_.begin());
        tw::segmented_reduce(policy, device_copy_.begin(), offsets_.begin(), offsets_.begin() + 1, offsets_.begin() + 1,
                             segment_sums_.begin());
    }
    void expect_right() const
    {
        int const sum = elements_.back();
        EXPECT_EQ(total_.value(), sum);
        EXPECT_EQ(scanned_.values(elements_.size()), elements_);
        EXPECT_EQ(counts_.value(0), (elements_.size() + cells - 1) / cells);
        auto const sums = sums_.values(cells);
        EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0u), static_cast<unsigned>(sum));
        EXPECT_EQ(segment_sums_.value(), sum);
    }
    void forget() const
    {
        total_.assign({0});
        scanned_.assign(std::vector<int>(elements_.size()));
        counts_.assign(std::vector<unsigned>(cells));
        sums_.assign(std::vector<unsigned>(cells));
        segment_sums_.assign({0});
    }

private:
    static constexpr int cells = 5;
    std::vector<int> elements_; ///< the scan of those on the device, which wraps
    std::vector<int> keys_;
    device_array<int> device_copy_, device_keys_, scanned_;
    device_array<unsigned> counts_, sums_;
    device_array<int> segment_sums_, total_, offsets_;
};

/// Captures `body` in a stream, and launches it there twice.
template <class Body, class Check>
void replay(cudaStream_t where, Body body, Check check)
{
    graph const captured(where, body, cudaStreamCaptureModeGlobal);
    for (int i = 0; i < 2; ++i) {
        captured.launch(where);
        expect_success(cudaStreamSynchronize(where));
        check();
    }
}

bool has_another_device()
{
#ifndef __CUDACC__
    simt::runtime::set_device_count(2);
#endif
    int devices = 0;
    expect_success(cudaGetDeviceCount(&devices));
    return devices > 1;
}

DEVICE_TEST_WITH_STREAMS(contexts, of_captured_streams_need_not_be_current)
{
    if (!has_another_device())
        GTEST_SKIP() << "there is one device";
    for (int const own : {0, 1}) {
        current const device_copy(own);
        stream const where;
        workload const work(amount<std::size_t>(1 << 20, 1 << 17, 2 * 8192 + 7));
        replay(
            where,
            [&] {
                current const other(1 - own);
                work.start(where);
                int device = -1;
                expect_success(cudaGetDevice(&device));
                EXPECT_EQ(device, 1 - own);
                expect_success(cudaSetDevice(own));
                EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
            },
            [&] {
                expect_success(cudaSetDevice(own));
                work.expect_right();
                work.forget();
            });
    }
}

/// A resource that takes all memory on one device.
struct resource_of_device {
    int device;
    void* allocate(std::size_t bytes, cudaStream_t) const
    {
        current const device_copy(device);
        void* memory = nullptr;
        expect_success(cudaMalloc(&memory, bytes));
        ++held();
        return memory;
    }
    void deallocate(void* memory, std::size_t, cudaStream_t) const
    {
        current const device_copy(device);
        static_cast<void>(cudaDeviceSynchronize());
        static_cast<void>(cudaFree(memory));
        --held();
    }
    static int& held()
    {
        static int count = 0;
        return count;
    }
};

DEVICE_TEST_WITH_STREAMS(contexts, of_resources_are_those_of_the_streams)
{
    if (!has_another_device())
        GTEST_SKIP() << "there is one device";
    stream const where;
    std::size_t const count = 40 * 8192 / (on_device::interpreted ? 8 : 1);
    device_array<int> const device_copy(std::vector<int>(count, 1)), counts(4);
    resource_of_device own{0}, other{1};
    auto const sum_of_keys = [&](auto const& policy) {
        tw::reduce_by_index(policy, device_copy.begin(), device_copy.end(), device_copy.begin(), 4, counts.begin());
    };
    sum_of_keys(tw::device.on(where).with(own));
    EXPECT_EQ(counts.value(1), static_cast<int>(count));
    EXPECT_THROW(sum_of_keys(tw::device.on(where).with(other)), std::invalid_argument);
    EXPECT_THROW(sum_of_keys(tw::device.on(where).with(other).nosync()), std::invalid_argument);
    EXPECT_EQ(resource_of_device::held(), 0);
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
    EXPECT_EQ(tw::reduce(tw::device.on(where), device_copy.begin(), device_copy.end()), static_cast<int>(count));
}

/// A stream that has some of the device's multiprocessors, where clusters of so many blocks do not fit.
class limited_stream {
public:
    explicit limited_stream([[maybe_unused]] unsigned multiprocessors)
    {
#ifdef __CUDACC__
        CUdevResource all = {}, part = {}, rest = {};
        CUdevResourceDesc description = {};
        unsigned groups = 1;
        expect_success(cudaFree(nullptr)); // there has to be a context
        if (function<decltype(&cuDeviceGetDevResource)>("cuDeviceGetDevResource",
                                                        12040)(0, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS ||
            all.sm.smCount < multiprocessors)
            return;
        EXPECT_EQ(function<decltype(&cuDevSmResourceSplitByCount)>("cuDevSmResourceSplitByCount", 12040)(
                      &part, &groups, &all, &rest, 0, multiprocessors),
                  CUDA_SUCCESS);
        EXPECT_EQ(
            function<decltype(&cuDevResourceGenerateDesc)>("cuDevResourceGenerateDesc", 12040)(&description, &part, 1),
            CUDA_SUCCESS);
        EXPECT_EQ(function<decltype(&cuGreenCtxCreate)>("cuGreenCtxCreate", 12040)(&context_, description, 0,
                                                                                   CU_GREEN_CTX_DEFAULT_STREAM),
                  CUDA_SUCCESS);
        EXPECT_EQ(function<decltype(&cuGreenCtxStreamCreate)>("cuGreenCtxStreamCreate",
                                                              12050)(&handle_, context_, CU_STREAM_NON_BLOCKING, 0),
                  CUDA_SUCCESS);
#else
        expect_success(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking));
        simt::runtime::limit_clusters(handle_, 1);
#endif
    }
    limited_stream(limited_stream const&) = delete;
    limited_stream& operator=(limited_stream const&) = delete;
    ~limited_stream()
    {
        if (handle_ != nullptr)
            static_cast<void>(cudaStreamDestroy(handle_));
#ifdef __CUDACC__
        if (context_ != nullptr)
            static_cast<void>(function<decltype(&cuGreenCtxDestroy)>("cuGreenCtxDestroy", 12040)(context_));
#endif
    }
    operator cudaStream_t() const { return handle_; }

private:
    cudaStream_t handle_ = nullptr;
#ifdef __CUDACC__
    CUgreenCtx context_ = nullptr;

    template <class Function>
    static Function function(char const* name, unsigned version)
    {
        void* found = nullptr;
        cudaDriverEntryPointQueryResult outcome;
        expect_success(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &outcome));
        if (found == nullptr)
            throw std::runtime_error(name);
        return reinterpret_cast<Function>(found);
    }
#endif
};

/// The kernels that a call starts.
template <class Call>
std::vector<int> clusters_of(cudaStream_t where, Call call)
{
    std::vector<int> found;
    auto note = [&](tw::launch_record const& launched) { found.push_back(launched.cluster); };
    call(tw::device.on(where).nosync().trace(note));
    expect_success(cudaStreamSynchronize(where));
    return found;
}

DEVICE_TEST_WITH_STREAMS(contexts, of_some_multiprocessors_do_without_clusters)
{
    std::vector<std::size_t> counts{2 * 8192 + 7};
    if (!on_device::interpreted)
        counts = {2 * 8192, 5 * 8192 + 1, 9 * 8192, 16 * 8192, 17 * 8192};
    if (!on_device::is_small())
        counts.insert(counts.end(), {1 << 22, (1 << 26) + 5});
    for (unsigned const multiprocessors : {8u, 16u, 24u}) {
        if (on_device::interpreted && multiprocessors != 8)
            continue;
        limited_stream const where(multiprocessors);
        if (where == nullptr)
            GTEST_SKIP() << "there are no green contexts";
        for (std::size_t const count : counts) {
            workload const work(count);
            if (count <= (1 << 22)) // before a launch is refused
                replay(
                    where, [&] { work.start(where); },
                    [&] {
                        work.expect_right();
                        work.forget();
                    });
            for (int i = 0; i < 2; ++i) {
                work.start(where);
                expect_success(cudaStreamSynchronize(where));
                work.expect_right();
                work.forget();
            }
        }
    }
    stream const whole;
    limited_stream const part(8);
    std::size_t const count = on_device::interpreted ? 2 * 8192 + 7 : 16 * 8192;
    device_array<int> const device_copy(std::vector<int>(count, 1)), results(count);
    auto const scan = [&](auto const& policy) {
        tw::inclusive_scan(policy, device_copy.begin(), device_copy.end(), results.begin());
        EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
    };
    int const largest = clusters_of(whole, scan).front(); // of a GPU since sm_90
    for (int const cluster : clusters_of(part, scan))
        EXPECT_LT(cluster, std::max(2, largest));
    EXPECT_EQ(clusters_of(whole, scan).front(), largest);
    EXPECT_EQ(results.value(count - 1), static_cast<int>(count));
}

} // namespace
