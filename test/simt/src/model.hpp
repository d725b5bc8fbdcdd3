// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What runs: operations of streams; of them kernels are grids of clusters of blocks of threads.

#include "clock.hpp"
#include "fiber.hpp"

#include <simt/kernel.hpp>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace simt {

struct block;
struct grid;
struct operation;

inline constexpr unsigned lanes_per_warp = 32;

enum class thread_state {
    fresh,
    ready,
    in_block_barrier,
    in_warp,
    in_cluster_barrier,
    waits_for_primary,
    in_mbarrier,
    done
};

/// What a lane brought to a collective of its warp.
struct warp_request {
    enum class kind { index, up, down, exclusive_or, ballot, match, sync } what{};
    unsigned mask = 0;
    void const* mine = nullptr;
    void* result = nullptr;
    std::size_t bytes = 0;
    unsigned from = 0;            ///< a lane
    unsigned long long value = 0; ///< a vote, or what is matched
};

struct thread {
    fiber control;
    block* home = nullptr;
    unsigned index = 0;
    thread_state state = thread_state::fresh;
    location where;
    warp_request request;
    bool pauses = false;             ///< in a loop that waits for another thread
    bool arrived_in_cluster = false; ///< and has not waited yet
    unsigned arrival_phase = 0, cluster_waits = 0;
};

struct shared_variable {
    void const* site;
    char* memory;
    std::size_t bytes, alignment;
};

/// A barrier in shared memory that counts arrivals and bytes.
struct mbarrier_model {
    int expected = 0, missing = 0;
    long long missing_bytes = 0; ///< may be negative for a while: a copy can land before it is expected
    unsigned phase = 0;
    clock_ptr gathered, released; ///< by the arrivals of this phase; of the phase before
};

/// Blocks that are resident together.
struct cluster {
    std::vector<std::unique_ptr<block>> blocks;
    unsigned living = 0, missing = 0; ///< threads; those that have yet to arrive
    unsigned phase = 0;
    clock_ptr gathered, released; ///< by the arrivals of this phase; of the phase before
};

struct block {
    grid* home = nullptr;
    cluster* group = nullptr;
    unsigned index = 0, rank = 0;
    std::unique_ptr<thread[]> threads;
    std::vector<unsigned> ready;
    std::array<unsigned, 32> in_warp{}, exited{}; ///< lanes, per warp
    unsigned living = 0, in_barrier = 0;
    int straggler = -1; ///< a warp that is kept from running
    bool released_dependents = false, ended = false;
    std::vector<shared_variable> shared;
    std::size_t shared_bytes = 0;
    std::map<void*, mbarrier_model> mbarriers;
    unsigned copies_in_flight = 0;
    std::unique_ptr<block_clock> clock;
};

/// A kernel that runs.
struct grid {
    grid() = default;
    grid(grid const&) = delete;
    grid& operator=(grid const&) = delete;
    ~grid();
    std::size_t block_total() const { return static_cast<std::size_t>(request.blocks); }

    operation* made_by = nullptr;
    launch_request request{};
    int capability = 90;
    std::vector<unsigned> order; ///< in which clusters start
    std::size_t next = 0;
    unsigned most_resident = 1;
    std::vector<std::unique_ptr<cluster>> resident;
    std::size_t blocks_resident = 0, blocks_released = 0, blocks_ended = 0;
};

/// What a stream does at one time: run a kernel, copy, set, free.
struct operation {
    unsigned index = 0; ///< of the schedule
    std::string name;
    std::vector<std::shared_ptr<operation>> after; ///< what has to be finished first
    std::shared_ptr<operation> primary;            ///< of a dependent launch: what has to release it first
    std::function<void(operation&)> act;           ///< of all but kernels
    bool is_kernel = false;
    std::unique_ptr<grid> kernel; ///< until it is finished
    bool started = false, finished = false;
    bool waited_for_primary = false; ///< some thread of it
    knowledge known;                 ///< what was finished before it starts
    clock_ptr known_by_waiting;      ///< what wait_for_primary adds to that

    /// What is known to be finished once this operation is.
    knowledge known_at_end() const;

    bool may_start() const;
    bool primary_released() const;
};

} // namespace simt
