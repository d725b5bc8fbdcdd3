// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The fake CUDA runtime: devices, streams, memory, errors.
#include "device_memory.hpp"
#include "kernels/small.hpp"

#include <simt/runtime.hpp>
#include <simt/test.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace {

using kernels::add;
using simt::device_array;
using simt::expect_success;
using simt::for_each_schedule;
using tilewise::gpu::start;

TILEWISE_KERNEL(32, 1) add_to_line(int const* from, int* line, int value)
{
    if (tilewise::gpu::thread_index() == 0)
        *line = *from + value;
}

/// Each schedule begins with the standard machine and leaves it behind.
class Runtime : public testing::Test {
protected:
    void SetUp() override { simt::runtime::reset(); }
    void TearDown() override { simt::runtime::reset(); }
};

TEST_F(Runtime, DoesWhatAStreamIsAskedInItsOrder)
{
    for_each_schedule([] {
        simt::owned_stream const stream;
        device_array<int> const memory(70);
        std::vector<int> found(70);
        EXPECT_EQ(cudaMemsetAsync(memory.data(), 0, 70 * sizeof(int), stream), cudaSuccess);
        for (int i = 0; i < 4; ++i)
            EXPECT_EQ(start(add<32>, {3, 32}, stream, memory.data(), 70, i), cudaSuccess);
        EXPECT_EQ(cudaMemcpyAsync(found.data(), memory.data(), 70 * sizeof(int), cudaMemcpyDeviceToHost, stream),
                  cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        EXPECT_THAT(found, testing::Each(6));
    });
}

TEST_F(Runtime, KeepsWorkPendingAsItLikes)
{
    std::set<int> seen;
    simt::for_each_schedule(
        [&] {
            int* line = nullptr;
            expect_success(cudaHostAlloc(&line, sizeof(int), cudaHostAllocMapped));
            device_array<int> const input(std::vector<int>{3});
            expect_success(start(add_to_line, {1, 32}, nullptr, input.data(), line, 4));
            seen.insert(cudaStreamQuery(nullptr) == cudaSuccess);
            expect_success(cudaStreamSynchronize(nullptr));
            EXPECT_EQ(*line, 7);
            expect_success(cudaFreeHost(line));
        },
        {40});
    if (simt::schedule_count(40) >= 40) {
        EXPECT_EQ(seen.size(), 2u);
    }
}

TEST_F(Runtime, OrdersStreamsByEvents)
{
    for_each_schedule([] {
        simt::owned_stream const first(cudaStreamNonBlocking), second(cudaStreamNonBlocking);
        device_array<int> const memory(std::vector<int>(32));
        cudaEvent_t event = nullptr;
        expect_success(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        expect_success(start(add<32>, {1, 32}, first, memory.data(), 32, 1));
        expect_success(cudaEventRecord(event, first));
        expect_success(cudaStreamWaitEvent(second, event));
        expect_success(start(add<32>, {1, 32}, second, memory.data(), 32, 2));
        expect_success(cudaStreamSynchronize(second));
        expect_success(cudaEventSynchronize(event));
        EXPECT_THAT(memory.values(), testing::Each(3));
        expect_success(cudaEventDestroy(event));
    });
}

TEST_F(Runtime, LetsTheDefaultStreamWaitForOthersAndTheyForIt)
{
    for_each_schedule([] {
        simt::owned_stream const stream;
        device_array<int> const memory(std::vector<int>(32));
        expect_success(start(add<32>, {1, 32}, stream, memory.data(), 32, 1));
        expect_success(start(add<32>, {1, 32}, nullptr, memory.data(), 32, 2));
        expect_success(start(add<32>, {1, 32}, stream, memory.data(), 32, 3));
        EXPECT_THAT(memory.values(), testing::Each(6));
    });
}

TEST_F(Runtime, HasADefaultStreamForEachThread)
{
    auto const id_of = [](cudaStream_t stream) {
        unsigned long long id = 0;
        EXPECT_EQ(cudaStreamGetId(stream, &id), cudaSuccess);
        return id;
    };
    for_each_schedule([&] {
        EXPECT_EQ(id_of(nullptr), id_of(cudaStreamLegacy));
        std::set<unsigned long long> ids = {id_of(cudaStreamLegacy), id_of(cudaStreamPerThread)};
        device_array<int> const memory(std::vector<int>(32));
        auto const add_after_all = [&] {
            ids.insert(id_of(cudaStreamPerThread));
            expect_success(start(add<32>, {1, 32}, cudaStreamPerThread, memory.data(), 32, 2));
            expect_success(cudaStreamSynchronize(cudaStreamPerThread));
        };
        expect_success(start(add<32>, {1, 32}, cudaStreamLegacy, memory.data(), 32, 1));
        std::thread(add_after_all).join();
        std::thread(add_after_all).join();
        add_after_all();
        EXPECT_EQ(ids.size(), 4u);
        EXPECT_THAT(memory.values(), testing::Each(7));

        cudaGraph_t graph = nullptr;
        EXPECT_EQ(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal),
                  cudaErrorStreamCaptureUnsupported);
        EXPECT_EQ(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal), cudaSuccess);
        EXPECT_EQ(cudaStreamEndCapture(cudaStreamPerThread, &graph), cudaSuccess);
        expect_success(cudaGraphDestroy(graph));
        EXPECT_EQ(cudaStreamDestroy(cudaStreamPerThread), cudaErrorInvalidResourceHandle);
        static_cast<void>(cudaGetLastError());
    });
}

