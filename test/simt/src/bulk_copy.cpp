// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Copies to shared memory that land when they like, piece by piece, and the barriers that tell when they have.
#include "grid.hpp"
#include "machine.hpp"
#include "memory.hpp"
#include "race.hpp"
#include "report.hpp"
#include "user_code.hpp"

#include <simt/kernel.hpp>

#include <cstdint>

namespace simt {
namespace {

constexpr std::size_t vector_bytes = 16;

bool is_aligned(void const* address)
{
    return reinterpret_cast<std::uintptr_t>(address) % vector_bytes == 0;
}

mbarrier_model& barrier_at(void* address, location where)
{
    thread& me = current_thread();
    auto const found = me.owner->mbarriers.find(address);
    if (found == me.owner->mbarriers.end())
        stop_thread("mbarrier", "no mbarrier was initialised for its use at " + text_of(where));
    race::thread_updates(me, address, sizeof(std::uint64_t));
    return found->second;
}

void complete_phase_if_due(block& owner, mbarrier_model& barrier)
{
    if (barrier.missing != 0 || barrier.missing_bytes != 0)
        return;
    barrier.missing = barrier.expected;
    barrier.released = std::move(barrier.gathered);
    barrier.gathered = nullptr;
    ++barrier.phase;
    the_machine().idle = 0;
    for (unsigned i = 0; i < thread_count(owner); ++i)
        if (owner.threads[i].state == thread_state::in_mbarrier)
            make_ready(owner.threads[i]);
}

} // namespace

void mbarrier_init(void* barrier, int arrivals, location where)
{
    interpreter_code const guard;
    if (arrivals < 1)
        stop_thread("mbarrier", "an mbarrier for nobody at " + text_of(where));
    mbarrier_model& made = current_thread().owner->mbarriers[barrier] = {};
    made.expected = made.missing = arrivals;
}

void mbarrier_arrive(void* barrier, std::size_t expected_bytes, location where)
{
    interpreter_code const guard;
    thread& me = current_thread();
    yield_point();
    mbarrier_model& model = barrier_at(barrier, where);
    model.missing_bytes += static_cast<long long>(expected_bytes);
    if (--model.missing < 0)
        stop_thread("mbarrier", "more threads arrive than the mbarrier expects, at " + text_of(where));
    if (block_clock* const clock = me.owner->clock.get()) {
        model.gathered = join(model.gathered, clock->snapshot(me.index));
        ++clock->threads[me.index].now;
    }
    complete_phase_if_due(*me.owner, model);
}

void mbarrier_wait(void* barrier, unsigned parity, location where)
{
    interpreter_code const guard;
    thread& me = current_thread();
    mbarrier_model& model = barrier_at(barrier, where);
    me.where = where;
    while (model.phase % 2 == parity) {
        ++the_machine().idle;
        suspend_as(thread_state::in_mbarrier);
    }
    if (me.owner->clock)
        me.owner->clock->learn(me.index, model.released);
}

void bulk_copy(void* shared, void const* global, std::size_t bytes, void* barrier, location where)
{
    interpreter_code const guard;
    thread& me = current_thread();
    block& owner = *me.owner;
    if (owner.owner->capability < 90)
        stop_thread("bulk copy", "a bulk copy on a GPU that has none, at " + text_of(where));
    if (!is_aligned(shared) || !is_aligned(global) || bytes % vector_bytes != 0 || bytes == 0)
        stop_thread("bulk copy", "addresses and size have to be multiples of 16, at " + text_of(where));
    allocation const* const from = allocation_of(global);
    allocation const* const to = allocation_of(shared);
    if (to == nullptr || to->kind != memory_kind::shared || from == nullptr || from->kind == memory_kind::shared)
        stop_thread("bulk copy", "a bulk copy goes from global to shared memory, at " + text_of(where));
    if (!is_inside_one_allocation(global, bytes) || !is_inside_one_allocation(shared, bytes))
        stop_thread("out of bounds", "a bulk copy past the end of memory, at " + text_of(where));
    barrier_at(barrier, where);
    ++owner.copies_in_flight;
    auto copy = std::make_unique<bulk_copy_in_flight>();
    *copy = {&owner,  static_cast<char*>(shared),          static_cast<char const*>(global), bytes, 0,
             barrier, race::clock_of_copy(owner, me.index)};
    the_machine().copies.push_back(std::move(copy));
    yield_point();
}

bool land_a_copy()
{
    machine& m = the_machine();
    if (m.copies.empty())
        return false;
    std::size_t const chosen = m.random.below(m.copies.size());
    bulk_copy_in_flight& copy = *m.copies[chosen];
    std::size_t const left = copy.bytes - copy.landed;
    std::size_t const piece = m.random.one_in(2) ? left : vector_bytes * (1 + m.random.below(left / vector_bytes));
    if (copy.clock) {
        race::copy_reads(*copy.by, *copy.clock, copy.from + copy.landed, piece);
        race::copy_writes(*copy.by, *copy.clock, copy.to + copy.landed, piece);
    }
    if (first_report())
        return true;
    copy_bytes(copy.to + copy.landed, copy.from + copy.landed, piece);
    copy.landed += piece;
    m.idle = 0;
    if (copy.landed == copy.bytes) {
        auto const whole = std::move(m.copies[chosen]);
        m.copies.erase(m.copies.begin() + static_cast<std::ptrdiff_t>(chosen));
        --whole->by->copies_in_flight;
        mbarrier_model& barrier = whole->by->mbarriers[whole->barrier];
        barrier.missing_bytes -= static_cast<long long>(whole->bytes);
        if (whole->clock)
            barrier.gathered = join(barrier.gathered, whole->clock->snapshot(0));
        complete_phase_if_due(*whole->by, barrier);
    }
    return true;
}

} // namespace simt
