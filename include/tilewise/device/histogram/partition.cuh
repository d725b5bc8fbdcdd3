// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Counting in more cells than a table in shared memory has. The cells are cut into buckets, ranges that such a table
/// has room for. Chunk by chunk of the samples, `partition_samples` writes to scratch where in their buckets the
/// samples count, sorted by bucket within each tile; `count_buckets` counts them, each bucket in tables of its own. How
/// samples are distributed does not matter: it is known of each chunk how much is in which bucket before the work of
/// counting it is shared out.
///
/// On an H200, with 2^28 uniform floats in 2^20 cells, 866 us: 2.2 ps for each in the partition, 1.0 ps in counting. In
/// a prototype, the tables of a chunk took 10 us for 2^20 cells; additions to counters in memory 10 ps while these fit
/// the L2 cache (2^23 cells), and beyond, by the traffic of a sector read and written for each, at least 15 ps. More
/// cells than buckets hold are counted range by range, which reads and parts the samples anew: that pays for up to 8
/// ranges, 2^27 cells. Beyond, and for samples that are few, also compared to the cells, additions it is:
/// `add_samples`.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/context.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/launch.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/histogram/samples.cuh>
#include <tilewise/device/histogram/tile.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// What the tiles of a chunk leave: each has a slot of granules, in which the samples of a bucket are together and take
/// whole granules, two bytes for each sample.
struct bucket_lists {
    granule* slots;
    unsigned* runs;   ///< of each tile in each bucket: its first granule, and the number of them times 2^16
    unsigned* totals; ///< granules of each bucket
    int slot;         ///< granules
    int buckets, log2_cells, log2_columns;
};

/// The sums of the values up to each lane, of so many lanes, a power of two, that are neighbours.
TILEWISE_DEVICE unsigned warp_sums(unsigned value, int lanes = warp_size)
{
    TILEWISE_UNROLL
    for (int distance = 1; distance < warp_size; distance *= 2) {
        unsigned const before = shuffle_up(value, distance);
        value += (lane_index() & (lanes - 1)) >= distance ? before : 0;
    }
    return value;
}

/// The sums of the values up to each of the first `count` threads. The others have any, but take part.
TILEWISE_DEVICE unsigned block_sums(unsigned value, int count, unsigned (&warp_totals)[warp_size])
{
    int const warp = warp_index(), used = (count + warp_size - 1) / warp_size;
    if (warp < used) {
        value = warp_sums(value);
        if (lane_index() == warp_size - 1)
            warp_totals[warp] = value;
    }
    if (used == 1)
        return value;
    sync_block();
    if (warp < used) {
        unsigned const total = lane_index() < used ? warp_totals[lane_index()] : 0;
        value += shuffle(warp_sums(total) - total, warp);
    }
    return value;
}

/// A tile sorted by bucket, on its way to its slot. Where lanes write at the same time may be powers of two apart:
/// granules are swapped, so that not all of those are in the same bank.
template <class Tuning>
union bucket_stage {
    static constexpr int granules = (tile_of_samples<Tuning> / 8 + Tuning::most_buckets + 7) / 8 * 8;
    unsigned short sample[granules * 8];
    granule whole[granules];
    TILEWISE_DEVICE unsigned short& at(unsigned i) { return sample[i ^ (i >> 6 & 56)]; }
    TILEWISE_DEVICE granule& granule_at(unsigned i) { return whole[i ^ (i >> 6 & 7)]; }
};

