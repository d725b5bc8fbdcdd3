// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Launches: what the GPU at hand can do with a kernel, and the trace of what was started.

#include <tilewise/config.hpp>
#include <tilewise/device/arch.cuh>
#include <tilewise/device/runtime.cuh>
#include <tilewise/policy.hpp>
#include <tilewise/standard.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Whether clusters and dependent launches are there: the GPU has them, and the kernel was compiled for such a GPU.
/// Asked once per kernel and device.
template <auto* kernel>
bool has_sm90_features(int device)
{
    enum : char { unknown, no, yes };
    static std::array<std::atomic<char>, 64> known{};
    auto& answer = known[static_cast<std::size_t>(device) % known.size()];
    if (answer.load(std::memory_order_relaxed) == unknown) {
        cudaFuncAttributes attributes = {};
        TILEWISE_CUDA(cudaFuncGetAttributes, &attributes, kernel);
        int major = 0;
        TILEWISE_CUDA(cudaDeviceGetAttribute, &major, cudaDevAttrComputeCapabilityMajor, device);
        answer.store(major >= 9 && attributes.ptxVersion >= 90 ? yes : no, std::memory_order_relaxed);
    }
    return answer.load(std::memory_order_relaxed) == yes;
}

/// Lets a kernel run in clusters of more than the portable 8 blocks, and says whether one of `blocks` can be resident.
template <auto* kernel>
bool fits_cluster(int device, int blocks, int threads)
{
    enum : char { unknown, no, yes };
    static std::array<std::array<std::atomic<char>, 17>, 64> known{};
    auto& answer = known[static_cast<std::size_t>(device) % known.size()][static_cast<std::size_t>(blocks)];
    if (answer.load(std::memory_order_relaxed) == unknown) {
        char fits = no;
        if (has_sm90_features<kernel>(device)) {
            TILEWISE_CUDA(cudaFuncSetAttribute, kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
            int clusters = 0;
            if (resident_clusters(kernel, {blocks, threads, blocks, false}, &clusters) == cudaSuccess && clusters > 0)
                fits = yes;
            else
                cudaGetLastError();
        }
        answer.store(fits, std::memory_order_relaxed);
    }
    return answer.load(std::memory_order_relaxed) == yes;
}

/// Lets a kernel of sm_90 have a large object in shared memory, and says how many of its blocks can be resident on the
/// device at once; none, if the GPU or the kernel's code is not of sm_90.
template <auto* kernel>
int resident_blocks_with(int device, int threads, int shared_bytes)
{
    static std::array<std::atomic<int>, 64> known{};
    auto& answer = known[static_cast<std::size_t>(device) % known.size()];
    constexpr int none = -1;
    if (answer.load(std::memory_order_relaxed) == 0) {
        int per_multiprocessor = 0, multiprocessors = 0;
        if (has_sm90_features<kernel>(device)) {
            if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes) !=
                    cudaSuccess ||
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, threads,
                                                              static_cast<std::size_t>(shared_bytes)) != cudaSuccess) {
                cudaGetLastError();
                per_multiprocessor = 0;
            }
            TILEWISE_CUDA(cudaDeviceGetAttribute, &multiprocessors, cudaDevAttrMultiProcessorCount, device);
        }
        int const resident = per_multiprocessor * multiprocessors;
        answer.store(resident > 0 ? resident : none, std::memory_order_relaxed);
    }
    return std::max(0, answer.load(std::memory_order_relaxed));
}

/// What a call tells its trace of itself.
struct call {
    char const* algorithm;
    offset items;
    cudaStream_t stream;
    sink_ref sink;
};

/// Whether the trace waits for every kernel.
inline bool is_timed(call const& by)
{
    return by.sink && by.sink.mode() == trace_mode::timed;
}

/// Starts a kernel, and tells the trace.
template <auto* kernel, class... Arguments>
void launch(call const& by, char const* name, launch_shape shape, Arguments&&... arguments)
{
    if (!by.sink) [[likely]]
        return check(start(kernel, shape, by.stream, std::forward<Arguments>(arguments)...), name);

    launch_record record = {by.algorithm, name, shape.blocks, shape.threads, shape.cluster, by.items, 0, 0};
    TILEWISE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor, &record.resident_blocks, kernel, shape.threads,
                  static_cast<std::size_t>(shape.shared_bytes));
    bool const timed = is_timed(by);
    if (timed)
        wait_for(by.stream);
    auto const begin = std::chrono::steady_clock::now();
    check(start(kernel, shape, by.stream, std::forward<Arguments>(arguments)...), name);
    if (timed) {
        wait_for(by.stream);
        record.microseconds =
            std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    }
    by.sink(record);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
