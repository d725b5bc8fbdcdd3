// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shadow.hpp"

#include "machine.hpp"
#include "memory.hpp"
#include "report.hpp"

#include <cstdio>
#include <cstring>

#include <unistd.h>

namespace simt::race {
namespace {

std::uint16_t schedule = 0;
std::vector<unsigned> operation_of_block; ///< by serial number

bool is_write(access how)
{
    return how != access::read && how != access::atomic_read;
}
bool is_read(access how)
{
    return how != access::write && how != access::atomic_write;
}
bool is_atomic(access how)
{
    return how != access::read && how != access::write;
}

std::string text_of(access how, std::size_t bytes)
{
    char const* const name = how == access::atomic_update  ? "atomic update"
                             : how == access::atomic_read  ? "atomic or volatile read"
                             : how == access::atomic_write ? "atomic or volatile write"
                             : how == access::read         ? "read"
                                                           : "write";
    return std::string(name) + " of " + std::to_string(bytes) + " bytes";
}

/// Whether the unwritten bytes from `i` on are more than a hole in an object.
bool is_more_than_a_hole(std::uintptr_t first, std::size_t i, std::size_t bytes)
{
    constexpr std::size_t largest_hole = 7;
    std::size_t end = i;
    while (end < bytes && (state_at(first + end) & written) == 0)
        ++end;
    return i == 0 || end - i > largest_hole;
}

} // namespace

std::uint32_t new_block(unsigned operation)
{
    operation_of_block.push_back(operation);
    return static_cast<std::uint32_t>(operation_of_block.size() - 1);
}

bool happened_before(access_record const& past, agent const& who)
{
    if (past.who == who.id)
        return true;
    if (past.who == host_agent)
        return past.when <= who.known->host;
    if (who.clock != nullptr && who.clock->knows(who.thread, past.who, past.when))
        return true;
    unsigned const operation = operation_of_block[past.who / agents_per_block];
    return operation != who.operation &&
           (who.known->has(operation) || (who.clock != nullptr && who.clock->knows_finished(who.thread, operation)));
}

std::string name_of(agent_id who)
{
    if (who == host_agent)
        return "the host";
    return "block #" + std::to_string(who / agents_per_block) + " thread " + std::to_string(who % agents_per_block) +
           " of operation " + std::to_string(operation_of_block[who / agents_per_block]);
}

agent host()
{
    return {host_agent, the_machine().host.host, &the_machine().host, no_operation, nullptr, 0};
}

agent agent_of(thread const& who)
{
    block_clock const& clock = *who.owner->clock;
    operation const& by = *who.owner->owner->made_by;
    return {clock.serial * agents_per_block + who.index,
            clock.threads[who.index].now,
            &by.known,
            by.index,
            &clock,
            who.index};
}

void forget_history()
{
    if (++schedule == 0) // older records could be mistaken for this schedule's
        schedule = 1;
    operation_of_block.assign(1, no_operation); // the host's
}

std::optional<report> judge(agent const& who, std::uintptr_t first, std::size_t bytes, access how, bool is_object,
                            void const* program_counter)
{
    bool const writes = is_write(how), reads = is_read(how), atomic = is_atomic(how);
    auto const where = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(program_counter));
    auto const made = [&](char const* kind, std::string const& what) {
        return report{kind, text_of(how, bytes) + " " + what + location_of(where)};
    };
    auto const race_with = [&](std::uintptr_t at, char const* past, access_record const& record) {
        return made("race", std::string("races with a ") + past + " by " + name_of(record.who) +
                                location_of(record.where) + ", of " + region_of(at));
    };
    access_record const record = {who.id, who.now, where};
    // Adjacent bytes mostly have the same history: the last access that is known to have happened before is kept.
    access_record earlier_write = {}, earlier_reads[2] = {};
    auto const is_earlier = [&](access_record const& past, access_record& known) {
        if (past.who == known.who && past.when == known.when)
            return true;
        if (!happened_before(past, who))
            return false;
        known = past;
        return true;
    };
    for (std::size_t i = 0; i < bytes; ++i) {
        std::uintptr_t const at = first + i;
        std::uint8_t& state = state_at(at);
        if ((state & live) == 0)
            return made("out of bounds", "of " + region_of(at));
        if (reads && (state & written) == 0 && (!is_object || is_more_than_a_hole(first, i, bytes)))
            return made("uninitialised", "of " + region_of(at) + ", which nobody has written");
        cell& past = cell_at(at);
        if ((state & fresh) != 0 || past.schedule != schedule)
            past = {{}, {}, schedule, false, {}};
        if (past.write.who != no_agent && !(atomic && past.atomic_write) && !is_earlier(past.write, earlier_write))
            return race_with(at, "write", past.write);
        if (writes) {
            for (int r = 0; r < 2; ++r)
                if (past.reads[r].who != no_agent && !(atomic && past.atomic_reads[r]) &&
                    !is_earlier(past.reads[r], earlier_reads[r]))
                    return race_with(at, "read", past.reads[r]);
            past.write = record;
            past.atomic_write = atomic;
            state = live | written;
        } else {
            state &= static_cast<std::uint8_t>(~fresh);
            if (past.reads[0].who != who.id && past.reads[0].who != no_agent &&
                !is_earlier(past.reads[0], earlier_reads[0])) {
                past.reads[1] = past.reads[0];
                past.atomic_reads[1] = past.atomic_reads[0];
            }
            past.reads[0] = record;
            past.atomic_reads[0] = atomic;
        }
    }
    return std::nullopt;
}

namespace {

std::string line_from(FILE* input)
{
    std::string line;
    for (int c = std::fgetc(input); c != EOF && c != '\n'; c = std::fgetc(input))
        line += static_cast<char>(c);
    return line;
}

} // namespace

std::string location_of(std::uint32_t program_counter)
{
    if (program_counter == 0)
        return "";
    char command[256];
    std::snprintf(command, sizeof command, "addr2line -e /proc/%d/exe -i -f -C %#x 2>/dev/null",
                  static_cast<int>(getpid()), program_counter - 1);
    std::string text;
    if (FILE* const output = popen(command, "r")) {
        for (int i = 0; i < 4 && std::feof(output) == 0; ++i) {
            std::string const function = line_from(output), place = line_from(output);
            if (function.empty())
                break;
            bool const has_line = !place.starts_with('?'); // in a program that was compiled with -g1
            std::string const path = place.substr(0, place.find(' '));
            text += (i == 0 ? " at " : " in ") + (has_line ? path.substr(path.rfind('/') + 1) : function);
        }
        pclose(output);
    }
    return text;
}

std::string region_of(std::uintptr_t address)
{
    constexpr std::size_t near = 256;
    auto const* const bytes = reinterpret_cast<char const*>(address);
    allocation const* const found = allocation_near(bytes, near);
    if (found == nullptr)
        return "memory that is not allocated";
    char const* const kind = found->kind == memory_kind::device    ? "device"
                             : found->kind == memory_kind::pinned  ? "pinned"
                             : found->kind == memory_kind::managed ? "managed"
                                                                   : "shared";
    return "byte " + std::to_string(bytes - found->first) + " of " + std::to_string(found->bytes) + " bytes of " +
           kind + " memory";
}

} // namespace simt::race
