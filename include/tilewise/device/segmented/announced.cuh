// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Counts that a kernel announces while it runs, so that dependent launches behind it that have nothing to do end
/// without the latency of waiting, reading and returning one after the other.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A count that a block of a kernel announces as soon as it knows it: in one of the counters of a round, which is 0
/// before. Nothing else may be read because of it before `wait_for_primary`.
struct announced_count {
    unsigned long long* word = nullptr; ///< null if no kernel announces it

    static constexpr offset unknown = -1;

    /// Called by one thread.
    TILEWISE_DEVICE void announce(offset count) const
    {
        if (word != nullptr)
            publish(word, static_cast<unsigned long long>(count) + 1);
    }
    /// Waits for the count and returns it, or `unknown` if no kernel announces it. Called by all threads of a block of
    /// a dependent launch: all blocks of the kernel that announces it are running then, or have ended, as those in
    /// between have started.
    TILEWISE_DEVICE offset of_block() const
    {
        TILEWISE_SHARED(shared, offset);
        if (word == nullptr)
            return unknown;
        if (thread_index() == 0) {
            unsigned long long known = 0;
            observe(word, true, known);
            while (known == 0) {
                pause_briefly();
                observe(word, true, known);
            }
            shared = static_cast<offset>(known) - 1;
        }
        sync_block();
        return shared;
    }
};

/// Called by all blocks of a dependent launch that has nothing to do, before they return. Block 0 waits, because the
/// kernels behind, which wait for this one only, have to come after the primary, too.
TILEWISE_DEVICE void end_after_primary()
{
    if (block_index() == 0)
        wait_for_primary();
}

} // namespace gpu
TILEWISE_NAMESPACE_END
