// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Memory of the address sanitizer's build: the sanitizer puts forbidden zones around each block.
#include "memory.hpp"

#include <cstdlib>
#include <cstring>

namespace simt {

void* take_storage(std::size_t bytes, std::size_t alignment, memory_kind)
{
    void* memory = nullptr;
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

void give_storage_back(void* memory, std::size_t, memory_kind)
{
    std::free(memory);
}

void copy_bytes(void* to, void const* from, std::size_t bytes)
{
    std::memmove(to, from, bytes);
}
void fill_bytes(void* memory, int value, std::size_t bytes)
{
    std::memset(memory, value, bytes);
}

} // namespace simt
