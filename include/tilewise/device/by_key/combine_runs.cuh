// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernel that combines the values of runs of up to a tile, given where runs begin. A warp takes a part of the
/// values, and begins with those before it that belong to the same run: at most a tile. Longer runs are listed.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/by_key/marks.cuh>
#include <tilewise/device/by_key/run_rows.cuh>
#include <tilewise/device/by_key/runs.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A run of more than a tile.
struct long_run {
    offset begin, count, index;
};

/// The long runs of a call: segments for the kernels that combine longer ones.
struct long_runs {
    long_run* list;
    unsigned long long* found;

    static constexpr bool counts_on_device = true;

    TILEWISE_DEVICE segment_span at(offset number) const { return {list[number].begin, list[number].count}; }
};

/// A sink that stores the result of a long run, given by its number in the list, at the index of the run.
template <class Sink>
struct long_run_sink {
    Sink to;
    long_run const* list;

    template <class T, int count>
    TILEWISE_DEVICE static auto pack(registers<T, count> const& values)
    {
        return Sink::pack(values);
    }
    template <class Packed>
    TILEWISE_DEVICE void store_some(offset number, Packed const& value, int, int)
    {
        to.store_some(list[number].index, value, 0, 1);
    }
};

/// What `combine_runs` writes: a result for every value.
template <class Sink>
struct scanned_runs {
    using sink = Sink;
    static constexpr bool reduces = false;
    Sink to;
};

/// What `combine_runs` writes: a result for every run, and its first key.
template <class Sink, class FirstKeys>
struct reduced_runs {
    using sink = Sink;
    static constexpr bool reduces = true;
    Sink to;
    FirstKeys keys;
};

/// Stores the results of a scan for the values of a lane, of those that exist.
template <class Scan, access how, class Rows>
TILEWISE_DEVICE void store_scanned(typename Scan::sink& to, Rows const& rows, offset position, typename Scan::op& op,
                                   optional_value<typename Scan::value> const& init)
{
    using T = typename Scan::value;
    constexpr int N = Scan::lane_vector;
    registers<T, N> results;
    TILEWISE_UNROLL
    for (int i = 0; i < N; ++i)
        if (Scan::is_unpredicated || rows.exists(i))
            gpu::put(results[i], rows.template result<Scan::form>(i, op, init));
    if (rows.all_exist()) {
        to.template store<how>(position, Scan::sink::pack(results));
        return;
    }
    TILEWISE_UNROLL
    for (int i = 0; i < N; ++i)
        if (rows.exists(i))
            gpu::store_one(to, position + i, T(results[i]));
}

/// Stores the results of the runs that end where others begin, and the first keys of the latter. `run` is the number of
/// runs that begin before the lane; `before` is the result for the value before the lane's first one.
template <class Scan, class Rows, class Out>
TILEWISE_DEVICE void store_reduced(Out& out, Rows const& rows, offset run, offset position, offset count,
                                   typename Scan::value const& before, typename Scan::op& op)
{
    using T = typename Scan::value;
    auto const no_init = gpu::no_value<T>();
    for (unsigned left = rows.begins(); left != 0; left &= left - 1, ++run) {
        int const i = gpu::lowest_lane(left);
        registers<typename decltype(out.keys)::key, 1> key;
        if (position + i < count)
            out.keys.load(key, 0, position + i);
        if (run > 0 && (rows.all_exist() || rows.length_before(i) <= Scan::tile))
            gpu::store_one(out.to, run - 1,
                           i == 0 ? before : rows.template result<scan_form::inclusive>(i - 1, op, no_init));
        if (position + i < count)
            out.keys.write(run, key, 0);
    }
}

/// The rows of a part in which a run begins, or in which a run of up to a tile continues.
template <int N, int tile>
class rows_with_runs {
    static constexpr int row = N * warp_size;

public:
    /// For the rows from position `first` on up to `limit`, with the marks of the keys from there on. The run that is
    /// open before the first row is longer.
    TILEWISE_DEVICE rows_with_runs(unsigned const* marks, int first, int limit)
        : marks_(marks), first_(first), limit_(limit), next_(first), last_begin_(first - tile - row)
    {
        find(first);
    }
    /// Returns the position of the next such row, or `limit` if there is none. All lanes take part.
    TILEWISE_DEVICE int take()
    {
        while (next_ < limit_) {
            if (next_ - begin_ >= warp_size * row)
                find(next_);
            int const own = next_;
            unsigned const left = begins_ >> (own - begin_) / row;
            if ((left & 1) != 0)
                last_begin_ = own;
            if (own - last_begin_ <= tile) {
                next_ = own + row;
                return own;
            }
            next_ = left != 0 ? own + gpu::lowest_lane(left) * row : begin_ + warp_size * row;
        }
        return limit_;
    }

private:
    /// Finds in which of 32 rows a run begins: a lane for each row.
    TILEWISE_DEVICE void find(int begin)
    {
        begin_ = begin;
        int const own = begin + lane_index() * row;
        unsigned any = 0;
        if (own < limit_) {
            TILEWISE_UNROLL
            for (int i = 0; i < N; ++i)
                any |= marks_[static_cast<unsigned>(own - first_) / warp_size + i];
        }
        begins_ = warp_ballot(any != 0);
    }

