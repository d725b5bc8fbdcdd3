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
    static_assert(N < 32, "a lane has a bit for each of its values in one word");
    static constexpr bool accepts_any = Scan::is_unpredicated; ///< results that do not exist, without branches
    static constexpr bool has_init = Scan::form == scan_form::exclusive;

public:
    /// Begins before a row. The run that is open there begins at `open`: at least `longest` values before it, or its
    /// results are not needed.
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
        combine_lane_vectors(op);
        if (reaches_row_)
            combine_rows(op);
        if (has_init || reaches_row_) {
            complete_prefix(in_run_, in_run_ >= N && exists(0), op, prefix_);
            complete_prefix(end_of_vector_ + 1, end_of_vector_ != no_end, op, prefix_behind_);
        }
    }

    /// Whether there is a result for value `i` of this lane; for all values of all lanes.
    TILEWISE_DEVICE bool exists(int i) const { return has(exists_, i); }
    TILEWISE_DEVICE bool all_exist() const { return missing_ <= 0; }

    /// Whether value `i` begins a run; the same for all values of this lane, a bit for each; whether any value of the
    /// row does, and the first position at which one does.
    TILEWISE_DEVICE bool begins(int i) const { return has(begins_, i); }
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
    /// Returns the result of the scan for value `i`, which exists or is ignored.
    TILEWISE_DEVICE T result(int i, Op& op) const
    {
        T const before_vector = gpu::select(has(behind_, i), T(prefix_behind_[0]), T(prefix_[0]));
        registers<T, 1> result;
        if constexpr (!has_init) {
            gpu::put(result[0], T(sums_[i]));
            combine_if(has(have_prefix_, i), op, result[0], before_vector, T(sums_[i]));
        } else {
            gpu::put(result[0], has(have_prefix_, i) ? before_vector : T(init_.value[0]));
            combine_if(!has(begin_vectors_, i), op, result[0], T(result[0]),
                       T(i > 0 ? sums_[gpu::max_of(i - 1, 0)] : open_vector_[0]));
        }
        return result[0];
    }

