// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine.hpp"

#include "grid.hpp"
#include "race.hpp"
#include "report.hpp"
#include "user_code.hpp"

#include <algorithm>
#include <string>

namespace simt {
namespace {

constexpr unsigned long long patience = 2'000'000; ///< idle switches before a schedule counts as hanging

/// The kernel's thread begins here.
void thread_main()
{
    machine& m = the_machine();
    bool thrown = false;
    launch_request const& request = m.current->owner->owner->request;
    in_user_code = true;
    try {
        request.run(request.parameters.get());
    } catch (...) {
        thrown = true;
    }
    in_user_code = false;
    if (thrown)
        stop_thread("exception", "an exception leaves the kernel");
    thread& me = *m.current;
    me.state = thread_state::done;
    --me.owner->living;
    me.owner->exited[me.index / lanes_per_warp] |= 1u << me.index % lanes_per_warp;
    leave_cluster(me);
    m.idle = 0;
    me.control.finish();
}

void resume(thread& next)
{
    machine& m = the_machine();
    ++m.done.switches;
    if (next.state == thread_state::fresh)
        next.state = thread_state::ready;
    m.current = &next;
    runs_kernels = true;
    next.control.resume(thread_main);
    runs_kernels = false;
    m.current = nullptr;
    if (next.state == thread_state::ready)
        next.owner->ready.push_back(next.index);
    else if (next.state == thread_state::done)
        next.control.abandon();
}

/// Takes one of the block's threads that can run.
thread& pick(block& from)
{
    machine& m = the_machine();
    std::size_t chosen = 0;
    if (m.habit.threads == habits::order::random) {
        for (int attempts = 0; attempts < 4; ++attempts) {
            chosen = m.random.below(from.ready.size());
            bool const starved = from.straggler == static_cast<int>(from.ready[chosen] / lanes_per_warp);
            if (!starved || m.random.one_in(64))
                break;
        }
    } else {
        // Whoever pauses lets all others go first.
        auto const pauses = [&](unsigned index) { return from.threads[index].pauses; };
        if (std::all_of(from.ready.begin(), from.ready.end(), pauses))
            for (unsigned const index : from.ready)
                from.threads[index].pauses = false;
        bool const ascending = m.habit.threads == habits::order::ascending;
        auto const* const best = std::min_element(from.ready.begin(), from.ready.end(), [&](unsigned a, unsigned b) {
            return pauses(a) != pauses(b) ? pauses(b) : ascending ? a < b : b < a;
        });
        chosen = static_cast<std::size_t>(best - from.ready.begin());
    }
    return from.threads[from.ready.take(chosen)];
}

void release_barrier(block& waiting)
{
    if (waiting.clock)
        waiting.clock->after_barrier();
    waiting.in_barrier = 0;
    the_machine().idle = 0;
    for (unsigned i = 0; i < thread_count(waiting); ++i)
        if (waiting.threads[i].state == thread_state::in_block_barrier)
            make_ready(waiting.threads[i]);
}

/// Runs threads of a block for a while.
void run_burst(block& chosen)
{
    machine& m = the_machine();
    unsigned left = 1 + m.random.below(2 * m.habit.burst);
    while (left-- > 0 && !chosen.ready.empty() && !first_report()) {
        resume(pick(chosen));
        if (chosen.in_barrier != 0 && chosen.in_barrier == chosen.living)
            release_barrier(chosen);
    }
    if (chosen.living == 0 && !first_report())
        end_block(chosen);
}

void finish(operation& ended)
{
    machine& m = the_machine();
    if (ended.primary && !ended.waited_for_primary)
        note("dependent launch", ended.name + " has ended, and none of its threads has waited for " +
                                     ended.primary->name + ": what comes behind it may come before the end of that");
    ended.finished = true;
    m.idle = 0;
    wake_those_who_wait_for(ended);
    ended.kernel.reset();
    ended.after.clear();
    std::erase_if(m.unfinished, [&](auto const& each) { return each.get() == &ended; });
}

/// Starts one of the operations that can start, sometimes.
bool start_something()
{
    machine& m = the_machine();
    std::vector<std::shared_ptr<operation>> can;
    bool others_run = !m.copies.empty();
    for (auto const& each : m.unfinished) {
        if (each->started)
            others_run = true;
        else if (each->may_start())
            can.push_back(each);
    }
    if (can.empty() || (others_run && !m.random.one_in(4)))
        return false;
    auto const chosen = can[m.random.below(can.size())];
    chosen->started = true;
    if (chosen->kernel) {
        ++m.done.kernels;
        start_grid(*chosen->kernel);
    } else {
        chosen->act(*chosen);
        finish(*chosen);
    }
    return true;
}

/// The blocks of which some thread can run.
std::vector<block*> runnable_blocks()
{
    std::vector<block*> found;
    for (auto const& each : the_machine().unfinished)
        if (each->started && each->kernel)
            for (auto const& group : each->kernel->resident)
                for (auto const& member : group->blocks)
                    if (!member->ready.empty())
                        found.push_back(member.get());
    return found;
}

/// Lets some part of the machine get further. False if nothing can.
bool advance()
{
    machine& m = the_machine();
    bool const started = start_something();
    for (auto const& each : m.unfinished)
        if (each->started && each->kernel)
            admit_clusters(*each->kernel);
    auto const blocks = runnable_blocks();
    bool const landed = (blocks.empty() || m.random.one_in(3)) && land_a_copy();
    if (blocks.empty())
        return started || landed;
    block& chosen = *blocks[m.random.below(blocks.size())];
    operation& of = *chosen.owner->made_by;
    run_burst(chosen);
    if (!first_report() && of.kernel && of.kernel->blocks_ended == of.kernel->block_total())
        finish(of);
    if (!first_report() && m.idle > patience)
        note("livelock", "threads run, but nothing gets further" + threads_at_rest());
    return true;
}

} // namespace

habits habits::of(generator& random)
{
    habits made;
    unsigned const kind = random.below(8);
    if (kind == 0) { // one block at a time, in order: what a first simple test would see
        made.threads = order::ascending;
        made.most_resident = 1;
        return made;
    }
    if (kind == 1)
        made.threads = order::descending;
    made.most_resident = 1 + random.below(6);
    made.burst = 1 + random.below(48);
    made.straggler_percent = random.one_in(2) ? 50 : 0;
    made.shuffled_blocks = random.one_in(2);
    made.eager_percent = random.below(101);
    return made;
}

machine& the_machine()
{
    static machine one;
    return one;
}

void begin_schedule(std::uint64_t seed)
{
    machine& m = the_machine();
    m.copies.clear();
    for (auto const& each : m.unfinished) { // streams know them too
        each->finished = true;
        each->kernel.reset();
        each->after.clear();
    }
    m.unfinished.clear();
    m.seed = seed;
    m.random = generator(seed);
    m.habit = habits::of(m.random);
    m.operations = 0;
    m.idle = 0;
    runtime::hold_work(false);
    m.host = {};
    m.host.host = 1;
    race::begin_schedule();
}

bool run_until(std::function<bool()> const& done)
{
    while (!first_report() && !done())
        if (!advance() && !first_report() && !done())
            note("deadlock", "no thread can run" + threads_at_rest());
    return !first_report();
}

void run_a_little()
{
    machine& m = the_machine();
    if (runtime::work_is_held())
        return;
    unsigned const steps = m.random.below(100) < m.habit.eager_percent ? m.random.below(200) : 0;
    for (unsigned i = 0; i < steps && !first_report(); ++i)
        if (!advance())
            break;
}

void suspend_as(thread_state state)
{
    thread& me = *the_machine().current;
    me.state = state;
    me.control.suspend();
}

void switch_thread()
{
    ++the_machine().idle;
    suspend_as(thread_state::ready);
}

void make_ready(thread& waiting)
{
    waiting.state = thread_state::ready;
    if (&waiting != the_machine().current)
        waiting.owner->ready.push_back(waiting.index);
}

} // namespace simt
