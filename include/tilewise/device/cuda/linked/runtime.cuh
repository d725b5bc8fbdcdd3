// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Defines the functions of context.cuh, runtime.cuh and memory_kind.cuh.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/context.cuh>
#include <tilewise/device/cuda/driver.cuh>
#include <tilewise/device/cuda/memory_kind.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/error.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <tuple>

TILEWISE_CUDA_BEGIN

TILEWISE_CUDA_INLINE unsigned long long context_id(int device)
{
    static gpu::driver_function<void*, unsigned long long*> id_of("cuCtxGetId", 12000);
    auto const ask = id_of.get();
    unsigned long long id = 0;
    if (ask == nullptr)
        return static_cast<unsigned long long>(device); // the driver has no cuCtxGetId
    if (ask(nullptr, &id) != 0) { // a thread has no context before its first CUDA call, nor after a reset
        if (cudaSetDevice(device) != cudaSuccess || ask(nullptr, &id) != 0)
            static_cast<void>(cudaGetLastError()); // the next CUDA call reports what is wrong
    }
    return id;
}

[[noreturn, gnu::cold]] TILEWISE_CUDA_INLINE void throw_cuda_error(cudaError_t error, char const* call)
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
        throw tilewise::no_device(std::string("tilewise: tilewise::device needs an NVIDIA GPU and its driver: ") +
                                  cudaGetErrorString(error));
    case cudaErrorNoKernelImageForDevice:
        throw tilewise::no_device(
            "tilewise: this program was not compiled for this GPU; add its architecture to nvcc's "
            "-arch or -gencode options");
    default:
        throw tilewise::cuda_error(error, std::string("tilewise: ") + call + ": " + cudaGetErrorName(error) + ": " +
                                              cudaGetErrorString(error));
    }
}

/// Returns the device of a stream's context, which the driver reports during capture, too; `otherwise` if it does not.
/// (cudaStreamGetDevice ends a capture, and needs CUDA 12.8.)
TILEWISE_CUDA_INLINE int device_of_captured(cudaStream_t stream, int otherwise)
{
    static gpu::driver_function<cudaStream_t, void**> context_of("cuStreamGetCtx", 9020);
    static gpu::driver_function<void*> push("cuCtxPushCurrent", 4000);
    static gpu::driver_function<void**> pop("cuCtxPopCurrent", 4000);
    static gpu::driver_function<int*> device_of_current("cuCtxGetDevice", 2000);
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

TILEWISE_CUDA_INLINE current_device::current_device(cudaStream_t stream, bool captured)
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
        index_ = device_of_captured(stream, previous_);
    if (index_ != previous_)
        TILEWISE_CUDA(cudaSetDevice, index_);
    context_ = context_id(index_);
}

TILEWISE_CUDA_INLINE current_device::~current_device()
{
    if (index_ != previous_)
        static_cast<void>(cudaSetDevice(previous_));
}

TILEWISE_CUDA_INLINE void wait_for(cudaStream_t stream)
{
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    TILEWISE_CUDA(cudaThreadExchangeStreamCaptureMode, &mode);
    cudaError_t const outcome = cudaStreamSynchronize(stream);
    cudaError_t const restored = cudaThreadExchangeStreamCaptureMode(&mode);
    if (restored != cudaSuccess)
        static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
    gpu::check(outcome, "cudaStreamSynchronize");
    gpu::check(restored, "cudaThreadExchangeStreamCaptureMode");
}

TILEWISE_CUDA_INLINE bool is_done_after_waiting(cudaStream_t stream) noexcept
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

TILEWISE_CUDA_INLINE bool is_captured(cudaStream_t stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    TILEWISE_CUDA(cudaStreamIsCapturing, stream, &status);
    if (status == cudaStreamCaptureStatusInvalidated)
        throw_cuda_error(cudaErrorStreamCaptureInvalidated, "cudaStreamIsCapturing");
    return status == cudaStreamCaptureStatusActive;
}

