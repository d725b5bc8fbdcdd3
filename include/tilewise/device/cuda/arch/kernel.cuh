// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How a kernel and what its threads share are declared; where a thread is; barriers.

#include <tilewise/core/config.hpp>

#include <cuda_runtime.h>

#include <type_traits>

/// A function for kernels.
#define TILEWISE_DEVICE __device__ __forceinline__

/// A kernel for blocks of at most `threads` threads, of which `blocks` shall fit a multiprocessor.
#define TILEWISE_KERNEL(threads, blocks) __global__ void __launch_bounds__(threads, blocks)

/// Declares an object that the threads of a block share. Nothing is constructed.
#define TILEWISE_SHARED(name, ...)                                                                                     \
    __shared__ ::tilewise::gpu::raw_storage<__VA_ARGS__> name##_storage;                                               \
    [[maybe_unused]] ::std::type_identity_t<__VA_ARGS__>& name = name##_storage.object()

/// Declares the one object of a kernel that is too large for that: its launch says how many bytes it takes.
#define TILEWISE_LARGE_SHARED(name, ...)                                                                               \
    extern __shared__ uint4 tilewise_large_shared[];                                                                   \
    [[maybe_unused]] ::std::type_identity_t<__VA_ARGS__>& name =                                                       \
        *reinterpret_cast<::std::type_identity_t<__VA_ARGS__>*>(tilewise_large_shared)

/// Declares the one array of a kernel whose size is known at its launch, which says how many bytes it takes. It begins
/// where the widest access can.
#define TILEWISE_SHARED_ARRAY(name, size, ...)                                                                         \
    extern __shared__ uint4 tilewise_large_shared[];                                                                   \
    [[maybe_unused]] auto* const name = reinterpret_cast<::std::type_identity_t<__VA_ARGS__>*>(tilewise_large_shared)

/// Unrolls the loop that follows.
#define TILEWISE_UNROLL _Pragma("unroll")
#define TILEWISE_UNROLL_BY_4 _Pragma("unroll 4")
#define TILEWISE_NO_UNROLL _Pragma("unroll 1")

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

inline constexpr int warp_size = 32;
inline constexpr int vector_bytes = 16; ///< the widest load

/// Room for an object of any type, which is not constructed.
template <class Object>
struct raw_storage {
    alignas(alignof(Object) < 16 ? 16 : alignof(Object)) unsigned char bytes[sizeof(Object)];
    TILEWISE_DEVICE Object& object() { return reinterpret_cast<Object&>(bytes); }
};

/// @name Where a thread is
/// @{
TILEWISE_DEVICE int thread_index()
{
    return static_cast<int>(threadIdx.x);
}
TILEWISE_DEVICE int lane_index()
{
    return static_cast<int>(threadIdx.x) % warp_size;
}
/// Through a shuffle, which tells the compiler that all lanes have the same: code behind it needs no second copy for
/// warps that diverge, and takes half the instructions.
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

/// Waits for all threads of the block, and makes their memory accesses before visible after.
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
