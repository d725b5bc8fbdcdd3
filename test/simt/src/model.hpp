// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The work that runs: operations of streams. Kernels are operations that consist of grids, clusters, blocks and
/// threads.

#include "clock.hpp"
#include "fiber.hpp"

#include <simt/kernel.hpp>

#include <array>
#include <cstddef>
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

/// The arguments of a lane in a collective of its warp.
struct warp_request {
    enum class kind { index, up, down, exclusive_or, ballot, match, sync } what{};
    unsigned mask = 0;
    void const* mine = nullptr;
    void* result = nullptr;
    std::size_t bytes = 0;
    unsigned from = 0;            ///< a lane
    unsigned long long value = 0; ///< a vote, or the value to match
};

struct thread {
    fiber control;
    block* owner = nullptr;
    unsigned index = 0;
    thread_state state = thread_state::fresh;
    location where;
    warp_request request;
    bool pauses = false;             ///< is in a loop that waits for another thread
    bool arrived_in_cluster = false; ///< but has not waited yet
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
    long long missing_bytes = 0; ///< may be negative: a copy can complete before it is expected
    unsigned phase = 0;
    clock_ptr gathered, released; ///< by the arrivals of this phase; of the preceding phase
};

/// A cluster: blocks that are resident together.
struct cluster {
    std::vector<std::unique_ptr<block>> blocks;
    unsigned living = 0, missing = 0; ///< threads that have not ended; those of them that have yet to arrive
    unsigned phase = 0;
    clock_ptr gathered, released; ///< by the arrivals of this phase; of the preceding phase
};

/// The threads of a block that can run, by index; each is there at most once. (Not a std::vector: the linker would take
/// its functions from the tests, which are compiled without optimisation and with the checker's instrumentation.)
class ready_threads {
public:
    ready_threads() = default;
    explicit ready_threads(unsigned all) : indices_(std::make_unique<unsigned[]>(all))
    {
        while (size_ < all)
            push_back(static_cast<unsigned>(size_));
    }

    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    unsigned const* begin() const { return indices_.get(); }
    unsigned const* end() const { return begin() + size_; }
    unsigned operator[](std::size_t i) const { return begin()[i]; }

    void push_back(unsigned index) { indices_.get()[size_++] = index; }
    unsigned take(std::size_t i)
    {
        unsigned const index = begin()[i];
        indices_.get()[i] = begin()[--size_];
        return index;
    }

private:
    std::unique_ptr<unsigned[]> indices_;
    std::size_t size_ = 0;
};

struct block {
    grid* owner = nullptr;
    cluster* group = nullptr;
    unsigned index = 0, rank = 0;
    std::unique_ptr<thread[]> threads;
    ready_threads ready;
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

/// A running kernel.
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

/// An operation of a stream: a kernel, a copy, a memset or a deallocation.
struct operation {
    unsigned index = 0; ///< in the schedule
    std::string name;
    std::vector<std::shared_ptr<operation>> after; ///< the operations that have to finish first
    std::shared_ptr<operation> primary;  ///< of a dependent launch (PDL): the kernel that has to release it first
    std::function<void(operation&)> act; ///< of all but kernels
    bool is_kernel = false;
    std::unique_ptr<grid> kernel; ///< null once it is finished
    bool started = false, finished = false;
    bool waited_for_primary = false; ///< in at least one thread
    knowledge known;                 ///< the operations that finished before it starts
    clock_ptr known_by_waiting;      ///< what wait_for_primary adds to that

    /// Returns the operations that are known to be finished once this one is.
    knowledge known_at_end() const;

    bool may_start() const;
    bool primary_released() const;
};

} // namespace simt
