// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up on a GPU; where there is none, the library has to say so.

#include <tilewise/tilewise.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

int main()
{
    std::vector<int> const ones(100'000, 1);
    std::size_t const bytes = ones.size() * sizeof(int);
    void* memory = nullptr;
    bool const has_gpu = cudaMalloc(&memory, bytes) == cudaSuccess &&
                         cudaMemcpy(memory, ones.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess;
    int const* const device_copy = static_cast<int*>(memory);
    try {
        int const sum = tilewise::reduce(tilewise::device, device_copy, device_copy + ones.size(), 0);
        std::printf("a GPU counts %d\n", sum);
        return has_gpu && sum == 100'000 ? 0 : 1;
    } catch (tilewise::no_device const& error) {
        std::puts(error.what());
        return has_gpu ? 1 : 0;
    }
}
