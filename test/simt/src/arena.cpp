// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arena.hpp"

#include "memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>

extern "C" void* __real_memmove(void*, void const*, unsigned long);
extern "C" void* __real_memset(void*, int, unsigned long);

namespace simt {
namespace race {
namespace {

constexpr std::size_t arena_bytes = std::size_t{128} << 20, page_bytes = 4096;

void* reserve(std::size_t bytes)
{
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        std::abort();
    return memory;
}

void initialise()
{
    the_arena.first = reinterpret_cast<std::uintptr_t>(reserve(arena_bytes));
    the_arena.states = static_cast<std::uint8_t*>(reserve(arena_bytes));
    the_arena.cells = static_cast<cell*>(reserve(arena_bytes * sizeof(cell)));
    the_arena.bytes = arena_bytes;
    the_arena.used = page_bytes;
}

/// What was given back, by size.
std::map<std::size_t, std::deque<void*>>& freed_storage()
{
    static std::map<std::size_t, std::deque<void*>> freed;
    return freed;
}

} // namespace

} // namespace race

using race::freed_storage, race::the_arena;

void* take_storage(std::size_t bytes, std::size_t alignment, memory_kind kind)
{
    constexpr std::size_t gap = 256;
    std::size_t const quarantined = bytes > (std::size_t{1} << 20) ? 1 : 16;
    if (the_arena.bytes == 0)
        race::initialise();
    alignment = std::max<std::size_t>(alignment, 256);
    std::size_t const room = (bytes + gap + 255) / 256 * 256;
    auto& freed = freed_storage()[room];
    // Shared memory is used again at once, other memory late, so that a pointer to it points nowhere for a while.
    if (alignment == 256 && freed.size() > (kind == memory_kind::shared ? 0 : quarantined)) {
        void* const memory = kind == memory_kind::shared ? freed.back() : freed.front();
        kind == memory_kind::shared ? freed.pop_back() : freed.pop_front();
        return memory;
    }
    std::size_t const offset = (the_arena.used + alignment - 1) / alignment * alignment;
    if (room > race::arena_bytes - std::min(offset, race::arena_bytes)) {
        if (freed.empty())
            return nullptr;
        void* const memory = freed.front();
        freed.pop_front();
        return memory;
    }
    the_arena.used = offset + room;
    return reinterpret_cast<void*>(the_arena.first + offset);
}

void give_storage_back(void* memory, std::size_t bytes, memory_kind)
{
    freed_storage()[(bytes + 256 + 255) / 256 * 256].push_back(memory);
}

void copy_bytes(void* to, void const* from, std::size_t bytes)
{
    __real_memmove(to, from, bytes);
}
void fill_bytes(void* memory, int value, std::size_t bytes)
{
    __real_memset(memory, value, bytes);
}

} // namespace simt
