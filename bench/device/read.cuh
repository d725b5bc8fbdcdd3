// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The ceiling of what only reads: a kernel that does nothing else.

#include "cuda.cuh"

#include <algorithm>
#include <cstdint>

namespace bench {

inline constexpr unsigned read_threads = 256, read_loads = 8;

/// Reads 16 bytes at a time and does next to nothing with them.
static __global__ void __launch_bounds__(read_threads)
    read_everything(uint4 const* first, std::uint64_t count, unsigned* sink)
{
    std::uint64_t const begin = std::uint64_t{blockIdx.x} * (read_threads * read_loads) + threadIdx.x;
    uint4 loaded[read_loads] = {};
    if (begin + (read_loads - 1) * read_threads < count) {
#pragma unroll
        for (unsigned i = 0; i < read_loads; ++i)
            loaded[i] = __ldcs(first + begin + i * read_threads);
    } else {
#pragma unroll
        for (unsigned i = 0; i < read_loads; ++i)
            if (begin + i * read_threads < count)
                loaded[i] = __ldcs(first + begin + i * read_threads);
    }
    unsigned mixed = 0;
#pragma unroll
    for (unsigned i = 0; i < read_loads; ++i)
        mixed ^= loaded[i].x ^ loaded[i].y ^ loaded[i].z ^ loaded[i].w;
    if (mixed == 0x9e3779b9u) // so that the loads have a purpose
        *sink = mixed;
}

/// The ceiling: the whole 16-byte vectors of 16 bytes from the aligned base at or below `first` on.
inline void read_only(cudaStream_t stream, void const* first, std::uint64_t bytes, void* sink)
{
    auto const base = reinterpret_cast<std::uintptr_t>(first) & ~std::uintptr_t{15};
    std::uint64_t const vectors = bytes / 16;
    std::uint64_t const blocks = (vectors + read_threads * read_loads - 1) / (read_threads * read_loads);
    launch(read_everything, std::max<std::uint64_t>(blocks, 1), read_threads, stream,
           reinterpret_cast<uint4 const*>(base), vectors, static_cast<unsigned*>(sink));
}

} // namespace bench
