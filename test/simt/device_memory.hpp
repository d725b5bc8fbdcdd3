// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Arrays and streams of the simulated device, for tests.

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace simt {

inline void expect_success(cudaError_t error)
{
    if (error != cudaSuccess)
        throw std::runtime_error(cudaGetErrorName(error));
}

/// An array in device memory.
template <class T>
class device_array {
public:
    explicit device_array(std::size_t size) : size_(size) { expect_success(cudaMalloc(&first_, size * sizeof(T))); }
    explicit device_array(std::vector<T> const& values) : device_array(values.size())
    {
        expect_success(cudaMemcpy(first_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    device_array(device_array const&) = delete;
    device_array& operator=(device_array const&) = delete;
    ~device_array() { static_cast<void>(cudaFree(first_)); }

    T* data() const { return first_; }
    std::size_t size() const { return size_; }
    std::vector<T> values() const
    {
        std::vector<T> copied(size_);
        expect_success(cudaMemcpy(copied.data(), first_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
        return copied;
    }

private:
    T* first_ = nullptr;
    std::size_t size_;
};

/// A stream that the destructor destroys.
class owned_stream {
public:
    explicit owned_stream(unsigned flags = cudaStreamDefault)
    {
        expect_success(cudaStreamCreateWithFlags(&handle_, flags));
    }
    owned_stream(owned_stream const&) = delete;
    owned_stream& operator=(owned_stream const&) = delete;
    ~owned_stream() { static_cast<void>(cudaStreamDestroy(handle_)); }
    operator cudaStream_t() const { return handle_; }

private:
    cudaStream_t handle_ = nullptr;
};

} // namespace simt
