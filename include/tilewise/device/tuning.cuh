// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The numbers that the kernels are tuned by, with what was measured. None of them can change a bit of a result.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>

#include <bit>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// How reduce chooses its kernels.
struct reduce_tuning {
    /// Whether to use what a GPU from sm_90 on has. Tests turn them off to run the fallbacks.
    static constexpr bool clusters = true, dependent_launches = true;

    /// Pass 1: a row of 8 loads per warp and iteration. 8 warps, four blocks per multiprocessor (up to 64 registers):
    /// 5 and 6 blocks spill or shorten the batch and lose 2..20 %.
    static constexpr int threads = 256, blocks_per_multiprocessor = 4;

    /// 4 KiB of input per warp and iteration; iterations per warp by bytes of input. More mean fewer partial results,
    /// fewer mean more blocks. H200, f32: 1 up to 12 MiB, 2 to 40 MiB, 4 to 160 MiB, 8 above.
    static constexpr int iterations(offset bytes)
    {
        return bytes <= (offset{12} << 20) ? 1 : bytes <= (offset{40} << 20) ? 2 : bytes <= (offset{160} << 20) ? 4 : 8;
    }
    /// Lane vectors per load: elements narrower than the accumulator fill a 16-byte load with up to 4.
    static constexpr int widest_load = 4;

    /// The cluster kernel: up to 16 blocks (8 would be portable), the last tile in one of them.
    static constexpr int cluster_blocks = 16;

    /// Whether less than a super-group takes one launch. Tests turn it off to run two passes.
    static constexpr bool one_launch = true;

    /// Of a part of a range: from so many subtrees on, every 32 are folded before the host gets them. 64 floats fit the
    /// line of pinned memory that saves a copy.
    static constexpr int least_folded = 64;

    static constexpr int fold_threads = 512; ///< of the one block of pass 2
    /// Partial results per lane that pass 2 loads at once: of extremes, 2^30 floats took 1 % less. Sums gain nothing.
    template <class T>
    static constexpr int fold_batch = sizeof(T) >= 16 && sizeof(T) <= 32 ? 2 : 1;
    /// Shared memory for the aggregates of groups in pass 2. More groups take several rounds of so many super-groups: a
    /// power of two, so that a round is a whole binary tree. 8 KiB cost `minmax_element` of 2^30 floats 1.3 %; larger
    /// types leave less of the 48 KiB that a block has.
    template <class T>
    static constexpr int fold_bytes = sizeof(T) <= 32 ? 32 * 1024 : 8 * 1024;
    template <class T, class Geometry>
    static constexpr int fold_super_groups = static_cast<int>(std::bit_floor(std::clamp(
        static_cast<unsigned>(fold_bytes<T> / (static_cast<int>(sizeof(T)) * Geometry::groups_per_super_group)), 1u,
        static_cast<unsigned>(Geometry::groups_per_super_group))));
};

/// Copies between ordinary host memory and the GPU.
struct staging_tuning {
    static constexpr std::size_t buffers = 4, buffer_bytes = std::size_t{4} << 20; ///< of pinned memory
    static constexpr std::size_t bytes_per_task = 128 * 1024;                      ///< of a copy on the host
    static constexpr std::size_t unchecked_bytes = buffers * buffer_bytes; ///< taken without asking what is free
    static constexpr offset least_elements = 4096; ///< of a piece, where the order of combination does not say
};

/// How the scans choose their kernels.
struct scan_tuning {
    /// Whether to use what a GPU from sm_90 on has. Tests turn them off to run the fallbacks.
    static constexpr bool clusters = true, bulk_copies = true;
    static constexpr int cluster_blocks = 16;

    /// The most bytes of prefixes that kernels read in pinned memory, in a scan of a part. Not measured.
    static constexpr std::size_t pinned_prefix_bytes = 256;

