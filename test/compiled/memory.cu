// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory.hpp"

#include <cuda_runtime.h>

#include <stdexcept>

namespace on_gpu {
namespace {

void expect_success(cudaError_t error)
{
    if (error != cudaSuccess)
        throw std::runtime_error(cudaGetErrorName(error));
}

} // namespace

bool has_device()
{
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}
void* allocate(std::size_t bytes)
{
    void* memory = nullptr;
    if (bytes > 0)
        expect_success(cudaMalloc(&memory, bytes));
    return memory;
}
void release(void* memory)
{
    static_cast<void>(cudaFree(memory));
}
void copy(void* to, void const* from, std::size_t bytes)
{
    if (bytes == 0)
        return;
    expect_success(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    expect_success(cudaStreamSynchronize(nullptr));
}
CUstream_st* new_stream()
{
    cudaStream_t stream = nullptr;
    expect_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}
void wait_for(CUstream_st* stream)
{
    expect_success(cudaStreamSynchronize(stream));
}
void end(CUstream_st* stream)
{
    static_cast<void>(cudaStreamDestroy(stream));
}

} // namespace on_gpu
