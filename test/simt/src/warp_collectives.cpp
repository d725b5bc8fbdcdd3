// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// What the lanes of a warp do together.
#include "grid.hpp"
#include "machine.hpp"
#include "memory.hpp"
#include "report.hpp"
#include "user_code.hpp"

#include <simt/kernel.hpp>

#include <algorithm>
#include <bit>
#include <string>

namespace simt {
namespace {

using kind = warp_request::kind;

/// A warp, seen from one of its lanes.
struct warp {
    block& owner;
    unsigned index, lane;
    thread* lanes;
    unsigned present; ///< the lanes that exist and have not ended

    explicit warp(thread& me)
        : owner(*me.owner), index(me.index / lanes_per_warp), lane(me.index % lanes_per_warp),
          lanes(&owner.threads[me.index - lane])
    {
        unsigned const count = std::min(lanes_per_warp, thread_count(owner) - (me.index - lane));
        present = (count == lanes_per_warp ? all_lanes : (1u << count) - 1) & ~owner.exited[index];
    }
    unsigned& waiting() { return owner.in_warp[index]; }
    template <class Visit>
    void for_each(unsigned mask, Visit visit)
    {
        for (; mask != 0; mask &= mask - 1)
            visit(lanes[std::countr_zero(mask)]);
    }
};

/// Whether all lanes of the mask are there. Stops the thread if somebody waits for it elsewhere.
bool is_complete(warp& mine, thread const& me)
{
    unsigned const needed = me.request.mask & ~(1u << mine.lane);
    unsigned const here = mine.waiting() & needed;
    bool complete = here == needed;
    // While somebody is missing, one witness is enough; when all are there, each is asked.
    mine.for_each(complete ? here : here & (0u - here), [&](thread const& other) {
        if ((other.request.mask >> mine.lane & 1) == 0)
            complete = false;
        else if (other.request.mask != me.request.mask || other.request.what != me.request.what ||
                 other.request.bytes != me.request.bytes || other.where != me.where)
            stop_thread("warp divergence", "a collective of the warp at " + text_of(me.where) + " meets " +
                                               name_of(other) + ", which waits for this lane at " +
                                               text_of(other.where));
    });
    return complete;
}

/// Gives every lane its result.
void carry_out(warp& mine, unsigned mask)
{
    mine.for_each(mask, [&](thread& each) {
        warp_request& request = each.request;
        switch (request.what) {
        case kind::ballot:
            request.value = 0;
            mine.for_each(mask, [&](thread const& other) {
                if (other.request.mine != nullptr)
                    request.value |= 1u << other.index % lanes_per_warp;
            });
            break;
        case kind::match: {
            unsigned long long equal = 0;
            mine.for_each(mask, [&](thread const& other) {
                if (*static_cast<unsigned long long const*>(other.request.mine) ==
                    *static_cast<unsigned long long const*>(request.mine))
                    equal |= 1u << other.index % lanes_per_warp;
            });
            request.value = equal;
            break;
        }
        case kind::sync:
            break;
        default:
            copy_bytes(request.result, mine.lanes[request.from].request.mine, request.bytes);
        }
    });
}

/// Waits for the lanes of the mask, and leaves the result in the request.
void take_part(thread& me, warp_request const& request, location where)
{
    machine& m = the_machine();
    warp mine(me);
    unsigned const mask = request.mask;
    if ((mask >> mine.lane & 1) == 0)
        stop_thread("warp mask", "the lane is not in its own mask at " + text_of(where));
    me.request = request;
    me.where = where;
    ++m.idle;
    if (unsigned const missing = mask & ~mine.present; missing != 0)
        stop_thread("warp mask", "the mask names lane " + std::to_string(std::countr_zero(missing)) +
                                     ", which has ended or never was, at " + text_of(where));
    bool const complete = is_complete(mine, me);
    mine.waiting() |= 1u << mine.lane;
    me.state = thread_state::in_warp;
    if (!complete)
        return suspend_as(thread_state::in_warp);

    carry_out(mine, mask);
    if (request.what == kind::sync && mine.owner.clock) // shuffles and votes order no memory
        mine.owner.clock->after_warp_barrier(mine.index, mask);
    mine.waiting() &= ~mask;
    mine.for_each(mask, [](thread& each) { make_ready(each); });
    if (m.random.one_in(2))
        me.control.suspend();
}

} // namespace

void exchange(source from, void const* mine, void* result, std::size_t bytes, int argument, location where)
{
    interpreter_code const guard;
    thread& me = current_thread();
    int const lane = static_cast<int>(me.index % lanes_per_warp), lanes = static_cast<int>(lanes_per_warp);
    int given = lane;
    kind what = kind::index;
    switch (from) {
    case source::index:
        given = argument & (lanes - 1);
        break;
    case source::up:
        what = kind::up;
        given = lane - argument;
        break;
    case source::down:
        what = kind::down;
        given = lane + argument;
        break;
    case source::exclusive_or:
        what = kind::exclusive_or;
        given = lane ^ argument;
        break;
    }
    if (given < 0 || given >= lanes)
        given = lane;
    take_part(me, {what, all_lanes, mine, result, bytes, static_cast<unsigned>(given), 0}, where);
}

unsigned ballot(unsigned mask, bool vote, location where)
{
    interpreter_code const guard;
    thread& me = current_thread();
    take_part(me, {kind::ballot, mask, vote ? &me : nullptr, nullptr, 0, 0, 0}, where);
    return static_cast<unsigned>(me.request.value);
}

unsigned match_any(unsigned mask, unsigned long long value, location where)
{
    interpreter_code const guard;
    thread& me = current_thread();
    take_part(me, {kind::match, mask, &value, nullptr, 0, 0, 0}, where);
    return static_cast<unsigned>(me.request.value);
}

void sync_warp(unsigned mask, location where)
{
    interpreter_code const guard;
    take_part(current_thread(), {kind::sync, mask, nullptr, nullptr, 0, 0, 0}, where);
}

} // namespace simt
