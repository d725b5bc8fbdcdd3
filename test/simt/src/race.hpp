// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The interface of the race build's checker for the rest of the interpreter. The other builds have empty functions.

#include "model.hpp"

#include <cstddef>

namespace simt::race {

#ifdef SIMT_RACE
inline constexpr bool enabled = true;

void begin_schedule();

/// @name Memory
/// @{
void memory_begins(void* memory, std::size_t bytes);
void memory_ends(void* memory, std::size_t bytes);
/// @}

/// @name Blocks and copies
/// @{
void block_begins(block& started);
/// Reports stores of other blocks into this one's shared memory that did not happen before its end.
void block_ends(block& ended);
/// Returns the clock of a copy that a thread starts.
std::unique_ptr<block_clock> clock_of_copy(block& by, unsigned thread);
/// @}

/// @name Accesses other than by instructions of a kernel
/// @{
void thread_writes(thread& who, void* memory, std::size_t bytes);
void thread_updates(thread& who, void* memory, std::size_t bytes);
void operation_reads(operation const& who, void const* memory, std::size_t bytes);
void operation_writes(operation const& who, void* memory, std::size_t bytes);
void copy_reads(block& by, block_clock const& who, void const* memory, std::size_t bytes);
void copy_writes(block& by, block_clock const& who, void* memory, std::size_t bytes);
void host_reads(void const* memory, std::size_t bytes);
void host_writes(void* memory, std::size_t bytes);
/// @}

void fence(thread& who, scope reach);
#else
inline constexpr bool enabled = false;

inline void begin_schedule() {}
inline void memory_begins(void*, std::size_t) {}
inline void memory_ends(void*, std::size_t) {}
inline void block_begins(block&) {}
inline void block_ends(block&) {}
inline std::unique_ptr<block_clock> clock_of_copy(block&, unsigned)
{
    return nullptr;
}
inline void thread_writes(thread&, void*, std::size_t) {}
inline void thread_updates(thread&, void*, std::size_t) {}
inline void operation_reads(operation const&, void const*, std::size_t) {}
inline void operation_writes(operation const&, void*, std::size_t) {}
inline void copy_reads(block&, block_clock const&, void const*, std::size_t) {}
inline void copy_writes(block&, block_clock const&, void*, std::size_t) {}
inline void host_reads(void const*, std::size_t) {}
inline void host_writes(void*, std::size_t) {}
inline void fence(thread&, scope) {}
#endif

} // namespace simt::race
