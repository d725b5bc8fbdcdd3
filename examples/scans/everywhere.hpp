// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../describe/gpu.hpp"

#include <tilewise/policy.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>
#include <vector>

namespace example {

#ifdef __CUDACC__

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
using vector = std::vector<T, managed_allocator<T>>;

#else

template <class T>
using vector = std::vector<T>;

#endif

/// Calls `is_right(policy)` with every policy that can run here, and tells of each. Returns what `main` shall.
template <class Claim>
int check_everywhere(Claim is_right)
{
    int status = 0;
    auto const check = [&](char const* name, auto const& policy) {
        bool const right = is_right(policy);
        std::printf("%s: %s\n", name, right ? "as the plain loop has it" : "WRONG");
        status |= right ? 0 : 1;
    };
    check("seq", tilewise::seq);
    check("par", tilewise::par);
#ifdef __CUDACC__
    if (has_gpu()) {
        check("device", tilewise::device);
    }
#endif
    return status;
}

} // namespace example
