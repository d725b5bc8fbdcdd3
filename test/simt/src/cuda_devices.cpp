// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The functions of the CUDA runtime about devices and kernels.
#include "api.hpp"
#include "device.hpp"
#include "machine.hpp"
#include "memory.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <set>

namespace simt {
namespace {

constexpr int most_threads = 1024, portable_cluster = 8, largest_cluster = 16;
constexpr int usual_shared = 48 * 1024, largest_shared = 227 * 1024;
constexpr std::size_t most_parameter_bytes = 32764;

thread_local int current_index = 0;
std::set<void const*> allows_large_clusters;
std::map<void const*, int> allowed_shared_bytes; ///< of dynamic shared memory

int attribute_of(int device, cudaDeviceAttr attribute)
{
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        return most_threads;
    case cudaDevAttrMaxGridDimX:
        return 0x7FFFFFFF;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        return usual_shared;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        return largest_shared;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        return 228 * 1024;
    case cudaDevAttrReservedSharedMemoryPerBlock:
        return 1024;
    case cudaDevAttrWarpSize:
        return static_cast<int>(lanes_per_warp);
    case cudaDevAttrMultiProcessorCount:
        return multiprocessors_of(device);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        return 2048;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        return 32;
    case cudaDevAttrL2CacheSize:
        return 50 << 20;
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate:
        return 1'000'000;
    case cudaDevAttrGlobalMemoryBusWidth:
        return 1024;
    case cudaDevAttrComputeCapabilityMajor:
        return capability_of(device) / 10;
    case cudaDevAttrComputeCapabilityMinor:
        return capability_of(device) % 10;
    case cudaDevAttrClusterLaunch:
        return capability_of(device) >= 90;
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrMemoryPoolsSupported:
        return 1;
    case cudaDevAttrPageableMemoryAccess:
        return all_devices()[static_cast<std::size_t>(device)].reads_host_memory;
    case cudaDevAttrIntegrated:
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
        return 0;
    }
    return 0;
}

/// Whether a kernel may have so much dynamic shared memory.
bool may_share(void const* kernel, std::size_t bytes)
{
    auto const allowed = allowed_shared_bytes.find(kernel);
    return bytes <= static_cast<std::size_t>(allowed != allowed_shared_bytes.end() ? allowed->second : usual_shared);
}

/// What is wrong with a launch.
cudaError_t validity_of(launch_request const& request, stream const& in)
{
    bool const wants_sm90 = request.cluster > 1 || request.dependent;
    if (in.device != current_index)
        return cudaErrorInvalidResourceHandle;
    if (request.blocks < 1 || request.threads < 1 || request.threads > most_threads)
        return cudaErrorInvalidConfiguration;
    if (request.parameter_bytes > most_parameter_bytes || request.shared_bytes < 0 ||
        !may_share(request.kernel, static_cast<std::size_t>(request.shared_bytes)))
        return cudaErrorInvalidValue;
    if (wants_sm90 && capability_of(in.device) < 90)
        return cudaErrorNotSupported;
    int largest = allows_large_clusters.count(request.kernel) != 0 ? largest_cluster : portable_cluster;
    if (in.most_cluster_blocks != 0 && !in.capture) // a captured launch is refused with its graph: seen so, CUDA 13.0
        largest = std::min(largest, in.most_cluster_blocks);
    if (request.cluster < 1 || request.cluster > largest || request.blocks % request.cluster != 0)
        return cudaErrorInvalidClusterSize;
    return cudaSuccess;
}

} // namespace

int current_device_index()
{
    return current_index;
}
void make_current(int device)
{
    current_index = device;
}
bool is_device(int index)
{
    return index >= 0 && static_cast<std::size_t>(index) < all_devices().size();
}

cudaError_t launch(launch_request const& request)
{
    return call("cudaLaunchKernelEx", request.stream, [&](stream& in) {
        if (cudaError_t const error = validity_of(request, in); error != cudaSuccess)
            return error;
        launch_request unbound = request;
        unbound.stream = nullptr;
        unbound.most_shared_bytes = allowed_shared_bytes.count(request.kernel) != 0 ? largest_shared : usual_shared;
        if (in.capture && in.most_cluster_blocks != 0 && request.cluster > in.most_cluster_blocks)
            in.capture->has_too_large_cluster = true;
        submit_or_record(in, [unbound](stream& to) { submit(to, unbound); });
        return outcome(true);
    });
}

std::shared_ptr<void> parameter_memory(std::size_t bytes, std::size_t alignment)
{
    std::align_val_t const aligned{alignment};
    return {::operator new(bytes, aligned), [aligned](void* memory) { ::operator delete(memory, aligned); }};
}

cudaError_t resident_clusters(void const* kernel, int cluster, int threads, cudaStream_t handle, int* clusters)
{
    return call("cudaOccupancyMaxActiveClusters", handle, [&](stream& in) {
        launch_request shape{};
        shape.kernel = kernel;
        shape.blocks = shape.cluster = cluster;
        shape.threads = threads;
        cudaError_t const error = validity_of(shape, default_stream(current_index));
        bool const fits = in.most_cluster_blocks == 0 || cluster <= in.most_cluster_blocks;
        *clusters = error == cudaSuccess && fits
                        ? std::max(1, multiprocessors_of(current_index) * resident_blocks_of(current_index) / cluster)
                        : 0;
        return error;
    });
}

} // namespace simt

using namespace simt;

cudaError_t cudaGetDevice(int* device)
{
    return call("cudaGetDevice", needs::device, [&] {
        *device = current_index;
        return cudaSuccess;
    });
}