TEST_F(Runtime, StagesPageableMemory)
{
    for_each_schedule([] {
        simt::owned_stream const stream;
        device_array<int> const memory(4);
        std::vector<int> values = {1, 2, 3, 4};
        expect_success(cudaMemcpyAsync(memory.data(), values.data(), 16, cudaMemcpyHostToDevice, stream));
        values.assign(4, 0);
        expect_success(cudaStreamSynchronize(stream));
        EXPECT_THAT(memory.values(), testing::ElementsAre(1, 2, 3, 4));
    });
}

TEST_F(Runtime, KnowsPointers)
{
    for_each_schedule([] {
        int here = 0;
        int *device = nullptr, *pinned = nullptr;
        expect_success(cudaMalloc(&device, 100));
        expect_success(cudaHostAlloc(&pinned, 100, cudaHostAllocMapped));
        cudaPointerAttributes attributes{};
        auto const type_of = [&](void const* address) {
            expect_success(cudaPointerGetAttributes(&attributes, address));
            return attributes.type;
        };
        EXPECT_EQ(type_of(device), cudaMemoryTypeDevice);
        EXPECT_EQ(type_of(device + 24), cudaMemoryTypeDevice);
        EXPECT_EQ(attributes.device, 0);
        EXPECT_EQ(type_of(device + 25), cudaMemoryTypeUnregistered);
        EXPECT_EQ(type_of(pinned + 3), cudaMemoryTypeHost);
        EXPECT_EQ(type_of(&here), cudaMemoryTypeUnregistered);
        EXPECT_EQ(type_of(nullptr), cudaMemoryTypeUnregistered);
        void* mapped = nullptr;
        EXPECT_EQ(cudaHostGetDevicePointer(&mapped, pinned, 0), cudaSuccess);
        EXPECT_EQ(cudaHostGetDevicePointer(&mapped, &here, 0), cudaErrorInvalidValue);
        static_cast<void>(cudaGetLastError());
        expect_success(cudaFree(device));
        expect_success(cudaFreeHost(pinned));
    });
}

