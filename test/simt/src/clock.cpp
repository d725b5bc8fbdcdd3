// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "clock.hpp"

#include <algorithm>

namespace simt {
namespace {

using epochs = knowledge_of_threads::epochs;

epochs later(epochs const& a, epochs const& b)
{
    if (!a || a == b)
        return b;
    if (!b)
        return a;
    bool a_is_later = true, b_is_later = true;
    for (std::size_t i = 0; i < a->size(); ++i) {
        a_is_later &= (*a)[i] >= (*b)[i];
        b_is_later &= (*a)[i] <= (*b)[i];
    }
    if (a_is_later)
        return a;
    if (b_is_later)
        return b;
    auto both = std::make_shared<std::vector<epoch>>(*a);
    for (std::size_t i = 0; i < both->size(); ++i)
        (*both)[i] = std::max((*both)[i], (*b)[i]);
    return both;
}

epoch epoch_of(clock_ptr const& clock, std::uint32_t block, unsigned thread)
{
    if (!clock)
        return 0;
    auto const found = clock->blocks.find(block);
    return found == clock->blocks.end() ? 0 : (*found->second)[thread];
}

} // namespace

clock_ptr join(clock_ptr const& a, clock_ptr const& b)
{
    if (!a || a == b)
        return b;
    if (!b)
        return a;
    auto both = std::make_shared<knowledge_of_threads>(*a);
    for (auto const& [block, known] : b->blocks) {
        epochs& mine = both->blocks[block];
        mine = later(mine, known);
    }
    both->finished.insert(b->finished.begin(), b->finished.end());
    return both;
}

clock_ptr knowledge_of_block(std::uint32_t serial, std::vector<epoch> epochs)
{
    auto made = std::make_shared<knowledge_of_threads>();
    made->blocks[serial] = std::make_shared<std::vector<epoch>>(std::move(epochs));
    return made;
}

clock_ptr knowledge_of_operations(std::set<unsigned> finished)
{
    auto made = std::make_shared<knowledge_of_threads>();
    made->finished = std::move(finished);
    return made;
}

clock_ptr block_clock::snapshot(unsigned thread) const
{
    std::vector<epoch> own(threads.size());
    unsigned const first = thread / 32 * 32;
    for (unsigned lane = 0; lane < 32 && first + lane < own.size(); ++lane)
        own[first + lane] = threads[thread].warp[lane];
    own[thread] = threads[thread].now;
    return join(join(base, threads[thread].learned), knowledge_of_block(serial, std::move(own)));
}

bool block_clock::knows(unsigned thread, agent_id who, epoch when) const
{
    std::uint32_t const block = who / agents_per_block;
    unsigned const other = who % agents_per_block;
    thread_clock const& mine = threads[thread];
    if (block == serial && (other == thread || (other / 32 == thread / 32 && mine.warp[other % 32] >= when)))
        return true;
    return epoch_of(base, block, other) >= when || epoch_of(mine.learned, block, other) >= when;
}

bool block_clock::knows_finished(unsigned thread, unsigned of) const
{
    auto const has = [&](clock_ptr const& clock) { return clock && clock->finished.count(of) != 0; };
    return has(base) || has(threads[thread].learned);
}

void block_clock::after_barrier()
{
    std::vector<epoch> own(threads.size());
    std::transform(threads.begin(), threads.end(), own.begin(), [](thread_clock const& t) { return t.now; });
    clock_ptr all = join(base, knowledge_of_block(serial, std::move(own)));
    knowledge_of_threads const* seen = nullptr;
    for (thread_clock& t : threads) {
        if (t.learned && t.learned.get() != seen) {
            seen = t.learned.get();
            all = join(all, t.learned);
        }
        t.learned = nullptr;
        ++t.now;
    }
    base = all;
}

void block_clock::after_warp_barrier(unsigned warp, unsigned lanes)
{
    std::array<epoch, 32> known{};
    clock_ptr learned;
    auto const for_each = [&](auto&& visit) {
        for (unsigned lane = 0; lane < 32 && warp * 32 + lane < threads.size(); ++lane)
            if (lanes >> lane & 1)
                visit(threads[warp * 32 + lane], lane);
    };
    for_each([&](thread_clock const& t, unsigned lane) {
        for (unsigned i = 0; i < 32; ++i)
            known[i] = std::max(known[i], t.warp[i]);
        known[lane] = std::max(known[lane], t.now);
        learned = join(learned, t.learned);
    });
    for_each([&](thread_clock& t, unsigned) {
        t.warp = known;
        t.learned = learned;
        ++t.now;
    });
}

void block_clock::learn(unsigned thread, clock_ptr const& what)
{
    threads[thread].learned = join(threads[thread].learned, what);
}

void knowledge::add(knowledge const& other)
{
    if (finished.size() < other.finished.size())
        finished.resize(other.finished.size());
    for (std::size_t i = 0; i < other.finished.size(); ++i)
        if (other.finished[i])
            finished[i] = true;
    host = std::max(host, other.host);
}

std::set<unsigned> knowledge::all() const
{
    std::set<unsigned> made;
    for (unsigned i = 0; i < finished.size(); ++i)
        if (finished[i])
            made.insert(made.end(), i);
    return made;
}

} // namespace simt
