// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Queries of what the current device supports for a kernel.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/context.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/order.hpp>

#include <cuda_runtime.h>

#include <cstddef>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

inline int attribute_of(current_device const& device, cudaDeviceAttr attribute)
{
    int value = 0;
    TILEWISE_CUDA(cudaDeviceGetAttribute, &value, attribute, device.index());
    return value;
}

/// Whether a kernel can use clusters and dependent launches (PDL): the GPU supports them, and the kernel was compiled
/// for such a GPU. Like all functions below, this queries once per kernel and context: a kernel's attributes end with
/// the context.
template <auto* kernel>
bool has_sm90_features(current_device const& device)
{
    static known_of_context known;
    return known(device.context(), [&] {
               cudaFuncAttributes attributes = {};
               TILEWISE_CUDA(cudaFuncGetAttributes, &attributes, kernel);
               bool const has_them = gpu::attribute_of(device, cudaDevAttrComputeCapabilityMajor) >= 9;
               return has_them && attributes.ptxVersion >= 90 ? 1 : 0;
           }) != 0;
}

/// What a query of room on the device knows if it ended with an error: there is none if `error` says so, and nothing
/// otherwise, as the code of a kernel that is used for the first time may have found no memory.
inline int room_after(cudaError_t error, cudaError_t there_is_none)
{
    cudaGetLastError();
    return error == there_is_none ? 0 : known_of_context::not_found;
}

/// Allows a kernel clusters of more than the portable 8 blocks. \returns whether a cluster of `blocks` can be resident
template <auto* kernel>
bool fits_cluster(current_device const& device, int blocks, int threads)
{
    constexpr unsigned long long sizes = 32; // more than the largest cluster has blocks
    static known_of_context known;
    return known(device.context() * sizes + static_cast<unsigned long long>(blocks), [&] {
               if (!gpu::has_sm90_features<kernel>(device))
                   return 0;
               TILEWISE_CUDA(cudaFuncSetAttribute, kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
               int clusters = 0;
               cudaError_t const error =
                   gpu::resident_clusters(kernel, {blocks, threads, blocks, false}, nullptr, &clusters);
               if (error != cudaSuccess)
                   return gpu::room_after(error, cudaErrorInvalidClusterSize);
               return clusters > 0 ? 1 : 0;
           }) != 0;
}

/// Allows a kernel up to `bytes` of dynamic shared memory, the same limit in every call.
template <auto* kernel>
void allow_array(current_device const& device, int bytes)
{
    static known_of_context allowed;
    allowed(device.context(), [&] {
        TILEWISE_CUDA(cudaFuncSetAttribute, kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        return 1;
    });
}

/// Allows a kernel for sm_90 a large object in shared memory. \returns how many of its blocks can be resident on the
/// device at once; 0 if the GPU or the kernel's code is older
template <auto* kernel>
int resident_blocks_with(current_device const& device, int threads, int shared_bytes)
{
    static known_of_context known;
    return known(device.context(), [&] {
        if (!gpu::has_sm90_features<kernel>(device))
            return 0;
        int per_multiprocessor = 0;
        cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
        if (error == cudaSuccess)
            error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, threads,
                                                                  static_cast<std::size_t>(shared_bytes));
        if (error != cudaSuccess)
            return gpu::room_after(error, cudaErrorInvalidValue);
        return per_multiprocessor * gpu::attribute_of(device, cudaDevAttrMultiProcessorCount);
    });
}

/// The number of blocks that have work, but at least one and no more than `most`.
inline int blocks_for(offset work, offset per_block, offset most)
{
    return static_cast<int>(std::clamp((work + per_block - 1) / per_block, offset{1}, most));
}

/// Allows a kernel arrays of up to `most_bytes` in shared memory, and prefers shared memory to L1 cache.
template <auto* kernel>
void allow_large_arrays(current_device const& device, int most_bytes)
{
    static known_of_context allowed;
    allowed(device.context(), [&] {
        TILEWISE_CUDA(cudaFuncSetAttribute, kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_bytes);
        TILEWISE_CUDA(cudaFuncSetAttribute, kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
        return 1;
    });
}

} // namespace gpu
TILEWISE_NAMESPACE_END
