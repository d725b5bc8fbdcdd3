// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The elements of the ranks, which depend on their positions in the whole range, and digests of results.

#include "../cuda.cuh"
#include "../elements.cuh"

#include <cstdint>
#include <cstring>
#include <vector>

namespace bench {

/// Uniform floats in [0, 1): multiples of 2^-24. `begin` is the position of the first one.
static __global__ void write_uniform(float* elements, std::uint64_t count, std::uint64_t begin)
{
    std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
        elements[i] = static_cast<float>(scramble(begin + i + 0x9e3779b97f4a7c15u) >> 40) * 0x1p-24f;
}

/// Adds a hash of every element's bits and position. Sums of integers do not depend on the order of the threads, nor on
/// where the range is cut.
static __global__ void add_hashes(float const* elements, std::uint64_t count, std::uint64_t begin,
                                  unsigned long long* sum)
{
    std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
    unsigned long long own = 0;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
        own += scramble((begin + i) * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(__float_as_uint(elements[i])));
    atomicAdd(sum, own);
}

/// The digest of elements in device memory.
inline std::uint64_t digest(float const* elements, std::uint64_t count, std::uint64_t begin,
                            device_array<unsigned long long> const& sum, cudaStream_t stream)
{
    check(cudaMemsetAsync(sum.data(), 0, sizeof(unsigned long long), stream), "cudaMemsetAsync");
    launch(add_hashes, 4096, 256, stream, elements, count, begin, sum.data());
    return fetch(sum.data(), stream);
}

inline std::uint64_t digest(std::vector<unsigned> const& counts)
{
    std::uint64_t sum = 0;
    for (std::uint64_t bin = 0; bin < counts.size(); ++bin)
        sum += scramble(bin * 0x9e3779b97f4a7c15u + counts[bin]);
    return sum;
}

inline std::uint64_t bits_of(float value)
{
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

} // namespace bench
