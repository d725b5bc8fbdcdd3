// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Pinned memory from which tables are copied to the GPU.

#include <tilewise/cached_memory.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/cuda/context.cuh>
#include <tilewise/device/cuda/idle_devices.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/device/cuda/scratch.cuh>

#include <cuda_runtime.h>

#include <bit>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A cache of pinned buffers from which the GPU copies tables. A buffer is returned as soon as its copy is in the
/// stream, and reused once the copy is done.
class table_buffers {
public:
    struct buffer {
        int device;
        unsigned long long context; ///< see context_id
        void* memory;
        std::size_t bytes;
        cudaEvent_t copied; ///< null, or recorded after the last copy
        /// The owner of the tables that were written last, or null. The pointer does not keep the tables, but the
        /// owner's control block, so that no later owner equals it.
        std::weak_ptr<void const> owner;

        bool holds_tables_of(std::weak_ptr<void const> const& other) const
        {
            return is_same(owner, other) && !is_same(owner, {});
        }

    private:
        static bool is_same(std::weak_ptr<void const> const& a, std::weak_ptr<void const> const& b)
        {
            return !a.owner_before(b) && !b.owner_before(a);
        }
    };

    /// Returns the cache. It is never destroyed, since CUDA may shut down before static objects are destroyed.
    static table_buffers& instance()
    {
        static auto* const one = [] {
            cache_list::instance().add([] { instance().release(); });
            return new table_buffers;
        }();
        return *one;
    }

    /// Takes a buffer that no copy reads, without waiting for a copy: if there is one, a buffer with the owner's
    /// tables.
    buffer take(current_device const& device, std::size_t bytes, std::weak_ptr<void const> const& owner)
    {
        relaxed_capture const allowed; // this stream may be captured
        auto const fits = [&](buffer const& each) { return each.context == device.context() && each.bytes >= bytes; };
        auto const is_filled = [&](buffer const& each) { return fits(each) && each.holds_tables_of(owner); };
        if (buffer filled = take_copied(1, is_filled); filled.memory != nullptr)
            return filled;
        if (buffer idle = take_copied(idle_count(), fits); idle.memory != nullptr)
            return idle;
        buffer made = {device.index(), device.context(), nullptr, std::bit_ceil(bytes), nullptr, {}};
        {
            std::lock_guard const lock(mutex_);
            std::erase_if(idle_, [&](buffer const& each) { // their context ended when the device was reset
                return each.device == made.device && each.context < made.context;
            });
            idle_.reserve(++made_); // room for all, so that returning one cannot fail
        }
        TILEWISE_CUDA(cudaHostAlloc, &made.memory, made.bytes, cudaHostAllocPortable);
        return made;
    }
    void keep(buffer returned)
    {
        std::lock_guard const lock(mutex_);
        idle_.push_back(std::move(returned));
    }
    void release()
    {
        std::vector<buffer> all;
        {
            std::lock_guard const lock(mutex_);
            all = idle_;
            idle_.clear();
        }
        for (buffer const& each : release_when_idle(std::move(all), [](buffer const& idle) {
                 if (idle.copied != nullptr)
                     static_cast<void>(cudaEventDestroy(idle.copied));
                 static_cast<void>(cudaFreeHost(idle.memory));
             }))
            keep(each);
    }

private:
    static bool is_copied(buffer const& each)
    {
        if (each.copied == nullptr || cudaEventQuery(each.copied) == cudaSuccess)
            return true;
        static_cast<void>(cudaGetLastError()); // cudaErrorNotReady
        return false;
    }

    std::size_t idle_count()
    {
        std::lock_guard const lock(mutex_);
        return idle_.size();
    }
    /// Tries the oldest buffers for which `fits` is true. Returns the first that no copy reads, or null memory.
    template <class Fits>
    buffer take_copied(std::size_t tries, Fits const& fits)
    {
        for (; tries > 0; --tries) {
            buffer candidate = take_oldest(fits);
            if (candidate.memory == nullptr || is_copied(candidate))
                return candidate;
            keep(std::move(candidate));
        }
        return {};
    }
    template <class Fits>
    buffer take_oldest(Fits const& fits)
    {
        std::lock_guard const lock(mutex_);
        auto const found = std::find_if(idle_.begin(), idle_.end(), fits);
        if (found == idle_.end())
            return {};
        buffer taken = std::move(*found);
        idle_.erase(found);
        return taken;
    }

    std::mutex mutex_; ///< never held during a CUDA call, since CUDA calls `keep` when a graph ends
    std::vector<buffer> idle_;
    std::size_t made_ = 0;
};

/// A buffer that is leased until a copy from it is in a stream or in a graph.
class table_buffer {
public:
    table_buffer(current_device const& device, std::size_t bytes, std::weak_ptr<void const> const& owner)
        : own_(table_buffers::instance().take(device, bytes, owner))
    {}
    table_buffer(table_buffer const&) = delete;
    table_buffer& operator=(table_buffer const&) = delete;
    ~table_buffer()
    {
        if (own_.memory != nullptr)
            table_buffers::instance().keep(std::move(own_));
    }

    /// Calls `write(begin)` to write the tables of an owner, unless the buffer has them.
    template <class Write>
    void fill(std::weak_ptr<void const> const& owner, Write const& write)
    {
        if (own_.holds_tables_of(owner))
            return;
        write(static_cast<unsigned char*>(own_.memory));
        own_.owner = owner;
    }

    /// Copies the buffer to the GPU, in stream order. It is not reused before the copy is done.
    void copy_to(void* to, std::size_t bytes, cudaStream_t stream)
    {
        relaxed_capture const allowed;
        if (own_.copied == nullptr)
            TILEWISE_CUDA(cudaEventCreateWithFlags, &own_.copied, cudaEventDisableTiming);
        TILEWISE_CUDA(cudaMemcpyAsync, to, own_.memory, bytes, cudaMemcpyHostToDevice, stream);
        cudaError_t const error = cudaEventRecord(own_.copied, stream);
        if (error != cudaSuccess && cudaEventRecord(own_.copied, stream) != cudaSuccess)
            own_.memory = nullptr; // leaked: no event tracks the copy
        check(error, "cudaEventRecord");
    }

    /// Adds the copy to the graph into which the stream is being captured. The graph owns the buffer until it ends.
    void copy_in_graph(void* to, std::size_t bytes, cudaStream_t stream)
    {
        cudaGraph_t const graph = capture_info(stream).graph;
        cudaUserObject_t object = nullptr;
        auto* const owned = new table_buffers::buffer(own_);
        if (cudaError_t const error =
                cudaUserObjectCreate(&object, owned, &give_back, 1, cudaUserObjectNoDestructorSync);
            error != cudaSuccess) {
            delete owned;
            throw_cuda_error(error, "cudaUserObjectCreate");
        }
        void* const from = std::exchange(own_.memory, nullptr);
        if (cudaError_t const error = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
            error != cudaSuccess) {
            static_cast<void>(cudaUserObjectRelease(object, 1));
            throw_cuda_error(error, "cudaGraphRetainUserObject");
        }
        TILEWISE_CUDA(cudaMemcpyAsync, to, from, bytes, cudaMemcpyHostToDevice, stream);
    }

private:
    /// The callback with which the graph returns the buffer. CUDA permits no CUDA calls in it.
    static void CUDART_CB give_back(void* owned)
    {
        auto* const ended = static_cast<table_buffers::buffer*>(owned);
        table_buffers::instance().keep(std::move(*ended)); // within the reserved capacity, so it does not throw
        delete ended;
    }

    table_buffers::buffer own_;
};

} // namespace gpu
TILEWISE_NAMESPACE_END
