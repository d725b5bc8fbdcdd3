// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What a scan costs, counted by the scan itself: its elements are of a type whose sums know how many additions, one
/// after the other, led to them, and are counted.

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
#else // the interpreter stops kernels that touch memory of the host, where it sees them do so
inline unsigned additions_made;

[[gnu::no_sanitize("thread"), gnu::noinline]] inline void count_addition()
{
    ++additions_made;
}
[[gnu::no_sanitize("thread"), gnu::noinline]] inline unsigned take_count()
{
    unsigned const made = additions_made;
    additions_made = 0;
    return made;
}
#endif

/// The sum of some elements, which are 0 steps deep.
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
