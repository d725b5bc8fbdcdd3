// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Which rows of memory `combine_runs` reads.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The rows of a part in which a run begins, or in which a run of up to `longest` values continues.
template <int N>
class rows_with_runs {
    static constexpr int row = N * warp_size;

public:
    /// For the rows from position `first` on up to `limit`, with the marks of the keys from there on. The run that is
    /// open before the first row is longer.
    TILEWISE_DEVICE rows_with_runs(unsigned const* marks, int first, int limit, int longest)
        : marks_(marks), begin_(first - warp_size * row), limit_(limit), longest_(longest),
          last_begin_(first - longest - row)
    {}
    /// Returns the position of the next such row, or `limit` if there is none. All lanes take part.
    TILEWISE_DEVICE int take()
    {
        while (left_ == 0) {
            begin_ += warp_size * row;
            if (begin_ >= limit_)
                return limit_;
            find();
        }
        int const next = begin_ + gpu::lowest_lane(left_) * row;
        left_ &= left_ - 1;
        return next;
    }

private:
    /// Finds such rows among the next 32, of which each lane has one.
    TILEWISE_DEVICE void find()
    {
        int const own = begin_ + lane_index() * row;
        unsigned any = 0;
        if (own < limit_) {
            TILEWISE_UNROLL
            for (int i = 0; i < N; ++i)
                any |= marks_[lane_index() * N + i];
        }
        marks_ += warp_size * N;
        unsigned const begins = warp_ballot(any != 0);
        int const last = highest_bit(begins & (~0u >> (warp_size - 1 - lane_index())));
        left_ = warp_ballot(own < limit_ && own - (last >= 0 ? begin_ + last * row : last_begin_) <= longest_);
        last_begin_ = begins != 0 ? begin_ + highest_bit(begins) * row : last_begin_;
    }

    unsigned const* marks_;
    int begin_, limit_, longest_;
    int last_begin_;    ///< the last row before those in which a run begins
    unsigned left_ = 0; ///< a bit for each of 32 rows
};

} // namespace gpu
TILEWISE_NAMESPACE_END
