// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Kinds of memory. Querying the kind of a pointer has no side effects.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/error.hpp>

#include <cuda_runtime.h>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// What the kernels of a device can do with memory.
enum class memory_kind {
    readable,        ///< can be read and written
    without_atomics, ///< memory of another device, over a link without atomic operations
    pageable,        ///< host memory unknown to CUDA
    no_access        ///< memory known to CUDA that the device cannot access
};

/// Whether memory at an address is on another device whose link to `device` has no atomic operations.
inline bool lacks_atomics(cudaPointerAttributes const& attributes, int device)
{
    if (attributes.type != cudaMemoryTypeDevice || attributes.device == device) [[likely]]
        return false;
    int native = 0;
    TILEWISE_CUDA(cudaDeviceGetP2PAttribute, &native, cudaDevP2PAttrNativeAtomicSupported, device, attributes.device);
    return native == 0;
}

/// Returns what kernels of `device`, which is the current device, can do with the memory at an address.
///
/// The runtime reports the address that the current device uses for the memory, or null if the device cannot read it.
/// This was observed on two H100 with CUDA 13.0 for memory of cudaMalloc and of pools, for mapped, managed, pinned and
/// registered memory, and for memory of other processes. (The driver's CU_POINTER_ATTRIBUTE_ACCESS_FLAGS reports access
/// to a peer's memory that then faults.)
inline memory_kind kind_of(void const* pointer, int device)
{
    cudaPointerAttributes attributes = {};
    TILEWISE_CUDA(cudaPointerGetAttributes, &attributes, pointer);
    if (attributes.type == cudaMemoryTypeUnregistered)
        return memory_kind::pageable;
    if (attributes.devicePointer == pointer) [[likely]]
        return lacks_atomics(attributes, device) ? memory_kind::without_atomics : memory_kind::readable;
    return attributes.hostPointer == pointer ? memory_kind::pageable : memory_kind::no_access;
}

/// Whether kernels can read pageable host memory, as on systems that page it in on demand.
inline bool reads_any_memory(int device)
{
    int answer = 0;
    TILEWISE_CUDA(cudaDeviceGetAttribute, &answer, cudaDevAttrPageableMemoryAccess, device);
    return answer != 0;
}

/// Throws if kernels cannot read the memory that an algorithm reads.
inline void check_readable(char const* algorithm, memory_kind kind)
{
    if (kind == memory_kind::pageable)
        reject_argument(algorithm, "the elements are in host memory that the GPU cannot read; copy them to the device, "
                                   "or allocate them with cudaMallocHost or cudaMallocManaged");
    if (kind == memory_kind::no_access)
        reject_argument(algorithm, "the elements are in memory that the stream's device cannot access; enable access "
                                   "with cudaDeviceEnablePeerAccess for memory of cudaMalloc, cudaMemPoolSetAccess for "
                                   "memory of a pool, and cuMemSetAccess for mapped memory");
}

/// Throws if kernels cannot write to the memory of the results.
inline void check_writable(char const* algorithm, memory_kind kind)
{
    if (kind == memory_kind::pageable)
        reject_argument(algorithm, "the output is in host memory that the GPU cannot write; write to memory of the "
                                   "device, or allocate the output with cudaMallocHost or cudaMallocManaged");
    if (kind == memory_kind::no_access)
        reject_argument(algorithm, "the output is in memory that the stream's device cannot access; enable access with "
                                   "cudaDeviceEnablePeerAccess for memory of cudaMalloc, cudaMemPoolSetAccess for "
                                   "memory of a pool, and cuMemSetAccess for mapped memory");
}

/// Throws if kernels cannot add atomically to the memory of the counters.
inline void check_counters(char const* algorithm, memory_kind kind)
{
    gpu::check_writable(algorithm, kind);
    if (kind == memory_kind::without_atomics)
        reject_argument(algorithm, "the counters are on another device, on whose memory the stream's device cannot "
                                   "perform atomic operations; use counters in memory of the stream's device");
}

} // namespace gpu
TILEWISE_NAMESPACE_END
