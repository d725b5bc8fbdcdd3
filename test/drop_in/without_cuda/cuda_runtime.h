// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What thrust_program.cu needs of CUDA, for a compiler and a machine without: streams that do nothing, and Thrust's
/// policy for one of them, which here is its only policy.

#include <thrust/execution_policy.h>

#define __host__
#define __device__

struct CUstream_st;
using cudaStream_t = CUstream_st*;

inline void cudaStreamCreate(cudaStream_t*) {}
inline void cudaStreamDestroy(cudaStream_t) {}

namespace thrust::cuda {

struct policy {
    constexpr auto on(cudaStream_t) const { return thrust::device; }
};
inline constexpr policy par{};

} // namespace thrust::cuda
