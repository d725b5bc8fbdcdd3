// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The machine: what a kernel says to the GPU, and how a kernel is declared and started. Only the parts included here
/// name intrinsics, and only this file includes them; the tests have another of the same name that runs the kernels on
/// a CPU.
///
/// What a GPU before sm_90 lacks (clusters, dependent launches) compiles to nothing there; `launch` knows.

#include <tilewise/device/cuda/arch/arithmetic.cuh> // IWYU pragma: export
#include <tilewise/device/cuda/arch/bulk_copy.cuh>  // IWYU pragma: export
#include <tilewise/device/cuda/arch/cluster.cuh>    // IWYU pragma: export
#include <tilewise/device/cuda/arch/kernel.cuh>     // IWYU pragma: export
#include <tilewise/device/cuda/arch/memory.cuh>     // IWYU pragma: export
#include <tilewise/device/cuda/arch/start.cuh>      // IWYU pragma: export
#include <tilewise/device/cuda/arch/warp.cuh>       // IWYU pragma: export
#include <tilewise/device/cuda/arch/words.cuh>      // IWYU pragma: export
