// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Wrappers of the CUDA runtime: errors become exceptions, and objects own resources.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/context.cuh>
#include <tilewise/device/cuda/driver.cuh>
#include <tilewise/error.hpp>

#include <cuda_runtime.h>
#ifdef TILEWISE_PROFILER_RANGES
#include <nvtx3/nvToolsExt.h>
#endif

#include <new>
#include <string>
#include <tuple>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Throws the exception for a failed call of the CUDA runtime, and clears the runtime's last error.
[[noreturn, gnu::cold]] inline void throw_cuda_error(cudaError_t error, char const* call)
{
    cudaGetLastError(); // so that no later call reports it; errors of kernels are sticky and remain
    switch (error) {
    case cudaErrorMemoryAllocation:
        throw std::bad_alloc();
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorStubLibrary:
    case cudaErrorSystemNotReady:
        throw no_device(std::string("tilewise: tilewise::device needs an NVIDIA GPU and its driver: ") +
                        cudaGetErrorString(error));
    case cudaErrorNoKernelImageForDevice:
        throw no_device("tilewise: this program was not compiled for this GPU; add its architecture to nvcc's "
                        "-arch or -gencode options");
    default:
        throw cuda_error(error, std::string("tilewise: ") + call + ": " + cudaGetErrorName(error) + ": " +
                                    cudaGetErrorString(error));
    }
}

/// Throws if a call of the CUDA runtime failed.
inline void check(cudaError_t error, char const* call)
{
    if (error != cudaSuccess) [[unlikely]]
        throw_cuda_error(error, call);
}
#define TILEWISE_CUDA(call, ...) ::tilewise::gpu::check(call(__VA_ARGS__), #call)

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

/// Returns the device of a stream's context, which the driver reports during capture, too; `otherwise` if it does not.
/// (cudaStreamGetDevice ends a capture, and needs CUDA 12.8.)
inline int device_of_captured(cudaStream_t stream, int otherwise)
{
    static driver_function<cudaStream_t, void**> context_of("cuStreamGetCtx", 9020);
    static driver_function<void*> push("cuCtxPushCurrent", 4000);
    static driver_function<void**> pop("cuCtxPopCurrent", 4000);
    static driver_function<int*> device_of_current("cuCtxGetDevice", 2000);
    auto const [get_context, begin, end, get_device] =
        std::tuple(context_of.get(), push.get(), pop.get(), device_of_current.get());
    void* context = nullptr;
    if (get_context == nullptr || begin == nullptr || end == nullptr || get_device == nullptr ||
        get_context(stream, &context) != 0 || begin(context) != 0)
        return otherwise;
    int device = otherwise;
    if (get_device(&device) != 0)
        device = otherwise;
    static_cast<void>(end(&context));
    return device;
}

/// Makes the device of a stream the current one during its lifetime.
class current_device {
public:
    explicit current_device(cudaStream_t stream, bool captured = false)
    {
        TILEWISE_CUDA(cudaGetDevice, &previous_);
        index_ = previous_;
#if CUDART_VERSION >= 12080 || !defined(CUDART_VERSION)
        if (stream != nullptr && !captured)
            TILEWISE_CUDA(cudaStreamGetDevice, stream, &index_);
#else
        captured = true;
#endif
        if (stream != nullptr && captured)
            index_ = gpu::device_of_captured(stream, previous_);
        if (index_ != previous_)
            TILEWISE_CUDA(cudaSetDevice, index_);
        context_ = context_id(index_);
    }
    current_device(current_device const&) = delete;
    current_device& operator=(current_device const&) = delete;
    ~current_device()
    {
        if (index_ != previous_)
            static_cast<void>(cudaSetDevice(previous_));
    }
    int index() const { return index_; }
    unsigned long long context() const { return context_; } ///< see context_id

private:
    int previous_ = 0, index_ = 0;
    unsigned long long context_ = 0;
};

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

/// Waits for the work in a stream, also while another stream is being captured, when CUDA rejects waiting by default.
inline void wait_for(cudaStream_t stream)
{
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    TILEWISE_CUDA(cudaThreadExchangeStreamCaptureMode, &mode);
    cudaError_t const outcome = cudaStreamSynchronize(stream);
    cudaError_t const restored = cudaThreadExchangeStreamCaptureMode(&mode);
    if (restored != cudaSuccess)
        static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
    check(outcome, "cudaStreamSynchronize");
    check(restored, "cudaThreadExchangeStreamCaptureMode");
}

/// Waits likewise, but does not throw: for use while an exception is in flight. \returns whether the work is done
inline bool is_done_after_waiting(cudaStream_t stream) noexcept
{
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    bool const relaxed = cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess;
    bool const done = cudaStreamSynchronize(stream) == cudaSuccess;
    if (relaxed)
        static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
    if (!relaxed || !done)
        static_cast<void>(cudaGetLastError());
    return done;
}

/// Whether a stream is being captured into a graph.
inline bool is_captured(cudaStream_t stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    TILEWISE_CUDA(cudaStreamIsCapturing, stream, &status);
    if (status == cudaStreamCaptureStatusInvalidated)
        throw_cuda_error(cudaErrorStreamCaptureInvalidated, "cudaStreamIsCapturing");
    return status == cudaStreamCaptureStatusActive;
}

/// Throws if CUDA recorded a kernel's error before this call.
inline void reject_earlier_error()
{
    if (cudaError_t const error = cudaPeekAtLastError();
        error == cudaErrorIllegalAddress || error == cudaErrorLaunchFailure || error == cudaErrorAssert ||
        error == cudaErrorMisalignedAddress || error == cudaErrorHardwareStackError ||
        error == cudaErrorIllegalInstruction)
        throw cuda_error(error, std::string("tilewise: an earlier kernel failed before this call: ") +
                                    cudaGetErrorName(error) + ": " + cudaGetErrorString(error));
}

} // namespace gpu
TILEWISE_NAMESPACE_END
