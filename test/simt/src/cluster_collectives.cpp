// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// What the blocks of a cluster do together, and kernels that depend on each other.
#include "grid.hpp"
#include "machine.hpp"
#include "memory.hpp"
#include "race.hpp"
#include "report.hpp"
#include "user_code.hpp"

#include <simt/kernel.hpp>

#include <algorithm>

namespace simt {
namespace {

bool has_sm90()
{
    return current_thread().owner->owner->capability >= 90;
}

/// Ends the phase of a barrier at which nobody is missing any more.
void complete_phase(cluster& group)
{
    group.released = std::move(group.gathered);
    group.gathered = nullptr;
    group.missing = group.living;
    ++group.phase;
    the_machine().idle = 0;
    for (auto const& member : group.blocks)
        for (unsigned i = 0; i < thread_count(*member); ++i)
            if (member->threads[i].state == thread_state::in_cluster_barrier)
                make_ready(member->threads[i]);
}

void arrive(thread& me, location where, bool releases)
{
    cluster& group = *me.owner->group;
    if (me.arrived_in_cluster)
        stop_thread("cluster", "a thread arrives at " + text_of(where) + " and has not waited since it last arrived");
    me.arrived_in_cluster = true;
    me.arrival_phase = group.phase;
    if (block_clock* const clock = me.owner->clock.get(); clock != nullptr && releases) {
        group.gathered = join(group.gathered, clock->snapshot(me.index));
        ++clock->threads[me.index].now;
    }
    if (--group.missing == 0)
        complete_phase(group);
    yield_point();
}

} // namespace

int cluster_rank()
{
    return static_cast<int>(current_thread().owner->rank);
}

void cluster_announce(location where)
{
    interpreter_code const guard;
    if (has_sm90())
        arrive(current_thread(), where, false);
}

void cluster_arrive(location where)
{
    interpreter_code const guard;
    if (has_sm90())
        arrive(current_thread(), where, true);
}

void cluster_wait(location where)
{
    interpreter_code const guard;
    if (!has_sm90())
        return;
    thread& me = current_thread();
    cluster& group = *me.owner->group;
    if (!me.arrived_in_cluster)
        stop_thread("cluster", "cluster_wait at " + text_of(where) + " without cluster_arrive");
    me.where = where;
    if (group.phase == me.arrival_phase) {
        ++the_machine().idle;
        suspend_as(thread_state::in_cluster_barrier);
    }
    me.arrived_in_cluster = false;
    ++me.cluster_waits;
    if (me.owner->clock)
        me.owner->clock->learn(me.index, group.released);
}

void leave_cluster(thread& leaving)
{
    cluster& group = *leaving.owner->group;
    --group.living;
    bool const arrived = leaving.arrived_in_cluster && leaving.arrival_phase == group.phase;
    if (!arrived && --group.missing == 0 && group.living > 0)
        complete_phase(group);
}

void store_in_block(int rank, void* shared, void const* value, std::size_t bytes, location where)
{
    interpreter_code const guard;
    thread& me = current_thread();
    cluster& group = *me.owner->group;
    std::string const at = "store_in_block at " + text_of(where);
    if (!has_sm90())
        stop_thread("cluster", at + " on a GPU that has no clusters");
    if (rank < 0 || static_cast<std::size_t>(rank) >= group.blocks.size())
        stop_thread("cluster", at + " names block " + std::to_string(rank) + " of a cluster of " +
                                   std::to_string(group.blocks.size()));
    block& target = *group.blocks[static_cast<std::size_t>(rank)];
    if (&target != me.owner && me.cluster_waits == 0)
        stop_thread("cluster", at + " into a block that is not known to have begun: there was no cluster_wait");
    if (target.ended)
        stop_thread("cluster", at + " into a block that has ended");

    auto* const address = static_cast<char*>(shared);
    auto const mine = std::find_if(me.owner->shared.begin(), me.owner->shared.end(), [&](shared_variable const& each) {
        return address >= each.memory && address < each.memory + each.bytes;
    });
    if (mine == me.owner->shared.end())
        stop_thread("cluster", at + " at an address that is not in shared memory");
    auto const offset = static_cast<std::size_t>(address - mine->memory);
    if (offset + bytes > mine->bytes)
        stop_thread("out of bounds", at + " past the end of a shared variable");
    shared_variable const same = *mine;
    char* const destination = shared_variable_of(target, same.site, same.bytes, same.alignment).memory + offset;
    yield_point();
    if (target.ended)
        stop_thread("cluster", at + " into a block that has ended");
    race::thread_writes(me, destination, bytes);
    copy_bytes(destination, value, bytes);
    yield_point();
}

void release_dependents()
{
    interpreter_code const guard;
    if (!has_sm90())
        return;
    block& owner = *current_thread().owner;
    if (!owner.released_dependents) {
        owner.released_dependents = true;
        ++owner.owner->blocks_released;
        the_machine().idle = 0;
    }
    yield_point();
}

void wait_for_primary(location where)
{
    interpreter_code const guard;
    thread& me = current_thread();
    operation& mine = *me.owner->owner->made_by;
    if (!has_sm90() || !mine.primary)
        return;
    mine.waited_for_primary = true;
    me.where = where;
    if (!mine.primary->finished) {
        ++the_machine().idle;
        suspend_as(thread_state::waits_for_primary);
    }
    if (block_clock* const clock = me.owner->clock.get()) {
        if (!mine.known_by_waiting)
            mine.known_by_waiting = knowledge_of_operations(mine.primary->known_at_end().all());
        clock->learn(me.index, mine.known_by_waiting);
    }
}

knowledge operation::known_at_end() const
{
    knowledge made = known;
    made.add(index);
    if (waited_for_primary && primary)
        made.add(primary->known_at_end());
    return made;
}

} // namespace simt
