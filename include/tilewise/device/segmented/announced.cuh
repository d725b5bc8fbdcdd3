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
/// before. Nothing else may be read because of it before `wait_for_primary`, unless it is announced with release.
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
        return wait([](unsigned long long const* announced) {
            unsigned long long value = 0;
            observe(announced, true, value);
            if (value == 0)
                pause_briefly();
            return value;
        });
    }

    /// @name Likewise, with release and acquire
    /// What the announcing thread may read, the waiting ones may read, too.
    /// @{
    TILEWISE_DEVICE void announce_release(offset count) const
    {
        if (word != nullptr)
            store_release(word, static_cast<unsigned long long>(count) + 1);
    }
    TILEWISE_DEVICE offset of_block_acquire() const
    {
        return wait([](unsigned long long const* announced) {
            poll_again();
            return load_acquire(announced);
        });
    }
    /// @}

private:
    template <class Observe>
    TILEWISE_DEVICE offset wait(Observe const& observed) const
    {
        TILEWISE_SHARED(shared, offset);
        if (word == nullptr)
            return unknown;
        if (thread_index() == 0) {
            unsigned long long known = 0;
            while (known == 0)
                known = observed(word);
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

/// What the kernels wait for that combine listed segments, and run concurrently. The first of them waits for the
/// kernels that list, and announces how many segments are listed for blocks. The others wait for that only; the lists
/// are complete then. But their block 0 only waits for the primary, for the reason above, and leaves the work to the
/// other blocks. (Where it worked, and waited in the end, calls took up to 1 us longer; decision 51.)
struct awaited_lists {
    unsigned long long const* for_blocks; ///< how many segments are listed for blocks
    announced_count announced;            ///< likewise
    bool are_of_first;                    ///< whether it is the first of these kernels that waits

    /// Returns whether the block has anything to do. All of its threads take part.
    TILEWISE_DEVICE bool wait() const
    {
        bool const all_wait = are_of_first || announced.word == nullptr;
        if (all_wait || block_index() == 0) {
            wait_for_primary();
            if (are_of_first && block_index() == 0 && thread_index() == 0)
                announced.announce_release(static_cast<offset>(*for_blocks));
            return all_wait || block_count() == 1;
        }
        if (thread_index() == 0) // without shared memory, which moves that of the single pass: up to 5 % (decision 51)
            while (load_acquire(announced.word) == 0)
                poll_again();
        sync_block();
        return true;
    }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
