// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Copies of the tables of an axis in device memory.

#include <tilewise/axis/product.hpp>
#include <tilewise/cached_memory.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/context.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/idle_devices.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/order.hpp>

#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

struct ignore_table {
    template <class T>
    TILEWISE_PORTABLE void operator()(T const*, offset) const
    {}
};

/// The view of an axis that has tables.
template <class Bins>
concept has_tables = binning::has_tables_for<Bins, ignore_table>; // nvcc rejects a lambda here

/// Returns the bytes reserved for a table, which is aligned for the widest load.
template <class T>
TILEWISE_PORTABLE constexpr offset room_of_table(offset count)
{
    return (count * offset{sizeof(T)} + vector_bytes - 1) / vector_bytes * vector_bytes;
}

/// Returns the bytes reserved for the tables of an axis.
template <class Bins>
offset room_of_tables(Bins& bins)
{
    offset bytes = 0;
    if constexpr (has_tables<Bins>)
        bins.for_each_table([&]<class T>(T const*, offset count) { bytes += gpu::room_of_table<T>(count); });
    return bytes;
}

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

    /// Takes a buffer that no copy reads, without waiting for a copy.
    buffer take(current_device const& device, std::size_t bytes)
    {
        relaxed_capture const allowed; // this stream may be captured
        for (std::size_t tries = idle_count(); tries > 0; --tries) {
            buffer const candidate = take_oldest(device, bytes);
            if (candidate.memory == nullptr)
                break;
            if (is_copied(candidate))
                return candidate;
            keep(candidate);
        }
        buffer made = {device.index(), device.context(), nullptr, std::bit_ceil(bytes), nullptr};
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
    void keep(buffer const& returned)
    {
        std::lock_guard const lock(mutex_);
        idle_.push_back(returned);
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
    buffer take_oldest(current_device const& device, std::size_t bytes)
    {
        std::lock_guard const lock(mutex_);
        auto const found = std::find_if(idle_.begin(), idle_.end(), [&](buffer const& each) {
            return each.context == device.context() && each.bytes >= bytes;
        });
        if (found == idle_.end())
            return {};
        buffer const taken = *found;
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
    table_buffer(current_device const& device, std::size_t bytes) : own_(table_buffers::instance().take(device, bytes))
    {}
    table_buffer(table_buffer const&) = delete;
    table_buffer& operator=(table_buffer const&) = delete;
    ~table_buffer()
    {
        if (own_.memory != nullptr)
            table_buffers::instance().keep(own_);
    }
    unsigned char* begin() const { return static_cast<unsigned char*>(own_.memory); }

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
        table_buffers::instance().keep(*ended); // within the reserved capacity, so it does not throw
        delete ended;
    }

    table_buffers::buffer own_;
};

/// Copies of the tables of an axis' view in device memory, for the kernels of one call. The constructor makes the view
/// point to them. This object has to live until the kernels are launched. The axis is not needed afterwards, also if
/// the call is captured: the graph has its own copy of the tables.
class tables_on_device {
public:
    template <class View>
    tables_on_device(View& view, device_call const& by)
    {
        if constexpr (has_tables<View>) {
            auto const bytes = static_cast<std::size_t>(gpu::room_of_tables(view));
            if (bytes == 0)
                return;
            memory_.emplace(by, static_cast<offset>(bytes));
            bool const copied = by.is_captured() || bytes > most_staged_by_cuda;
            if (copied) {
                table_buffer buffer(by.device(), bytes);
                gather(view, buffer.begin());
                if (by.is_captured())
                    buffer.copy_in_graph(memory_->begin(), bytes, by.stream());
                else
                    buffer.copy_to(memory_->begin(), bytes, by.stream());
            }
            auto* copy = memory_->begin();
            view.for_each_table([&]<class T>(T const*& table, offset count) {
                if (count > 0 && !copied)
                    TILEWISE_CUDA(cudaMemcpyAsync, copy, table, static_cast<std::size_t>(count) * sizeof(T),
                                  cudaMemcpyDefault, by.stream());
                table = reinterpret_cast<T const*>(copy);
                copy += gpu::room_of_table<T>(count);
            });
        }
    }

private:
    /// The most bytes of pageable memory that CUDA copies without waiting for the stream.
    static constexpr std::size_t most_staged_by_cuda = 64 * 1024;

    template <class View>
    static void gather(View& view, unsigned char* to)
    {
        view.for_each_table([&]<class T>(T const* table, offset count) {
            auto const bytes = static_cast<std::size_t>(count) * sizeof(T),
                       room = static_cast<std::size_t>(gpu::room_of_table<T>(count));
            std::memcpy(to, table, bytes);
            std::memset(to + bytes, 0, room - bytes);
            to += room;
        });
    }

    std::optional<scratch<unsigned char>> memory_;
};

} // namespace gpu
TILEWISE_NAMESPACE_END
