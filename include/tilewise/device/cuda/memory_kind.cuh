// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Kinds of memory. Querying the kind of a pointer has no side effects.

#include <tilewise/core/config.hpp>

#include <cstddef>

TILEWISE_CUDA_BEGIN

/// What the kernels of a device can do with memory.
enum class memory_kind {
    readable,        ///< can be read and written
    without_atomics, ///< memory of another device, over a link without atomic operations
    pageable,        ///< host memory unknown to CUDA
    no_access        ///< memory known to CUDA that the device cannot access
};

/// Returns what kernels of `device`, which is the current device, can do with the memory at an address.
///
/// The runtime reports the address that the current device uses for the memory, or null if the device cannot read it.
/// This was observed on two H100 with CUDA 13.0 for memory of cudaMalloc and of pools, for mapped, managed, pinned and
/// registered memory, and for memory of other processes. (The driver's CU_POINTER_ATTRIBUTE_ACCESS_FLAGS reports access
/// to a peer's memory that then faults.)
memory_kind kind_of(void const* pointer, int device);

/// Whether kernels can read pageable host memory, as on systems that page it in on demand.
bool reads_any_memory(int device);

/// Returns the size of the allocation that an address is in; 0 if CUDA does not know it. Of mapped memory, CUDA may
/// know a part only.
std::size_t allocated_bytes(void const* pointer);

/// Throws if kernels cannot read the memory that an algorithm reads.
void check_readable(char const* algorithm, memory_kind kind);

/// Throws if kernels cannot write to the memory of the results.
void check_writable(char const* algorithm, memory_kind kind);

/// Throws if kernels cannot add atomically to the memory of the counters.
void check_counters(char const* algorithm, memory_kind kind);

TILEWISE_CUDA_END

TILEWISE_NAMESPACE_BEGIN
namespace gpu {
using namespace cuda_runtime;
} // namespace gpu
TILEWISE_NAMESPACE_END
