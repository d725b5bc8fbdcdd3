// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The CUDA runtime, simulated by the interpreter: the functions that the library and its tests use, with the names,
/// types and values of the real one. It needs no toolkit. <simt/runtime.hpp> inspects it and makes its calls fail.

#include <simt/cuda_errors.hpp>
#include <simt/cuda_types.hpp>

#include <cstddef>

/// @name Devices
/// @{
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, cudaMemAccessDesc const* access, std::size_t count);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
/// @}

/// @name The driver
/// Finds the functions of the driver that test/simt/src/cuda_driver.cpp defines.
/// @{
cudaError_t cudaGetDriverEntryPointByVersion(char const* name, void** function, unsigned version,
                                             unsigned long long flags, cudaDriverEntryPointQueryResult* outcome);
/// @}

/// @name Errors
/// @{
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
char const* cudaGetErrorName(cudaError_t error);
char const* cudaGetErrorString(cudaError_t error);
/// @}

/// @name Streams
/// @{
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
/// @}

/// @name Events
/// @{
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end);
cudaError_t cudaEventDestroy(cudaEvent_t event);
/// @}

/// @name Memory
/// @{
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream);
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags);
cudaError_t cudaMallocHost(void** memory, std::size_t bytes, unsigned flags = cudaHostAllocDefault);
cudaError_t cudaMallocManaged(void** memory, std::size_t bytes, unsigned flags = cudaMemAttachGlobal);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, void const* memory);
cudaError_t cudaMemcpy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes);
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream = nullptr);

template <class T>
cudaError_t cudaMalloc(T** memory, std::size_t bytes)
{
    void* made = nullptr;
    cudaError_t const error = cudaMalloc(&made, bytes);
    *memory = static_cast<T*>(made);
    return error;
}
template <class T>
cudaError_t cudaMallocAsync(T** memory, std::size_t bytes, cudaStream_t stream)
{
    void* made = nullptr;
    cudaError_t const error = cudaMallocAsync(&made, bytes, stream);
    *memory = static_cast<T*>(made);
    return error;
}
template <class T>
cudaError_t cudaHostAlloc(T** memory, std::size_t bytes, unsigned flags)
{
    void* made = nullptr;
    cudaError_t const error = cudaHostAlloc(&made, bytes, flags);
    *memory = static_cast<T*>(made);
    return error;
}
template <class T>
cudaError_t cudaMallocHost(T** memory, std::size_t bytes, unsigned flags = cudaHostAllocDefault)
{
    void* made = nullptr;
    cudaError_t const error = cudaMallocHost(&made, bytes, flags);
    *memory = static_cast<T*>(made);
    return error;
}
template <class T>
cudaError_t cudaMallocManaged(T** memory, std::size_t bytes, unsigned flags = cudaMemAttachGlobal)
{
    void* made = nullptr;
    cudaError_t const error = cudaMallocManaged(&made, bytes, flags);
    *memory = static_cast<T*>(made);
    return error;
}
/// @}

/// @name Kernels
/// @{
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void const* kernel);
cudaError_t cudaFuncSetAttribute(void const* kernel, cudaFuncAttribute attribute, int value);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void const* kernel, int threads,
                                                          std::size_t shared_bytes);

template <class... Parameters>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(Parameters...))
{
    return cudaFuncGetAttributes(attributes, reinterpret_cast<void const*>(kernel));
}
template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute(reinterpret_cast<void const*>(kernel), attribute, value);
}
template <class... Parameters>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*kernel)(Parameters...), int threads,
                                                          std::size_t shared_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<void const*>(kernel), threads,
                                                         shared_bytes);
}
/// @}

/// @name Graphs
/// @{
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, cudaGraphNode_t const** nodes, cudaGraphEdgeData const** edges,
                                     std::size_t* count);
cudaError_t cudaUserObjectCreate(cudaUserObject_t* made, void* object, cudaHostFn_t destroy, unsigned count,
                                 unsigned flags);
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count = 1);
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count = 1,
                                      unsigned flags = 0);
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
/// @}

/// @name The null stream
/// In a program that defines CUDA_API_PER_THREAD_DEFAULT_STREAM, as nvcc does under --default-stream per-thread, it is
/// the per-thread default stream. Here that applies to a whole program or not at all.
/// @{
namespace simt {

bool let_null_be_per_thread();
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
inline bool const null_is_per_thread = let_null_be_per_thread();
#endif

} // namespace simt
/// @}
