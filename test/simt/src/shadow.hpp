// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Checks one memory access against the earlier ones.

#include "arena.hpp"
#include "model.hpp"
#include "report.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace simt::race {

enum class access { read, write, atomic_read, atomic_write, atomic_update };

/// An agent that accesses memory: a kernel's thread or a bulk copy (with a clock), an operation, or the host.
struct agent {
    agent_id id;
    epoch now;
    knowledge const* known;   ///< the operations that happened before, and the host's epoch
    unsigned operation;       ///< its own, or `no_operation`
    block_clock const* clock; ///< null for operations and the host
    unsigned thread;
};
inline constexpr unsigned no_operation = ~0u;

agent agent_of(thread const& who);
agent host();
std::string name_of(agent_id who);
bool happened_before(access_record const& past, agent const& who);

/// Returns a serial number for a block of an operation.
std::uint32_t new_block(unsigned operation);
/// Begins a schedule.
void forget_history();

/// Checks an access to bytes of the arena, and records it. The padding of an object may be read before it was written,
/// so `is_object` permits short gaps of uninitialized bytes.
std::optional<report> judge(agent const& who, std::uintptr_t first, std::size_t bytes, access how, bool is_object,
                            void const* program_counter);

/// Returns " at file.cpp:12", with the functions that were inlined there.
std::string location_of(std::uint32_t program_counter);
/// Returns "byte 12 of 48 bytes of shared memory".
std::string region_of(std::uintptr_t address);

/// @name Atomics
/// @{
void acquire_at(thread& who, std::uintptr_t address, bool ordered);
void release_at(thread& who, std::uintptr_t address, bool ordered, bool is_update);
/// @}

} // namespace simt::race
