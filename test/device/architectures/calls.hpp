// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The same calls, compiled once for each of two architectures.

#include <typeinfo>

/// The number of the architecture that a kernel was compiled for; the same type in both object files.
struct compiled_for {
    __host__ __device__ int operator()(int) const
    {
#ifdef __CUDA_ARCH__
        return __CUDA_ARCH__;
#else
        return 0;
#endif
    }
};

/// The smallest and the largest architecture whose kernels a call in the object file runs.
struct architectures {
    int smallest, largest;
};
architectures architectures_of_reduce_80(int const* elements, int count);
architectures architectures_of_reduce_90(int const* elements, int count);
int architecture_of_last_scanned_80(int const* elements, int count, int* out);
int architecture_of_last_scanned_90(int const* elements, int count, int* out);

/// A type of the library's in the object file's mode.
std::type_info const& type_in_mode_80();
std::type_info const& type_in_mode_90();
