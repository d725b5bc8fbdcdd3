// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// CUDA resources that free themselves, and calls that are checked.

#include <cuda/std/functional>
#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace bench {

inline void check(cudaError_t status, char const* call)
{
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

class stream {
public:
    stream() { check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
    stream(stream const&) = delete;
    stream& operator=(stream const&) = delete;
    ~stream() { cudaStreamDestroy(handle_); }
    operator cudaStream_t() const { return handle_; }
    void wait() const { check(cudaStreamSynchronize(handle_), "cudaStreamSynchronize"); }

private:
    cudaStream_t handle_ = nullptr;
};

class event {
public:
    event() { check(cudaEventCreate(&handle_), "cudaEventCreate"); }
    event(event const&) = delete;
    event& operator=(event const&) = delete;
    ~event() { cudaEventDestroy(handle_); }
    void record(cudaStream_t stream) const { check(cudaEventRecord(handle_, stream), "cudaEventRecord"); }
    void wait() const { check(cudaEventSynchronize(handle_), "cudaEventSynchronize"); }
    double microseconds_since(event const& start) const
    {
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, start.handle_, handle_), "cudaEventElapsedTime");
        return 1e3 * double(milliseconds);
    }

private:
    cudaEvent_t handle_ = nullptr;
};

/// Device memory, uninitialised.
template <class T>
class device_array {
public:
    explicit device_array(std::size_t count) : count_(count)
    {
        check(cudaMalloc(&data_, count * sizeof(T)), "cudaMalloc");
    }
    device_array(device_array const&) = delete;
    device_array& operator=(device_array const&) = delete;
    ~device_array() { cudaFree(data_); }
    T* data() const { return data_; }
    std::size_t size() const { return count_; }

private:
    T* data_ = nullptr;
    std::size_t count_;
};

/// One value in pinned host memory that kernels can write.
template <class T>
class mapped_value {
public:
    mapped_value()
    {
        check(cudaHostAlloc(&host_, sizeof(T), cudaHostAllocMapped), "cudaHostAlloc");
        check(cudaHostGetDevicePointer(&device_, host_, 0), "cudaHostGetDevicePointer");
    }
    mapped_value(mapped_value const&) = delete;
    mapped_value& operator=(mapped_value const&) = delete;
    ~mapped_value() { cudaFreeHost(host_); }
    T* on_device() const { return device_; }
    T get() const { return *const_cast<T const volatile*>(host_); }

private:
    T* host_ = nullptr;
    T* device_ = nullptr;
};

/// A copy of one value in device memory.
template <class T>
T fetch(T const* from, cudaStream_t stream)
{
    T value;
    check(cudaMemcpyAsync(&value, from, sizeof(T), cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    return value;
}

/// A copy of `count` values.
template <class T>
std::vector<T> fetch_all(T const* from, std::size_t count, cudaStream_t stream)
{
    std::vector<T> values(count);
    check(cudaMemcpyAsync(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    return values;
}

/// An operator for CUB: callable on the device.
template <class Op>
auto for_cub(Op op)
{
    if constexpr (std::is_same_v<Op, std::plus<>>)
        return cuda::std::plus<>{};
    else
        return op;
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), std::size_t blocks, unsigned threads, cudaStream_t stream,
            Arguments... arguments)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(threads);
    config.stream = stream;
    check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), "cudaLaunchKernelEx");
}

} // namespace bench
