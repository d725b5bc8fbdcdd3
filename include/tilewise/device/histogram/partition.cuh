// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Counting in more cells than a table in shared memory has room for. The cells are divided into buckets: ranges that
/// fit such a table. For each chunk of the samples, `partition_samples` writes their cells to scratch memory, sorted by
/// bucket within each tile, and `count_buckets` counts each bucket in tables of its own. The distribution of the
/// samples does not matter: the size of every bucket of a chunk is known before the work is divided among blocks.
///
/// On an H200, 2^28 uniform floats in 2^20 cells take 866 us: 2.2 ps per sample in the partition, 1.0 ps in counting.
/// In a prototype, the tables of a chunk took 10 us for 2^20 cells. Additions to counters in global memory took 10 ps
/// each while the counters fit the L2 cache (2^23 cells), and at least 15 ps beyond, because each one reads and writes
/// a sector. More cells than the buckets hold are counted range by range, each of which reads all samples: that pays
/// off for up to 8 ranges, 2^27 cells. Beyond, and for few samples, `add_samples` adds to the counters in global
/// memory.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/context.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/launch.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/histogram/buckets.cuh>
#include <tilewise/device/histogram/tile.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>

#include <cstddef>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The largest table of `count_buckets` that fits a device, and how many blocks are resident with it.
struct table_fit {
    int log2_cells, blocks;
};
inline int bytes_of_table(int log2_cells)
{
    return 4 * ((1 << log2_cells) + 1);
}
template <auto* kernel, class Tuning>
table_fit fit_tables(current_device const& device)
{
    static known_of_context known;
    int const found = known(device.context(), [&] {
        int log2_cells = Tuning::log2_most_cells, per_multiprocessor = 0;
        for (;; --log2_cells) {
            int const bytes = bytes_of_table(log2_cells);
            auto const error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
            if (error != cudaErrorInvalidValue || log2_cells == 0)
                gpu::check(error, "cudaFuncSetAttribute");
            else
                cudaGetLastError();
            if (error == cudaSuccess)
                TILEWISE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor, &per_multiprocessor, kernel,
                              Tuning::counting_threads, static_cast<std::size_t>(bytes));
            if (per_multiprocessor > 0)
                break;
        }
        return per_multiprocessor * gpu::attribute_of(device, cudaDevAttrMultiProcessorCount) * 32 + log2_cells;
    });
    return {found % 32, found / 32};
}

/// How the cells are divided into ranges and buckets, and the samples into chunks.
template <class Tuning>
struct partition_plan {
    static constexpr offset tile = tile_of_samples<Tuning>;
    table_fit fit;
    offset tiles, ranges, cells_per_range;
    int buckets, slot; ///< per range; 16-byte vectors per tile
    offset tiles_per_chunk;

    partition_plan(table_fit found, offset samples, offset cells) : fit(found), tiles((samples + tile - 1) / tile)
    {
        offset const cells_at_once = offset{Tuning::most_buckets} << fit.log2_cells;
        ranges = (cells + cells_at_once - 1) / cells_at_once;
        buckets = static_cast<int>((((cells + ranges - 1) / ranges - 1) >> fit.log2_cells) + 1);
        cells_per_range = offset{buckets} << fit.log2_cells;
        slot = static_cast<int>(tile) / 8 + buckets;
        offset const room = Tuning::scratch_bytes + Tuning::scratch_bytes_per_cell * std::min(cells, cells_per_range);
        offset const fitting = std::clamp((room - totals_bytes()) / tile_bytes(), offset{1}, Tuning::most_tiles);
        offset const chunks = (tiles + fitting - 1) / fitting;
        tiles_per_chunk = (tiles + chunks - 1) / chunks;
    }
    bool pays(offset samples, offset cells) const
    {
        return ranges <= Tuning::most_ranges && samples >= std::max(Tuning::least_samples, cells);
    }
    offset slots_bytes() const { return tiles_per_chunk * slot * vector_bytes; }
    offset runs_bytes() const { return tiles_per_chunk * buckets * 4; }
    offset totals_bytes() const { return offset{Tuning::chunks_per_clearing} * buckets * 4; }
    offset bytes() const { return slots_bytes() + runs_bytes() + totals_bytes(); }

private:
    offset tile_bytes() const { return offset{slot} * vector_bytes + offset{buckets} * 4; }
};