    /// A block for each tile: up to 16 MiB of accumulators, half as many tiles of those of more than 16 bytes. As many
    /// blocks are resident as have registers for a tile: of 16 bytes, with 2 and 4, 2^18 elements in 9.6 and 11.9 us,
    /// 2^20 in 22.5 and 29.1; of 8 bytes, 2^21 with 3 and 4 in 18.1 and 16.3 (H200, 2026-11-29).
    template <class T>
    static constexpr int blocks_per_multiprocessor = sizeof(T) <= 8    ? 4
                                                     : sizeof(T) <= 16 ? 2
                                                                       : 1;
    static constexpr offset tile_per_block_limit = 512;
    /// Up to so many tiles, a block fetches the most likely one to the L2 cache while it waits for its ticket. f32, us
    /// with and without: 2^18 6.3, 6.6; 2^20 8.3, 8.6; 2^21 10.7, 10.9; 2^22 16.1, 15.6 (H200, 2026-11-25).
    static constexpr int prefetched_tiles = 256;

    /// In one pass: stages of a tile's elements, and how much of them is in flight at once.
    static constexpr int most_stages = 7, stage_memory = 227 * 1024 - 256, bytes_in_flight = 80 * 1024;
#ifdef TILEWISE_EVERY_LANE_ARRIVES // in tests under racecheck
    static constexpr bool every_lane_arrives = true;
#else
    static constexpr bool every_lane_arrives = false;
#endif

    /// What is found between three passes: one block.
    static constexpr int carry_threads = 1024;
};

/// The same for scans of long segments: their tiles may be incomplete, so more of them are in flight. 2^26 f32 in
/// segments of 20000, us with 80 and 112 KiB: 173, 169 (H200, 2026-11-29; decision 40).
struct segmented_scan_tuning : scan_tuning {
    static constexpr int bytes_in_flight = 112 * 1024;
};

/// How the segmented algorithms share segments out.
struct segmented_tuning {
    /// Of the blocks that take short segments, and how many of those that scan are launched per multiprocessor. A warp
    /// takes up to 32 segments; fewer, if more warps get work that way.
    static constexpr int threads = 256, scanning_short_blocks = 32;

    /// Blocks of those that scan that are resident. 6 have 40 registers for a thread. Segments of 3, us with 4, 5 and
    /// 6: 2^26 f32 327, 290, 271; with 3, 4 and 5: 2^26 i8 436, 395, 497, 2^25 f16 211, 174, 155 (H200; decision 40).
    template <class T>
    static constexpr int resident_scanning_blocks = sizeof(T) == 1                     ? 4
                                                    : sizeof(T) == 2                   ? 5
                                                    : sizeof(T) >= 4 && sizeof(T) <= 8 ? 6
                                                                                       : 1;
    static constexpr offset warps_wanted = 8192;

    /// Of so many segments, warps combine those of up to a tile, else blocks: 3355 of 20 kB in 44 us, in 102 (H100).
    static constexpr offset least_for_warps = 2048;
    static constexpr int most_few_segments = 32; ///< that are reduced without a kernel that lists them

    /// Reductions of adjacent segments, from `least_for_warps` of them on, have a lane for every four lane vectors if
    /// the mean length is in between these numbers of lane vectors. 2^26 floats, us with a lane for one and for four,
    /// constant lengths: 8 144, 204; 16 124, 97; 100 128, 86; 300 (by warps) 114, 107 (H200, 2026-11-26; decision 40).
    static constexpr int least_mean_by_fours = 3, most_mean_by_fours = 128;

    /// Blocks per multiprocessor that are resident: with a lane for one lane vector, and for four. Twice as many of the
    /// first are launched, and as many of the second. 32 blocks that return at once take 3 us longer than 10.
    static constexpr int reducing_short_blocks = 5, by_fours_blocks = 4;

    /// Of the blocks that reduce segments of more than a row: as many as have room for their registers. f32, f64 and i8
    /// of exponential lengths around 20000, us with 4, 3 and 2: 119, 116, 116; 216, 210, 335; 74, 68, 56; i8 in i32
    /// with lane vectors of 4, with 4 and 2: 58, 74. Scans of segments of up to a tile with 4: up to a tenth slower.
    template <int lane_vector, int element_bytes>
    static constexpr int reducing_blocks_per_multiprocessor = lane_vector > 4     ? 2
                                                              : element_bytes < 4 ? 4
                                                                                  : 3;
    static constexpr int scanning_blocks_per_multiprocessor = 3;

