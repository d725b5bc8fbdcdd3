// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "clock.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace simt {
namespace {

using epochs = knowledge_of_threads::epochs;

bool includes(epochs const& a, epochs const& b)
{
    return a == b || std::equal(a->begin(), a->end(), b->begin(), std::greater_equal<>());
}

epochs later(epochs const& a, epochs const& b)
{
    if (includes(a, b))
        return a;
    if (includes(b, a))
        return b;
    auto both = std::make_shared<std::vector<epoch>>(*a);
    for (std::size_t i = 0; i < both->size(); ++i)
        (*both)[i] = std::max((*both)[i], (*b)[i]);
    return both;
}

/// Whether `a` has all that is known in `b`.
bool includes(knowledge_of_threads const& a, knowledge_of_threads const& b)
{
    if (a.blocks.size() < b.blocks.size() || a.finished.size() < b.finished.size())
        return false;
    auto mine = a.blocks.begin();
    for (auto const& [block, known] : b.blocks) {
        while (mine != a.blocks.end() && mine->first < block)
            ++mine;
        if (mine == a.blocks.end() || mine->first != block || !includes(mine->second, known))
            return false;
    }
    return std::includes(a.finished.begin(), a.finished.end(), b.finished.begin(), b.finished.end());
}

epoch epoch_of(clock_ptr const& clock, std::uint32_t block, unsigned thread)
{
    if (!clock)
        return 0;
    auto const found = std::lower_bound(clock->blocks.begin(), clock->blocks.end(), block,
                                        [](auto const& each, std::uint32_t serial) { return each.first < serial; });
    return found == clock->blocks.end() || found->first != block ? 0 : (*found->second)[thread];
}

} // namespace

clock_ptr join(clock_ptr const& a, clock_ptr const& b)
{
    if (!a || a == b)
        return b;
    if (!b || includes(*a, *b))
        return a;
    if (includes(*b, *a))
        return b;
    auto both = std::make_shared<knowledge_of_threads>();
    both->blocks.reserve(a->blocks.size() + b->blocks.size());
    auto left = a->blocks.begin();
    for (auto const& right : b->blocks) {
        for (; left != a->blocks.end() && left->first < right.first; ++left)
            both->blocks.push_back(*left);
        if (left != a->blocks.end() && left->first == right.first)
            both->blocks.emplace_back(right.first, later((left++)->second, right.second));
        else
            both->blocks.push_back(right);
    }
    both->blocks.insert(both->blocks.end(), left, a->blocks.end());
    std::set_union(a->finished.begin(), a->finished.end(), b->finished.begin(), b->finished.end(),
                   std::back_inserter(both->finished));
    return both;
}

clock_ptr knowledge_of_block(std::uint32_t serial, std::vector<epoch> epochs)
{
    auto made = std::make_shared<knowledge_of_threads>();
    made->blocks.emplace_back(serial, std::make_shared<std::vector<epoch>>(std::move(epochs)));
    return made;
}

clock_ptr knowledge_of_operations(std::vector<unsigned> finished)
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
    auto const has = [&](clock_ptr const& clock) {
        return clock && std::binary_search(clock->finished.begin(), clock->finished.end(), of);
    };
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

std::vector<unsigned> knowledge::all() const
{
    std::vector<unsigned> made;
    for (unsigned i = 0; i < finished.size(); ++i)
        if (finished[i])
            made.push_back(i);
    return made;
}

} // namespace simt
