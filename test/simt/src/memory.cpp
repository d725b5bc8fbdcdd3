// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory.hpp"

#include "device.hpp"
#include "machine.hpp"
#include "race.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace simt {
namespace {

std::map<std::uintptr_t, allocation> allocations;
amount amounts[4]; ///< by kind

std::uintptr_t number(void const* address)
{
    return reinterpret_cast<std::uintptr_t>(address);
}

} // namespace

void* allocate(std::size_t bytes, std::size_t alignment, memory_kind kind, int device)
{
    void* const memory = take_storage(bytes, alignment, kind);
    if (memory == nullptr)
        return nullptr;
    fill_bytes(memory, static_cast<int>(the_machine().random.next() & 0xFF), bytes);
    race::memory_begins(memory, bytes);
    allocations[number(memory)] = {static_cast<char*>(memory), bytes, kind, device, {}, 0};
    amount& total = amounts[static_cast<int>(kind)];
    ++total.blocks;
    total.bytes += bytes;
    return memory;
}

void release(void* memory)
{
    auto const found = allocations.find(number(memory));
    allocation const freed = found->second;
    allocations.erase(found);
    amount& total = amounts[static_cast<int>(freed.kind)];
    --total.blocks;
    total.bytes -= freed.bytes;
    race::memory_ends(memory, freed.bytes);
    give_storage_back(memory, freed.bytes, freed.kind);
}

void share(void* memory, shared_with others, unsigned devices)
{
    auto const found = allocations.find(number(memory));
    found->second.others = others;
    found->second.devices = devices;
}

void release_all_of(int device)
{
    std::vector<void*> found;
    for (auto const& [address, each] : allocations)
        if (each.device == device && each.kind != memory_kind::shared)
            found.push_back(each.first);
    for (void* const each : found)
        release(each);
}

bool is_accessible(allocation const& memory, int device)
{
    auto const has = [](unsigned devices, int which) { return (devices >> which & 1u) != 0; };
    if (memory.kind != memory_kind::device)
        return true;
    if (memory.others == shared_with::some)
        return has(memory.devices, device);
    return memory.device == device ||
           (memory.others == shared_with::peers
                ? has(all_devices().at(static_cast<std::size_t>(device)).peers_enabled, memory.device)
                : has(all_devices().at(static_cast<std::size_t>(memory.device)).readers_of_pool, device));
}

allocation const* allocation_of(void const* address)
{
    auto after = allocations.upper_bound(number(address));
    if (after == allocations.begin())
        return nullptr;
    allocation const& before = (--after)->second;
    return number(address) - number(before.first) < before.bytes ? &before : nullptr;
}

allocation const* allocation_near(void const* address, std::size_t distance)
{
    auto const after = allocations.upper_bound(number(address));
    if (after != allocations.begin()) {
        allocation const& before = std::prev(after)->second;
        if (number(address) - number(before.first) < before.bytes + distance)
            return &before;
    }
    if (after != allocations.end() && after->first - number(address) < distance)
        return &after->second;
    return nullptr;
}

bool is_inside_one_allocation(void const* first, std::size_t bytes)
{
    allocation const* const found = allocation_near(first, 0);
    if (found == nullptr)
        return true;
    return number(first) - number(found->first) + bytes <= found->bytes;
}

amount amount_of(memory_kind kind)
{
    return amounts[static_cast<int>(kind)];
}

} // namespace simt
