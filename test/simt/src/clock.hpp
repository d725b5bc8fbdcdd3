// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Happens-before. Each thread counts epochs; what it knows of others is the epoch up to which they are in its past.
/// Only the race build keeps these clocks; the others need what operations know of each other and leave the rest alone.

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace simt {

using epoch = std::uint32_t;

/// A thread, or whoever else touches memory: the serial number of its block, and its index there.
using agent_id = std::uint32_t;
inline constexpr agent_id agents_per_block = 1024;
inline constexpr agent_id no_agent = 0, host_agent = 1; ///< of block 0, which is none

/// What is known of the threads of other blocks. Shared and never changed once made.
struct knowledge_of_threads {
    using epochs = std::shared_ptr<std::vector<epoch> const>;
    std::vector<std::pair<std::uint32_t, epochs>> blocks; ///< serial numbers, ascending
    std::vector<unsigned> finished;                       ///< operations, ascending
};
using clock_ptr = std::shared_ptr<knowledge_of_threads const>;

/// The later of both in everything.
clock_ptr join(clock_ptr const& a, clock_ptr const& b);
/// Knowledge of one block.
clock_ptr knowledge_of_block(std::uint32_t serial, std::vector<epoch> epochs);
/// Knowledge that operations, ascending, are finished.
clock_ptr knowledge_of_operations(std::vector<unsigned> finished);

/// A thread's clock, compressed: what the block knows since its last barrier, what the warp knows, and the rest.
struct thread_clock {
    epoch now = 1;
    std::array<epoch, 32> warp{};
    clock_ptr learned;                         ///< since the block's last barrier
    clock_ptr pending;                         ///< read without order, and learned at the next fence
    clock_ptr released, released_in_the_block; ///< at the last fence
};

struct block_clock {
    std::uint32_t serial = 0;
    unsigned operation = 0;
    clock_ptr base; ///< what all threads know
    std::vector<thread_clock> threads;

    /// What a thread knows, itself included.
    clock_ptr snapshot(unsigned thread) const;
    /// Whether an access of another agent's epoch is in a thread's past, as far as threads tell each other.
    bool knows(unsigned thread, agent_id who, epoch when) const;
    bool knows_finished(unsigned thread, unsigned of) const;

    void after_barrier();
    void after_warp_barrier(unsigned warp, unsigned lanes);
    void learn(unsigned thread, clock_ptr const& what);
};

/// Which operations are known to be finished, and how far the host had come.
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
    /// Those finished, ascending.
    std::vector<unsigned> all() const;
};

} // namespace simt
