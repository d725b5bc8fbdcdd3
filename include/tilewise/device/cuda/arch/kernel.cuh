// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Declarations of kernels and of shared memory; thread, warp and block indices; barriers.

#include <tilewise/core/config.hpp>

#include <cuda_runtime.h>

#include <type_traits>

/// Declares a function that kernels call.
#define TILEWISE_DEVICE __device__ __forceinline__

/// Declares a kernel for blocks of at most `threads` threads, of which at least `blocks` can be resident on a
/// multiprocessor.
#define TILEWISE_KERNEL(threads, blocks) __global__ void __launch_bounds__(threads, blocks)

/// Declares an object in static shared memory, without constructing it.
#define TILEWISE_SHARED(name, ...)                                                                                     \
    __shared__ ::tilewise::gpu::raw_storage<__VA_ARGS__> name##_storage;                                               \
    [[maybe_unused]] ::std::type_identity_t<__VA_ARGS__>& name = name##_storage.object()

/// Declares an object that is too large for static shared memory, in dynamic shared memory. A kernel has at most one;
/// `launch_shape::shared_bytes` is its size.
#define TILEWISE_LARGE_SHARED(name, ...)                                                                               \
    extern __shared__ uint4 tilewise_large_shared[];                                                                   \
    [[maybe_unused]] ::std::type_identity_t<__VA_ARGS__>& name =                                                       \
        *reinterpret_cast<::std::type_identity_t<__VA_ARGS__>*>(tilewise_large_shared)

/// Declares an array in dynamic shared memory, whose size is known at launch: `launch_shape::shared_bytes`. A kernel
/// has at most one. It is aligned for the widest access.
#define TILEWISE_SHARED_ARRAY(name, size, ...)                                                                         \
    extern __shared__ uint4 tilewise_large_shared[];                                                                   \
    [[maybe_unused]] auto* const name = reinterpret_cast<::std::type_identity_t<__VA_ARGS__>*>(tilewise_large_shared)

/// Unrolls the following loop.
#define TILEWISE_UNROLL _Pragma("unroll")
#define TILEWISE_UNROLL_BY_4 _Pragma("unroll 4")
#define TILEWISE_NO_UNROLL _Pragma("unroll 1")

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

inline constexpr int warp_size = 32;
inline constexpr int vector_bytes = 16; ///< the widest load

/// Storage for an object of any type, which is not constructed.
template <class Object>
struct raw_storage {
    alignas(alignof(Object) < 16 ? 16 : alignof(Object)) unsigned char bytes[sizeof(Object)];
    TILEWISE_DEVICE Object& object() { return reinterpret_cast<Object&>(bytes); }
};

/// @name Thread, warp and block indices
/// @{
TILEWISE_DEVICE int thread_index()
{
    return static_cast<int>(threadIdx.x);
}
TILEWISE_DEVICE int lane_index()
{
    return static_cast<int>(threadIdx.x) % warp_size;
}
/// Returns the warp's index in the block, through a shuffle, from which the compiler sees that all lanes have the same
/// value: the code that depends on it needs no second copy for divergent warps, and takes half the instructions.
TILEWISE_DEVICE int warp_index()
{
    return __shfl_sync(~0u, static_cast<int>(threadIdx.x) / warp_size, 0);
}
TILEWISE_DEVICE int block_index()
{
    return static_cast<int>(blockIdx.x);
}
TILEWISE_DEVICE int block_count()
{
    return static_cast<int>(gridDim.x);
}
/// @}

/// Waits for all threads of the block. Memory accesses before the barrier are visible to all of them after it.
TILEWISE_DEVICE void sync_block()
{
    __syncthreads();
}

/// The same for the threads of the warp.
TILEWISE_DEVICE void sync_warp()
{
    __syncwarp();
}

} // namespace gpu
TILEWISE_NAMESPACE_END
