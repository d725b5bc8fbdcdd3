// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The functions of the CUDA runtime about memory.
#include "api.hpp"
#include "device.hpp"
#include "machine.hpp"
#include "memory.hpp"
#include "race.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace simt {
namespace {

constexpr std::size_t least_alignment = 256;

std::set<void*> being_freed; ///< by cudaFreeAsync, once the stream gets there

bool is_kind(void const* memory, memory_kind kind)
{
    allocation const* const found = allocation_of(memory);
    return found != nullptr && found->kind == kind;
}
bool is_pageable(void const* memory)
{
    allocation const* const found = allocation_of(memory);
    return found == nullptr || found->kind == memory_kind::shared;
}
bool begins_block(void* memory, memory_kind kind)
{
    allocation const* const found = allocation_of(memory);
    return found != nullptr && found->kind == kind && found->first == memory && being_freed.count(memory) == 0;
}

cudaError_t make_block(void** memory, std::size_t bytes, memory_kind kind, int device)
{
    *memory = nullptr;
    if (bytes == 0)
        return cudaSuccess;
    std::size_t const limit = all_devices()[static_cast<std::size_t>(device)].memory_bytes;
    if (kind == memory_kind::device && (bytes > limit || amount_of(kind).bytes > limit - bytes))
        return cudaErrorMemoryAllocation;
    *memory = allocate(bytes, least_alignment, kind, device);
    return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t free_block(void* memory, memory_kind kind)
{
    if (memory == nullptr)
        return cudaSuccess;
    if (!begins_block(memory, kind))
        return cudaErrorInvalidValue;
    if (!synchronize_all())
        return outcome(false);
    release(memory);
    return cudaSuccess;
}

cudaError_t validity_of_copy(void const* to, void const* from, std::size_t bytes, cudaMemcpyKind kind)
{
    bool const to_device = is_kind(to, memory_kind::device), from_device = is_kind(from, memory_kind::device);
    bool const from_host_kind = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost;
    bool const to_host_kind = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (kind != cudaMemcpyDefault) {
        if ((from_host_kind && from_device) || (to_host_kind && to_device))
            return cudaErrorInvalidValue;
        if ((!from_host_kind && is_pageable(from)) || (!to_host_kind && is_pageable(to)))
            return cudaErrorInvalidValue;
    }
    if (!is_inside_one_allocation(to, bytes) || !is_inside_one_allocation(from, bytes))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

/// A copy, as a step of a stream.
graph_content::step copy_step(void* to, void const* from, std::size_t bytes)
{
    return [=](stream& in) {
        submit(in, "a copy", [=](operation& self) {
            race::operation_reads(self, from, bytes);
            race::operation_writes(self, to, bytes);
            copy_bytes(to, from, bytes);
        });
    };
}

graph_content::step fill_step(void* memory, int value, std::size_t bytes)
{
    return [=](stream& in) {
        submit(in, "a memset", [=](operation& self) {
            race::operation_writes(self, memory, bytes);
            fill_bytes(memory, value, bytes);
        });
    };
}

/// CUDA copies more than this from pageable memory through buffers of its own, for which it waits.
constexpr std::size_t most_inline_bytes = 64 * 1024;

/// A copy from memory that may change as soon as the call returns.
void copy_from_pageable(stream& in, void* to, void const* from, std::size_t bytes)
{
    if (bytes > most_inline_bytes)
        call("a wait in cudaMemcpyAsync", needs::nothing, [&] { return outcome(synchronize(in)); });
    std::shared_ptr<void> const staged(std::malloc(bytes), std::free);
    copy_bytes(staged.get(), from, bytes);
    submit(in, "a copy", [=](operation& self) {
        race::operation_writes(self, to, bytes);
        copy_bytes(to, staged.get(), bytes);
    });
}

} // namespace

namespace runtime {

void* map_memory(std::size_t bytes, int device, unsigned devices_with_access)
{
    void* const memory = allocate(bytes, least_alignment, memory_kind::device, device);
    share(memory, shared_with::some, devices_with_access);
    return memory;
}

memory_use live()
{
    amount const device = amount_of(memory_kind::device), managed = amount_of(memory_kind::managed),
                 pinned = amount_of(memory_kind::pinned);
    return {device.blocks + managed.blocks, device.bytes + managed.bytes, pinned.blocks, pinned.bytes};
}

} // namespace runtime
} // namespace simt

using namespace simt;

cudaError_t cudaMalloc(void** memory, std::size_t bytes)
{
    return call("cudaMalloc", needs::no_captures,
                [&] { return make_block(memory, bytes, memory_kind::device, current_device_index()); });
}

cudaError_t cudaFree(void* memory)
{
    return call("cudaFree", needs::no_captures, [&] {
        return free_block(memory, is_kind(memory, memory_kind::managed) ? memory_kind::managed : memory_kind::device);
    });
}

cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t handle)
{
    return call("cudaMallocAsync", handle, [&](stream& in) {
        cudaError_t const error = make_block(memory, bytes, memory_kind::device, in.device);
        if (error == cudaSuccess && *memory != nullptr)
            share(*memory, shared_with::readers_of_pool);
        if (error != cudaSuccess || !in.capture || *memory == nullptr)
            return error;
        // The address is known now; the memory is there while the graph runs.
        graph_content& graph = *in.capture;
        void* const made = *memory;
        graph.memory.push_back(made);
        race::memory_ends(made, bytes);
        graph.steps.push_back([made, bytes](stream& to) {
            submit(to, "an allocation", [=](operation&) { race::memory_begins(made, bytes); });
        });
        return cudaSuccess;
    });
}

