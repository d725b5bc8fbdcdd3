// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels that sort samples by bucket of cells and count each bucket: see partition.cuh.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/histogram/samples.cuh>
#include <tilewise/device/histogram/tile.cuh>
#include <tilewise/order.hpp>

#include <numeric>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The samples of a chunk, sorted by bucket within each tile. A tile has a slot of 16-byte vectors, in which the
/// samples of a bucket are contiguous, take two bytes each, and are padded to whole 16-byte vectors.
struct bucket_lists {
    vector16* slots;
    unsigned* runs;   ///< per tile and bucket: the first 16-byte vector, and the number of vectors times 2^16
    unsigned* totals; ///< 16-byte vectors per bucket
    int slot;         ///< 16-byte vectors per tile
    int buckets, log2_cells, log2_columns;
};

/// The inclusive prefix sums over the first `count` threads. All threads of the block take part; the results of the
/// others are unspecified.
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

/// A tile sorted by bucket, before it is copied to its slot. Lanes may write at power-of-two strides, so the 16-byte
/// vectors are permuted to avoid bank conflicts.
template <class Tuning>
union bucket_stage {
    static constexpr int vectors = (tile_of_samples<Tuning> / 8 + Tuning::most_buckets + 7) / 8 * 8;
    unsigned short sample[vectors * 8];
    vector16 whole[vectors];
    TILEWISE_DEVICE unsigned short& at(unsigned i) { return sample[i ^ (i >> 6 & 56)]; }
    TILEWISE_DEVICE vector16& vector_at(unsigned i) { return whole[i ^ (i >> 6 & 7)]; }
};

