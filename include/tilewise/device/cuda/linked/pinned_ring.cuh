// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Defines the functions of pinned_ring.cuh.

#include <tilewise/cached_memory.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/cuda/idle_devices.cuh>
#include <tilewise/device/cuda/pinned_ring.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/host/parallel.hpp>
#include <tilewise/order.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Copies bytes on the host; large copies use all cores.
inline void copy_on_host(void* to, void const* from, std::size_t bytes)
{
    constexpr std::size_t unit = staging_tuning::bytes_per_task;
    auto const copy = [=](std::size_t begin, std::size_t end) {
        std::memcpy(static_cast<unsigned char*>(to) + begin, static_cast<unsigned char const*>(from) + begin,
                    end - begin);
    };
    if (bytes <= 2 * unit)
        return copy(0, bytes);
    host::parallel_for(static_cast<offset>((bytes + unit - 1) / unit), [&](offset first, offset last) {
        copy(static_cast<std::size_t>(first) * unit, std::min(bytes, static_cast<std::size_t>(last) * unit));
    });
}

} // namespace gpu
TILEWISE_NAMESPACE_END

TILEWISE_CUDA_BEGIN

TILEWISE_CUDA_INLINE pinned_ring::pinned_ring(std::size_t buffer_bytes) : buffer_bytes_(buffer_bytes)
{
    gpu::relaxed_capture const allowed; // other threads may be capturing
    TILEWISE_CUDA(cudaHostAlloc, &memory_, buffers * buffer_bytes, cudaHostAllocPortable);
    for (cudaEvent_t& event : done_)
        if (cudaError_t const error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming); error != cudaSuccess) {
            release();
            throw_cuda_error(error, "cudaEventCreateWithFlags");
        }
}

TILEWISE_CUDA_INLINE pinned_ring::~pinned_ring()
{
    release();
}

TILEWISE_CUDA_INLINE void pinned_ring::copy_to_device(void* to, void const* from, std::size_t bytes,
                                                      cudaStream_t stream)
{
    gpu::relaxed_capture const allowed;
    for (std::size_t begin = 0; begin < bytes; begin += buffer_bytes_) {
        std::size_t const part = std::min(bytes - begin, buffer_bytes_), index = next_++ % buffers;
        TILEWISE_CUDA(cudaEventSynchronize, done_[index]);
        gpu::copy_on_host(buffer(index), static_cast<unsigned char const*>(from) + begin, part);
        TILEWISE_CUDA(cudaMemcpyAsync, static_cast<unsigned char*>(to) + begin, buffer(index), part,
                      cudaMemcpyHostToDevice, stream);
        record(index, stream);
    }
}

TILEWISE_CUDA_INLINE void pinned_ring::copy_to_host(void* to, void const* from, std::size_t bytes, cudaStream_t stream)
{
    gpu::relaxed_capture const allowed;
    std::size_t const first = next_;
    std::size_t started = 0, arrived = 0; // bytes
    auto const part_at = [&](std::size_t begin) { return std::min(bytes - begin, buffer_bytes_); };
    while (arrived < bytes) {
        while (started < bytes && started - arrived < buffers * buffer_bytes_) {
            std::size_t const index = next_++ % buffers;
            TILEWISE_CUDA(cudaEventSynchronize, done_[index]);
            TILEWISE_CUDA(cudaMemcpyAsync, buffer(index), static_cast<unsigned char const*>(from) + started,
                          part_at(started), cudaMemcpyDeviceToHost, stream);
            record(index, stream);
            started += part_at(started);
        }
        std::size_t const index = (first + arrived / buffer_bytes_) % buffers;
        TILEWISE_CUDA(cudaEventSynchronize, done_[index]);
        gpu::copy_on_host(static_cast<unsigned char*>(to) + arrived, buffer(index), part_at(arrived));
        arrived += part_at(arrived);
    }
}

TILEWISE_CUDA_INLINE void pinned_ring::record(std::size_t index, cudaStream_t stream)
{
    if (cudaError_t const error = cudaEventRecord(done_[index], stream); error != cudaSuccess) {
        is_settled_ = is_done_after_waiting(stream);
        throw_cuda_error(error, "cudaEventRecord");
    }
}

TILEWISE_CUDA_INLINE void pinned_ring::release()
{
    for (cudaEvent_t const event : done_)
        if (event != nullptr)
            static_cast<void>(cudaEventDestroy(event));
    static_cast<void>(cudaFreeHost(memory_));
}

struct leased_ring::cache {
    std::mutex mutex;
    std::vector<entry> rings;
    std::size_t made = 0;

    /// Returns the cache. It is never destroyed, since CUDA may shut down before static objects are destroyed.
    static cache& instance()
    {
        static auto* const one = [] {
            cache_list::instance().add([] { instance().release(); });
            return new cache;
        }();
        return *one;
    }
    [[gnu::cold]] void release()
    {
        std::lock_guard const lock(mutex);
        std::vector<entry> all = rings;
        rings.clear();
        for (entry const& each : gpu::release_when_idle(std::move(all), [](entry const& idle) { delete idle.ring; }))
            rings.push_back(each);
    }
};

TILEWISE_CUDA_INLINE leased_ring::leased_ring(current_device const& device)
    : own_{device.index(), device.context(), nullptr}
{
    cache& idle = cache::instance();
    {
        std::lock_guard const lock(idle.mutex);
        std::erase_if(idle.rings, [&](entry const& each) { // its context has ended
            return each.device == own_.device && each.context < own_.context;
        });
        auto const found = std::find_if(idle.rings.begin(), idle.rings.end(),
                                        [&](entry const& each) { return each.context == own_.context; });
        if (found != idle.rings.end()) {
            own_ = *found;
            idle.rings.erase(found);
            return;
        }
    }
    {
        std::lock_guard const lock(idle.mutex);
        idle.rings.reserve(++idle.made); // so that returning one cannot fail
    }
    own_.ring = new pinned_ring;
}

TILEWISE_CUDA_INLINE leased_ring::~leased_ring()
{
    if (!own_.ring->is_settled()) // it is leaked: a copy may still read or write its memory
        return;
    std::lock_guard const lock(cache::instance().mutex);
    cache::instance().rings.push_back(own_);
}

TILEWISE_CUDA_END
