// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Launches: what the GPU at hand can do with a kernel, and the trace of what was started.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/context.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/policy.hpp>

#include <atomic>
#include <chrono>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Whether clusters and dependent launches are there: the GPU has them, and the kernel was compiled for such a GPU.
/// Asked once per kernel and context, as all that follows: what a kernel is allowed ends with the context.
template <auto* kernel>
bool has_sm90_features(current_device const& device)
{
    static known_of_context known;
    return known(device.context(), [&] {
               cudaFuncAttributes attributes = {};
               TILEWISE_CUDA(cudaFuncGetAttributes, &attributes, kernel);
               int major = 0;
               TILEWISE_CUDA(cudaDeviceGetAttribute, &major, cudaDevAttrComputeCapabilityMajor, device.index());
               return major >= 9 && attributes.ptxVersion >= 90 ? 1 : 0;
           }) != 0;
}

/// Lets a kernel run in clusters of more than the portable 8 blocks, and says whether one of `blocks` can be resident.
template <auto* kernel>
bool fits_cluster(current_device const& device, int blocks, int threads)
{
    constexpr unsigned long long sizes = 32; // of clusters, and more
    static known_of_context known;
    return known(device.context() * sizes + static_cast<unsigned long long>(blocks), [&] {
               if (!gpu::has_sm90_features<kernel>(device))
                   return 0;
               TILEWISE_CUDA(cudaFuncSetAttribute, kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
               int clusters = 0;
               if (gpu::resident_clusters(kernel, {blocks, threads, blocks, false}, nullptr, &clusters) ==
                       cudaSuccess &&
                   clusters > 0)
                   return 1;
               cudaGetLastError();
               return 0;
           }) != 0;
}

/// Lets a kernel of sm_90 have a large object in shared memory, and says how many of its blocks can be resident on the
/// device at once; none, if the GPU or the kernel's code is not of sm_90.
template <auto* kernel>
int resident_blocks_with(current_device const& device, int threads, int shared_bytes)
{
    static known_of_context known;
    return known(device.context(), [&] {
        int per_multiprocessor = 0, multiprocessors = 0;
        if (gpu::has_sm90_features<kernel>(device)) {
            if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes) !=
                    cudaSuccess ||
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, threads,
                                                              static_cast<std::size_t>(shared_bytes)) != cudaSuccess) {
                cudaGetLastError();
                per_multiprocessor = 0;
            }
            TILEWISE_CUDA(cudaDeviceGetAttribute, &multiprocessors, cudaDevAttrMultiProcessorCount, device.index());
        }
        return per_multiprocessor * multiprocessors;
    });
}

/// What a call tells its trace of itself.
struct call {
    char const* algorithm;
    offset items;
    cudaStream_t stream;
    sink_ref sink;
    bool captured = false;
    mutable bool started = false; ///< a kernel, for which nobody has waited since
};

/// Whether the trace waits for every kernel. Nobody can wait for those that are captured, nor time them.
inline bool is_timed(call const& by)
{
    return by.sink && by.sink.mode() == trace_mode::timed && !by.captured;
}

/// Starts a kernel, and reports it to the trace if that works.
template <auto* kernel, class... Arguments>
cudaError_t try_launch(call const& by, char const* name, launch_shape shape, Arguments&&... arguments)
{
    by.started = true;
    if (!by.sink) [[likely]]
        return gpu::start(kernel, shape, by.stream, std::forward<Arguments>(arguments)...);

    launch_record record = {by.algorithm, name, shape.blocks, shape.threads, shape.cluster, by.items, 0, 0};
    TILEWISE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor, &record.resident_blocks, kernel, shape.threads,
                  static_cast<std::size_t>(shape.shared_bytes));
    bool const timed = is_timed(by);
    if (timed)
        wait_for(by.stream);
    auto const begin = std::chrono::steady_clock::now();
    cudaError_t const error = gpu::start(kernel, shape, by.stream, std::forward<Arguments>(arguments)...);
    if (error != cudaSuccess)
        return error;
    if (timed) {
        wait_for(by.stream);
        record.microseconds =
            std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    }
    by.sink(record);
    return cudaSuccess;
}

/// Starts a kernel and reports it to the trace.
template <auto* kernel, class... Arguments>
void launch(call const& by, char const* name, launch_shape shape, Arguments&&... arguments)
{
    gpu::check(gpu::try_launch<kernel>(by, name, shape, std::forward<Arguments>(arguments)...), name);
}

/// Starts a kernel whose grid is one cluster that fits the device, unless it does not fit what the stream has of it: a
/// green context of up to 64 multiprocessors was seen to have no cluster of more than 8 blocks.
///
/// Such a launch is refused in a microsecond. While the stream is captured it is not, but the graph is; so there, and
/// once a launch was refused, the question comes first, which takes half a microsecond.
/// \returns whether it was started
template <auto* kernel, class... Arguments>
bool launch_cluster(call const& by, bool captured, char const* name, launch_shape shape, Arguments&&... arguments)
{
    static std::atomic<bool> was_refused{false};
    if (captured || was_refused.load(std::memory_order_relaxed)) {
        int clusters = 0;
        TILEWISE_CUDA(gpu::resident_clusters, kernel, shape, by.stream, &clusters);
        if (clusters == 0)
            return false;
    }
    cudaError_t const error = gpu::try_launch<kernel>(by, name, shape, std::forward<Arguments>(arguments)...);
    if (error == cudaErrorInvalidClusterSize) {
        static_cast<void>(cudaGetLastError());
        was_refused.store(true, std::memory_order_relaxed);
        return false;
    }
    gpu::check(error, name);
    return true;
}

} // namespace gpu
TILEWISE_NAMESPACE_END
