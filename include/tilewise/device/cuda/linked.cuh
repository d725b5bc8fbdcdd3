// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Defines the functions that the headers for CUDA declare: errors, devices, caches of memory, and copies. A program
/// that defines TILEWISE_LINKED_CUDA includes this file in one source file; otherwise
/// `<tilewise/device/cuda/device_call.cuh>` includes it.

#include <tilewise/device/cuda/linked/caches.cuh>
#include <tilewise/device/cuda/linked/pinned_ring.cuh>
#include <tilewise/device/cuda/linked/runtime.cuh>
