// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Launches of kernels, and dependent launches (PDL).

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch/kernel.cuh>

#include <cuda_runtime.h>

#include <cstddef>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// @name Dependent launches (PDL)
/// A kernel launched with `launch_shape::dependent` may start as soon as every block of the preceding kernel in the
/// stream has called `release_dependents` or exited. It may access what that kernel writes only after
/// `wait_for_primary`.
/// @{
TILEWISE_DEVICE void release_dependents()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}
TILEWISE_DEVICE void wait_for_primary()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// @}

/// The launch configuration of a kernel.
struct launch_shape {
    int blocks = 1;
    int threads = warp_size;
    int cluster = 1;        ///< blocks per cluster
    bool dependent = false; ///< may start before the preceding kernel ends
    int shared_bytes = 0;   ///< dynamic shared memory: TILEWISE_LARGE_SHARED or TILEWISE_SHARED_ARRAY
};

/// Launches a kernel, whose parameters `arguments` point to, in a stream. (Not a template, and not inlined, because a
/// program has many launches.)
[[gnu::noinline]] inline cudaError_t start_kernel(void const* kernel, launch_shape const& shape, cudaStream_t stream,
                                                  void** arguments)
{
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
    config.blockDim = dim3(static_cast<unsigned>(shape.threads));
    config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
    config.stream = stream;
    config.attrs = attributes;
    if (shape.cluster > 1) {
        cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = static_cast<unsigned>(shape.cluster);
        attribute.val.clusterDim.y = 1;
        attribute.val.clusterDim.z = 1;
    }
    if (shape.dependent) {
        cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
    }
    return cudaLaunchKernelExC(&config, kernel, arguments);
}

/// Launches a kernel in a stream.
template <class... Parameters, class... Arguments>
cudaError_t start(void (*kernel)(Parameters...), launch_shape const& shape, cudaStream_t stream,
                  Arguments&&... arguments)
{
    return [&](Parameters... parameters) {
        void* addresses[] = {&parameters...};
        return gpu::start_kernel(reinterpret_cast<void const*>(kernel), shape, stream, addresses);
    }(static_cast<Arguments&&>(arguments)...);
}

/// Finds how many clusters of a kernel can be resident at once on the part of the device that a stream can use.
template <class... Parameters>
cudaError_t resident_clusters(void (*kernel)(Parameters...), launch_shape shape, cudaStream_t stream, int* clusters)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned>(shape.cluster);
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
    config.blockDim = dim3(static_cast<unsigned>(shape.threads));
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaOccupancyMaxActiveClusters(clusters, kernel, &config);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