TILEWISE_CUDA_INLINE void reject_earlier_error()
{
    if (cudaError_t const error = cudaPeekAtLastError();
        error == cudaErrorIllegalAddress || error == cudaErrorLaunchFailure || error == cudaErrorAssert ||
        error == cudaErrorMisalignedAddress || error == cudaErrorHardwareStackError ||
        error == cudaErrorIllegalInstruction)
        throw tilewise::cuda_error(error, std::string("tilewise: an earlier kernel failed before this call: ") +
                                              cudaGetErrorName(error) + ": " + cudaGetErrorString(error));
}

/// Whether memory at an address is on another device whose link to `device` has no atomic operations.
TILEWISE_CUDA_INLINE bool lacks_atomics(cudaPointerAttributes const& attributes, int device)
{
    if (attributes.type != cudaMemoryTypeDevice || attributes.device == device) [[likely]]
        return false;
    int native = 0;
    TILEWISE_CUDA(cudaDeviceGetP2PAttribute, &native, cudaDevP2PAttrNativeAtomicSupported, device, attributes.device);
    return native == 0;
}

TILEWISE_CUDA_INLINE memory_kind kind_of(void const* pointer, int device)
{
    cudaPointerAttributes attributes = {};
    TILEWISE_CUDA(cudaPointerGetAttributes, &attributes, pointer);
    if (attributes.type == cudaMemoryTypeUnregistered)
        return memory_kind::pageable;
    if (attributes.devicePointer == pointer) [[likely]]
        return lacks_atomics(attributes, device) ? memory_kind::without_atomics : memory_kind::readable;
    return attributes.hostPointer == pointer ? memory_kind::pageable : memory_kind::no_access;
}

TILEWISE_CUDA_INLINE bool reads_any_memory(int device)
{
    int answer = 0;
    TILEWISE_CUDA(cudaDeviceGetAttribute, &answer, cudaDevAttrPageableMemoryAccess, device);
    return answer != 0;
}

TILEWISE_CUDA_INLINE std::size_t allocated_bytes(void const* pointer)
{
    static gpu::driver_function<unsigned long long*, std::size_t*, unsigned long long> range_of("cuMemGetAddressRange",
                                                                                                3020);
    auto* const find = range_of.get();
    unsigned long long begin = 0;
    std::size_t bytes = 0;
    bool const is_known =
        find != nullptr &&
        find(&begin, &bytes, static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(pointer))) == 0;
    return is_known ? bytes : 0;
}

TILEWISE_CUDA_INLINE void check_readable(char const* algorithm, memory_kind kind)
{
    if (kind == memory_kind::pageable)
        tilewise::reject_argument(algorithm,
                                  "the elements are in host memory that the GPU cannot read; copy them to the device, "
                                  "or allocate them with cudaMallocHost or cudaMallocManaged");
    if (kind == memory_kind::no_access)
        tilewise::reject_argument(algorithm,
                                  "the elements are in memory that the stream's device cannot access; enable access "
                                  "with cudaDeviceEnablePeerAccess for memory of cudaMalloc, cudaMemPoolSetAccess for "
                                  "memory of a pool, and cuMemSetAccess for mapped memory");
}

TILEWISE_CUDA_INLINE void check_writable(char const* algorithm, memory_kind kind)
{
    if (kind == memory_kind::pageable)
        tilewise::reject_argument(algorithm,
                                  "the output is in host memory that the GPU cannot write; write to memory of the "
                                  "device, or allocate the output with cudaMallocHost or cudaMallocManaged");
    if (kind == memory_kind::no_access)
        tilewise::reject_argument(algorithm,
                                  "the output is in memory that the stream's device cannot access; enable access with "
                                  "cudaDeviceEnablePeerAccess for memory of cudaMalloc, cudaMemPoolSetAccess for "
                                  "memory of a pool, and cuMemSetAccess for mapped memory");
}

TILEWISE_CUDA_INLINE void check_counters(char const* algorithm, memory_kind kind)
{
    check_writable(algorithm, kind);
    if (kind == memory_kind::without_atomics)
        tilewise::reject_argument(algorithm,
                                  "the counters are on another device, on whose memory the stream's device cannot "
                                  "perform atomic operations; use counters in memory of the stream's device");
}

TILEWISE_CUDA_END