cudaError_t cudaSetDevice(int device)
{
    return call("cudaSetDevice", needs::device, [&] {
        if (!is_device(device))
            return cudaErrorInvalidDevice;
        current_index = device;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceCount(int* count)
{
    return call("cudaGetDeviceCount", needs::device, [&] {
        *count = static_cast<int>(all_devices().size());
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device)
{
    return call("cudaDeviceGetAttribute", needs::device, [&] {
        if (!is_device(device))
            return cudaErrorInvalidDevice;
        *value = attribute_of(device, attribute);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSynchronize()
{
    return call("cudaDeviceSynchronize", needs::no_captures, [] { return outcome(synchronize_all()); });
}

/// Ends the context of the current device, and all that belongs to it: memory, streams, what kernels were allowed.
cudaError_t cudaDeviceReset()
{
    return call("cudaDeviceReset", needs::no_captures, [] {
        bool const done = synchronize_all();
        release_all_of(current_index);
        std::erase_if(all_streams(), [](auto const& each) {
            return each->device == current_index && each.get() != &default_stream(current_index);
        });
        default_stream(current_index).id = new_stream_id();
        allows_large_clusters.clear();
        allowed_shared_bytes.clear();
        begin_context(current_index);
        return outcome(done);
    });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer)
{
    return call("cudaDeviceCanAccessPeer", needs::device, [&] {
        if (!is_device(device) || !is_device(peer))
            return cudaErrorInvalidDevice;
        *can = device != peer && all_devices()[static_cast<std::size_t>(device)].reaches_peers;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned)
{
    return call("cudaDeviceEnablePeerAccess", needs::device, [&] {
        if (!is_device(peer) || peer == current_index)
            return cudaErrorInvalidDevice;
        runtime::device& current = all_devices()[static_cast<std::size_t>(current_index)];
        if (!current.reaches_peers)
            return cudaErrorPeerAccessUnsupported;
        unsigned const before = current.peers_enabled;
        current.peers_enabled |= 1u << peer;
        return current.peers_enabled == before ? cudaErrorPeerAccessAlreadyEnabled : cudaSuccess;
    });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return call("cudaDeviceDisablePeerAccess", needs::device, [&] {
        if (!is_device(peer))
            return cudaErrorInvalidDevice;
        runtime::device& current = all_devices()[static_cast<std::size_t>(current_index)];
        unsigned const before = current.peers_enabled;
        current.peers_enabled &= ~(1u << peer);
        return current.peers_enabled == before ? cudaErrorPeerAccessNotEnabled : cudaSuccess;
    });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer)
{
    return call("cudaDeviceGetP2PAttribute", needs::device, [&] {
        if (!is_device(device) || !is_device(peer) || device == peer)
            return cudaErrorInvalidDevice;
        runtime::device const& asking = all_devices()[static_cast<std::size_t>(device)];
        *value = asking.reaches_peers && (attribute != cudaDevP2PAttrNativeAtomicSupported || asking.has_peer_atomics);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device)
{
    return call("cudaDeviceGetDefaultMemPool", needs::device, [&] {
        if (!is_device(device))
            return cudaErrorInvalidDevice;
        *pool = reinterpret_cast<cudaMemPool_t>(static_cast<std::uintptr_t>(device) + 1);
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, cudaMemAccessDesc const* access, std::size_t count)
{
    return call("cudaMemPoolSetAccess", needs::device, [&] {
        int const owner = static_cast<int>(reinterpret_cast<std::uintptr_t>(pool)) - 1;
        for (std::size_t i = 0; i < count; ++i) {
            int const peer = access[i].location.id;
            if (!is_device(owner) || !is_device(peer) || access[i].location.type != cudaMemLocationTypeDevice ||
                !all_devices()[static_cast<std::size_t>(peer)].reaches_peers)
                return cudaErrorInvalidDevice;
            if (access[i].flags == cudaMemAccessFlagsProtRead) // seen so on a GPU, CUDA 13.0
                return cudaErrorNotSupported;
            unsigned& readers = all_devices()[static_cast<std::size_t>(owner)].readers_of_pool;
            readers = access[i].flags == cudaMemAccessFlagsProtNone ? readers & ~(1u << peer) : readers | 1u << peer;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total)
{
    return call("cudaMemGetInfo", needs::device, [&] {
        *total = all_devices()[static_cast<std::size_t>(current_index)].memory_bytes;
        *free = *total - std::min(*total, amount_of(memory_kind::device).bytes);
        return cudaSuccess;
    });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void const*)
{
    return call("cudaFuncGetAttributes", needs::device, [&] {
        *attributes = {};
        attributes->maxThreadsPerBlock = most_threads;
        attributes->numRegs = 32;
        attributes->ptxVersion = attributes->binaryVersion = capability_of(current_index);
        return cudaSuccess;
    });
}

cudaError_t cudaFuncSetAttribute(void const* kernel, cudaFuncAttribute attribute, int value)
{
    return call("cudaFuncSetAttribute", needs::device, [&] {
        if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
            if (value != 0)
                allows_large_clusters.insert(kernel);
            else
                allows_large_clusters.erase(kernel);
        }
        if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
            if (value < 0 || value > largest_shared)
                return cudaErrorInvalidValue;
            allowed_shared_bytes[kernel] = value;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void const* kernel, int threads,
                                                          std::size_t shared_bytes)
{
    return call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", needs::device, [&] {
        if (threads < 1 || threads > most_threads)
            return cudaErrorInvalidValue;
        *blocks = may_share(kernel, shared_bytes) ? resident_blocks_of(current_index) : 0;
        return cudaSuccess;
    });
}
