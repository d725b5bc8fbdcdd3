// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernel that combines the values of runs of up to a tile, or of up to a few rows if values are few, given where
/// runs begin. A warp takes a part of the values, and begins with those before it that belong to the same run: at most
/// as many. Longer runs are listed.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/by_key/listed_runs.cuh>
#include <tilewise/device/by_key/long_runs.cuh>
#include <tilewise/device/by_key/marks.cuh>
#include <tilewise/device/by_key/rows_with_runs.cuh>
#include <tilewise/device/by_key/run_rows.cuh>
#include <tilewise/device/by_key/runs.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/order.hpp>

#include <cstdint>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// What `combine_runs` writes: a result for every value, if there are more than `most` runs.
template <class Sink>
struct scanned_runs {
    static constexpr bool reduces = false;
    Sink to;
    offset most;

    template <class>
    using list = char; ///< of which there is none
    template <class Scan>
    bool is_aligned() const
    {
        return reinterpret_cast<std::uintptr_t>(to.base()) % Sink::template alignment<Scan::lane_vector> == 0;
    }
};

/// Stores the results of a scan for the values of a lane, of those that exist.
template <class Scan, access how, class Rows>
TILEWISE_DEVICE void store_scanned(typename Scan::sink& to, Rows const& rows, offset position, typename Scan::op& op)
{
    using T = typename Scan::value;
    constexpr int N = Scan::lane_vector;
    registers<T, N> results;
    TILEWISE_UNROLL
    for (int i = 0; i < N; ++i)
        if (Scan::is_unpredicated || rows.exists(i))
            gpu::put(results[i], rows.result(i, op));
    if (rows.all_exist()) {
        to.template store<how>(position, Scan::sink::pack(results));
        return;
    }
    TILEWISE_UNROLL
    for (int i = 0; i < N; ++i)
        if (rows.exists(i))
            gpu::store_one(to, position + i, T(results[i]));
}

/// Combines the values of runs of up to `longest` values, at most a tile, and lists the longer ones: where the mean run
/// is longer than that, all of more than a row.
template <class Scan, class Out, class Tuning, access how, class Lists>
TILEWISE_KERNEL(Tuning::threads, Tuning::combining_blocks_per_multiprocessor)
combine_runs(typename Scan::view view, Out out, run_marks marks, initial<typename Scan::value> init,
             typename Scan::op op, int longest, Lists lists)
{
    using T = typename Scan::value;
    constexpr int N = Scan::lane_vector, row = Scan::row, ahead = 2; // rows whose loads are in flight
    constexpr int far = -(1 << 29);                                  // as a position: long before the part
    constexpr int warps = Tuning::threads / warp_size;
    using lists_of_warps = registers<typename Out::template list<Scan>, warps>;
    TILEWISE_SHARED(listed, lists_of_warps);
    int const warp = warp_index();
    offset const part = offset{block_index()} * warps + warp;
    wait_for_primary();
    release_dependents(); // now, as the number of runs is about to be announced (decision 49)
    gpu::clear_counters_of_next_round(lists.to.counters_of_next_round);
    runs_before in_block = {0, -1}; // loaded at the same time as what is in the blocks
    if (part < marks.parts)
        in_block = marks.of_parts[part];
    runs_of_all const all = gpu::sum_blocks<Tuning::threads>(marks);
    if (block_index() == 0 && thread_index() == 0)
        lists.to.runs.announce(all.number);
    if (part >= marks.parts || all.number <= out.most)
        return;
    if (all.number * (longest + 1) <= marks.count) // at least one run is longer, so later kernels have work anyway
        longest = row;
    int const lane = lane_index();
    offset const first = part * marks.part_size;
    runs_before before = gpu::after(all.before_block, in_block);
    offset const back = first - before.last; // how long before the part the last run begins
    bool const is_long = before.last < 0 || back > longest || !marks.any_between(first, before.last + longest);
    int const begin = is_long ? 0 : -static_cast<int>((back + row - 1) / row) * row,
              end = static_cast<int>(gpu::at_most(marks.count - first, 1 << 30)),
              limit = gpu::min_of(marks.part_size, end + 1);
    // Positions in the part, from the first row on
    auto values = view.from(first + begin + lane * N);
    unsigned const* const words = marks.words + ((first + begin) >> 5);
    int const shift = lane * N % warp_size, word = lane * N / warp_size;

    if constexpr (Out::reduces)
        out.skip(before.runs);
    registers<typename Scan::vector_size, ahead> loaded;
    unsigned begins[ahead];
    int at[ahead];
    rows_with_runs<N> some_rows(words, begin, limit, longest);
    auto const load = [&](int i) {
        at[i] = some_rows.take();
        if (at[i] >= limit)
            return;
        auto const from = static_cast<unsigned>(at[i] - begin);
        if (at[i] + row <= end) {
            if constexpr (Out::reduces)
                if (at[i] >= 0)
                    out.keys.template prefetch<row>(first + at[i]);
            loaded[i] = values.template fetch<how, N>(from);
        } else {
            int const left = end - at[i] - lane * N;
            if (left > 0)
                loaded[i] = values.template fetch_clamped<N>(from, offset{from} + gpu::min_of(left, N) - 1);
        }
        begins[i] = words[from / warp_size + word] >> shift & ((1u << (N - 1) << 1) - 1);
    };
    TILEWISE_UNROLL
    for (int i = 0; i < ahead; ++i)
        load(i);
    run_rows<Scan> rows(is_long && back > longest && back < -far ? -static_cast<int>(back) : far, longest, init.get());
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
                    gpu::put(last[0], rows.result(N - 1, op));
                T const previous = gpu::shuffle(gpu::select(lane == warp_size - 1, T(last_of_row[0]), T(last[0])),
                                                (lane + warp_size - 1) % warp_size);
                gpu::put(last_of_row[0], T(last[0]));
                if (here >= 0 && rows.any_begins()) {
                    bool const ends_long = !rows.all_exist() && first + rows.first_begin(here) - before.last > longest;
                    int const number = gpu::store_runs<Scan, how>(out, rows, before.runs, first + here, marks.count,
                                                                  ends_long, previous, op, listed[warp]);
                    before.runs += number;
                    out.skip(number);
                }
            } else if (here >= 0) {
                gpu::store_scanned<Scan, how>(out.to, rows, position, op);
            }
            if (here >= 0 && rows.any_begins()) {
                if (!rows.all_exist()) {
                    offset const next = first + rows.first_begin(here);
                    if (next - before.last > longest && before.last >= 0)
                        lists.add({before.last, next - before.last}, run, all.number);
                }
                before.last = first + rows.open();
            }
        }
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
