// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tilewise/policy.hpp>

#include <ranges>
#include <vector>

#ifdef __CUDACC__
#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#endif

namespace example {

#ifdef __CUDACC__

inline constexpr char const* why_no_gpu = "there is no GPU that this program can use";

inline bool has_gpu()
{
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

inline void expect_success(char const* otherwise, cudaError_t error)
{
    if (error != cudaSuccess) {
        throw std::runtime_error(std::string(otherwise) + ": " + cudaGetErrorString(error));
    }
}

/// A copy of numbers in the memory of the GPU. Throws `std::bad_alloc` when that is full.
template <class T>
class device_copy {
public:
    explicit device_copy(std::span<T const> numbers) : size_(numbers.size())
    {
        if (size_ == 0) {
            return;
        }
        check(cudaMalloc(&first_, numbers.size_bytes()));
        try {
            check(cudaMemcpy(first_, numbers.data(), numbers.size_bytes(), cudaMemcpyHostToDevice));
        } catch (...) {
            cudaFree(first_);
            throw;
        }
    }
    ~device_copy() { cudaFree(first_); }
    device_copy(device_copy const&) = delete;
    device_copy& operator=(device_copy const&) = delete;

    T const* begin() const { return first_; }
    T const* end() const { return first_ + size_; }

private:
    static void check(cudaError_t error)
    {
        if (error == cudaErrorMemoryAllocation) {
            throw std::bad_alloc();
        }
        expect_success("cannot copy to the GPU", error);
    }

    T* first_ = nullptr;
    std::size_t size_;
};

/// Memory that the GPU reads and writes like any other, where there is a GPU.
template <class T>
struct managed_allocator {
    using value_type = T;

    managed_allocator() = default;
    template <class U>
    managed_allocator(managed_allocator<U> const&)
    {}

    T* allocate(std::size_t count)
    {
        void* memory = nullptr;
        if (!has_gpu()) {
            return std::allocator<T>{}.allocate(count);
        }
        if (cudaMallocManaged(&memory, count * sizeof(T)) != cudaSuccess) {
            throw std::bad_alloc();
        }
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count)
    {
        if (has_gpu()) {
            cudaFree(memory);
        } else {
            std::allocator<T>{}.deallocate(memory, count);
        }
    }
    friend bool operator==(managed_allocator const&, managed_allocator const&) { return true; }
};

/// A vector that every policy can use.
template <class T>
using shared_vector = std::vector<T, managed_allocator<T>>;

#else

inline constexpr char const* why_no_gpu = "this program was compiled without CUDA";

inline bool has_gpu() // that this program was compiled for
{
    return false;
}

template <class T>
using shared_vector = std::vector<T>;

#endif

/// Has the calling thread use the GPU of a rank under device: the GPUs of the machine in turn.
template <class Policy>
void use_gpu_of_rank([[maybe_unused]] Policy const& policy, [[maybe_unused]] int rank)
{
#ifdef __CUDACC__
    if constexpr (tilewise::is_device_policy<Policy>) {
        int count = 0;
        expect_success("no GPU can be used", cudaGetDeviceCount(&count));
        expect_success("a GPU cannot be used", cudaSetDevice(rank % count));
    }
#endif
}

/// Numbers where a policy can read them. Without CUDA they are left as they are under device, and the library says what
/// is missing.
template <class Policy, std::ranges::input_range Numbers>
class readable_numbers {
public:
    explicit readable_numbers(Numbers const& numbers) : numbers_(numbers) {}
    Numbers const& get() const { return numbers_; }

private:
    Numbers const& numbers_;
};

#ifdef __CUDACC__
/// For device, a copy in the GPU's memory.
template <class Policy, std::ranges::input_range Numbers>
    requires tilewise::is_device_policy<Policy>
class readable_numbers<Policy, Numbers> {
    using T = std::ranges::range_value_t<Numbers>;

public:
    explicit readable_numbers(Numbers const& numbers)
        requires std::ranges::contiguous_range<Numbers>
        : copy_(numbers)
    {}
    explicit readable_numbers(Numbers const& numbers) : copy_(std::vector<T>(numbers.begin(), numbers.end())) {}
    device_copy<T> const& get() const { return copy_; }

private:
    device_copy<T> copy_;
};
#endif

} // namespace example
