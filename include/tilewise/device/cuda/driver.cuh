// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Functions of the CUDA driver that have no equivalent in the runtime.

#include <tilewise/core/config.hpp>

#include <cuda_runtime.h>

#include <atomic>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A driver function, looked up by name, so that programs need not link the driver library. Its handles and enumerators
/// are declared as pointers and numbers; it returns 0 on success.
template <class... Parameters>
class driver_function {
public:
    using type = int (*)(Parameters...);

    /// Names a function as it is in CUDA version `since`: 12050 is CUDA 12.5.
    constexpr driver_function(char const* name, unsigned since) : name_(name), since_(since) {}

    /// Returns the function, or null if the driver does not have it.
    type get()
    {
        void* found = found_.load(std::memory_order_relaxed);
        if (found == nullptr) [[unlikely]] {
            cudaDriverEntryPointQueryResult outcome = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
            cudaError_t const error =
                cudaGetDriverEntryPointByVersion(name_, &found, since_, cudaEnableDefault, &outcome);
#else
            cudaError_t const error = cudaGetDriverEntryPoint(name_, &found, cudaEnableDefault, &outcome);
#endif
            if (error != cudaSuccess || outcome != cudaDriverEntryPointSuccess) {
                static_cast<void>(cudaGetLastError());
                return nullptr;
            }
            found_.store(found, std::memory_order_relaxed);
        }
        return reinterpret_cast<type>(found);
    }

private:
    char const* name_;
    [[maybe_unused]] unsigned since_;
    std::atomic<void*> found_{nullptr};
};

} // namespace gpu
TILEWISE_NAMESPACE_END
