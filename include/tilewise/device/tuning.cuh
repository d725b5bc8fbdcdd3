// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The numbers that the kernels are tuned by, with what was measured. None of them can change a bit of a result.

#include <tilewise/config.hpp>
#include <tilewise/order.hpp>

#include <algorithm>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// How reduce chooses its kernels.
struct reduce_tuning {
    /// Whether to use what a GPU from sm_90 on has. Tests turn them off to run the fallbacks.
    static constexpr bool clusters = true, dependent_launches = true;

    /// Pass 1: a row of 8 loads per warp and turn. 8 warps, four blocks per multiprocessor (up to 64 registers):
    /// 5 and 6 blocks spill or shorten the batch and lose 2..20 %.
    static constexpr int threads = 256, blocks_per_multiprocessor = 4;

    /// 4 KiB of input per warp and turn; the turns per warp by bytes of input. More turns mean fewer partial results,
    /// fewer turns more blocks. H200, f32: 1 turn up to 12 MiB, 2 to 40 MiB, 4 to 160 MiB, 8 above.
    static constexpr int turns(offset bytes)
    {
        return bytes <= (offset{12} << 20) ? 1 : bytes <= (offset{40} << 20) ? 2 : bytes <= (offset{160} << 20) ? 4 : 8;
    }
    /// Lane vectors per load: elements narrower than the accumulator fill a 16-byte load with up to 4.
    static constexpr int widest_packet = 4;

    /// The cluster kernel: up to 16 blocks (8 would be portable), the last tile in one of them.
    static constexpr int cluster_blocks = 16;
    /// Twice the threads per block double what a cluster can take: f32 at 2^17 5.15 us, CUB's two passes 7.1.
    static constexpr int wide_cluster_threads = 512;
    static constexpr bool wide_cluster_pays(int accumulator_bytes)
    {
        return accumulator_bytes >= 4 && accumulator_bytes <= 8;
    }

    /// Pass 2: one block.
    static constexpr int fold_threads = 512;
    /// Shared memory for group totals in pass 2; more groups take several rounds.
    static constexpr int fold_bytes = 8 * 1024;
    template <class T, class Geometry>
    static constexpr int fold_supers =
        std::max(1, fold_bytes / (static_cast<int>(sizeof(T)) * Geometry::groups_per_super));
};

/// How the scans choose their kernels.
struct scan_tuning {
    /// Whether to use what a GPU from sm_90 on has. Tests turn them off to run the fallbacks.
    static constexpr bool clusters = true, bulk_copies = true;
    static constexpr int cluster_blocks = 16;

    /// Side by side: up to 16 MiB of accumulators.
    static constexpr int blocks_per_multiprocessor = 4;
    static constexpr offset tiles_side_by_side = 512;

    /// In one pass: stages of a tile's elements, and how much of them is on its way at once.
    static constexpr int most_stages = 7, stage_memory = 227 * 1024 - 256, bytes_under_way = 80 * 1024;
    static constexpr bool every_lane_arrives = false;

    /// What is found between three passes: one block.
    static constexpr int carry_threads = 1024;
};

/// How the segmented algorithms share segments out.
struct segmented_tuning {
    /// Of the blocks that take short segments. A warp takes up to 32 of them; fewer, if more warps get work that way.
    static constexpr int threads = 256;
    static constexpr offset warps_wanted = 8192;

    /// Of the blocks that take long segments.
    static constexpr int long_blocks_per_multiprocessor = 4;

    /// So that the list of long ones takes at most 16 MiB.
    static constexpr offset segments_at_once = offset{1} << 22;
};

} // namespace gpu
TILEWISE_NAMESPACE_END
