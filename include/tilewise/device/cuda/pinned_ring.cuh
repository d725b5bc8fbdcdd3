// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Copies between pageable host memory and the GPU.
///
/// The data passes through a ring of a few pinned buffers: all cores fill one while the GPU's copy engine empties the
/// previous ones. CUDA's own copies from pageable memory use one core, which is several times slower than the bus.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/device/tuning.cuh>

#include <cuda_runtime.h>

#include <array>
#include <cstddef>

TILEWISE_CUDA_BEGIN

/// A ring of pinned buffers, which copies use in turn.
class pinned_ring {
public:
    static constexpr std::size_t buffers = gpu::staging_tuning::buffers;

    explicit pinned_ring(std::size_t buffer_bytes = gpu::staging_tuning::buffer_bytes);
    pinned_ring(pinned_ring const&) = delete;
    pinned_ring& operator=(pinned_ring const&) = delete;
    ~pinned_ring();

    /// Whether an event tracks every unfinished copy from or to the buffers.
    TILEWISE_INLINE bool is_settled() const { return is_settled_; }

    /// Copies host memory to the device, in stream order. The host memory may change as soon as this returns.
    void copy_to_device(void* to, void const* from, std::size_t bytes, cudaStream_t stream);

    /// Copies device memory to the host, in stream order, and waits for the copies.
    void copy_to_host(void* to, void const* from, std::size_t bytes, cudaStream_t stream);

private:
    TILEWISE_INLINE void* buffer(std::size_t index) const
    {
        return static_cast<unsigned char*>(memory_) + index * buffer_bytes_;
    }
    /// Records the event of a buffer, after a copy from or to it was started.
    void record(std::size_t index, cudaStream_t stream);
    void release();

    std::size_t buffer_bytes_;
    bool is_settled_ = true;
    void* memory_ = nullptr;
    std::array<cudaEvent_t, buffers> done_ = {}; ///< recorded after the last copy from or to each buffer
    std::size_t next_ = 0;
};

/// A ring that is leased for one call, and then cached for later calls.
class leased_ring {
public:
    explicit leased_ring(current_device const& device);
    leased_ring(leased_ring const&) = delete;
    leased_ring& operator=(leased_ring const&) = delete;
    ~leased_ring();
    TILEWISE_INLINE pinned_ring* operator->() const { return own_.ring; }

private:
    struct entry {
        int device;
        unsigned long long context; ///< see context_id
        pinned_ring* ring;          ///< invalid once its context has ended
    };
    struct cache;

    entry own_;
};

TILEWISE_CUDA_END

TILEWISE_NAMESPACE_BEGIN
namespace gpu {
using namespace cuda_runtime;
} // namespace gpu
TILEWISE_NAMESPACE_END
