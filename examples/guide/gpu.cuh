// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

/// Ends the program with status 77, which the tests know as skipped, where there is no GPU.
inline void leave_without_a_gpu()
{
    int count = 0;
    if (cudaError_t const error = cudaGetDeviceCount(&count); error != cudaSuccess || count == 0) {
        std::printf("%s\n", error != cudaSuccess ? cudaGetErrorString(error) : "there is no GPU");
        std::exit(77);
    }
}

inline void check(cudaError_t error)
{
    if (error != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(error));
}

/// A stream of the current device.
class stream {
public:
    stream() { check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
    ~stream() { cudaStreamDestroy(handle_); }
    stream(stream const&) = delete;
    stream& operator=(stream const&) = delete;

    cudaStream_t get() const { return handle_; }
    void wait() const { check(cudaStreamSynchronize(handle_)); }

private:
    cudaStream_t handle_ = nullptr;
};
