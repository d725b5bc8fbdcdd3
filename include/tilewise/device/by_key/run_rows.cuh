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
/// below `longest`, at most a tile, in their runs.
template <class Scan>
class run_rows {
    using T = typename Scan::value;
    using Op = typename Scan::op;
    using View = typename Scan::view;
    static constexpr int N = Scan::lane_vector, row = Scan::row, chunk = Scan::chunk, last_lane = warp_size - 1;
    static constexpr int steps = log2_of(warp_size);
    /// Whether results that do not exist may be computed, without branches.
    static constexpr bool accepts_any = Scan::is_unpredicated;

public:
    /// Begins before a row, for runs that begin with `init` if there is one. The run that is open there begins at
    /// `open`: at least `longest` values before it, or its results are not needed.
    TILEWISE_DEVICE run_rows(int open, int longest, optional_value<T> const& init)
        : init_(init), longest_(longest), open_(open)
    {}

    /// Combines the row of memory that begins at position `first`. `loaded` are the values of this lane; those at `end`
    /// and beyond do not exist. `begins` has a bit for each value that begins a run. Rows may be left out in which none
    /// begins, and in which the run is longer than `longest`.
    TILEWISE_DEVICE void combine(View& view, typename Scan::vector_size const& loaded, int first, int end,
                                 unsigned begins, Op& op)
    {
        find_positions(first, begins);
        missing_ = gpu::max_of(first + row - end, first + row - open_before_ - longest_);
        if (all_exist())
            combine_values<true>(view, loaded, end - first - lane_index() * N, op);
        else
            combine_values<false>(view, loaded, end - first - lane_index() * N, op);
        combine_lanes(op);
        if (reaches_row_)
            combine_rows(op);
        find_prefixes(op);
    }

    /// Whether there is a result for value `i` of this lane; for all values of all lanes.
    TILEWISE_DEVICE bool exists(int i) const { return (exists_ >> i & 1) != 0; }
    TILEWISE_DEVICE bool all_exist() const { return missing_ <= 0; }

    /// Whether value `i` begins a run; the same for all values of this lane, a bit for each; whether any value of the
    /// row does, and the first position at which one does.
    TILEWISE_DEVICE bool begins(int i) const { return (begins_ >> i & 1) != 0; }
    TILEWISE_DEVICE unsigned begins_of_lane() const { return begins_; }
    TILEWISE_DEVICE bool any_begins() const { return lanes_ != 0; }
    TILEWISE_DEVICE int first_begin(int first) const
    {
        return gpu::shuffle(first + lane_index() * N + gpu::lowest_lane(begins_), gpu::lowest_lane(lanes_));
    }
    /// The position of the last value that begins a run, up to this row.
    TILEWISE_DEVICE int open() const { return open_; }
    /// How many runs begin in the lanes before this one.
    TILEWISE_DEVICE int runs_before_lane() const
    {
        int count = 0;
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i)
            count += gpu::count_bits(gpu::warp_ballot(begins(i)) & ((1u << lane_index()) - 1));
        return count;
    }
    /// Returns the result of the inclusive or of the exclusive scan for value `i`, which exists or is ignored.
    template <scan_form form>
    TILEWISE_DEVICE T result(int i, Op& op) const
    {
        bool const has_prefix = in_run_[i] >= N;
        registers<T, 1> prefix; // of the lane vector
        gpu::put(prefix[0], gpu::select(in_run_[i] > end_of_vector_, T(prefix_behind_[0]), T(prefix_[0])));
        if (init_.has_value && !has_prefix)
            gpu::put(prefix[0], T(init_.value[0]));
        if constexpr (form == scan_form::inclusive) {
            registers<T, 1> sum;
            gpu::put(sum[0], T(sums_[i]));
            combine_if(has_prefix || init_.has_value, op, sum[0], T(prefix[0]), T(sum[0]));
            return sum[0];
        } else {
            T const before(i > 0 ? sums_[gpu::max_of(i - 1, 0)] : open_vector_[0]);
            combine_if((in_run_[i] & (N - 1)) != 0, op, prefix[0], T(prefix[0]), before);
            return prefix[0];
        }
    }

