// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The race build's memory, of which each byte has a shadow.

#include "clock.hpp"

#include <cstddef>
#include <cstdint>

namespace simt::race {

/// Who touched a byte last. Program counters fit 32 bits, because the program is linked at a fixed, low address.
struct access_record {
    agent_id who;
    epoch when;
    std::uint32_t where;
};

/// What is known of a byte's past: its last write, and the last two of the reads since.
struct cell {
    access_record write, reads[2];
    std::uint16_t schedule; ///< in which that was; the records of an earlier one mean nothing
    bool atomic_write, atomic_reads[2];
};

enum byte_state : std::uint8_t { dead = 0, live = 1, written = 2 };

/// Whether an address is in the arena. Fast, for it is asked at every access.
bool is_in_arena(std::uintptr_t address);
std::uint8_t& state_at(std::uintptr_t address);
cell& cell_at(std::uintptr_t address);
void forget_cells(std::uintptr_t first, std::size_t bytes);

} // namespace simt::race
