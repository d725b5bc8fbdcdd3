// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The memory of the race build, in which every byte has a shadow.

#include "clock.hpp"

#include <cstddef>
#include <cstdint>

namespace simt::race {

/// An access to a byte. Program counters fit 32 bits, because the program is linked at a fixed, low address.
struct access_record {
    agent_id who;
    epoch when;
    std::uint32_t where;
};

/// The access history of a byte: its last write, and the last two reads since.
struct cell {
    access_record write, reads[2];
    std::uint16_t schedule; ///< the schedule of the records; those of an earlier schedule are ignored
    bool atomic_write, atomic_reads[2];
};

/// `fresh`: not accessed since it was allocated; its history is that of an earlier allocation, and is ignored.
/// (Clearing the history of allocated memory took an eighth of the time of the tests.)
enum byte_state : std::uint8_t { dead = 0, live = 1, written = 2, fresh = 4 };

/// The arena is empty until something is allocated, because hooks are called before the program's variables are
/// initialised.
struct arena {
    std::uintptr_t first = 0;
    std::size_t bytes = 0, used = 0;
    std::uint8_t* states = nullptr;
    cell* cells = nullptr;
};
inline constinit arena the_arena;

/// @name Inline, as they are called at every access
/// @{
inline bool is_in_arena(std::uintptr_t address)
{
    return address - the_arena.first < the_arena.bytes;
}
inline std::uint8_t& state_at(std::uintptr_t address)
{
    return the_arena.states[address - the_arena.first];
}
inline cell& cell_at(std::uintptr_t address)
{
    return the_arena.cells[address - the_arena.first];
}
/// @}

} // namespace simt::race