/// Sorts a tile by bucket. Lanes count in columns, so that those with samples of the same bucket do not all wait for
/// each other. What is not counted is in one more bucket, the last, of which nothing is stored: a branch around all
/// that would hold up other samples.
template <class Tuning, access how, class View, class Bins>
TILEWISE_KERNEL(Tuning::threads, Tuning::blocks_per_multiprocessor)
partition_samples(View view, offset first_tile, offset count, Bins bins, cell_range range, bucket_lists lists)
{
    constexpr int threads = Tuning::threads, items = Tuning::items_per_thread;
    static_assert(Tuning::most_buckets <= threads, "a thread for every bucket");
    TILEWISE_SHARED(column, unsigned[Tuning::most_words]); // counts, then where the next sample goes
    TILEWISE_SHARED(stage, bucket_stage<Tuning>);
    TILEWISE_SHARED(place, unsigned[Tuning::most_buckets]); // how much a bucket has, then where it begins
    TILEWISE_SHARED(used, unsigned);                        // granules
    TILEWISE_SHARED(warp_totals, unsigned[warp_size]);

    release_dependents();
    unsigned const none = static_cast<unsigned>(lists.buckets) << lists.log2_cells;
    auto const cells = gpu::find_cells<Tuning, how>(view, (first_tile + block_index()) * tile_of_samples<Tuning>, count,
                                                    bins, range, none);
    int const thread = thread_index(), columns = 1 << lists.log2_columns, counts = lists.buckets * columns;
    auto const lane_column = static_cast<unsigned>(lane_index() & (columns - 1));
    auto const column_of = [&](unsigned cell) { // log2_columns is not above log2_cells
        return &column[(cell >> (lists.log2_cells - lists.log2_columns) & -static_cast<unsigned>(columns)) |
                       lane_column];
    };
    TILEWISE_NO_UNROLL
    for (int i = thread; i < counts + columns; i += threads)
        column[i] = 0;
    sync_block();
    TILEWISE_UNROLL
    for (int i = 0; i < items; ++i)
        gpu::add_one(column_of(cells[i]));
    sync_block();

    // The columns of a bucket are beside each other.
    TILEWISE_NO_UNROLL
    for (int first = 0; first < counts; first += threads) {
        int const i = first + thread;
        unsigned const own = i < counts ? column[i] : 0, sum = warp_sums(own, columns);
        if (i < counts) {
            column[i] = sum - own;
            if ((i & (columns - 1)) == columns - 1)
                place[i >> lists.log2_columns] = sum;
        }
    }
    sync_block();
    wait_for_primary(); // for what counts the chunk before
    unsigned const in_bucket = thread < lists.buckets ? place[thread] : 0, granules = (in_bucket + 7) / 8;
    unsigned const end = block_sums(granules, lists.buckets, warp_totals), begin = end - granules;
    if (thread < lists.buckets) {
        place[thread] = begin * 8;
        if (thread == lists.buckets - 1)
            used = end;
        if (in_bucket % 8 != 0) {
            unsigned const filling = 0x10001U << lists.log2_cells; // twice the cell after a table's last
            stage.granule_at(end - 1) = granule{{filling, filling, filling, filling}};
        }
        lists.runs[offset{block_index()} * lists.buckets + thread] = begin | granules << 16;
        if (granules > 0)
            add(&lists.totals[thread], granules);
    }
    sync_block();
    TILEWISE_NO_UNROLL
    for (int i = thread; i < counts; i += threads)
        column[i] += place[i >> lists.log2_columns];
    sync_block();

    constexpr int at_once = items < 8 ? items : 8;
    unsigned const in_table = (1U << lists.log2_cells) - 1;
    TILEWISE_UNROLL
    for (int first = 0; first < items; first += at_once) {
        unsigned at[at_once];
        TILEWISE_UNROLL
        for (int i = 0; i < at_once; ++i)
            at[i] = gpu::fetch_add(column_of(cells[first + i]), 1);
        TILEWISE_UNROLL
        for (int i = 0; i < at_once; ++i)
            if (cells[first + i] != none)
                stage.at(at[i]) = static_cast<unsigned short>(cells[first + i] & in_table);
    }
    sync_block();
    auto* const slot = lists.slots + offset{block_index()} * lists.slot;
    TILEWISE_UNROLL_BY_4
    for (unsigned i = static_cast<unsigned>(thread); i < used; i += threads)
        slot[i] = stage.granule_at(i);
}

/// Counts a part of a run, granules `begin` to `end`, of which each lane of `lanes` takes its own.
TILEWISE_DEVICE void count_run(unsigned* table, granule const* from, int begin, int end, int lane, int lanes)
{
    constexpr int under_way = 3;
    TILEWISE_NO_UNROLL
    for (int i = begin + lane; i < end; i += under_way * lanes) {
        granule loaded[under_way];
        TILEWISE_UNROLL
        for (int k = 0; k < under_way; ++k)
            if (i + k * lanes < end)
                loaded[k] = load_once(from + i + k * lanes);
        TILEWISE_UNROLL
        for (int k = 0; k < under_way; ++k) {
            if (i + k * lanes < end) {
                TILEWISE_UNROLL
                for (unsigned const word : loaded[k].word) {
                    add_one(&table[word & 0xFFFF]);
                    add_one(&table[word >> 16]);
                }
            }
        }
    }
}

