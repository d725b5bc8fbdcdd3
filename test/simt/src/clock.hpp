// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The happens-before relation, as vector clocks. Each thread counts epochs. Its clock has, for every other thread, the
/// epoch up to which that thread's accesses happened before. Only the race build keeps these clocks; the other builds
/// use only the order of operations.

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace simt {

using epoch = std::uint32_t;

/// Identifies a thread, or another agent that accesses memory: the serial number of its block, and its index there.
using agent_id = std::uint32_t;
inline constexpr agent_id agents_per_block = 1024;
inline constexpr agent_id no_agent = 0, host_agent = 1; ///< of block 0, which does not exist

/// The clock values of the threads of other blocks. Shared, and immutable once made.
struct knowledge_of_threads {
    using epochs = std::shared_ptr<std::vector<epoch> const>;
    std::vector<std::pair<std::uint32_t, epochs>> blocks; ///< serial numbers, ascending
    std::vector<unsigned> finished;                       ///< operations, ascending
};
using clock_ptr = std::shared_ptr<knowledge_of_threads const>;

/// Returns the element-wise maximum of two clocks.
clock_ptr join(clock_ptr const& a, clock_ptr const& b);
/// Returns a clock of one block.
clock_ptr knowledge_of_block(std::uint32_t serial, std::vector<epoch> epochs);
/// Returns a clock in which some operations, in ascending order, are finished.
clock_ptr knowledge_of_operations(std::vector<unsigned> finished);

/// A thread's clock, compressed: its own epoch, those of its warp, and what it acquired since the block's last barrier.
struct thread_clock {
    epoch now = 1;
    std::array<epoch, 32> warp{};
    clock_ptr learned;                         ///< since the block's last barrier
    clock_ptr pending;                         ///< from relaxed reads, and acquired at the next fence
    clock_ptr released, released_in_the_block; ///< at the last fence
};

struct block_clock {
    std::uint32_t serial = 0;
    unsigned operation = 0;
    clock_ptr base; ///< common to all threads
    std::vector<thread_clock> threads;

    /// Returns the whole clock of a thread, itself included.
    clock_ptr snapshot(unsigned thread) const;
    /// Whether an access in another agent's epoch happened before, as far as synchronization between threads shows it.
    bool knows(unsigned thread, agent_id who, epoch when) const;
    bool knows_finished(unsigned thread, unsigned of) const;

    void after_barrier();
    void after_warp_barrier(unsigned warp, unsigned lanes);
    void learn(unsigned thread, clock_ptr const& what);
};

/// The operations that are known to be finished, and the host's epoch.
struct knowledge {
    std::vector<bool> finished;
    epoch host = 0;

    bool has(unsigned operation) const { return operation < finished.size() && finished[operation]; }
    void add(unsigned operation)
    {
        if (finished.size() <= operation)
            finished.resize(operation + 1);
        finished[operation] = true;
    }
    void add(knowledge const& other);
    /// Returns the finished operations in ascending order.
    std::vector<unsigned> all() const;
};

} // namespace simt
