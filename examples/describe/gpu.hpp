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
        if (error != cudaSuccess) {
            throw std::runtime_error(std::string("cannot copy to the GPU: ") + cudaGetErrorString(error));
        }
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

/// Calls `use(numbers)` with the numbers where the policy can read them: for device, with a copy in the GPU's memory.
/// Without CUDA it gets them as they are, and the library says what is missing.
template <class Policy, std::ranges::input_range Numbers, class Use>
auto with_readable_numbers([[maybe_unused]] Policy const& policy, Numbers const& numbers, Use use)
{
#ifdef __CUDACC__
    if constexpr (tilewise::is_device_policy<Policy>) {
        using T = std::ranges::range_value_t<Numbers>;
        if constexpr (std::ranges::contiguous_range<Numbers>) {
            return use(device_copy<T>(numbers));
        } else {
            return use(device_copy<T>(std::vector<T>(numbers.begin(), numbers.end())));
        }
    } else {
        return use(numbers);
    }
#else
    return use(numbers);
#endif
}

} // namespace example
