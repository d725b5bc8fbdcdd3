// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Memory that calls find as the call before left it: status words, in which the blocks of a kernel publish aggregates,
/// and counters.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/order.hpp>

#include <cstddef>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Status words of tiles, or of parts of segments, and a ticket counter. A word is valid only in the epoch in which it
/// was written, and every launch has a new epoch, so words are not cleared between launches.
class status_memory : leased_memory {
public:
    status_memory(device_call const& by, offset words)
        : leased_memory(scratch_cache::of_status(), by, header_bytes + static_cast<std::size_t>(words) * 8)
    {
        used_ = std::exchange(state(), {});           // the state is unknown if the launch fails
        if (used_.epoch == 0 || used_.epoch == ~0u) { // new memory, or the last epoch
            used_ = {};
            by.clear(leased_memory::begin(), bytes());
        }
        ++used_.epoch;
    }
    unsigned long long* counter() const { return static_cast<unsigned long long*>(leased_memory::begin()); }
    unsigned long long* words() const { return counter() + header_bytes / 8; }
    unsigned epoch() const { return used_.epoch; }
    /// The number of tickets that earlier launches have taken.
    unsigned long long tickets() const { return used_.tickets; }
    /// Records the launch of a kernel that takes `count` tickets.
    void record_tickets(offset count)
    {
        used_.tickets += static_cast<unsigned long long>(count);
        state() = used_;
    }

private:
    static constexpr std::size_t header_bytes = 128;
    status_state used_;
};

/// Counters that are 0 at first. There are two sets of them, so that none is cleared by a launch of its own: the
/// kernels of a round count in one, and clear the other one for the next round, be it of this call or of another.
class round_counters : leased_memory {
public:
    static constexpr int count = 16;

    explicit round_counters(device_call const& by) : leased_memory(scratch_cache::of_counters(), by, 2 * set_bytes)
    {
        used_ = state();
        if (used_.epoch == 0) // new memory, or a launch of its last round has failed
            by.clear(leased_memory::begin(), 2 * set_bytes);
    }
    /// Begins a round. Its kernels clear the counters from `of_next()` on.
    void begin() { state() = {}; } // which is unknown if a launch fails
    unsigned long long* of_round() const { return set(used_.epoch % 2); }
    unsigned long long* of_next() const { return set((used_.epoch + 1) % 2); }
    /// Ends a round, all of whose kernels have been launched.
    void end()
    {
        used_.epoch = used_.epoch % 2 + 1;
        state() = used_;
    }

private:
    static constexpr std::size_t set_bytes = 8 * count;
    unsigned long long* set(unsigned which) const
    {
        return static_cast<unsigned long long*>(leased_memory::begin()) + which * (set_bytes / 8);
    }
    status_state used_;
};

/// Clears counters, with block 0.
TILEWISE_DEVICE void clear_counters_of_next_round(unsigned long long* counters)
{
    if (block_index() == 0 && thread_index() < round_counters::count)
        counters[thread_index()] = 0;
}

} // namespace gpu
TILEWISE_NAMESPACE_END