private:
    TILEWISE_DEVICE static bool has(unsigned bits, int i) { return (bits >> i & 1) != 0; }
    /// The lowest `count` bits, of N.
    TILEWISE_DEVICE static unsigned first_bits(int count) { return (1u << gpu::min_of(N, gpu::max_of(count, 0))) - 1; }
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
    /// Returns the value of the lane `distance` before, which may be one of the row before.
    TILEWISE_DEVICE static T from_lane_before(T const& value, T const& in_row_before, int distance = 1)
    {
        return gpu::shuffle(gpu::select(lane_index() + distance >= warp_size, in_row_before, value),
                            (lane_index() + warp_size - distance) % warp_size);
    }

    /// Finds where runs begin and which values are in which of their lane vectors.
    TILEWISE_DEVICE void find_positions(int first, unsigned begins)
    {
        int const lane = lane_index(), position = first + lane * N;
        begins_ = begins;
        lanes_ = warp_ballot(begins != 0);
        unsigned const before = lanes_ & ((1u << lane) - 1);
        int const last_begin = position + highest_bit(begins),
                  in_row = gpu::shuffle(last_begin, highest_bit(before) & last_lane),
                  open_before_lane = before != 0 ? in_row : open_;
        open_before_ = open_;
        open_ = gpu::shuffle(begins != 0 ? last_begin : open_before_lane, last_lane);
        int const in_run = position - open_before_lane;
        reaches_row_ = any_lane(in_run >= row - N);
        in_run_ = (begins & 1) != 0 ? 0 : in_run;
        last_of_vector_ = ~in_run_ & (N - 1);
        unsigned const later = begins & ~1u, up_to_last = (2u << last_of_vector_) - 1;
        continue_ = (later & -later) - 1;
        behind_ = continue_ & ~up_to_last;
        begin_vectors_ = later | (continue_ & (up_to_last + 1)) | (last_of_vector_ == N - 1 ? 1 : 0);
        have_prefix_ = in_run_ >= N ? continue_ : behind_;
    }

    /// Combines the values of each lane vector up to this lane's.
    template <bool all>
    TILEWISE_DEVICE void combine_values(View& view, typename Scan::vector_size const& loaded, int valid, Op& op)
    {
        registers<T, N> values;
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i)
            if (all || i < valid)
                gpu::put(values[i], gpu::operand<T, Op>(view, loaded, i));
        exists_ = all ? first_bits(N) : first_bits(valid) & (first_bits(longest_ - in_run_) | ~continue_);
        // As if no lane vector had values in the lane before: then, the last one is right, whose values are all here
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i) {
            gpu::put(sums_[i], T(values[i]));
            if (i > 0)
                combine_if(has(exists_ & ~begin_vectors_, i), op, sums_[i], T(sums_[gpu::max_of(i - 1, 0)]),
                           T(values[i]));
        }
        gpu::put(open_vector_[0], from_lane_before(sums_[N - 1], sums_before_[0]));
        gpu::put(sums_before_[0], T(sums_[N - 1]));
        unsigned const opened = last_of_vector_ < N - 1 ? exists_ & continue_ & ~behind_ : 0;
        TILEWISE_UNROLL
        for (int i = 0; i < N - 1; ++i)
            combine_if(has(opened, i), op, sums_[i], T(i > 0 ? sums_[gpu::max_of(i - 1, 0)] : open_vector_[0]),
                       T(values[i]));
        gpu::put(whole_vector_[0], T(sums_[N - 1]));
        TILEWISE_UNROLL
        for (int i = 0; i < N - 1; ++i)
            if (i == last_of_vector_)
                gpu::put(whole_vector_[0], T(sums_[i]));
        end_of_vector_ = has(exists_ & continue_, last_of_vector_) ? in_run_ | (N - 1) : no_end;
    }

    /// Computes the right-aligned tree over the lane vectors of a row of the run, up to the one that ends here.
    TILEWISE_DEVICE void combine_lane_vectors(Op& op)
    {
        constexpr int few = 3; // steps
        int const own = end_of_vector_ == no_end ? 0 : (end_of_vector_ & (row - 1)) / N, most = warp_max(own);
        registers<T, 1> const before(tree_of_row_);
        gpu::put(tree_of_row_[0], T(whole_vector_[0]));
        if (most == 0)
            combine_lanes<0>(own, op);
        else if (most < 1 << few)
            combine_lanes<few>(own, op);
        else
            combine_lanes<steps>(own, op);
        steps_ = most == 0 ? 0 : most < 1 << few ? few : steps;
        gpu::put(prefix_[0], from_lane_before(tree_of_row_[0], before[0]));
        gpu::put(prefix_behind_[0], T(tree_of_row_[0]));
    }
    /// The steps up to `end`; those behind change nothing.
    template <int end>
    TILEWISE_DEVICE void combine_lanes(int own, Op& op)
    {
        TILEWISE_UNROLL
        for (int step = 1; step < end; ++step)
            if (step > steps_)
                gpu::put(tree_[step], T(tree_[step - 1]));
        TILEWISE_UNROLL
        for (int step = 0; step < end; ++step) {
            int const distance = 1 << step;
            T const left = from_lane_before(tree_of_row_[0], tree_[step], distance);
            gpu::put(tree_[step], T(tree_of_row_[0]));
            combine_if(own >= distance, op, tree_of_row_[0], left, T(tree_of_row_[0]));
        }
        if constexpr (end < steps)
            gpu::put(tree_[end], T(tree_of_row_[0]));
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
        T const last(gpu::shuffle(tree_of_row_[0], at));
        end_of_row_ = gpu::shuffle(end_of_vector_, at);
        int const chunks = (end_of_row_ + 1) / chunk; // that have ended
        gpu::put(rows_[0], end_of_row_ % chunk >= row ? gpu::combine(op, T(rows_[0]), last) : last);
        if (end_of_row_ % chunk == chunk - 1 && chunks < Scan::chunks) {
            if (lane_index() == chunks - 1 || chunks == 1)
                gpu::put(chunk_of_lane_[0], T(rows_[0]));
            T const trees = gpu::warp_right_aligned_trees<Scan::chunks>(op, T(chunk_of_lane_[0]), chunks);
            gpu::put(chunks_[0], gpu::shuffle(trees, chunks - 1));
        }
    }

    /// Puts the initial value, and what precedes its row, before the prefix of the lane vector at position `in_run`:
    /// the tree over those of its row before it.
    TILEWISE_DEVICE void complete_prefix(int in_run, bool exists, Op& op, registers<T, 1>& prefix)
    {
        bool has_prefix = (in_run & (row - 1)) >= N, in_later_chunk = false;
        registers<T, 1> front(init_.value);
        if (reaches_row_) { // in all lanes, or in none
            bool const is_behind = in_run > end_of_row_;
            prepend(prefix, has_prefix, in_run % chunk >= row, exists, op,
                    gpu::select(is_behind, T(rows_[0]), T(rows_before_[0])));
            T const chunks = gpu::select(is_behind, T(chunks_[0]), T(chunks_before_[0]));
            in_later_chunk = in_run >= chunk;
            if constexpr (has_init)
                combine_if(exists && in_later_chunk, op, front[0], T(front[0]), chunks);
            else
                gpu::put(front[0], chunks);
        }
        prepend(prefix, has_prefix, has_init || in_later_chunk, exists, op, T(front[0]));
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
    int in_run_;                    ///< the position of the first value in its run
    int last_of_vector_;            ///< which value ends the lane vector of the first one, if no run begins before
    unsigned continue_, behind_;    ///< a bit for each value of the same run as the first; for those behind that one
    unsigned begin_vectors_;        ///< a bit for each value that begins a lane vector
    unsigned have_prefix_;          ///< a bit for each value with lane vectors before its own
    registers<T, N> sums_;          ///< of each value's lane vector, up to it
    registers<T, 1> sums_before_;   ///< the last of them, in the row before
    registers<T, 1> open_vector_;   ///< the values in the lane before, of the lane vector that continues here
    registers<T, 1> whole_vector_;  ///< the lane vector that ends here
    int end_of_vector_;             ///< the position in its run at which it ends
    registers<T, 1> tree_of_row_;   ///< over all lane vectors of its row, up to that one
    registers<T, steps> tree_;      ///< over up to 2^step of them, for the next row
    int steps_ = 0;                 ///< the last one stored, if not all are: those behind it would be the same
    registers<T, 1> chunk_of_lane_; ///< of the run that is open, the chunk with the lane's number
    registers<T, 1> prefix_, prefix_behind_; ///< of the lane vector of the first value, and of the one behind its end
};

} // namespace gpu
TILEWISE_NAMESPACE_END
