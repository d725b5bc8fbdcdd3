// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Thread-block clusters.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch/kernel.cuh>

#include <cstring>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// @name Clusters
/// The blocks of a cluster run concurrently. They may write to each other's shared memory once all of them have arrived
/// at a first cluster barrier, and until they arrive at the next.
/// @{
TILEWISE_DEVICE void cluster_announce() // arrives without releasing earlier memory accesses
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}
TILEWISE_DEVICE void cluster_arrive()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
TILEWISE_DEVICE void cluster_wait()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}
/// Stores `value` in the shared memory of another block of the cluster, at the place that `shared` has in this one.
template <class T>
TILEWISE_DEVICE void store_in_block(int block, T* shared, T const& value)
{
#if __CUDA_ARCH__ >= 900
    unsigned const own = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    unsigned theirs = 0;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"(own), "r"(block));
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    constexpr int unit = sizeof(T) % 4 == 0 && alignof(T) % 4 == 0 ? 4 : 1;
    TILEWISE_UNROLL
    for (int i = 0; i < static_cast<int>(sizeof(T)); i += unit) {
        if constexpr (unit == 4) {
            unsigned word = 0;
            std::memcpy(&word, bytes + i, 4);
            asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(theirs + i), "r"(word) : "memory");
        } else {
            asm volatile("st.shared::cluster.u8 [%0], %1;" ::"r"(theirs + i), "r"(unsigned{bytes[i]}) : "memory");
        }
    }
#endif
}
/// @}

} // namespace gpu
TILEWISE_NAMESPACE_END
