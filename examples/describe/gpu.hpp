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

/// Numbers as a policy reads them: as they are.
template <class Policy, std::ranges::input_range Numbers>
class readable_numbers {
public:
    explicit readable_numbers(Numbers const& numbers) : numbers_(numbers) {}
    Numbers const& get() const { return numbers_; }

private:
    Numbers const& numbers_;
};

/// The library copies ordinary host memory to the GPU if it is contiguous. Other numbers are made contiguous first.
template <class Policy, std::ranges::input_range Numbers>
    requires(tilewise::is_device_policy<Policy> && !std::ranges::contiguous_range<Numbers>)
class readable_numbers<Policy, Numbers> {
public:
    explicit readable_numbers(Numbers const& numbers) : numbers_(numbers.begin(), numbers.end()) {}
    auto const& get() const { return numbers_; }

private:
    std::vector<std::ranges::range_value_t<Numbers>> numbers_;
};

} // namespace example