    /// Of the blocks that scan long segments without the single pass, or reduce their groups. With 4, values of less
    /// than 16 bytes were up to 15 % slower, for lack of registers; with 3, those of 16 bytes 5 % (an earlier kernel).
    template <class T>
    static constexpr int long_blocks_per_multiprocessor = sizeof(T) < 16 ? 3 : 4;

    static constexpr offset segments_at_once = offset{1} << 24; ///< so that the list of longer ones takes 64 MiB
    static constexpr offset runs_at_once = offset{1} << 31;     ///< of keys, of which few can be that long

    /// Scans read segments of more than a tile once, in 3 launches. 2^26 floats in one segment: 153 us; split at
    /// groups, with 2 reads in 4 launches, 292 (H200, 2026-11-24). There are status words for as many tiles as the
    /// memory of the results has room for, 8 bytes for each 4 of T, up to the larger limit; the smaller one is for
    /// memory of unknown size. A block alone scans a segment that finds no room.
    using scan = segmented_scan_tuning;
    static constexpr int least_chunks_of_long = 2; ///< that are scanned in that way, if the mean length is a tile
    static constexpr std::size_t least_status_bytes = std::size_t{2} << 20, most_status_bytes = std::size_t{64} << 20;

    /// Of many segments with up to so many elements together, those of half a tile are scanned in that way, too: the
    /// last warp with one of these decides how long a call takes. 2^22 floats, exponential lengths around 1000: 33 us,
    /// with that 30. If there are more elements, too many warps of the single pass have nothing to do: 2^26 floats in
    /// segments of 5000 162 us, with that 211 (H200, 2026-11-30; decision 51).
    template <class T>
    static constexpr offset few_elements_scanned = (offset{1} << 25) / offset{sizeof(T)};

    /// A reduction splits a segment of so many tiles and more into units of at least 2 tiles, or 4 of bytes or of large
    /// accumulators, and at most 2^12 of these. 2^26 i8 in i32 in one segment, us with 2 and 4: 48, 45 (H100). There is
    /// room for so many segments, and aggregates of so many bytes; in status words, or without a single pass, twice.
    static constexpr offset least_split_tiles = 8;
    template <class T, int element_bytes>
    static constexpr int log2_least_unit = sizeof(T) >= 16 || element_bytes < 4 ? 2 : 1;
    static constexpr int log2_units_most = 12;
    static constexpr int most_split_segments = 4096;
    static constexpr std::size_t split_bytes = std::size_t{1} << 20;
};

/// How reduce_by_index shares elements out.
struct by_index_tuning {
    static constexpr int threads = 256, blocks_per_multiprocessor = 4;

    /// Of the blocks that sort, or combine lane vectors: they take more than 64 registers, and 45 KiB of shared memory.
    static constexpr int moving_blocks_per_multiprocessor = 3;
    static constexpr int digit_bits = 8; ///< a thread for every digit
    static constexpr int few_cells_bits = 4, many_cells_bits = 11, many_cells_threads = 512; ///< decision 30
    static constexpr offset least_for_lane_vectors = offset{1} << 20; ///< fewer are sorted, with fewer launches
    static constexpr int stage_bytes = 32 * 1024, most_items = 16;    ///< with more, registers are spilled
    template <int value_bytes>
    static constexpr int items_per_thread = std::clamp(stage_bytes / (threads * (value_bytes + 4)), 1, most_items);
    static constexpr int most_payload_bytes = 16; ///< of values that are sorted; of larger ones, positions are

    /// Sums of integers: elements of a thread in flight, and tables of several blocks per multiprocessor, and of one.
    static constexpr int items_summed = 8, table_bytes = 48 * 1024;
    static constexpr int large_table_threads = 1024, large_table_bytes = 226 * 1024;