cudaError_t cudaFreeAsync(void* memory, cudaStream_t handle)
{
    return call("cudaFreeAsync", handle, [&](stream& in) {
        if (memory == nullptr)
            return cudaSuccess;
        if (!begins_block(memory, memory_kind::device))
            return cudaErrorInvalidValue;
        std::size_t const bytes = allocation_of(memory)->bytes;
        if (in.capture) {
            in.capture->freed.push_back(memory);
            in.capture->steps.push_back([memory, bytes](stream& to) {
                submit(to, "a deallocation", [=](operation& self) {
                    race::operation_writes(self, memory, bytes);
                    race::memory_ends(memory, bytes);
                });
            });
            return cudaSuccess;
        }
        being_freed.insert(memory);
        submit(in, "a deallocation", [memory, bytes](operation& self) {
            race::operation_writes(self, memory, bytes);
            being_freed.erase(memory);
            release(memory);
        });
        return outcome(true);
    });
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned)
{
    return call("cudaHostAlloc", needs::no_captures,
                [&] { return make_block(memory, bytes, memory_kind::pinned, current_device_index()); });
}

cudaError_t cudaMallocHost(void** memory, std::size_t bytes, unsigned)
{
    return call("cudaMallocHost", needs::no_captures,
                [&] { return make_block(memory, bytes, memory_kind::pinned, current_device_index()); });
}

cudaError_t cudaMallocManaged(void** memory, std::size_t bytes, unsigned)
{
    return call("cudaMallocManaged", needs::no_captures,
                [&] { return make_block(memory, bytes, memory_kind::managed, current_device_index()); });
}

cudaError_t cudaFreeHost(void* memory)
{
    return call("cudaFreeHost", needs::no_captures, [&] { return free_block(memory, memory_kind::pinned); });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned)
{
    return call("cudaHostGetDevicePointer", needs::device, [&] {
        *device = host;
        return is_kind(host, memory_kind::pinned) ? cudaSuccess : cudaErrorInvalidValue;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, void const* memory)
{
    return call("cudaPointerGetAttributes", needs::device, [&] {
        void* const address = const_cast<void*>(memory);
        allocation const* const found = allocation_of(memory);
        bool const accessible = found != nullptr && is_accessible(*found, current_device_index());
        if (found == nullptr || found->kind == memory_kind::shared)
            *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, address};
        else if (found->kind == memory_kind::device)
            *attributes = {cudaMemoryTypeDevice, found->device, accessible ? address : nullptr, nullptr};
        else
            *attributes = {found->kind == memory_kind::managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost,
                           found->device, address, address};
        return cudaSuccess;
    });
}

cudaError_t cudaMemcpy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind)
{
    return call_uncaptured("cudaMemcpy", nullptr, [&](stream& in) {
        if (bytes == 0)
            return cudaSuccess;
        if (cudaError_t const error = validity_of_copy(to, from, bytes, kind); error != cudaSuccess)
            return error;
        copy_step(to, from, bytes)(in);
        return outcome(synchronize(in));
    });
}

cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t handle)
{
    return call("cudaMemcpyAsync", handle, [&](stream& in) {
        if (bytes == 0)
            return cudaSuccess;
        if (cudaError_t const error = validity_of_copy(to, from, bytes, kind); error != cudaSuccess)
            return error;
        if (!in.capture && is_pageable(from))
            copy_from_pageable(in, to, from, bytes);
        else
            submit_or_record(in, copy_step(to, from, bytes));
        if (!in.capture && is_pageable(to))
            return outcome(synchronize(in));
        return outcome(true);
    });
}

cudaError_t cudaMemset(void* memory, int value, std::size_t bytes)
{
    return call_uncaptured("cudaMemset", nullptr, [&](stream& in) {
        if (is_pageable(memory) || !is_inside_one_allocation(memory, bytes))
            return cudaErrorInvalidValue;
        fill_step(memory, value, bytes)(in);
        return outcome(true);
    });
}

cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t handle)
{
    return call("cudaMemsetAsync", handle, [&](stream& in) {
        if (is_pageable(memory) || !is_inside_one_allocation(memory, bytes))
            return cudaErrorInvalidValue;
        submit_or_record(in, fill_step(memory, value, bytes));
        return outcome(true);
    });
}