private:
    /// Combines, and stores the result if `condition`.
    TILEWISE_DEVICE static void combine_if(bool condition, Op& op, T& target, T const& left, T const& right)
    {
        if constexpr (accepts_any) {
            T const combined = gpu::combine(op, left, right);
            target = condition ? combined : target;
        } else if (condition) {
            gpu::put(target, gpu::combine(op, left, right));
        }
    }

    /// Puts `left` before a prefix that may be missing, if `condition`; and if `exists`, combines them.
    TILEWISE_DEVICE static void prepend(registers<T, 1>& prefix, bool& has_prefix, bool condition, bool exists, Op& op,
                                        T const& left)
    {
        combine_if(exists && condition && has_prefix, op, prefix[0], left, T(prefix[0]));
        if (condition && !has_prefix)
            gpu::put(prefix[0], left);
        has_prefix = has_prefix || condition;
    }

    /// Finds the position of each value in its run.
    TILEWISE_DEVICE void find_positions(int first, unsigned begins)
    {
        int const lane = lane_index(), position = first + lane * N;
        begins_ = begins;
        lanes_ = warp_ballot(begins != 0);
        unsigned const before = lanes_ & ((1u << lane) - 1);
        int const last_begin = position + highest_bit(begins),
                  in_row = gpu::shuffle(last_begin, highest_bit(before) & last_lane),
                  last_in_row = gpu::shuffle(last_begin, highest_bit(lanes_) & last_lane);
        open_before_ = open_;
        before_lane_ = position - (before != 0 ? in_row : open_);
        open_ = any_begins() ? last_in_row : open_;
        in_run_[0] = (begins & 1) != 0 ? 0 : before_lane_;
        TILEWISE_UNROLL
        for (int i = 1; i < N; ++i)
            in_run_[i] = (begins >> i & 1) != 0 ? 0 : in_run_[i - 1] + 1;
        reaches_row_ = any_lane(before_lane_ >= row - N);
    }

    /// Combines the values of each lane vector up to this lane's. Those in the lane before come first.
    template <bool all>
    TILEWISE_DEVICE void combine_values(View& view, typename Scan::vector_size const& loaded, int valid, Op& op)
    {
        registers<T, N> values;
        exists_ = 0;
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i) {
            if (all || i < valid)
                gpu::put(values[i], gpu::operand<T, Op>(view, loaded, i));
            if (all || (i < valid && in_run_[i] < longest_))
                exists_ |= 1u << i;
        }
        bool const is_last = lane_index() == last_lane;
        int const open = in_run_[0] & (N - 1);
        TILEWISE_UNROLL
        for (int i = 1; i < N; ++i) {
            T const left = gpu::shuffle(gpu::select(is_last, T(values_before_[i]), T(values[i])),
                                        (lane_index() + last_lane) % warp_size);
            combine_if(i > N - open && exists(0), op, open_vector_[0], T(open_vector_[0]), left);
            if (i == N - open)
                gpu::put(open_vector_[0], left);
            gpu::put(values_before_[i], T(values[i]));
        }
        end_of_vector_ = no_end;
        registers<T, 1> sum(open_vector_);
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i) {
            int const in_vector = in_run_[i] & (N - 1);
            combine_if(exists(i) && in_vector != 0, op, sum[0], T(sum[0]), T(values[i]));
            if (in_vector == 0)
                gpu::put(sum[0], T(values[i]));
            gpu::put(sums_[i], T(sum[0]));
            if (exists(i) && in_vector == N - 1) {
                gpu::put(whole_vector_[0], T(sum[0]));
                end_of_vector_ = in_run_[i];
            }
        }
    }

    /// Computes the right-aligned tree over the lane vectors of a row of the run, up to the one that ends here.
    TILEWISE_DEVICE void combine_lanes(Op& op)
    {
        int const own = end_of_vector_ == no_end ? 0 : (end_of_vector_ & (row - 1)) / N, most = warp_max(own);
        registers<T, steps + 1> const row_before(tree_);
        gpu::put(tree_[0], T(whole_vector_[0]));
        constexpr int few = 2;
        if (most == 0) {
            combine_lanes<0>(own, row_before, op);
        } else if (most < 1 << few) {
            combine_lanes<few>(own, row_before, op);
        } else {
            combine_lanes<steps>(own, row_before, op);
        }
        int const lane = lane_index();
        gpu::put(tree_before_[0], gpu::shuffle(gpu::select(lane == last_lane, T(row_before[steps]), T(tree_[steps])),
                                               (lane + last_lane) % warp_size));
    }
    /// The steps up to `end`; those behind change nothing.
    template <int end>
    TILEWISE_DEVICE void combine_lanes(int own, registers<T, steps + 1> const& row_before, Op& op)
    {
        int const lane = lane_index();
        TILEWISE_UNROLL
        for (int step = 0; step < steps; ++step) {
            int const distance = 1 << step;
            gpu::put(tree_[step + 1], T(tree_[step]));
            if (step < end) {
                T const left =
                    gpu::shuffle(gpu::select(lane + distance >= warp_size, T(row_before[step]), T(tree_[step])),
                                 (lane + warp_size - distance) % warp_size);
                combine_if(own >= distance, op, tree_[step + 1], left, T(tree_[step]));
            }
        }
    }

    /// Appends the row of the run that ends in this row of memory, if one does, and the chunk, if one ends with it.
    TILEWISE_DEVICE void combine_rows(Op& op)
    {
        unsigned const ends = warp_ballot(end_of_vector_ != no_end && (end_of_vector_ & (row - 1)) == row - 1);
        gpu::put(rows_before_[0], T(rows_[0]));
        gpu::put(chunks_before_[0], T(chunks_[0]));
        end_of_row_ = no_end;
        if (ends == 0)
            return;
        int const at = gpu::lowest_lane(ends);
        T const last(gpu::shuffle(tree_[steps], at));
        end_of_row_ = gpu::shuffle(end_of_vector_, at);
        int const chunks = (end_of_row_ + 1) / chunk; // that have ended
        gpu::put(rows_[0], end_of_row_ % chunk >= row ? gpu::combine(op, T(rows_[0]), last) : last);
        if (end_of_row_ % chunk == chunk - 1 && chunks < Scan::chunks) {
            if (lane_index() == chunks - 1 || chunks == 1)
                gpu::put(chunk_of_lane_[0], T(rows_[0]));
            gpu::put(chunks_[0],
                     gpu::shuffle(gpu::warp_right_aligned_trees<Scan::chunks>(op, T(chunk_of_lane_[0]), chunks),
                                  chunks - 1));
        }
    }

    /// Finds the prefixes of the lane vector of this lane's first value, and of the one behind the end of that.
    TILEWISE_DEVICE void find_prefixes(Op& op)
    {
        find_prefix(in_run_[0], T(tree_before_[0]), exists(0), op, prefix_);
        find_prefix(end_of_vector_ + 1, T(tree_[steps]), end_of_vector_ != no_end, op, prefix_behind_);
    }
    /// Finds the prefix of the lane vector at position `in_run`, from the tree over those of its row before it.
    TILEWISE_DEVICE void find_prefix(int in_run, T const& tree, bool exists, Op& op, registers<T, 1>& found)
    {
        gpu::put(found[0], tree);
        bool has_prefix = (in_run & (row - 1)) >= N;
        registers<T, 1> front(init_.value);
        bool has_front = init_.has_value;
        if (reaches_row_) { // in all lanes, or in none
            bool const is_behind = in_run > end_of_row_, in_later_chunk = in_run >= chunk;
            prepend(found, has_prefix, in_run % chunk >= row, exists, op,
                    gpu::select(is_behind, T(rows_[0]), T(rows_before_[0])));
            T const chunks = gpu::select(is_behind, T(chunks_[0]), T(chunks_before_[0]));
            combine_if(exists && in_later_chunk && has_front, op, front[0], T(front[0]), chunks);
            if (in_later_chunk && !has_front)
                gpu::put(front[0], chunks);
            has_front = has_front || in_later_chunk;
        }
        if (reaches_row_ || init_.has_value)
            prepend(found, has_prefix, has_front, exists, op, T(front[0]));
    }

    static constexpr int no_end = 1 << 30; ///< no position in a run is above it

    optional_value<T> init_;
    int longest_;
    // of the row
    int open_, open_before_;             ///< where the runs begin that are open behind and before the row
    int missing_;                        ///< not above 0, if all results exist
    int end_of_row_ = no_end;            ///< the position in its run at which a row of it ends
    bool reaches_row_;                   ///< whether a value may end a row of its run, or be behind one
    unsigned lanes_;                     ///< a bit for each lane in which a run begins
    registers<T, 1> rows_, rows_before_; ///< the rows of its chunk before the current one, behind and before this row
    registers<T, 1> chunks_, chunks_before_; ///< the chunks of the run before the current one, likewise
    // of the lane
    unsigned begins_, exists_;      ///< a bit for each value
    int before_lane_;               ///< the position in its run of the lane's first value, if it does not begin one
    int in_run_[N];                 ///< the position of each value in its run
    registers<T, N> values_before_; ///< in the row before
    registers<T, 1> open_vector_;   ///< the values in the lane before, of the lane vector that continues here
    registers<T, N> sums_;          ///< of each value's lane vector, up to it
    registers<T, 1> whole_vector_;  ///< the lane vector that ends here
    int end_of_vector_;             ///< the position in its run at which it ends
    registers<T, steps + 1> tree_;  ///< over up to 2^step lane vectors up to that one
    registers<T, 1> tree_before_;   ///< over all, up to the one that ends in the lane before
    registers<T, 1> chunk_of_lane_; ///< of the run that is open, the chunk with the lane's number
    registers<T, 1> prefix_, prefix_behind_; ///< of the lane vector of the first value, and of the one behind its end
};

} // namespace gpu
TILEWISE_NAMESPACE_END