    using segments = segmented_tuning; ///< for what is sorted
};

struct partition_tuning;

/// How the histogram chooses its kernels. Of each: threads and blocks, and how many 16-byte vectors of samples a thread
/// has on their way, by the samples in a 16-byte vector. Rates: H200, 2^28 uniform samples, 2026-11-22.
struct histogram_tuning {
    /// Whether counting may begin while the counters are being cleared. Tests turn it off to run the fallback.
    static constexpr bool dependent_launches = true;
    /// Whether the tables of axes are copied to shared memory, if they fit.
    static constexpr bool copies_tables = true;

    /// A block's own counters are of 32 bits. More samples take more blocks.
    static constexpr offset most_per_block = offset{1} << 31;

    /// A table for each of two blocks of a multiprocessor: f32 256 bins 4262 GB/s, 16384 bins 4153; f64 1000 bins 4310
    /// with 4 16-byte vectors. In a prototype, blocks of 512 threads were 2 to 5 % slower, as there is more to merge.
    struct small_table {
        static constexpr int threads = 1024, blocks_per_multiprocessor = 2, most_words = 113 * 1024 / 4;
        static constexpr int vectors(int samples) { return samples >= 4 ? 2 : 4; }
    };
    /// One for a multiprocessor, of all its shared memory: f32 57344 bins 4105 GB/s.
    struct large_table {
        static constexpr int threads = 1024, blocks_per_multiprocessor = 1, most_words = 227 * 1024 / 4;
        static constexpr int vectors(int) { return 4; }
    };
    /// The same with some counters of 16 bits, which are looked after in between: f32 65536 bins 3598 GB/s, with 4
    /// 16-byte vectors 3024; u16 2328, with 3 16-byte vectors as much, with 4 a sixth less.
    struct packed_table {
        static constexpr int threads = 1024, blocks_per_multiprocessor = 1, most_words = 227 * 1024 / 4;
        static constexpr int wanted_words = most_words - 32;
        static constexpr int vectors(int samples) { return samples >= 8 ? 2 : 5; }
        static constexpr int most_between_flushes = 61440;
        static constexpr int repeating_lanes = 4; ///< from so many of a warp on, the common cell is looked for
    };
    /// The values of bytes, a column for each lane: 3920 GB/s; in a prototype, one table 2090.
    struct byte_columns {
        static constexpr int threads = 1024, blocks_per_multiprocessor = 1, columns = 32;
        static constexpr int vectors(int) { return 3; }
    };
    static constexpr offset columns_from = offset{1} << 23;
    /// In one column, below that: 2^20 samples in 6.6 us, 2^23 in 11.7, and in columns 10.4.
    struct byte_table {
        static constexpr int threads = 512, blocks_per_multiprocessor = 4, columns = 1;
        static constexpr int vectors(int) { return 1; }
    };
    /// More cells than tables have.
    using no_table = partition_tuning;

    static constexpr int clearing_threads = 256;
};

/// How a histogram of more cells than a table has is made. Rates: H200, 2^28 samples.
struct partition_tuning {
    /// Whether a kernel may begin while the one before it ends. Tests turn it off to run the fallback.
    static constexpr bool dependent_launches = true;

    /// Tiles of 8192 samples: f32 70 us for 2^25, shared memory busy for 71 %. With the registers for four blocks, some
    /// are spilled: a fifth more. Tiles of 4096: 4 to 14 % more.
    static constexpr int threads = 512, blocks_per_multiprocessor = 3, items_per_thread = 16, loads_in_flight = 4;
    /// They count in columns: 16 for each bucket, or as many as there are words for.
    static constexpr int log2_most_columns = 4, most_words = 2048 + 64;

    /// Tables of 128 KiB, less where there is less shared memory, one for each multiprocessor.
    static constexpr int counting_threads = 1024, log2_most_cells = 15;
    /// Each has at least 16 samples of a tile: two 16-byte vectors, and four bytes for their position.
    static constexpr int most_buckets = 512;
    static constexpr offset most_ranges = 8;

