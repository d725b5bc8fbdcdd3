// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Memory for status words, in which the blocks of a kernel publish aggregates.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/order.hpp>

#include <cstddef>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Status words of tiles, and a ticket counter. A word is valid only in the epoch in which it was written, and every
/// launch has a new epoch, so words are not cleared between launches.
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

} // namespace gpu
TILEWISE_NAMESPACE_END
