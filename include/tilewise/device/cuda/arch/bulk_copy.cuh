// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Bulk copies (TMA) to shared memory, and the barriers that track their completion.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch/kernel.cuh>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// @name Bulk copies
/// Asynchronous copies from global to shared memory, for sm_90 and later: a kernel that uses them needs an alternative
/// for older GPUs.
/// @{
TILEWISE_DEVICE unsigned shared_address(void const* shared)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/// A barrier in shared memory. Its current phase ends when all expected threads and bytes have arrived.
struct alignas(8) mbarrier {
    unsigned long long state;

    /// Initialises the barrier for so many arrivals per phase. One thread calls this, before the block synchronises.
    TILEWISE_DEVICE void init(int arrivals)
    {
#if __CUDA_ARCH__ >= 900
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)), "r"(arrivals) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // makes the barrier visible to bulk copies
#endif
    }
    TILEWISE_DEVICE void arrive()
    {
#if __CUDA_ARCH__ >= 900
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(this)) : "memory");
#endif
    }
    /// Arrives, and adds `bytes` to the bytes that the current phase waits for.
    TILEWISE_DEVICE void arrive_expect(int bytes)
    {
#if __CUDA_ARCH__ >= 900
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(this)), "r"(bytes)
                     : "memory");
#endif
    }
    /// Waits for the end of the phase of the given parity; phases have parities 0, 1, 0, ...
    TILEWISE_DEVICE void wait(int parity)
    {
#if __CUDA_ARCH__ >= 900
        unsigned done = 0;
        do
            asm volatile("{\n\t.reg .pred p;\n\t"
                         "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                         "selp.u32 %0, 1, 0, p;\n\t}"
                         : "=r"(done)
                         : "r"(shared_address(this)), "r"(parity)
                         : "memory");
        while (done == 0);
#endif
    }
};

/// Orders what this thread has written to shared memory before later bulk copies to the same place.
TILEWISE_DEVICE void fence_bulk_copies()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/// Starts a copy to shared memory that signals its completion to `barrier`. One thread calls this. Addresses and size
/// are multiples of 16 bytes.
TILEWISE_DEVICE void bulk_copy(void* shared, void const* global, int bytes, mbarrier& barrier)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(shared)),
                 "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(shared_address(&barrier))
                 : "memory");
#endif
}
/// @}

} // namespace gpu
TILEWISE_NAMESPACE_END
