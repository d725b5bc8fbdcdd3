// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The hardware interface: wrappers of intrinsics and PTX, and how kernels are declared and launched. Only the files
/// included here use intrinsics, and only this file includes them: the tests replace it with a file of the same name
/// that runs the kernels on a CPU.
///
/// Clusters, dependent launches (PDL) and bulk copies (TMA) need sm_90. Their functions compile to nothing for older
/// GPUs; launch.cuh finds out whether a kernel can use them.

#include <tilewise/device/cuda/arch/arithmetic.cuh> // IWYU pragma: export
#include <tilewise/device/cuda/arch/bulk_copy.cuh>  // IWYU pragma: export
#include <tilewise/device/cuda/arch/cluster.cuh>    // IWYU pragma: export
#include <tilewise/device/cuda/arch/kernel.cuh>     // IWYU pragma: export
#include <tilewise/device/cuda/arch/memory.cuh>     // IWYU pragma: export
#include <tilewise/device/cuda/arch/start.cuh>      // IWYU pragma: export
#include <tilewise/device/cuda/arch/warp.cuh>       // IWYU pragma: export
#include <tilewise/device/cuda/arch/words.cuh>      // IWYU pragma: export
