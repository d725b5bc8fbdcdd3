// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How a warp combines the values of runs, row by row of memory.
///
/// A run is a range of its own, so its lane vectors begin anywhere in memory. But consecutive ones of a run are as far
/// apart as the vectors that consecutive lanes read, so each lane of a row reads the last value of at most one complete
/// lane vector, and the lane vector d before that one, in the same run, ends d lanes earlier: in this row of memory or
/// in the one before. The trees over lane vectors are therefore those of a doubling scan over the lanes, in which lanes
/// also read what the row of memory before has left. Of the rows of a run, at most one ends in a row of memory.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The values of one row of memory, combined up to each of them within its run. Results exist for values at positions
/// below a chunk in their runs.
template <class Scan>
class run_rows {
    using T = typename Scan::value;
    using Op = typename Scan::op;
    using View = typename Scan::view;
    static constexpr int N = Scan::lane_vector, steps = log2_of(warp_size), last_lane = warp_size - 1;
    static constexpr int log2_vector = log2_of(N), log2_row = log2_of(Scan::row);
    static_assert(1 << log2_vector == N && 1 << log2_row == Scan::row);

public:
    /// Begins before a row. The run that is open there begins at `open`: at least a chunk before it, or its results are
    /// not needed.
    TILEWISE_DEVICE explicit run_rows(int open) : open_(open) {}

    /// The position at which the run begins that is open behind the row.
    TILEWISE_DEVICE int open() const { return open_; }

    /// Combines a row. `loaded` are the values of this lane, the first of which is at `position`; those at `end` and
    /// beyond do not exist. `begins` has a bit for each value that begins a run.
    TILEWISE_DEVICE void combine(View& view, typename Scan::vector_size const& loaded, int position, int end,
                                 unsigned begins, Op& op)
    {
        int const lane = lane_index(), previous_lane = (lane + last_lane) % warp_size;
        begins_ = begins;
        position_ = position;
        lanes_ = warp_ballot(begins != 0);
        unsigned const before_lane = lanes_ & ((1u << lane) - 1);
        int const last_begin = position + highest_bit(begins),
                  in_row = gpu::shuffle(last_begin, max_of(highest_bit(before_lane), 0));
        in_run_[0] = position - (before_lane != 0 ? in_row : open_);
        length_ = in_run_[0];
        int const next_open = gpu::shuffle(last_begin, max_of(highest_bit(lanes_), 0));
        open_ = lanes_ != 0 ? next_open : open_;
        if ((begins & 1) != 0)
            in_run_[0] = 0;
        TILEWISE_UNROLL
        for (int i = 1; i < N; ++i)
            in_run_[i] = (begins >> i & 1) != 0 ? 0 : in_run_[i - 1] + 1;
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i)
            exists_[i] = in_run_[i] < Scan::chunk && position + i < end;

        registers<T, N> values;
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i)
            if (accepts_any || position + i < end)
                gpu::put(values[i], gpu::operand<T, Op>(view, loaded, i));
        combine_vectors(values, previous_lane, op);
        combine_lanes(lane, op);
        combine_rows(op);
    }

    /// Whether there is a result for value `i` of this lane.
    TILEWISE_DEVICE bool exists(int i) const { return exists_[i]; }
    /// Of the runs that begin in this row: how many there are in the lanes before this one, and in all.
    TILEWISE_DEVICE int runs_before_lane() const { return count_runs((1u << lane_index()) - 1); }
    TILEWISE_DEVICE int runs() const { return count_runs(~0u); }
    /// Whether value `i` begins a run; how long the run before it is.
    TILEWISE_DEVICE bool begins(int i) const { return (begins_ >> i & 1) != 0; }
    TILEWISE_DEVICE int length_before(int i) const { return i > 0 ? in_run_[max_of(i - 1, 0)] + 1 : length_; }
    /// Whether a run begins in this row, and the position of the first one.
    TILEWISE_DEVICE bool any_begins() const { return lanes_ != 0; }
    TILEWISE_DEVICE int first_begin() const
    {
        return gpu::shuffle(position_ + gpu::lowest_lane(begins_), gpu::lowest_lane(lanes_));
    }

    /// Returns the result of the inclusive or of the exclusive scan for value `i`, which exists.
    template <scan_form form>
    TILEWISE_DEVICE T result(int i, Op& op, optional_value<T> const& init) const
    {
        optional_value<T> prefix(init);
        auto off = gpu::no_value<T>();
        if (in_run_[i] >= Scan::row)
            off.append(op, T(in_run_[i] > end_of_row_ ? run_[0] : run_before_[0]));
        if ((in_run_[i] >> log2_vector) % warp_size != 0)
            off.append(op, T(in_run_[i] > end_of_vector_ ? tree_[steps] : tree_before_[0]));
        if (off.has_value)
            prefix.append(op, T(off.value[0]));
        if constexpr (form == scan_form::inclusive) {
            prefix.append(op, T(sums_[i]));
        } else if (in_run_[i] % N != 0) {
            if (i > 0)
                prefix.append(op, T(sums_[max_of(i - 1, 0)]));
            else
                prefix.append(op, T(before_[0]));
        }
        return prefix.value[0];
    }