    /// A chunk costs about 10 us more than its samples do: in a prototype, 2^20 cells, 27
    /// million samples a chunk took 2 % longer than 30 million.
    static constexpr offset scratch_bytes = offset{60} << 20, scratch_bytes_per_cell = 8, most_tiles = 65535;
    static constexpr int chunks_per_clearing = 64;

    /// In a prototype, 2^22 samples, 2^20 cells: 42 us; additions to counters in memory 49. Below, those are faster.
    static constexpr offset least_samples = offset{3} << 20;
    static constexpr int hash_slots = 4096; ///< in which the additions of a tile to a cell are combined
    static constexpr offset most_blocks = offset{1} << 30;
};

/// How the algorithms by key find the runs and combine their values. Of n keys of k bytes and values of v bytes, n k
/// bytes are read to find the runs, and n / 8 are written: a bit for each key. Combining reads these, and n v bytes.
struct by_key_tuning {
    using segments = segmented_tuning; ///< for the values of long runs

    static constexpr int threads = 256;
    /// A lane has the loads of so many keys in flight. 2^26 i32 keys: 72 us, with 16 instead of 8: 82, as fewer blocks
    /// are resident (H200, 2026-11-25, as below).
    static constexpr int words_at_once = 8;
    /// Up to 64 registers per thread. A scan of 2^26 floats in runs of 4, in us: 3 blocks 266, 4 blocks 261, 5 blocks,
    /// which spill, 275.
    static constexpr int combining_blocks_per_multiprocessor = 4;

    /// A warp takes a part of the keys, of at least and at most so many; where it also combines values, at least of so
    /// many rows of them. Reductions of 2^18 f64 in runs of 32 take 21.1, 17.4 and 15.7 us with parts of 256, 128 and
    /// 64 keys; scans of 2^19 f32 13.9 and 14.2 with parts of 256 and 128; counts of 2^19 keys 9.3 and 10.1 (H200,
    /// 2026-11-30).
    static constexpr int least_part = 256, most_part = 1 << 20;
    static constexpr int least_rows_to_reduce = 1, least_rows_to_scan = 2;

    /// Of 1024 keys, so many runs and more are written by the lanes of their keys, fewer ones from a list. 2^26 i32
    /// keys in runs of 1, us to count them with lists and without: 361, 338; in runs of 2: 239, 277 (H200, 2026-11-26).
    static constexpr int dense_runs = 768;

    /// Of so few keys, of 8 MiB of values, all runs of up to so many values, of 4 KiB, are combined by rows, which
    /// takes fewer launches. Of longer ones, blocks combine the first ones that are found, and those of more than so
    /// many chunks; warps combine the others. Decision 45 has the times.
    template <class T>
    static constexpr offset few_keys = std::min(offset{1} << 21, (offset{1} << 23) / offset{sizeof(T)});
    template <class T>
    static constexpr int longest_of_few = std::min(512, (1 << 12) / static_cast<int>(sizeof(T)));
    static constexpr int chunks_of_few = 2;

    /// Runs of fewer lane vectors in the mean are reduced by rows of memory, others as segments. 2^26 values, us by
    /// rows and as segments: f32, one lane vector 315, 363; two 334, 307; f64, one 556, 592; two 587, 467 (H200,
    /// 2026-11-30).
    static constexpr int least_mean_vectors = 2;
    /// Runs of fewer rows in the mean are scanned by rows of memory, others as segments. 2^26 values in runs of 300, us
    /// by rows and as segments: f32 383, 356; f64 733, 544 (H100, 2026-11-25). Between one row and two, not measured.
    static constexpr int least_mean_rows = 1;
};

/// How values of the host are stored.
struct host_values_tuning {
    /// Not measured: the copy of the values to the GPU takes longer.
    static constexpr int threads = 256, blocks_per_multiprocessor = 8;
};

} // namespace gpu
TILEWISE_NAMESPACE_END
