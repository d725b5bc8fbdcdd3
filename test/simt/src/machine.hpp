// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The machine that runs what was started, a little at a time.

#include "model.hpp"
#include "random.hpp"

#include <simt/runtime.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace simt {

/// How a schedule behaves.
struct habits {
    enum class order { random, ascending, descending } threads = order::random;
    unsigned most_resident = 4;     ///< blocks of a kernel that interleave
    unsigned burst = 24;            ///< switches, on average, before another block may run
    unsigned straggler_percent = 0; ///< of blocks of which one warp is kept from running
    bool shuffled_blocks = false;   ///< CUDA promises no order
    unsigned switch_one_in = 2;     ///< at a point where a thread may yield
    unsigned switch_at_access_one_in = 24;
    unsigned eager_percent = 50; ///< work that runs as soon as it is there, not when somebody waits for it

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
    thread* current = nullptr;                          ///< of a kernel, or nobody
    std::vector<std::shared_ptr<operation>> unfinished; ///< in the order in which they were submitted
    std::vector<std::unique_ptr<bulk_copy_in_flight>> copies;
    unsigned operations = 0;     ///< submitted in this schedule
    unsigned long long idle = 0; ///< switches since something last got further
    knowledge host;              ///< what the host knows
    runtime::statistics done{};
};
machine& the_machine();

/// The thread of a kernel that calls.
inline thread& current_thread()
{
    return *the_machine().current;
}

/// Forgets everything that runs.
void begin_schedule(std::uint64_t seed);

/// Runs until `done`. False if that can never be, or something was found to be wrong.
bool run_until(std::function<bool()> const& done);
/// Runs for as long as this schedule likes.
void run_a_little();

/// @name For the functions that kernels call
/// @{
/// Lets others run until somebody makes the current thread ready.
void suspend_as(thread_state state);
/// Lets others run.
void switch_thread();
void make_ready(thread& waiting);
std::string name_of(thread const& who);
/// @}

/// Takes a thread that ends off its cluster's barrier.
void leave_cluster(thread& leaving);
/// Lands a part of some copy, if there is one.
bool land_a_copy();

} // namespace simt