/// Sorts a tile of samples by bucket. Each bucket is counted in several columns, over which the lanes are spread; this
/// reduces contention between lanes with samples of the same bucket. Samples that are not counted go to an additional
/// last bucket, which is not stored: a branch around them would delay the other samples.
template <class Tuning, access how, class View, class Bins>
TILEWISE_KERNEL(Tuning::threads, Tuning::blocks_per_multiprocessor)
partition_samples(View view, offset first_tile, offset count, Bins bins, cell_range range, bucket_lists lists)
{
    constexpr int threads = Tuning::threads, items = Tuning::items_per_thread;
    static_assert(Tuning::most_buckets <= threads, "a thread for every bucket");
    TILEWISE_SHARED(column, unsigned[Tuning::most_words]); // the count, then the position of the next sample
    TILEWISE_SHARED(stage, bucket_stage<Tuning>);
    TILEWISE_SHARED(bucket_begin, unsigned[Tuning::most_buckets]); // the size of a bucket, then where it begins
    TILEWISE_SHARED(used, unsigned);                               // 16-byte vectors
    TILEWISE_SHARED(warp_totals, unsigned[warp_size]);

    release_dependents();
    unsigned const none = static_cast<unsigned>(lists.buckets) << lists.log2_cells;
    auto const cells = gpu::find_cells<Tuning, how>(view, (first_tile + block_index()) * tile_of_samples<Tuning>, count,
                                                    bins, range, none);
    int const thread = thread_index(), columns = 1 << lists.log2_columns, counts = lists.buckets * columns;
    auto const lane_column = static_cast<unsigned>(lane_index() & (columns - 1));
    auto const column_of = [&](unsigned cell) { // log2_columns <= log2_cells
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

    // The columns of a bucket are adjacent.
    TILEWISE_NO_UNROLL
    for (int first = 0; first < counts; first += threads) {
        int const i = first + thread;
        unsigned const own = i < counts ? column[i] : 0, sum = warp_sums(own, columns);
        if (i < counts) {
            column[i] = sum - own;
            if ((i & (columns - 1)) == columns - 1)
                bucket_begin[i >> lists.log2_columns] = sum;
        }
    }
    sync_block();
    wait_for_primary(); // for the kernel that counts the preceding chunk
    unsigned const in_bucket = thread < lists.buckets ? bucket_begin[thread] : 0, vectors = (in_bucket + 7) / 8;
    unsigned const end = block_sums(vectors, lists.buckets, warp_totals), begin = end - vectors;
    if (thread < lists.buckets) {
        bucket_begin[thread] = begin * 8;
        if (thread == lists.buckets - 1)
            used = end;
        if (in_bucket % 8 != 0) {
            unsigned const filling = 0x10001U << lists.log2_cells; // the cell after the last of a table, twice
            stage.vector_at(end - 1) = vector16{{filling, filling, filling, filling}};
        }
        lists.runs[offset{block_index()} * lists.buckets + thread] = begin | vectors << 16;
        if (vectors > 0)
            add(&lists.totals[thread], vectors);
    }
    sync_block();
    TILEWISE_NO_UNROLL
    for (int i = thread; i < counts; i += threads)
        column[i] += bucket_begin[i >> lists.log2_columns];
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
        slot[i] = stage.vector_at(i);
}

/// Counts the 16-byte vectors [`begin`, `end`) of a run with `lanes` lanes.
TILEWISE_DEVICE void count_run(unsigned* table, vector16 const* from, int begin, int end, int lane, int lanes)
{
    constexpr int in_flight = 3;
    TILEWISE_NO_UNROLL
    for (int i = begin + lane; i < end; i += in_flight * lanes) {
        vector16 loaded[in_flight];
        TILEWISE_UNROLL
        for (int k = 0; k < in_flight; ++k)
            if (i + k * lanes < end)
                loaded[k] = load_once(from + i + k * lanes);
        TILEWISE_UNROLL
        for (int k = 0; k < in_flight; ++k) {
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

/// The tiles of a chunk, fewer than 2^16, in an order that scatters neighbouring tiles, so that clustered samples are
/// divided evenly among blocks.
struct scattered_tiles {
    unsigned count, stride; ///< coprime

    explicit scattered_tiles(int tiles)
        : count(static_cast<unsigned>(tiles)), stride(static_cast<unsigned>(tiles * 0.618034)) // the golden ratio
    {
        while (std::gcd(count, stride) != 1)
            ++stride;
    }
    TILEWISE_DEVICE unsigned at(unsigned i) const { return i * stride % count; }
};

/// Counts the runs of a bucket in the tiles [`first`, `last`) of that order. How many lanes count a run depends on the
/// mean length of the runs; the whole warp counts the rest of a run that is much longer.
template <int threads>
TILEWISE_DEVICE void block_count_runs(bucket_lists const& lists, int bucket, scattered_tiles const& tiles,
                                      unsigned first, unsigned last, unsigned mean, unsigned* table)
{
    constexpr int warps = threads / warp_size, loads_per_run = 16;
    int lanes = 2; // 32 bytes, a sector of memory
    while (lanes < warp_size && static_cast<unsigned>(lanes) * 4 <= mean)
        lanes *= 2;
    int const lane = lane_index() % lanes, most = lanes * loads_per_run;
    unsigned const step = static_cast<unsigned>(warps * (warp_size / lanes));
    unsigned const own = static_cast<unsigned>(lane_index() / lanes * warps); // neighbouring runs go to different warps
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
        for (unsigned left = warp_ballot(lane == 0 && length > most); left != 0; left &= left - 1) {
            int const whose = lowest_lane(left);
            run const longer = gpu::shuffle(now, whose);
            gpu::count_run(table, begin_of(longer), most, static_cast<int>(longer.extent >> 16), lane_index(),
                           warp_size);
        }
    }
}

/// Counts the samples of a chunk. The work of all buckets is divided evenly among the blocks; a block's share is part
/// of one bucket or spans several.
template <class Tuning, class Counter>
TILEWISE_KERNEL(Tuning::counting_threads, 1)
count_buckets(bucket_lists lists, scattered_tiles tiles, cell_range range, Counter* counts)
{
    constexpr int threads = Tuning::counting_threads;
    static_assert(Tuning::most_buckets <= threads, "a thread for every bucket");
    unsigned const cells = 1U << lists.log2_cells;
    TILEWISE_SHARED_ARRAY(table, cells + 1, unsigned); // the last one counts the padding of 16-byte vectors
    TILEWISE_SHARED(ends, unsigned[threads]);          // of each bucket's work in the sequence of all work
    TILEWISE_SHARED(warp_totals, unsigned[warp_size]);

    release_dependents();
    gpu::block_clear<threads>(table, cells + 1);
    wait_for_primary();
    // Merging a table counts as work, too: one 16-byte vector per 8 cells.
    unsigned const vectors = thread_index() < lists.buckets ? lists.totals[thread_index()] : 0;
    ends[thread_index()] = block_sums(vectors > 0 ? vectors + cells / 8 : 0, lists.buckets, warp_totals);
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

} // namespace gpu
TILEWISE_NAMESPACE_END
