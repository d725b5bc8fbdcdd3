// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The competitors as functions: this library, CUB, and a kernel that only reads.

#include "../cuda.cuh"
#include "workload.cuh"

#include <tilewise/reduce.hpp>

#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace bench {

/// The operator as CUB wants it: callable on the device.
template <class Op>
auto for_cub(Op op)
{
    if constexpr (std::is_same_v<Op, std::plus<>>)
        return cuda::std::plus<>{};
    else
        return op;
}

/// tilewise into device memory; does not wait.
template <class Reduction, class It>
void tilewise_into(cudaStream_t stream, It first, std::uint64_t count, typename Reduction::accumulator* out)
{
    auto const policy = tilewise::device.on(stream).nosync();
    auto const last = first + static_cast<std::ptrdiff_t>(count);
    if constexpr (std::is_same_v<typename Reduction::transform, no_transform>)
        tilewise::reduce_into(policy, first, last, out, Reduction::init(), typename Reduction::op{});
    else
        tilewise::transform_reduce_into(policy, first, last, out, Reduction::init(), typename Reduction::op{},
                                        typename Reduction::transform{});
}

/// CUB into device memory, with scratch at hand and offsets of 32 bits where they do, as Thrust calls it; does not
/// wait.
template <class Reduction, class It>
void cub_into(device_array<unsigned char> const& scratch, cudaStream_t stream, It first, std::uint64_t count,
              typename Reduction::accumulator* out)
{
    using cub::DeviceReduce;
    auto const with_count = [&](auto items) {
        auto bytes = scratch.size();
        using accumulator = typename Reduction::accumulator;
        using element = std::remove_cv_t<std::remove_reference_t<decltype(*first)>>;
        if constexpr (!std::is_same_v<typename Reduction::transform, no_transform>)
            return DeviceReduce::TransformReduce(scratch.data(), bytes, first, out, items,
                                                 for_cub(typename Reduction::op{}), typename Reduction::transform{},
                                                 Reduction::init(), stream);
        else if constexpr (std::is_same_v<typename Reduction::op, std::plus<>> && std::is_same_v<element, accumulator>)
            return DeviceReduce::Sum(scratch.data(), bytes, first, out, items, stream);
        else
            return DeviceReduce::Reduce(scratch.data(), bytes, first, out, items, for_cub(typename Reduction::op{}),
                                        Reduction::init(), stream);
    };
    check(count <= std::numeric_limits<std::int32_t>::max() ? with_count(static_cast<std::int32_t>(count))
                                                            : with_count(static_cast<std::int64_t>(count)),
          "cub::DeviceReduce");
}

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

/// The ceiling: the whole granules of 16 bytes from the aligned base at or below `first` on.
inline void read_only(cudaStream_t stream, void const* first, std::uint64_t bytes, void* sink)
{
    auto const base = reinterpret_cast<std::uintptr_t>(first) & ~std::uintptr_t{15};
    std::uint64_t const granules = bytes / 16;
    std::uint64_t const blocks = (granules + read_threads * read_loads - 1) / (read_threads * read_loads);
    launch(read_everything, std::max<std::uint64_t>(blocks, 1), read_threads, stream,
           reinterpret_cast<uint4 const*>(base), granules, static_cast<unsigned*>(sink));
}

} // namespace bench
