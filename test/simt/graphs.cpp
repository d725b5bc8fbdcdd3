// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Graphs in the fake CUDA runtime.
#include "device_memory.hpp"
#include "kernels/small.hpp"

#include <simt/test.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace {

using kernels::add;
using simt::device_array;
using simt::expect_success;
using simt::for_each_schedule;
using tilewise::gpu::start;

TEST(Graphs, AreRepeated)
{
    for_each_schedule(
        [] {
            simt::owned_stream const stream;
            device_array<int> const memory(std::vector<int>(32));
            expect_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
            int *scratch = nullptr, *forbidden = nullptr;
            EXPECT_EQ(cudaMallocAsync(&scratch, 32 * sizeof(int), stream), cudaSuccess);
            expect_success(cudaMemsetAsync(scratch, 0, 32 * sizeof(int), stream));
            expect_success(start(add<32>, {1, 32}, stream, scratch, 32, 5));
            expect_success(start(add<32>, {1, 32, 1, true}, stream, memory.data(), 32, 1));
            EXPECT_EQ(cudaFreeAsync(scratch, stream), cudaSuccess);
            cudaStreamCaptureStatus status{};
            expect_success(cudaStreamIsCapturing(stream, &status));
            EXPECT_EQ(status, cudaStreamCaptureStatusActive);
            auto mode = cudaStreamCaptureModeRelaxed;
            expect_success(cudaThreadExchangeStreamCaptureMode(&mode));
            EXPECT_EQ(cudaMalloc(&forbidden, 4), cudaSuccess);
            expect_success(cudaThreadExchangeStreamCaptureMode(&mode));
            cudaGraph_t graph = nullptr;
            ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
            expect_success(cudaFree(forbidden));

            cudaGraphExec_t executable = nullptr;
            expect_success(cudaGraphInstantiate(&executable, graph));
            expect_success(cudaGraphDestroy(graph));
            EXPECT_THAT(memory.values(), testing::Each(0));
            for (int i = 0; i < 3; ++i)
                expect_success(cudaGraphLaunch(executable, stream));
            EXPECT_THAT(memory.values(), testing::Each(3));
            expect_success(cudaGraphExecDestroy(executable));
        },
        {0, simt::leaks::none});
}

TEST(Graphs, AreBrokenByACallThatWaits)
{
    for_each_schedule([] {
        simt::owned_stream const stream;
        cudaGraph_t graph = nullptr;
        int* memory = nullptr;
        for (int i = 0; i < 3; ++i) {
            expect_success(
                cudaStreamBeginCapture(stream, i == 2 ? cudaStreamCaptureModeRelaxed : cudaStreamCaptureModeGlobal));
            if (i == 0) {
                EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
            } else if (i == 1) {
                EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorStreamCaptureUnsupported);
            } else {
                EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorStreamCaptureImplicit);
            }
            EXPECT_EQ(start(add<32>, {1, 32}, stream, memory, 0, 1), cudaErrorStreamCaptureInvalidated);
            EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
        }
        static_cast<void>(cudaGetLastError());
    });
}

} // namespace
