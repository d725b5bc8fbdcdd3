// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What a scan costs, counted by the scan itself: its elements are of a type whose sums know how many additions, one
/// after the other, led to them, and are counted.

#include "machine.cuh"

namespace ladder {

#ifdef __CUDACC__
static __device__ unsigned additions_made;
#else
static unsigned additions_made;
#endif

/// The sum of some elements, which are 0 steps deep.
struct counted {
    int steps;

    TILEWISE_DEVICE friend counted operator+(counted a, counted b)
    {
        tilewise::gpu::add_one(&additions_made);
        return {(a.steps > b.steps ? a.steps : b.steps) + 1};
    }
};

inline TILEWISE_KERNEL(warp_size, 1) take_additions(unsigned* out)
{
    if (thread_index() == 0) {
        *out = additions_made;
        additions_made = 0;
    }
}

} // namespace ladder
