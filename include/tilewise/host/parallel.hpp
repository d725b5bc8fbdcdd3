// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Work for all cores, through oneTBB. The threads are those of the task arena that the caller is in. A thread that
/// waits here takes up no task from outside, which could need a lock that the caller holds; and what runs here is not
/// cancelled together with work around it, which would leave results unwritten. An exception in one task cancels those
/// not yet begun and reaches the caller.

#include <tilewise/config.hpp>
#include <tilewise/order.hpp>
#include <tilewise/standard.hpp>

// oneTBB includes <immintrin.h> for the instruction to pause, and all vector instructions take half a second to
// compile.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(_IMMINTRIN_H_INCLUDED)
#include <xmmintrin.h>
#define _IMMINTRIN_H_INCLUDED
#define TILEWISE_WITHOUT_IMMINTRIN
#endif
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#ifdef TILEWISE_WITHOUT_IMMINTRIN // so that whoever includes it afterwards gets it
#undef _IMMINTRIN_H_INCLUDED
#undef TILEWISE_WITHOUT_IMMINTRIN
#endif

#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Calls `body(first, last)` for disjoint parts of [0, count).
template <class Body>
void parallel_for(offset count, Body const& body)
{
    tbb::task_group_context context(tbb::task_group_context::isolated);
    tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(
            tbb::blocked_range<offset>(0, count),
            [&](tbb::blocked_range<offset> const& part) { body(part.begin(), part.end()); }, context);
    });
}

/// How many threads the caller's arena has.
inline offset concurrency()
{
    return tbb::this_task_arena::max_concurrency();
}

/// Whether `count` calls of `work` would take longer than threads need to come to help, by the time that one call
/// takes. A clock costs some 30 ns to read, so what takes less than thrice as long counts as nothing.
template <class Work>
bool takes_long(offset count, Work work)
{
    using clock = std::chrono::steady_clock;
    using namespace std::chrono_literals;
    auto const begin = clock::now();
    static_cast<void>(work());
    auto const time = clock::now() - begin;
    return time > 100ns && time > 50us / count;
}

/// Calls `producer(run)` on this thread; each task that it hands to `run` may begin at once on another.
template <class Producer>
void parallel_tasks(Producer const& producer)
{
    tbb::task_group_context context(tbb::task_group_context::isolated);
    tbb::this_task_arena::isolate([&] {
        tbb::task_group tasks(context);
        producer([&](auto task) {
            tasks.run([task = std::move(task)] {
                auto own_task = task; // may change as it runs
                own_task();
            });
        });
        tasks.wait();
    });
}

} // namespace host
TILEWISE_NAMESPACE_END
