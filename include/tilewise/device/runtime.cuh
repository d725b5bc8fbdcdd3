// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The CUDA runtime, with errors as exceptions and every resource owned.

#include <tilewise/config.hpp>
#include <tilewise/error.hpp>

#include <cuda_runtime.h>
#ifdef TILEWISE_PROFILER_RANGES
#include <nvtx3/nvToolsExt.h>
#endif

#include <cstddef>
#include <new>
#include <string>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Throws what a failed call of the CUDA runtime means, and takes the error off the runtime's books.
[[noreturn, gnu::cold]] inline void throw_cuda_error(cudaError_t error, char const* call)
{
    cudaGetLastError(); // so that nobody finds it later; an error inside a kernel stays whatever one does
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

/// Checks a call of the CUDA runtime.
inline void check(cudaError_t error, char const* call)
{
    if (error != cudaSuccess) [[unlikely]]
        throw_cuda_error(error, call);
}
#define TILEWISE_CUDA(call, ...) ::tilewise::gpu::check(call(__VA_ARGS__), #call)

/// Names what happens while it lives in the timeline of a profiler.
class profiler_range {
public:
#ifdef TILEWISE_PROFILER_RANGES
    explicit profiler_range(char const* name) { nvtxRangePushA(name); }
    ~profiler_range() { nvtxRangePop(); }
#else
    explicit profiler_range(char const*) {}
#endif
    profiler_range(profiler_range const&) = delete;
    profiler_range& operator=(profiler_range const&) = delete;
};

/// Makes the device of a stream the current one while it lives. While a stream is captured, CUDA does not tell its
/// device, which then has to be the current one already.
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
        static_cast<void>(stream); // before CUDA 12.8 the stream's device has to be the current one in any case
        static_cast<void>(captured);
#endif
        if (index_ != previous_)
            TILEWISE_CUDA(cudaSetDevice, index_);
    }
    current_device(current_device const&) = delete;
    current_device& operator=(current_device const&) = delete;
    ~current_device()
    {
        if (index_ != previous_)
            static_cast<void>(cudaSetDevice(previous_));
    }
    int index() const { return index_; }

private:
    int previous_ = 0, index_ = 0;
};

/// Lets this thread allocate while another captures a graph.
class relaxed_capture {
public:
    relaxed_capture() { TILEWISE_CUDA(cudaThreadExchangeStreamCaptureMode, &mode_); }
    relaxed_capture(relaxed_capture const&) = delete;
    relaxed_capture& operator=(relaxed_capture const&) = delete;
    ~relaxed_capture() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }

private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// Waits for the work of a stream, also while another stream is being captured, when CUDA refuses to wait for any.
inline void wait_for(cudaStream_t stream)
{
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    TILEWISE_CUDA(cudaThreadExchangeStreamCaptureMode, &mode);
    cudaError_t const outcome = cudaStreamSynchronize(stream);
    cudaError_t const restored = cudaThreadExchangeStreamCaptureMode(&mode);
    check(outcome, "cudaStreamSynchronize");
    check(restored, "cudaThreadExchangeStreamCaptureMode");
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

/// An error that CUDA knew of before this call.
inline void reject_earlier_error()
{
    if (cudaError_t const error = cudaPeekAtLastError();
        error == cudaErrorIllegalAddress || error == cudaErrorLaunchFailure || error == cudaErrorAssert ||
        error == cudaErrorMisalignedAddress || error == cudaErrorHardwareStackError ||
        error == cudaErrorIllegalInstruction)
        throw cuda_error(error, std::string("tilewise: an earlier kernel, not this call, left the GPU with ") +
                                    cudaGetErrorName(error) + ": " + cudaGetErrorString(error));
}

/// What a pointer points to.
enum class memory_kind { readable, pageable, other_device };

/// Looks up what kernels of device `device` can do with a pointer. Memory of another device counts as readable once
/// peer access is enabled, which this does where it can.
inline memory_kind kind_of(void const* pointer, int device)
{
    cudaPointerAttributes attributes = {};
    TILEWISE_CUDA(cudaPointerGetAttributes, &attributes, pointer);
    switch (attributes.type) {
    case cudaMemoryTypeUnregistered:
        return memory_kind::pageable;
    case cudaMemoryTypeDevice:
        if (attributes.device != device) {
            cudaError_t const error = cudaDeviceEnablePeerAccess(attributes.device, 0);
            if (error != cudaSuccess)
                cudaGetLastError();
            if (error != cudaSuccess && error != cudaErrorPeerAccessAlreadyEnabled)
                return memory_kind::other_device;
        }
        return memory_kind::readable;
    default:
        return memory_kind::readable;
    }
}

/// Whether kernels can read ordinary host memory: some systems have its pages come when they are wanted.
inline bool reads_any_memory(int device)
{
    int answer = 0;
    TILEWISE_CUDA(cudaDeviceGetAttribute, &answer, cudaDevAttrPageableMemoryAccess, device);
    return answer != 0;
}

/// Refuses elements, or what else an algorithm reads, in memory that kernels cannot read.
inline void check_readable(char const* algorithm, memory_kind kind)
{
    if (kind == memory_kind::pageable)
        reject_argument(algorithm, "the elements are in host memory that the GPU cannot read; copy them to the device, "
                                   "or allocate them with cudaMallocHost or cudaMallocManaged");
    if (kind == memory_kind::other_device)
        reject_argument(algorithm, "the elements are on another device, which the stream's device cannot access");
}

/// Refuses room for results that they cannot write.
inline void check_writable(char const* algorithm, memory_kind kind)
{
    if (kind == memory_kind::pageable)
        reject_argument(algorithm, "the results would go to host memory that the GPU cannot write; write to memory of "
                                   "the device, or allocate it with cudaMallocHost or cudaMallocManaged");
    if (kind == memory_kind::other_device)
        reject_argument(algorithm, "the results would go to another device, which the stream's device cannot access");
}

} // namespace gpu
TILEWISE_NAMESPACE_END
