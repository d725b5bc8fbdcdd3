// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The part of a range that segments cover: if the elements are in host memory, only that part is staged.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The range from the first to the last element of a set of segments.
struct segment_reach {
    offset begin, end;
    offset count() const { return end > begin ? end - begin : 0; }
};

/// Finds the range that `count` segments cover, with one block.
template <class Segments, int threads>
TILEWISE_KERNEL(threads, 1)
find_reach(Segments segments, offset count, segment_reach* found)
{
    TILEWISE_SHARED(parts, raw_storage<segment_reach[threads]>);
    segment_reach mine = {0, 0};
    for (offset i = thread_index(); i < count; i += threads) {
        segment_span const segment = segments.at(i);
        if (segment.count > 0) {
            bool const first = mine.begin == mine.end;
            mine.begin = first || segment.begin < mine.begin ? segment.begin : mine.begin;
            mine.end = first || segment.begin + segment.count > mine.end ? segment.begin + segment.count : mine.end;
        }
    }
    gpu::put(parts.object()[thread_index()], mine);
    sync_block();
    if (thread_index() != 0)
        return;
    for (int i = 1; i < threads; ++i) {
        segment_reach const other = parts.object()[i];
        if (other.begin == other.end)
            continue;
        bool const first = mine.begin == mine.end;
        mine.begin = first || other.begin < mine.begin ? other.begin : mine.begin;
        mine.end = first || other.end > mine.end ? other.end : mine.end;
    }
    *found = mine;
}

} // namespace gpu
TILEWISE_NAMESPACE_END
