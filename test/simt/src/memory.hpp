// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Memory that the runtime or a block gives out, in blocks of exactly the size asked for.

#include <cstddef>

namespace simt {

enum class memory_kind { device, pinned, managed, shared };

/// Which other devices reach a device's memory: those with peer access, with access to its pool, or some.
enum class shared_with { peers, readers_of_pool, some };

struct allocation {
    char* first;
    std::size_t bytes;
    memory_kind kind;
    int device;
    shared_with others = shared_with::peers;
    unsigned devices = 0; ///< those with access, a bit for each, where it is shared with some
};

/// Memory that can be used at once, with unknown content; null where there is no more.
void* allocate(std::size_t bytes, std::size_t alignment, memory_kind kind, int device);
void release(void* memory);
/// All that was allocated on a device.
void release_all_of(int device);
/// Decides which devices may read and write memory of a device.
void share(void* memory, shared_with others, unsigned devices = 0);
/// Whether a device may read and write it.
bool is_accessible(allocation const& memory, int device);

/// The allocation that an address is in, if any.
allocation const* allocation_of(void const* address);
/// The allocation nearest to an address, within `distance` bytes.
allocation const* allocation_near(void const* address, std::size_t distance);
/// Whether the bytes are in one allocation, as far as the runtime knows of allocations at all.
bool is_inside_one_allocation(void const* first, std::size_t bytes);

/// What is allocated of a kind.
struct amount {
    std::size_t blocks = 0, bytes = 0;
};
amount amount_of(memory_kind kind);

/// @name Where the memory comes from: the heap, or the race build's arena
/// @{
void* take_storage(std::size_t bytes, std::size_t alignment, memory_kind kind);
void give_storage_back(void* memory, std::size_t bytes, memory_kind kind);
/// memcpy and memset that nobody looks at.
void copy_bytes(void* to, void const* from, std::size_t bytes);
void fill_bytes(void* memory, int value, std::size_t bytes);
/// @}

} // namespace simt
