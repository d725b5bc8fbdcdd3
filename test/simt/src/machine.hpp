// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The simulated GPU, which runs the work that was started, step by step.

#include "model.hpp"
#include "random.hpp"

#include <simt/runtime.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace simt {

/// The parameters of a schedule.
struct habits {
    enum class order { random, ascending, descending } threads = order::random;
    unsigned most_resident = 4;     ///< the most blocks of a kernel that interleave
    unsigned burst = 24;            ///< switches, on average, before another block may run
    unsigned straggler_percent = 0; ///< of the blocks: one warp of these is kept from running
    bool shuffled_blocks = false;   ///< CUDA does not guarantee an order
    unsigned switch_one_in = 2;     ///< at a yield point
    unsigned switch_at_access_one_in = 24;
    unsigned eager_percent = 50; ///< of the work: it runs at once, not when the host waits for it

    static habits of(generator& random);
};

/// A copy in flight to shared memory.
struct bulk_copy_in_flight {
    block* by;
    char* to;
    char const* from;
    std::size_t bytes, landed;
    void* barrier;
    std::unique_ptr<block_clock> clock;
};

struct machine {
    std::uint64_t seed = 1;
    generator random;
    habits habit;
    thread* current = nullptr;                          ///< of a kernel, or null
    std::vector<std::shared_ptr<operation>> unfinished; ///< in the order in which they were submitted
    std::vector<std::unique_ptr<bulk_copy_in_flight>> copies;
    unsigned operations = 0;     ///< submitted in this schedule
    unsigned long long idle = 0; ///< switches since the last progress
    knowledge host;              ///< what happened before the host's current position
    runtime::statistics done{};
};
machine& the_machine();

/// Returns the calling thread of a kernel.
inline thread& current_thread()
{
    return *the_machine().current;
}

/// Drops all running work and begins a schedule.
void begin_schedule(std::uint64_t seed);

/// Runs until `done`. Returns false if that cannot happen, or if an error was found.
bool run_until(std::function<bool()> const& done);
/// Runs a number of steps that the schedule determines.
void run_a_little();

/// @name Scheduling, for the functions that kernels call
/// @{
/// Lets other threads run until the current thread is made ready.
void suspend_as(thread_state state);
/// Lets other threads run.
void switch_thread();
void make_ready(thread& waiting);
std::string name_of(thread const& who);
/// @}

/// Removes a thread that ends from the barrier of its cluster.
void leave_cluster(thread& leaving);
/// Completes part of a bulk copy, if one is in flight. Returns whether one was.
bool land_a_copy();

} // namespace simt
