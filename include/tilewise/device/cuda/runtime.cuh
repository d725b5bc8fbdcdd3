// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Wrappers of the CUDA runtime: errors become exceptions, and objects own resources.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/context.cuh>

#include <cuda_runtime.h>
#ifdef TILEWISE_PROFILER_RANGES
#include <nvtx3/nvToolsExt.h>
#endif

#include <string>

TILEWISE_CUDA_BEGIN

/// Throws the exception for a failed call of the CUDA runtime, and clears the runtime's last error.
[[noreturn]] void throw_cuda_error(cudaError_t error, char const* call);

/// Makes the device of a stream the current one during its lifetime.
class current_device {
public:
    explicit current_device(cudaStream_t stream, bool captured = false);
    current_device(current_device const&) = delete;
    current_device& operator=(current_device const&) = delete;
    ~current_device();
    TILEWISE_INLINE int index() const { return index_; }
    TILEWISE_INLINE unsigned long long context() const { return context_; } ///< see context_id

private:
    int previous_ = 0, index_ = 0;
    unsigned long long context_ = 0;
};

/// Waits for the work in a stream, also while another stream is being captured, when CUDA rejects waiting by default.
void wait_for(cudaStream_t stream);

/// Waits likewise, but does not throw: for use while an exception is in flight. \returns whether the work is done
bool is_done_after_waiting(cudaStream_t stream) noexcept;

/// Whether a stream is being captured into a graph.
bool is_captured(cudaStream_t stream);

/// Throws if CUDA recorded a kernel's error before this call.
void reject_earlier_error();

TILEWISE_CUDA_END

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

using namespace cuda_runtime;

/// Throws if a call of the CUDA runtime failed.
inline void check(cudaError_t error, char const* call)
{
    if (error != cudaSuccess) [[unlikely]]
        throw_cuda_error(error, call);
}
#define TILEWISE_CUDA(call, ...) ::tilewise::gpu::check(call(__VA_ARGS__), #call)

/// Allows this thread to allocate while another thread captures a graph.
class relaxed_capture {
public:
    relaxed_capture() { TILEWISE_CUDA(cudaThreadExchangeStreamCaptureMode, &mode_); }
    relaxed_capture(relaxed_capture const&) = delete;
    relaxed_capture& operator=(relaxed_capture const&) = delete;
    ~relaxed_capture()
    {
        if (cudaThreadExchangeStreamCaptureMode(&mode_) != cudaSuccess &&
            cudaThreadExchangeStreamCaptureMode(&mode_) == cudaSuccess)
            static_cast<void>(cudaGetLastError());
    }

private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// A range in a profiler's timeline that has the name of an algorithm and lasts as long as this object.
class profiler_range {
public:
#ifdef TILEWISE_PROFILER_RANGES
    explicit profiler_range(char const* name) { nvtxRangePushA((std::string("tilewise::") + name).c_str()); }
    ~profiler_range() { nvtxRangePop(); }
#else
    explicit profiler_range(char const*) {}
#endif
    profiler_range(profiler_range const&) = delete;
    profiler_range& operator=(profiler_range const&) = delete;
};

} // namespace gpu
TILEWISE_NAMESPACE_END
