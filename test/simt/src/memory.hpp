// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The allocations of the runtime and of blocks, of exactly the requested size.

#include <cstddef>

namespace simt {

enum class memory_kind { device, pinned, managed, shared };

/// Which other devices have access to memory: those with peer access, those with access to the pool, or some.
enum class shared_with { peers, readers_of_pool, some };

struct allocation {
    char* first;
    std::size_t bytes;
    memory_kind kind;
    int device;
    shared_with others = shared_with::peers;
    unsigned devices = 0; ///< if it is shared with some: a bit for each of them
};

/// Returns uninitialized memory that can be used at once, or null if there is no more.
void* allocate(std::size_t bytes, std::size_t alignment, memory_kind kind, int device);
void release(void* memory);
/// Releases all memory of a device.
void release_all_of(int device);
/// Sets which devices may read and write memory of a device.
void share(void* memory, shared_with others, unsigned devices = 0);
/// Whether a device may read and write an allocation.
bool is_accessible(allocation const& memory, int device);

/// Returns the allocation that contains an address, or null.
allocation const* allocation_of(void const* address);
/// Returns the allocation nearest to an address, within `distance` bytes, or null.
allocation const* allocation_near(void const* address, std::size_t distance);
/// Whether the bytes are in one allocation; true if they are in memory that the runtime did not allocate.
bool is_inside_one_allocation(void const* first, std::size_t bytes);

/// The amount of memory that is allocated of a kind.
struct amount {
    std::size_t blocks = 0, bytes = 0;
};
amount amount_of(memory_kind kind);

/// @name Storage, from the heap or the race build's arena
/// @{
void* take_storage(std::size_t bytes, std::size_t alignment, memory_kind kind);
void give_storage_back(void* memory, std::size_t bytes, memory_kind kind);
/// memcpy and memset that are not checked.
void copy_bytes(void* to, void const* from, std::size_t bytes);
void fill_bytes(void* memory, int value, std::size_t bytes);
/// @}

} // namespace simt