TEST_F(Runtime, RefusesWhatIsInvalid)
{
    for_each_schedule([] {
        device_array<int> const memory(8);
        int here[8] = {};
        EXPECT_EQ(cudaMemcpy(memory.data(), here, 36, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
        EXPECT_EQ(cudaMemcpy(here, memory.data(), 32, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
        EXPECT_EQ(cudaMemset(here, 0, 32), cudaErrorInvalidValue);
        EXPECT_EQ(cudaFree(memory.data() + 1), cudaErrorInvalidValue);
        EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
        EXPECT_EQ(start(add<32>, {0, 32}, nullptr, memory.data(), 8, 1), cudaErrorInvalidConfiguration);
        EXPECT_EQ(start(add<32>, {1, 2000}, nullptr, memory.data(), 8, 1), cudaErrorInvalidConfiguration);
        EXPECT_EQ(start(add<32>, {3, 32, 2}, nullptr, memory.data(), 8, 1), cudaErrorInvalidClusterSize);
        EXPECT_EQ(start(add<32>, {16, 32, 16}, nullptr, memory.data(), 8, 1), cudaErrorInvalidClusterSize);
        EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
        EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
        EXPECT_EQ(cudaGetLastError(), cudaSuccess);
        expect_success(cudaFuncSetAttribute(add<32>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        expect_success(cudaMemset(memory.data(), 0, 32));
        EXPECT_EQ(start(add<32>, {16, 32, 16}, nullptr, memory.data(), 8, 0), cudaSuccess);
        expect_success(cudaDeviceSynchronize());
        expect_success(cudaFuncSetAttribute(add<32>, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
    });
}

TEST_F(Runtime, PretendsToBeOtherMachines)
{
    for_each_schedule([] {
        int value = 0;
        expect_success(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
        EXPECT_EQ(value, 9);
        device_array<int> const memory(std::vector<int>(32));

        simt::runtime::set_capability(7, 5);
        expect_success(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMinor, 0));
        EXPECT_EQ(value, 5);
        cudaFuncAttributes attributes{};
        expect_success(cudaFuncGetAttributes(&attributes, add<32>));
        EXPECT_EQ(attributes.ptxVersion, 75);
        EXPECT_EQ(start(add<32>, {2, 32, 2}, nullptr, memory.data(), 32, 1), cudaErrorNotSupported);
        EXPECT_EQ(start(add<32>, {1, 32, 1, true}, nullptr, memory.data(), 32, 1), cudaErrorNotSupported);
        static_cast<void>(cudaGetLastError());

        simt::runtime::set_devices({{9, 0}, {8, 0, 13, 2, 1000}});
        expect_success(cudaSetDevice(1));
        expect_success(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 1));
        EXPECT_EQ(value, 13);
        expect_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, add<32>, 32, 0));
        EXPECT_EQ(value, 2);
        int* large = nullptr;
        EXPECT_EQ(cudaMalloc(&large, 2000), cudaErrorMemoryAllocation);
        static_cast<void>(cudaGetLastError());
        expect_success(cudaSetDevice(0));
    });
    for_each_schedule([] {
        simt::runtime::set_device_count(0);
        int count = 0;
        EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
        EXPECT_EQ(cudaGetDevice(&count), cudaErrorNoDevice);
        static_cast<void>(cudaGetLastError());
    });
    int count = 0;
    EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess); // the schedule gave it back
    EXPECT_EQ(count, 1);
}

TEST_F(Runtime, TellsWhatWasCalled)
{
    for_each_schedule([] {
        device_array<int> const memory(std::vector<int>(32));
        simt::runtime::forget_calls();
        expect_success(start(add<32>, {1, 32}, nullptr, memory.data(), 32, 1));
        expect_success(cudaStreamSynchronize(nullptr));
        ASSERT_EQ(simt::runtime::calls().size(), 2u);
        EXPECT_EQ(simt::runtime::calls()[0].name, "cudaLaunchKernelEx");
        EXPECT_EQ(simt::runtime::count("cudaStreamSynchronize"), 1);
        EXPECT_EQ(simt::runtime::count("allocation"), 0);
        EXPECT_EQ(simt::runtime::count("*"), 2);
    });
}

TEST_F(Runtime, FailsWhereItIsTold)
{
    for_each_schedule([] {
        int* memory = nullptr;
        simt::runtime::fail("allocation", 1, cudaErrorMemoryAllocation);
        EXPECT_EQ(cudaMalloc(&memory, 8), cudaSuccess);
        EXPECT_TRUE(simt::runtime::failure_is_due());
        int* other = nullptr;
        EXPECT_EQ(cudaHostAlloc(&other, 8, cudaHostAllocDefault), cudaErrorMemoryAllocation);
        EXPECT_FALSE(simt::runtime::failure_is_due());
        EXPECT_EQ(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
        EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);

        simt::runtime::fail("cudaLaunchKernelEx", 0, cudaErrorLaunchOutOfResources);
        EXPECT_EQ(start(add<32>, {1, 32}, nullptr, memory, 0, 0), cudaErrorLaunchOutOfResources);
        EXPECT_EQ(start(add<32>, {1, 32}, nullptr, memory, 0, 0), cudaSuccess);

        simt::runtime::fail("cudaStreamSynchronize", 0, cudaErrorIllegalAddress, simt::runtime::failure::sticky);
        EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorIllegalAddress);
        EXPECT_EQ(cudaFree(memory), cudaErrorIllegalAddress);
        EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
        EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
        simt::runtime::forget_failures();
        EXPECT_EQ(cudaFree(memory), cudaSuccess);
    });
}

TEST_F(Runtime, CountsMemory)
{
    for_each_schedule([] {
        auto const before = simt::runtime::live();
        int *device = nullptr, *pooled = nullptr, *pinned = nullptr;
        expect_success(cudaMalloc(&device, 100));
        expect_success(cudaMallocAsync(&pooled, 200, nullptr));
        expect_success(cudaHostAlloc(&pinned, 300, cudaHostAllocDefault));
        auto const during = simt::runtime::live();
        EXPECT_EQ(during.device_blocks, before.device_blocks + 2);
        EXPECT_EQ(during.device_bytes, before.device_bytes + 300);
        EXPECT_EQ(during.pinned_bytes, before.pinned_bytes + 300);
        expect_success(cudaFreeAsync(pooled, nullptr));
        EXPECT_EQ(cudaFreeAsync(pooled, nullptr), cudaErrorInvalidValue);
        static_cast<void>(cudaGetLastError());
        expect_success(cudaFree(device));
        expect_success(cudaFreeHost(pinned));
        EXPECT_EQ(simt::runtime::live(), before);
    });
}

TEST_F(Runtime, ServesSeveralHostThreads)
{
    for_each_schedule([] {
        std::vector<std::vector<int>> results(3);
        std::vector<std::thread> threads;
        for (auto& result : results)
            threads.emplace_back([&result] {
                simt::owned_stream const stream(cudaStreamNonBlocking);
                device_array<int> const memory(std::vector<int>(100));
                for (int i = 0; i < 3; ++i)
                    expect_success(start(add<32>, {4, 32}, stream, memory.data(), 100, 2));
                expect_success(cudaStreamSynchronize(stream));
                result = memory.values();
            });
        for (auto& thread : threads)
            thread.join();
        for (auto const& result : results)
            EXPECT_EQ(result, std::vector<int>(100, 6));
    });
}

} // namespace
