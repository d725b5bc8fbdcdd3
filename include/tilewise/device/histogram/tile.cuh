// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Finds the cells of a tile of samples, and counts them directly in the counters in global memory.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/histogram/samples.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The `count` cells, from `first` on, that are counted at a time.
struct cell_range {
    unsigned first, count;
};

/// Returns the cell of a sample, relative to the first cell of the range. Returns `none` if the sample has no cell or
/// the relative number is not less than `none`.
template <class Bins, class Sample>
TILEWISE_DEVICE unsigned cell_in(cell_range range, Bins const& bins, Sample const& sample, unsigned none)
{
    auto const found = gpu::locate(bins, sample, 0x80000000);
    unsigned const cell = found.cell - range.first;
    return found.inside && cell < none ? cell : none;
}

/// The cells of a thread's samples of a tile, in registers, relative to the first cell of the range; `none` for samples
/// that are not counted.
template <class Tuning>
using tile_cells = registers<unsigned, Tuning::items_per_thread>;
template <class Tuning>
inline constexpr int tile_of_samples = Tuning::threads * Tuning::items_per_thread;

/// How a thread loads its samples of a tile.
template <class Tuning, class View>
struct sample_loads {
    static constexpr int size = 1 << gpu::log2_of(std::min(Tuning::items_per_thread, vector_bytes / View::widest));
    static constexpr int per_thread = Tuning::items_per_thread / size;
    static constexpr int in_flight = std::min(per_thread, Tuning::loads_in_flight);
    static_assert(size * per_thread == Tuning::items_per_thread && per_thread % in_flight == 0);
};

/// Finds the cells of the tile of samples that begins at `begin`.
template <class Tuning, access how, class View, class Bins>
TILEWISE_DEVICE tile_cells<Tuning> find_cells(View& view, offset begin, offset count, Bins const& bins,
                                              cell_range range, unsigned none)
{
    using loads = sample_loads<Tuning, View>;
    constexpr int N = loads::size, margin = how == access::realigned ? 2 * N : 0;
    bool const whole = begin >= margin && count - begin >= tile_of_samples<Tuning> + margin;
    auto const position_of = [&](int i) { return begin + (i * Tuning::threads + thread_index()) * N; };
    tile_cells<Tuning> cells;
    TILEWISE_UNROLL
    for (int first = 0; first < loads::per_thread; first += loads::in_flight) {
        registers<typename View::template vector<N>, loads::in_flight> loaded;
        if (whole) {
            TILEWISE_UNROLL
            for (int i = 0; i < loads::in_flight; ++i)
                loaded[i] = view.template fetch<how, N>(position_of(first + i));
            TILEWISE_UNROLL
            for (int i = 0; i < loads::in_flight; ++i)
                view.template finish<how, N>(loaded[i], position_of(first + i));
        } else {
            TILEWISE_UNROLL
            for (int i = 0; i < loads::in_flight; ++i)
                loaded[i] = view.template fetch_clamped<N>(position_of(first + i), count - 1);
        }
        TILEWISE_UNROLL
        for (int i = 0; i < loads::in_flight; ++i) {
            TILEWISE_UNROLL
            for (int k = 0; k < N; ++k)
                cells[(first + i) * N + k] = gpu::cell_in(range, bins, view.element(loaded[i], k), none);
        }
    }
    if (!whole) {
        TILEWISE_UNROLL
        for (int i = 0; i < Tuning::items_per_thread; ++i)
            if (position_of(i / N) + i % N >= count)
                cells[i] = none;
    }
    return cells;
}

/// Counts a tile of samples per block in the counters in global memory. One address takes 1.4 billion additions per
/// second, so a block first combines the additions to cells with many samples, in hash slots in shared memory: each
/// slot counts the first cell of the tile that is hashed to it.
template <class Tuning, access how, class View, class Bins, class Counter>
TILEWISE_KERNEL(Tuning::threads, Tuning::blocks_per_multiprocessor)
add_samples(View view, offset first_tile, offset count, Bins bins, cell_range range, Counter* counts)
{
    constexpr int threads = Tuning::threads, slots = Tuning::hash_slots;
    static_assert(slots % threads == 0);
    TILEWISE_SHARED(arrivals, unsigned[slots]);
    TILEWISE_SHARED(first_cell, unsigned[slots]);

    auto const cells = gpu::find_cells<Tuning, how>(view, (first_tile + block_index()) * tile_of_samples<Tuning>, count,
                                                    bins, range, range.count);
    auto const slot_of = [](unsigned cell) { return (cell ^ cell / slots) % slots; };
    TILEWISE_UNROLL
    for (int i = thread_index(); i < slots; i += threads)
        arrivals[i] = 0;
    sync_block();
    TILEWISE_UNROLL
    for (int i = 0; i < Tuning::items_per_thread; ++i)
        if (cells[i] < range.count && gpu::fetch_add(&arrivals[slot_of(cells[i])], 1) == 0)
            first_cell[slot_of(cells[i])] = cells[i];
    sync_block();
    TILEWISE_UNROLL
    for (int i = 0; i < Tuning::items_per_thread; ++i) {
        if (cells[i] < range.count && first_cell[slot_of(cells[i])] != cells[i]) {
            gpu::add(&arrivals[slot_of(cells[i])], ~0U); // minus one
            gpu::add(&counts[cells[i]], Counter{1});
        }
    }
    sync_block();
    TILEWISE_UNROLL
    for (int i = thread_index(); i < slots; i += threads)
        if (arrivals[i] > 0)
            gpu::add(&counts[first_cell[i]], Counter{arrivals[i]});
}

} // namespace gpu
TILEWISE_NAMESPACE_END
