// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "race.hpp"

#include "machine.hpp"
#include "report.hpp"
#include "shadow.hpp"

#include <algorithm>
#include <unordered_map>

namespace simt::race {
namespace {

/// What was released at an address.
struct release_record {
    clock_ptr to_device, to_block;
    std::uint32_t block = 0;
};
std::unordered_map<std::uintptr_t, release_record> releases;

} // namespace

void acquire_at(thread& who, std::uintptr_t address, bool ordered)
{
    auto const found = releases.find(address);
    if (found == releases.end())
        return;
    block_clock& clock = *who.owner->clock;
    clock_ptr learned = found->second.to_device;
    if (found->second.block == clock.serial)
        learned = join(learned, found->second.to_block);
    clock_ptr& into = ordered ? clock.threads[who.index].learned : clock.threads[who.index].pending;
    into = join(into, learned);
}

void release_at(thread& who, std::uintptr_t address, bool ordered, bool is_update)
{
    block_clock& clock = *who.owner->clock;
    thread_clock& mine = clock.threads[who.index];
    clock_ptr const given = ordered ? clock.snapshot(who.index) : mine.released;
    if (ordered)
        ++mine.now;
    release_record& at = releases[address];
    at.to_device = is_update ? join(at.to_device, given) : given;
    at.to_block = mine.released_in_the_block;
    at.block = clock.serial;
}

void fence(thread& who, scope reach)
{
    block_clock& clock = *who.owner->clock;
    thread_clock& mine = clock.threads[who.index];
    mine.learned = join(mine.learned, mine.pending);
    mine.pending = nullptr;
    mine.released_in_the_block = clock.snapshot(who.index);
    if (reach == scope::device)
        mine.released = mine.released_in_the_block;
    ++mine.now;
}

void begin_schedule()
{
    forget_history();
    releases.clear();
}

void memory_begins(void* memory, std::size_t bytes)
{
    auto const first = reinterpret_cast<std::uintptr_t>(memory);
    std::fill_n(&state_at(first), bytes, static_cast<std::uint8_t>(live | fresh));
}

void memory_ends(void* memory, std::size_t bytes)
{
    auto const first = reinterpret_cast<std::uintptr_t>(memory);
    std::fill_n(&state_at(first), bytes, static_cast<std::uint8_t>(dead));
    if (!releases.empty())
        std::erase_if(releases, [&](auto const& each) { return each.first - first < bytes; });
}

void block_begins(block& started)
{
    started.clock = std::make_unique<block_clock>();
    started.clock->operation = started.owner->made_by->index;
    started.clock->serial = new_block(started.clock->operation);
    started.clock->threads.resize(static_cast<std::size_t>(started.owner->request.threads));
}

void block_ends(block& ended)
{
    if (ended.group->blocks.size() == 1)
        return;
    ended.clock->after_barrier(); // what its threads know together
    agent const all = agent_of(ended.threads[0]);
    for (shared_variable const& each : ended.shared)
        for (std::size_t i = 0; i < each.bytes; ++i) {
            auto const at = reinterpret_cast<std::uintptr_t>(each.memory) + i;
            access_record const& last = cell_at(at).write;
            if ((state_at(at) & fresh) == 0 && last.who != no_agent && !happened_before(last, all))
                return note("cluster", "block " + std::to_string(ended.index) +
                                           " may end before a store into its shared memory by " + name_of(last.who));
        }
}

std::unique_ptr<block_clock> clock_of_copy(block& by, unsigned thread)
{
    auto made = std::make_unique<block_clock>();
    made->operation = by.clock->operation;
    made->serial = new_block(made->operation);
    made->base = by.clock->snapshot(thread);
    made->threads.resize(1);
    ++by.clock->threads[thread].now;
    return made;
}

namespace {

void require(std::optional<report> const& wrong)
{
    if (!wrong)
        return;
    if (the_machine().current != nullptr)
        stop_thread(wrong->kind.c_str(), wrong->text);
    note(wrong->kind.c_str(), wrong->text);
}

void access_by(agent const& who, void const* memory, std::size_t bytes, access how)
{
    auto const first = reinterpret_cast<std::uintptr_t>(memory);
    if (is_in_arena(first) && !first_report())
        require(judge(who, first, bytes, how, true, nullptr));
}

agent agent_of_operation(operation const& who)
{
    // An operation is one block of one thread, which nobody else ever sees.
    return {new_block(who.index) * agents_per_block, 1, &who.known, who.index, nullptr, 0};
}

agent agent_of_copy(block& by, block_clock const& copy)
{
    return {copy.serial * agents_per_block, 1, &by.owner->made_by->known, copy.operation, &copy, 0};
}

} // namespace

void thread_writes(thread& who, void* memory, std::size_t bytes)
{
    access_by(agent_of(who), memory, bytes, access::write);
}
void thread_updates(thread& who, void* memory, std::size_t bytes)
{
    access_by(agent_of(who), memory, bytes, access::atomic_update);
}
void operation_reads(operation const& who, void const* memory, std::size_t bytes)
{
    access_by(agent_of_operation(who), memory, bytes, access::read);
}
void operation_writes(operation const& who, void* memory, std::size_t bytes)
{
    access_by(agent_of_operation(who), memory, bytes, access::write);
}
void copy_reads(block& by, block_clock const& who, void const* memory, std::size_t bytes)
{
    access_by(agent_of_copy(by, who), memory, bytes, access::read);
}
void copy_writes(block& by, block_clock const& who, void* memory, std::size_t bytes)
{
    access_by(agent_of_copy(by, who), memory, bytes, access::write);
}

} // namespace simt::race
