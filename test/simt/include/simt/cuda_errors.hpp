// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The errors of the CUDA runtime, with their numbers and descriptions.

// clang-format off
#define SIMT_CUDA_ERRORS(each) \
    each(cudaSuccess, 0, "no error") \
    each(cudaErrorInvalidValue, 1, "invalid argument") \
    each(cudaErrorMemoryAllocation, 2, "out of memory") \
    each(cudaErrorInitializationError, 3, "initialization error") \
    each(cudaErrorCudartUnloading, 4, "driver shutting down") \
    each(cudaErrorInvalidConfiguration, 9, "invalid configuration argument") \
    each(cudaErrorInvalidDevicePointer, 17, "invalid device pointer") \
    each(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") \
    each(cudaErrorStubLibrary, 34, "CUDA driver is a stub library") \
    each(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version") \
    each(cudaErrorDevicesUnavailable, 46, "CUDA-capable device(s) is/are busy or unavailable") \
    each(cudaErrorInvalidDeviceFunction, 98, "invalid device function") \
    each(cudaErrorNoDevice, 100, "no CUDA-capable device is detected") \
    each(cudaErrorInvalidDevice, 101, "invalid device ordinal") \
    each(cudaErrorDeviceUninitialized, 201, "invalid device context") \
    each(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device") \
    each(cudaErrorUnsupportedPtxVersion, 222, "the provided PTX was compiled with an unsupported toolchain") \
    each(cudaErrorInvalidResourceHandle, 400, "invalid resource handle") \
    each(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state") \
    each(cudaErrorNotReady, 600, "device not ready") \
    each(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered") \
    each(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch") \
    each(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated") \
    each(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled") \
    each(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled") \
    each(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices") \
    each(cudaErrorAssert, 710, "device-side assert triggered") \
    each(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
    each(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region") \
    each(cudaErrorHardwareStackError, 714, "hardware stack error") \
    each(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered") \
    each(cudaErrorMisalignedAddress, 716, "misaligned address") \
    each(cudaErrorLaunchFailure, 719, "unspecified launch failure") \
    each(cudaErrorNotPermitted, 800, "operation not permitted") \
    each(cudaErrorNotSupported, 801, "operation not supported") \
    each(cudaErrorSystemNotReady, 802, "system not yet initialized") \
    each(cudaErrorSystemDriverMismatch, 803, "system has unsupported display driver / cuda driver combination") \
    each(cudaErrorCompatNotSupportedOnDevice, 804, "forward compatibility was attempted on non supported HW") \
    each(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing") \
    each(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture") \
    each(cudaErrorStreamCaptureMerge, 902, "operation would result in a merge of separate capture sequences") \
    each(cudaErrorStreamCaptureUnmatched, 903, "capture was not initiated in this stream") \
    each(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work") \
    each(cudaErrorStreamCaptureIsolation, 905, "dependency created on uncaptured work in another stream") \
    each(cudaErrorStreamCaptureImplicit, 906, "operation would make the legacy stream depend on a capturing blocking stream") \
    each(cudaErrorStreamCaptureWrongThread, 908, "attempt to terminate a thread-local capture sequence from another thread") \
    each(cudaErrorInvalidClusterSize, 912, "cluster misconfiguration") \
    each(cudaErrorUnknown, 999, "unknown error")
// clang-format on

#define SIMT_ENUMERATOR(name, number, description) name = number,
enum cudaError { SIMT_CUDA_ERRORS(SIMT_ENUMERATOR) };
#undef SIMT_ENUMERATOR

using cudaError_t = cudaError;