private:
    static constexpr bool accepts_any = Scan::is_unpredicated;

    TILEWISE_DEVICE int count_runs(unsigned lanes) const
    {
        int count = 0;
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i)
            count += count_bits(warp_ballot((begins_ >> i & 1) != 0) & lanes);
        return count;
    }

    /// Combines the values of each lane vector up to this lane's. Those in the lane before come first.
    TILEWISE_DEVICE void combine_vectors(registers<T, N> const& values, int previous_lane, Op& op)
    {
        int const open = in_run_[0] % N;
        TILEWISE_UNROLL
        for (int i = 1; i < N; ++i) {
            T const left = gpu::shuffle(
                gpu::select(lane_index() == last_lane, T(values_before_[i]), T(values[i])), previous_lane);
            if (i == N - open)
                gpu::put(before_[0], left);
            else if (i > N - open && (accepts_any || exists_[0]))
                gpu::put(before_[0], gpu::combine(op, T(before_[0]), left));
        }
        TILEWISE_UNROLL
        for (int i = 1; i < N; ++i)
            gpu::put(values_before_[i], T(values[i]));
        end_of_vector_ = no_end;
        registers<T, 1> sum(before_);
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i) {
            if (accepts_any || exists_[i]) {
                gpu::put(sum[0], in_run_[i] % N == 0 ? T(values[i]) : gpu::combine(op, T(sum[0]), T(values[i])));
                gpu::put(sums_[i], T(sum[0]));
            }
            if (exists_[i] && in_run_[i] % N == N - 1) {
                gpu::put(next_[0], T(sum[0]));
                end_of_vector_ = in_run_[i];
            }
        }
    }

    /// Computes the right-aligned tree over the lane vectors of a row of the run, up to the one that ends here.
    TILEWISE_DEVICE void combine_lanes(int lane, Op& op)
    {
        int const own = end_of_vector_ == no_end ? 0 : (end_of_vector_ >> log2_vector) % warp_size;
        int const most = warp_max(own);
        T const last_tree(tree_[steps]); // of the row before
        registers<T, steps + 1> row_before(tree_);
        gpu::put(tree_[0], T(next_[0]));
        TILEWISE_UNROLL
        for (int step = 0; step < steps; ++step) {
            int const distance = 1 << step;
            gpu::put(tree_[step + 1], T(tree_[step]));
            if (distance <= most) {
                T const left = gpu::shuffle(
                    gpu::select(lane + distance >= warp_size, T(row_before[step]), T(tree_[step])),
                    (lane + warp_size - distance) % warp_size);
                if (own >= distance)
                    gpu::put(tree_[step + 1], gpu::combine(op, left, T(tree_[step])));
            }
        }
        gpu::put(tree_before_[0], gpu::shuffle(gpu::select(lane == last_lane, last_tree, T(tree_[steps])),
                                               (lane + last_lane) % warp_size));
    }

    /// Appends the row of the run that ends in this row of memory, if one does.
    TILEWISE_DEVICE void combine_rows(Op& op)
    {
        unsigned const ends =
            warp_ballot(end_of_vector_ != no_end && (end_of_vector_ & (Scan::row - 1)) == Scan::row - 1);
        gpu::put(run_before_[0], T(run_[0]));
        end_of_row_ = no_end;
        if (ends != 0) {
            int const at = gpu::lowest_lane(ends);
            T const row = gpu::shuffle(tree_[steps], at);
            end_of_row_ = gpu::shuffle(end_of_vector_, at);
            gpu::put(run_[0], end_of_row_ >= Scan::row ? gpu::combine(op, T(run_[0]), row) : row);
        }
    }

    static constexpr int no_end = 1 << 30; ///< no position in a run is above it

    int open_, position_;
    unsigned begins_, lanes_;       ///< of this lane; the lanes in which runs begin
    int length_;                    ///< of the run of the value before the lane's first one, up to that one
    int in_run_[N];                 ///< the position of each value in its run
    bool exists_[N];
    registers<T, N> values_before_; ///< of this lane, in the row before
    registers<T, N> sums_;          ///< of each value's lane vector, up to it
    registers<T, 1> before_;        ///< of the lane vector that continues here, in the lane before
    registers<T, 1> next_;          ///< of the lane vector that ends here
    int end_of_vector_;             ///< the position in its run at which that one ends
    registers<T, steps + 1> tree_;  ///< over up to 2^step lane vectors up to that one
    registers<T, 1> tree_before_;   ///< over all, up to the one that ends in the lane before
    registers<T, 1> run_, run_before_; ///< the rows of the run before the current one, after and before this row
    int end_of_row_;                ///< the position in the run at which a row of it ends, in this row of memory
};

} // namespace gpu
TILEWISE_NAMESPACE_END
