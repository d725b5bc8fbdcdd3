// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// What the threads of a block do together: the barrier and shared variables. And where a thread is.
#include "grid.hpp"
#include "machine.hpp"
#include "memory.hpp"
#include "race.hpp"
#include "report.hpp"
#include "user_code.hpp"

#include <simt/kernel.hpp>

#include <algorithm>
#include <string>

namespace simt {
namespace {

constexpr std::size_t most_static_bytes = 48 * 1024;

} // namespace

int thread_index()
{
    return static_cast<int>(current_thread().index);
}
int block_index()
{
    return static_cast<int>(current_thread().owner->index);
}
int block_count()
{
    return current_thread().owner->owner->request.blocks;
}

void sync_block(location where)
{
    interpreter_code const guard;
    thread& me = current_thread();
    block& owner = *me.owner;
    for (unsigned i = 0; owner.in_barrier > 0 && i < thread_count(owner); ++i) {
        thread const& other = owner.threads[i];
        if (other.state != thread_state::in_block_barrier)
            continue;
        if (other.where != where)
            stop_thread("barrier divergence", "sync_block at " + text_of(where) + " meets " + name_of(other) +
                                                  ", which waits in sync_block at " + text_of(other.where));
        break;
    }
    me.where = where;
    ++owner.in_barrier;
    ++the_machine().idle;
    suspend_as(thread_state::in_block_barrier); // until the scheduler sees that all have arrived
}

void* shared_storage(void const* site, std::size_t bytes, std::size_t alignment, bool is_dynamic)
{
    interpreter_code const guard;
    return shared_variable_of(*current_thread().owner, site, bytes, alignment, is_dynamic).memory;
}

shared_variable& shared_variable_of(block& owner, void const* site, std::size_t bytes, std::size_t alignment,
                                    bool is_dynamic)
{
    auto const found =
        std::find_if(owner.shared.begin(), owner.shared.end(), [&](auto const& each) { return each.site == site; });
    if (found != owner.shared.end())
        return *found;
    launch_request const& request = owner.owner->request;
    auto const dynamic_bytes = static_cast<std::size_t>(request.shared_bytes);
    if (is_dynamic && bytes > dynamic_bytes)
        stop_thread("shared memory", "the kernel uses " + std::to_string(bytes) +
                                         " bytes of dynamic shared memory, and the launch asked for " +
                                         std::to_string(dynamic_bytes));
    owner.shared_bytes += is_dynamic ? 0 : bytes;
    if (owner.shared_bytes > most_static_bytes)
        stop_thread("shared memory", "the block needs more than 48 KiB of static shared memory");
    if (owner.shared_bytes + dynamic_bytes > static_cast<std::size_t>(request.most_shared_bytes))
        stop_thread("shared memory", "the block needs " + std::to_string(owner.shared_bytes + dynamic_bytes) +
                                         " bytes of shared memory, and may have " +
                                         std::to_string(request.most_shared_bytes));
    alignment = std::max<std::size_t>(alignment, 16);
    void* const memory = allocate(bytes, alignment, memory_kind::shared, 0);
    if (memory == nullptr)
        stop_thread("shared memory", "the interpreter has no more memory");
    owner.shared.push_back({site, static_cast<char*>(memory), bytes, alignment});
    return owner.shared.back();
}

void fence(scope reach)
{
    interpreter_code const guard;
    yield_point();
    race::fence(current_thread(), reach);
    yield_point();
}

void stop_misaligned(void const* address, std::size_t bytes)
{
    interpreter_code const guard;
    stop_thread("misaligned", std::to_string(bytes) + " bytes are read at an address that is " +
                                  std::to_string(reinterpret_cast<std::uintptr_t>(address) % bytes) + " bytes off");
}

void pause()
{
    interpreter_code const guard;
    the_machine().current->pauses = true;
    switch_thread();
}

void yield_point()
{
    machine& m = the_machine();
    if (m.current == nullptr)
        return;
    interpreter_code const guard;
    if (m.random.one_in(m.habit.switch_one_in))
        switch_thread();
}

} // namespace simt
