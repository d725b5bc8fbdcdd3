// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The hardware interface of the ladders' kernels. They use tilewise's wrappers, so that the interpreter of the tests
/// can run them on a CPU: thread_index() is threadIdx.x, block_index() blockIdx.x, sync_block() __syncthreads(), and so
/// on; see tilewise/device/cuda/arch.cuh.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/order.hpp>

#include <cstddef>
#include <type_traits>

namespace ladder {

using tilewise::offset;
using namespace tilewise::gpu; // the wrappers of arch.cuh

/// Atomic addition. The library has it for unsigned integers only, because a sum of floats would depend on the order in
/// which threads arrive.
TILEWISE_DEVICE void add_atomically(int* to, int value)
{
    tilewise::gpu::add(reinterpret_cast<unsigned*>(to), static_cast<unsigned>(value));
}
TILEWISE_DEVICE void add_atomically(float* to, float value)
{
#ifdef __CUDACC__
    atomicAdd(to, value);
#else
    float seen, sum;
    __atomic_load(to, &seen, __ATOMIC_RELAXED);
    do
        sum = seen + value;
    while (!__atomic_compare_exchange(to, &seen, &sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
#endif
}

/// The index of this thread in the grid, and the number of threads in the grid.
TILEWISE_DEVICE offset thread_of_grid(int threads)
{
    return offset{block_index()} * threads + thread_index();
}
TILEWISE_DEVICE offset threads_of_grid(int threads)
{
    return offset{block_count()} * threads;
}

/// Launches a kernel.
template <class... Parameters, class... Arguments>
void launch_version(cudaStream_t stream, void (*kernel)(Parameters...), offset blocks, int threads,
                    Arguments... arguments)
{
    TILEWISE_CUDA(start, kernel, launch_shape{static_cast<int>(blocks), threads}, stream,
                  static_cast<Parameters>(arguments)...);
}

/// The number of parts of at most `part` elements.
TILEWISE_PORTABLE constexpr offset parts_of(offset count, offset part)
{
    return (count + part - 1) / part;
}

} // namespace ladder
