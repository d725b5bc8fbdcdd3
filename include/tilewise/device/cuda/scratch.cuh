// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Scratch memory on the GPU.
///
/// Memory is leased for one call and then cached for later calls, so that nothing is allocated in the steady state. It
/// belongs to a context, and is dropped after a reset of the device; `release_cached_memory` frees it. Large scratch is
/// not cached, but freed to the stream's memory pool; the program sets how much memory the pool keeps.

#include <tilewise/cached_memory.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/memory_kind.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/device/cuda/scratch_cache.cuh>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <cstddef>
#include <stdexcept>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The graph into which a stream is being captured, and the stream's last node in it; null if there is none.
struct capture_info {
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t last = nullptr;

    explicit capture_info(cudaStream_t stream)
    {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        cudaGraphNode_t const* nodes = nullptr;
        std::size_t count = 0;
#if CUDART_VERSION >= 13000
        TILEWISE_CUDA(cudaStreamGetCaptureInfo, stream, &status, nullptr, &graph, &nodes, nullptr, &count);
#else
        TILEWISE_CUDA(cudaStreamGetCaptureInfo, stream, &status, nullptr, &graph, &nodes, &count);
#endif
        if (count > 0)
            last = nodes[count - 1];
    }
};

/// Device memory for the kernels of one call: from the policy's resource, if it has one; from the graph, while the
/// stream is captured; otherwise from a cache. No two calls hold the same block at the same time.
///
/// The memory is returned in stream order, also if an exception ends the call. A graph owns what its nodes allocate.
/// Memory that a resource allocates outside the graph during a capture is never returned, since the graph keeps using
/// it.
///
/// (Not inlined: an algorithm leases in several places, and would compile this in each.)
class leased_memory {
public:
    [[gnu::noinline]] leased_memory(scratch_cache& cache, device_call const& by, std::size_t bytes,
                                    std::size_t most_kept_bytes = std::size_t{128} << 20)
        : cache_(cache), stream_(by.stream()), resource_(by.resource()), captured_(by.is_captured()),
          most_kept_bytes_(most_kept_bytes), block_{0, by.device().context(), by.device().index(), nullptr, bytes}
    {
        if (resource_) {
            cudaGraphNode_t const before = captured_ ? capture_info(stream_).last : nullptr;
            block_.memory = resource_.allocate(bytes, stream_);
            try {
                bool const is_of_graph = captured_ && capture_info(stream_).last != before; // mapped only at launch
                stays_with_graph_ = captured_ && !is_of_graph;
                if (auto const kind = is_of_graph ? memory_kind::readable : gpu::kind_of(block_.memory, block_.device);
                    kind == memory_kind::pageable || kind == memory_kind::no_access)
                    throw std::invalid_argument(
                        "tilewise: the policy's resource allocates memory that the stream's device cannot access");
            } catch (...) {
                return_to_resource();
                throw;
            }
        } else if (captured_) {
            TILEWISE_CUDA(cudaMallocAsync, &block_.memory, bytes, stream_);
        } else {
            TILEWISE_CUDA(cudaStreamGetId, stream_, &block_.stream);
            auto const found = cache_.take(block_);
            if (found.memory != nullptr)
                block_ = found;
            else
                allocate(by.waits());
        }
    }
    leased_memory(leased_memory const&) = delete;
    leased_memory& operator=(leased_memory const&) = delete;
    [[gnu::noinline]] ~leased_memory()
    {
        if (resource_) {
            if (!stays_with_graph_)
                return_to_resource();
        } else if (captured_ || block_.bytes > most_kept_bytes_ || !cache_.keep(block_)) {
            // Frees this block, not another one to make room for it: the stream of that one may be busy or destroyed,
            // so freeing it would have to wait for the device.
            free_in_stream(block_);
        }
    }
    void* begin() const { return block_.memory; }
    std::size_t bytes() const { return block_.bytes; }
    /// The state of status memory; all zeros if the memory is new.
    status_state& state() { return block_.state; }

private:
    static constexpr std::size_t least_bytes = 64 * 1024;

    /// Allocates. If the device is out of memory, frees cached blocks and tries again: all of them if the call may
    /// wait, otherwise those of its stream.
    [[gnu::cold]] void allocate(bool may_wait)
    {
        block_.bytes = (block_.bytes / least_bytes + 1) * least_bytes;
        if (auto const outgrown = cache_.take_outgrown(block_); outgrown.memory != nullptr)
            free_in_stream(outgrown);
        cudaError_t error = cudaMallocAsync(&block_.memory, block_.bytes, stream_);
        if (error == cudaErrorMemoryAllocation) {
            static_cast<void>(cudaGetLastError());
            bool emptied = may_wait;
            for (scratch_cache* const cache :
                 {&scratch_cache::of_scratch(), &scratch_cache::of_status(), &scratch_cache::of_counters()})
                for (auto idle = cache->take_outgrown(block_); idle.memory != nullptr;
                     idle = cache->take_outgrown(block_)) {
                    free_in_stream(idle);
                    emptied = true;
                }
            if (may_wait)
                release_cached_memory();
            if (emptied)
                error = cudaMallocAsync(&block_.memory, block_.bytes, stream_);
        }
        check(error, "cudaMallocAsync");
    }
    void return_to_resource() const noexcept
    {
        try {
            resource_.deallocate(block_.memory, block_.bytes, stream_);
        } catch (...) { // The work is in the stream already, or another exception is in flight.
        }
    }
    void free_in_stream(scratch_cache::block const& idle) const
    {
        if (cudaFreeAsync(idle.memory, stream_) != cudaSuccess)
            static_cast<void>(cudaGetLastError());
    }

    scratch_cache& cache_;
    cudaStream_t stream_;
    resource_ref resource_;
    bool captured_, stays_with_graph_ = false;
    std::size_t most_kept_bytes_;
    scratch_cache::block block_;
};

/// An array that the kernels of one call write before they read it.
template <class T>
class scratch : leased_memory {
public:
    scratch(device_call const& by, offset count)
        : leased_memory(scratch_cache::of_scratch(), by, static_cast<std::size_t>(count) * sizeof(T))
    {}
    T* begin() const { return static_cast<T*>(leased_memory::begin()); }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