/// The tiles of a chunk, fewer than 2^16, in an order in which every part of it has tiles from everywhere: so what lies
/// together in the input is shared evenly.
struct scattered_tiles {
    unsigned count, stride; ///< which have no divisor in common

    explicit scattered_tiles(int tiles)
        : count(static_cast<unsigned>(tiles)), stride(static_cast<unsigned>(tiles * 0.618034)) // the golden ratio
    {
        while (std::gcd(count, stride) != 1)
            ++stride;
    }
    TILEWISE_DEVICE unsigned at(unsigned i) const { return i * stride % count; }
};

/// Counts the runs of a bucket in the tiles `first` to `last` of that order. Several lanes take a run, as many as its
/// mean length is worth; what is left of one that is longer, the whole warp takes.
template <int threads>
TILEWISE_DEVICE void block_count_runs(bucket_lists const& lists, int bucket, scattered_tiles const& tiles,
                                      unsigned first, unsigned last, unsigned mean, unsigned* table)
{
    constexpr int warps = threads / warp_size, loads_per_run = 16;
    int lanes = 2; // a sector of memory
    while (lanes < warp_size && static_cast<unsigned>(lanes) * 4 <= mean)
        lanes *= 2;
    int const lane = lane_index() % lanes, most = lanes * loads_per_run;
    unsigned const step = static_cast<unsigned>(warps * (warp_size / lanes));
    unsigned const own = static_cast<unsigned>(lane_index() / lanes * warps); // neighbours go to different warps
    struct run {
        unsigned tile, extent;
    };
    auto const find = [&](unsigned i) {
        unsigned const tile = i < last ? tiles.at(i) : 0;
        return run{tile, i < last ? lists.runs[offset{tile} * lists.buckets + bucket] : 0};
    };
    unsigned next = first + static_cast<unsigned>(warp_index());
    run coming = find(next + own);
    TILEWISE_NO_UNROLL
    while (next < last) {
        run const now = coming;
        next += step;
        coming = find(next + own);
        int const length = static_cast<int>(now.extent >> 16);
        auto const begin_of = [&](run const& of) {
            return lists.slots + offset{of.tile} * lists.slot + (of.extent & 0xFFFF);
        };
        gpu::count_run(table, begin_of(now), 0, min_of(length, most), lane, lanes);
        for (unsigned left = lanes_that(lane == 0 && length > most); left != 0; left &= left - 1) {
            int const whose = lowest_lane(left);
            run const longer = gpu::shuffle(now, whose);
            gpu::count_run(table, begin_of(longer), most, static_cast<int>(longer.extent >> 16), lane_index(),
                           warp_size);
        }
    }
}

/// Counts what a chunk has. All work of all buckets is shared out evenly, and a block's share is a part of a bucket, or
/// of several.
template <class Tuning, class Counter>
TILEWISE_KERNEL(Tuning::counting_threads, 1)
count_buckets(bucket_lists lists, scattered_tiles tiles, cell_range range, Counter* counts)
{
    constexpr int threads = Tuning::counting_threads;
    static_assert(Tuning::most_buckets <= threads, "a thread for every bucket");
    unsigned const cells = 1U << lists.log2_cells;
    TILEWISE_SHARED_ARRAY(table, cells + 1, unsigned); // the last is for what fills granules
    TILEWISE_SHARED(ends, unsigned[threads]);          // of the buckets' work, one after the other
    TILEWISE_SHARED(warp_totals, unsigned[warp_size]);

    release_dependents();
    gpu::block_clear<threads>(table, cells + 1);
    wait_for_primary();
    // A table that is added to the counters is work, too: as much as a granule for every 8 cells.
    unsigned const granules = thread_index() < lists.buckets ? lists.totals[thread_index()] : 0;
    ends[thread_index()] = block_sums(granules > 0 ? granules + cells / 8 : 0, lists.buckets, warp_totals);
    sync_block();
    auto const share_end = [&](int block) {
        return static_cast<unsigned>(static_cast<unsigned long long>(ends[lists.buckets - 1]) *
                                     static_cast<unsigned>(block) / static_cast<unsigned>(block_count()));
    };
    unsigned begin = share_end(block_index());
    unsigned const end = share_end(block_index() + 1);
    int bucket = 0; // the first that ends after `begin`
    for (int more = lists.buckets; more > 0;) {
        int const half = more / 2;
        bool const before = ends[bucket + half] <= begin;
        bucket = before ? bucket + half + 1 : bucket;
        more = before ? more - half - 1 : half;
    }
    TILEWISE_NO_UNROLL
    for (; begin < end; ++bucket) {
        unsigned const first = bucket > 0 ? ends[bucket - 1] : 0, work = ends[bucket] - first;
        if (work == 0)
            continue;
        auto const tile_at = [&](unsigned position) {
            return static_cast<unsigned>(static_cast<unsigned long long>(tiles.count) * (position - first) / work);
        };
        unsigned const part_end = ends[bucket] < end ? ends[bucket] : end;
        gpu::block_count_runs<threads>(lists, bucket, tiles, tile_at(begin), tile_at(part_end),
                                       (work - cells / 8) / tiles.count, table);
        begin = part_end;
        sync_block();
        unsigned const first_cell = static_cast<unsigned>(bucket) << lists.log2_cells;
        Counter* const counters = counts + range.first + first_cell;
        merge_sequence const sequence(cells);
        for (unsigned k = static_cast<unsigned>(thread_index()); k < cells; k += threads) {
            unsigned const i = sequence[k];
            if (table[i] != 0) {
                if (first_cell + i < range.count)
                    gpu::add(&counters[i], Counter{table[i]});
                table[i] = 0;
            }
        }
        sync_block();
    }
}