/// Chooses and starts the kernels for one type of samples and axis.
template <class Tuning, class Counter, class View, class Bins>
class partitioner {
    using loads = sample_loads<Tuning, View>;
    using plan_type = partition_plan<Tuning>;
    static constexpr auto count_kernel = &count_buckets<Tuning, Counter>;

public:
    device_call& call;
    View samples;
    offset count;
    Bins bins;
    offset cells;
    Counter* counts;

    /// Starts the kernels.
    void start()
    {
        if (gpu::misalignment_of(samples) % View::template alignment<loads::size> == 0)
            start_kernels<access::aligned>();
        else
            start_kernels<misaligned_access<View, loads::size>>();
    }

private:
    template <access how>
    void start_kernels()
    {
        plan_type const plan(gpu::fit_tables<count_kernel, Tuning>(call.device()), count, cells);
        if (plan.pays(count, cells))
            return start_partition<how>(plan);
        cell_range const all = {0, static_cast<unsigned>(cells)};
        for (offset tile = 0; tile < plan.tiles; tile += Tuning::most_blocks) {
            auto const blocks = static_cast<int>(std::min(plan.tiles - tile, Tuning::most_blocks));
            call.launch(&add_samples<Tuning, how, View, Bins, Counter>, "add_samples", {blocks, Tuning::threads},
                        samples, tile, count, bins, all, counts);
        }
    }

    template <access how>
    void start_partition(plan_type const& plan)
    {
        scratch<unsigned char> const memory(call, plan.bytes());
        auto* const slots = memory.begin();
        auto* const runs = slots + plan.slots_bytes();
        auto* const totals = reinterpret_cast<unsigned*>(runs + plan.runs_bytes());
        bucket_lists lists = {reinterpret_cast<vector16*>(slots),
                              reinterpret_cast<unsigned*>(runs),
                              totals,
                              plan.slot,
                              plan.buckets,
                              plan.fit.log2_cells,
                              0};
        while (lists.log2_columns < std::min(Tuning::log2_most_columns, lists.log2_cells) &&
               ((plan.buckets + 1) << (lists.log2_columns + 1)) <= Tuning::most_words)
            ++lists.log2_columns;

        constexpr auto partition_kernel = &partition_samples<Tuning, how, View, Bins>;
        bool const dependent = Tuning::dependent_launches && call.can_launch_dependent<partition_kernel>() &&
                               call.can_launch_dependent<count_kernel>();
        int set = 0; // the index of the totals in use
        for (offset cell = 0; cell < cells; cell += plan.cells_per_range) {
            cell_range const range = {static_cast<unsigned>(cell),
                                      static_cast<unsigned>(std::min(cells - cell, plan.cells_per_range))};
            for (offset tile = 0; tile < plan.tiles; tile += plan.tiles_per_chunk) {
                bool const follows_own = set != 0; // the preceding kernels are of this call
                if (!follows_own)
                    call.clear(totals, static_cast<std::size_t>(plan.totals_bytes()));
                lists.totals = totals + offset{set} * plan.buckets;
                set = (set + 1) % Tuning::chunks_per_clearing;
                auto const tiles = static_cast<int>(std::min(plan.tiles - tile, plan.tiles_per_chunk));
                call.launch(partition_kernel, "partition_samples",
                            {tiles, Tuning::threads, 1, dependent && follows_own}, samples, tile, count, bins, range,
                            lists);
                int const shared = gpu::bytes_of_table(plan.fit.log2_cells);
                call.launch_with_array<count_kernel>("count_buckets",
                                                     {plan.fit.blocks, Tuning::counting_threads, 1, dependent, shared},
                                                     shared, lists, scattered_tiles(tiles), range, counts);
            }
        }
    }
};

/// Adds the number of samples in each cell to the counters, in the call's stream. A sample counts if
/// `bins.index(sample)` is in [0, `bins.extent()`). Takes up to 64 MB of scratch memory, and 8 bytes per cell.
template <class Tuning, class Counter, class View, class Bins>
void count_by_partition(device_call& call, View const& samples, offset count, Bins const& bins, Counter* counts)
{
    if (count > 0)
        partitioner<Tuning, Counter, View, Bins>{call, samples, count, bins, static_cast<offset>(bins.extent()), counts}
            .start();
}

} // namespace gpu
TILEWISE_NAMESPACE_END
