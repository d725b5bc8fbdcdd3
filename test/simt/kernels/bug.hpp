// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The bugs that can be planted in the small kernels that test the interpreter.

#include <tilewise/device/cuda/arch.cuh>

namespace kernels {

using namespace tilewise::gpu;

/// The bug in a kernel.
enum class bug {
    none,
    barrier_divergence,
    barrier_in_a_branch,
    block_fence,
    blocks_in_order,
    divergent_shuffle,
    early_exit,
    early_publication,
    host_pointer,
    lost_update,
    no_barrier_after_clearing,
    no_barrier_before_reuse,
    no_barrier,
    no_fence,
    no_last_cluster_wait,
    no_mbarrier_wait,
    no_second_cluster_wait,
    no_sync_warp,
    no_cluster_wait,
    no_wait_for_primary,
    overlapping_copy,
    past_the_end,
    past_the_end_of_shared,
    store_before_arrival,
    swapped_operands,
    too_few_bytes,
    unwritten_input,
    unwritten_shared,
    vote_as_barrier,
    wait_in_one_thread,
    warp_index_in_a_branch,
    wrong_mask
};

/// x -> a x + b. Composition is associative and not commutative.
struct affine {
    unsigned a, b;
    bool operator==(affine const&) const = default;
};
struct compose {
    affine operator()(affine f, affine g) const { return {g.a * f.a, g.a * f.b + g.b}; }
};

} // namespace kernels
