// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Counts the work and the steps of a scan: an element type that counts its additions, and whose sums hold the length
/// of the longest chain of additions that led to them.

#include "machine.cuh"

namespace ladder {

#ifdef __CUDACC__
static __device__ unsigned additions_made;

TILEWISE_DEVICE void count_addition()
{
    add_one(&additions_made);
}
TILEWISE_DEVICE unsigned take_count()
{
    unsigned const made = additions_made;
    additions_made = 0;
    return made;
}
#else // not instrumented: the interpreter reports kernels that access host memory
inline unsigned additions_made;

__attribute__((no_sanitize("thread"), noinline)) inline void count_addition()
{
    ++additions_made;
}
__attribute__((no_sanitize("thread"), noinline)) inline unsigned take_count()
{
    unsigned const made = additions_made;
    additions_made = 0;
    return made;
}
#endif

/// A sum of elements. A single element has 0 steps.
struct counted {
    int steps;

    TILEWISE_DEVICE friend counted operator+(counted a, counted b)
    {
        count_addition();
        return {(a.steps > b.steps ? a.steps : b.steps) + 1};
    }
};

static TILEWISE_KERNEL(warp_size, 1) take_additions(unsigned* out)
{
    if (thread_index() == 0)
        *out = take_count();
}

} // namespace ladder
