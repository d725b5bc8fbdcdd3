// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Segments that blocks reduce without a list, while the kernels before theirs list the others (decision 50).

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Returns how long the segments are that warps combine, if there are so many. (Those of up to a row take no list.)
template <class Scan, class Tuning>
TILEWISE_DEVICE offset longest_for_warps(offset segments)
{
    return segments >= Tuning::least_for_warps ? Scan::tile : Scan::row;
}

/// The segments of a launch that blocks of `reduce_longer_segments` take before they wait for the kernels that list the
/// others: those of the first `blocks` ones that a block reduces alone, each by the block with its number. Whether a
/// segment is one of these depends on its number and length only, so that those kernels leave out the same ones.
struct unlisted_segments {
    offset blocks = 0; ///< of that kernel, or 0 if it takes none
    offset count = 0;  ///< the segments of the launch

    /// For a segment that exists.
    template <class Scan, class Tuning, class Parts>
    TILEWISE_DEVICE bool has(offset number, offset length) const
    {
        return number < blocks && length > gpu::longest_for_warps<Scan, Tuning>(count) &&
               Scan::order::tiles_before_last(length) < Parts::least_tiles;
    }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