/// The largest tables of `count_buckets` that a device has room for, and how many blocks are resident with them.
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

/// How cells are cut into ranges and buckets, and samples into chunks.
template <class Tuning>
struct partition_plan {
    static constexpr offset tile = tile_of_samples<Tuning>;
    table_fit fit;
    offset tiles, ranges, cells_per_range;
    int buckets, slot; ///< of a range; granules of a tile
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
    offset slots_bytes() const { return tiles_per_chunk * slot * granule_bytes; }
    offset runs_bytes() const { return tiles_per_chunk * buckets * 4; }
    offset totals_bytes() const { return offset{Tuning::chunks_per_clearing} * buckets * 4; }
    offset bytes() const { return slots_bytes() + runs_bytes() + totals_bytes(); }

private:
    offset tile_bytes() const { return offset{slot} * granule_bytes + offset{buckets} * 4; }
};

/// The kernels for one kind of samples and cells, and the choice among them.
template <class Tuning, class Counter, class View, class Bins>
class partitioner {
    using packets = sample_packets<Tuning, View>;
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
        if (gpu::misalignment_of(samples) % View::template alignment<packets::size> == 0)
            start_kernels<access::aligned>();
        else
            start_kernels<misaligned_access<View, packets::size>>();
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
        bucket_lists lists = {reinterpret_cast<granule*>(slots),
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
        int set = 0; // of totals
        for (offset cell = 0; cell < cells; cell += plan.cells_per_range) {
            cell_range const range = {static_cast<unsigned>(cell),
                                      static_cast<unsigned>(std::min(cells - cell, plan.cells_per_range))};
            for (offset tile = 0; tile < plan.tiles; tile += plan.tiles_per_chunk) {
                bool const follows_own = set != 0; // kernels of this call
                if (!follows_own)
                    call.clear(totals, static_cast<std::size_t>(plan.totals_bytes()));
                lists.totals = totals + offset{set} * plan.buckets;
                set = (set + 1) % Tuning::chunks_per_clearing;
                auto const tiles = static_cast<int>(std::min(plan.tiles - tile, plan.tiles_per_chunk));
                call.launch(partition_kernel, "partition_samples",
                            {tiles, Tuning::threads, 1, dependent && follows_own}, samples, tile, count, bins, range,
                            lists);
                call.launch(
                    count_kernel, "count_buckets",
                    {plan.fit.blocks, Tuning::counting_threads, 1, dependent, gpu::bytes_of_table(plan.fit.log2_cells)},
                    lists, scattered_tiles(tiles), range, counts);
            }
        }
    }
};

/// Adds the numbers of samples in each cell to the counters, in the call's stream. A sample counts if
/// `bins.index(sample)` is at least 0 and less than `bins.extent()`. Takes scratch of up to 64 MB and 8 bytes for each
/// cell.
template <class Tuning, class Counter, class View, class Bins>
void count_by_partition(device_call& call, View const& samples, offset count, Bins const& bins, Counter* counts)
{
    if (count > 0)
        partitioner<Tuning, Counter, View, Bins>{call, samples, count, bins, static_cast<offset>(bins.extent()), counts}
            .start();
}

} // namespace gpu
TILEWISE_NAMESPACE_END
