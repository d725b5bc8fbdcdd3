// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.hpp"

#include "machine.hpp"
#include "memory.hpp"
#include "race.hpp"
#include "report.hpp"

#include <algorithm>
#include <numeric>

namespace simt {
namespace {

std::unique_ptr<block> make_block(grid& owner, cluster& group, unsigned index)
{
    machine& m = the_machine();
    auto made = std::make_unique<block>();
    auto const threads = static_cast<unsigned>(owner.request.threads);
    made->owner = &owner;
    made->group = &group;
    made->index = index;
    made->rank = index % static_cast<unsigned>(owner.request.cluster);
    made->living = threads;
    made->threads = std::make_unique<thread[]>(threads);
    made->ready = ready_threads(threads);
    for (unsigned i = 0; i < threads; ++i) {
        made->threads[i].owner = made.get();
        made->threads[i].index = i;
    }
    if (m.random.below(100) < m.habit.straggler_percent)
        made->straggler = static_cast<int>(m.random.below((threads + lanes_per_warp - 1) / lanes_per_warp));
    race::block_begins(*made);
    ++m.done.blocks;
    m.done.threads += threads;
    return made;
}

void free_shared_memory(block& of)
{
    for (shared_variable const& each : of.shared)
        release(each.memory);
    of.shared.clear();
}

char const* description_of(thread_state state)
{
    switch (state) {
    case thread_state::fresh:
        return "has not begun";
    case thread_state::ready:
        return "could run (in a loop that waits?), last seen";
    case thread_state::in_block_barrier:
        return "waits in sync_block";
    case thread_state::in_warp:
        return "waits in a collective of its warp";
    case thread_state::in_cluster_barrier:
        return "waits in cluster_wait";
    case thread_state::waits_for_primary:
        return "waits in wait_for_primary";
    case thread_state::in_mbarrier:
        return "waits for a phase of an mbarrier";
    case thread_state::done:
        break;
    }
    return "has ended";
}

} // namespace

unsigned thread_count(block const& of)
{
    return static_cast<unsigned>(of.owner->request.threads);
}

bool operation::primary_released() const
{
    return !primary || primary->finished ||
           (primary->started && primary->kernel && primary->kernel->blocks_released == primary->kernel->block_total());
}

bool operation::may_start() const
{
    return primary_released() &&
           std::all_of(after.begin(), after.end(), [](auto const& each) { return each->finished; });
}

grid::~grid()
{
    for (auto const& group : resident)
        for (auto const& member : group->blocks)
            free_shared_memory(*member);
}

void start_grid(grid& starting)
{
    machine& m = the_machine();
    auto const clusters = static_cast<unsigned>(starting.request.blocks / starting.request.cluster);
    starting.order.resize(clusters);
    std::iota(starting.order.begin(), starting.order.end(), 0u);
    if (m.habit.shuffled_blocks)
        for (unsigned i = clusters; i-- > 1;)
            std::swap(starting.order[i], starting.order[m.random.below(i + 1)]);
    starting.most_resident = 1 + m.random.below(m.habit.most_resident);
}

void admit_clusters(grid& running)
{
    auto const size = static_cast<unsigned>(running.request.cluster);
    while (running.next < running.order.size() &&
           (running.resident.empty() || running.blocks_resident + size <= running.most_resident)) {
        auto made = std::make_unique<cluster>();
        for (unsigned rank = 0; rank < size; ++rank)
            made->blocks.push_back(make_block(running, *made, running.order[running.next] * size + rank));
        made->missing = made->living = size * thread_count(*made->blocks.front());
        running.resident.push_back(std::move(made));
        running.blocks_resident += size;
        ++running.next;
    }
}

void end_block(block& ended)
{
    grid& owner = *ended.owner;
    if (ended.copies_in_flight > 0)
        return note("bulk copy",
                    "block " + std::to_string(ended.index) + " ends while a bulk copy into it is in flight");
    race::block_ends(ended);
    free_shared_memory(ended);
    ended.ended = true;
    ++owner.blocks_ended;
    --owner.blocks_resident;
    if (!ended.released_dependents)
        ++owner.blocks_released;
    ended.released_dependents = true;
    cluster* const group = ended.group;
    if (std::all_of(group->blocks.begin(), group->blocks.end(), [](auto const& each) { return each->ended; }))
        std::erase_if(owner.resident, [&](auto const& each) { return each.get() == group; });
}

void wake_those_who_wait_for(operation const& primary)
{
    for (auto const& each : the_machine().unfinished)
        if (each->primary.get() == &primary && each->started && each->kernel)
            for (auto const& group : each->kernel->resident)
                for (auto const& member : group->blocks)
                    for (unsigned i = 0; i < thread_count(*member); ++i)
                        if (member->threads[i].state == thread_state::waits_for_primary)
                            make_ready(member->threads[i]);
}

std::string name_of(thread const& who)
{
    return "block " + std::to_string(who.owner->index) + " thread " + std::to_string(who.index) + " of " +
           who.owner->owner->made_by->name;
}

std::string threads_at_rest()
{
    constexpr int most = 8;
    std::string text;
    int found = 0;
    for (auto const& each : the_machine().unfinished) {
        if (!each->started)
            text += "\n  " + each->name + " has not started";
        if (!each->started || !each->kernel)
            continue;
        for (auto const& group : each->kernel->resident)
            for (auto const& member : group->blocks)
                for (unsigned i = 0; i < thread_count(*member); ++i) {
                    thread const& t = member->threads[i];
                    if (t.state == thread_state::done || t.state == thread_state::fresh || found++ >= most)
                        continue;
                    text += "\n  " + name_of(t) + " " + description_of(t.state) + " at " + text_of(t.where);
                }
    }
    return found > most ? text + "\n  ... and " + std::to_string(found - most) + " more" : text;
}

} // namespace simt