    unsigned const* marks_;
    int first_, limit_, next_, last_begin_;
    int begin_;       ///< of the rows that have been looked at
    unsigned begins_; ///< a bit for each of them
};

/// Combines the values of runs of up to a tile, and lists the longer ones.
template <class Scan, class Out, class Tuning, access how, class Lists>
TILEWISE_KERNEL(Tuning::threads, Tuning::combining_blocks_per_multiprocessor)
combine_runs(typename Scan::view view, Out out, run_marks marks, initial<typename Scan::value> init,
             typename Scan::op op, Lists lists)
{
    using T = typename Scan::value;
    constexpr int N = Scan::lane_vector, row = Scan::row, ahead = 2; // rows whose loads are in flight
    constexpr int far = -(1 << 29);                                 // as a position: long before the part
    offset const part = offset{block_index()} * (Tuning::threads / warp_size) + warp_index();
    release_dependents();
    wait_for_primary();
    if (part >= marks.parts)
        return;
    int const lane = lane_index();
    offset const first = part * marks.part_size;
    runs_before before = marks.before(part);
    offset const back = first - before.last; // how long before the part the last run begins
    bool const is_long = back > Scan::tile || before.last < 0;
    int const begin = is_long ? 0 : -static_cast<int>((back + row - 1) / row) * row,
              end = static_cast<int>(gpu::at_most(marks.count - first, 1 << 30)),
              limit = min_of(marks.part_size, end + 1);
    // Positions in the part, from the first row on
    auto values = view.from(first + begin + lane * N);
    unsigned const* const words = marks.words + ((first + begin) >> 5);
    int const shift = lane * N % warp_size, word = lane * N / warp_size;
    optional_value<T> const initial_value = init.get();

    registers<typename Scan::vector_size, ahead> loaded;
    unsigned begins[ahead];
    int at[ahead];
    rows_with_runs<N, Scan::tile> some_rows(words, begin, limit);
    auto const load = [&](int i) {
        at[i] = some_rows.take();
        if (at[i] >= limit)
            return;
        auto const from = static_cast<unsigned>(at[i] - begin);
        if (at[i] + row <= end) {
            loaded[i] = values.template fetch<how, N>(from);
        } else {
            int const left = end - at[i] - lane * N;
            if (left > 0)
                loaded[i] = values.template fetch_clamped<N>(from, offset{from} + min_of(left, N) - 1);
        }
        begins[i] = words[from / warp_size + word] >> shift & ((1u << (N - 1) << 1) - 1);
    };
    TILEWISE_UNROLL
    for (int i = 0; i < ahead; ++i)
        load(i);
    run_rows<Scan> rows(is_long && back < -far ? -static_cast<int>(back) : far);
    [[maybe_unused]] registers<T, 1> last_of_row; // the result for this lane's last value, in the row before
    TILEWISE_NO_UNROLL
    for (bool is_over = false; !is_over;) {
        TILEWISE_UNROLL
        for (int i = 0; i < ahead; ++i) {
            int const here = at[i];
            if (here >= limit) {
                is_over = true;
                break;
            }
            rows.combine(values, loaded[i], here, end, begins[i], op);
            load(i);
            offset const position = first + (here + lane * N);
            [[maybe_unused]] offset const run = before.runs - 1; // the one that is open before the row
            if constexpr (Out::reduces) {
                registers<T, 1> last;
                if (Scan::is_unpredicated || rows.exists(N - 1))
                    gpu::put(last[0], rows.template result<scan_form::inclusive>(N - 1, op, gpu::no_value<T>()));
                T const previous = gpu::shuffle(gpu::select(lane == warp_size - 1, T(last_of_row[0]), T(last[0])),
                                                (lane + warp_size - 1) % warp_size);
                gpu::put(last_of_row[0], T(last[0]));
                if (here >= 0 && rows.any_begins()) {
                    int const earlier = rows.runs_before_lane();
                    gpu::store_reduced<Scan>(out, rows, before.runs + earlier, position, marks.count, previous, op);
                    before.runs += gpu::shuffle(earlier + count_bits(rows.begins()), warp_size - 1);
                }
            } else if (here >= 0) {
                gpu::store_scanned<Scan, how>(out.to, rows, position, op, initial_value);
            }
            if (here >= 0 && rows.any_begins()) {
                if (!rows.all_exist()) {
                    offset const next = first + rows.first_begin(here);
                    if (next - before.last > Scan::tile && before.last >= 0)
                        lists.add({before.last, next - before.last}, run);
                }
                before.last = first + rows.open();
            }
        }
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
