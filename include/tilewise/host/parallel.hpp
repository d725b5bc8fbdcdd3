// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Work for all cores, through oneTBB. The threads are those of the task arena that the caller is in. A thread that
/// waits here takes up no task from outside, which could need a lock that the caller holds; and what runs here is
/// cancelled neither together with work around it nor by an operator that cancels the group it runs in, which would
/// leave results unwritten. Of the exceptions that tasks throw, one reaches the caller, and what has not begun is left
/// out.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>

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

#include <atomic>
#include <exception>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// The first exception that one of several tasks throws. oneTBB, which never sees it, would drop it if the task group
/// has been cancelled, and end the program if it comes up while another one waits for its tasks.
class first_exception {
public:
    /// Calls `task`, unless another has thrown.
    template <class Task>
    void watch(Task const& task) noexcept
    {
        try {
            if (!is_thrown())
                task();
        } catch (...) {
            if (!is_kept_.exchange(true)) {
                exception_ = std::current_exception();
                is_thrown_.store(true, std::memory_order_release);
            }
        }
    }
    bool is_thrown() const noexcept { return is_thrown_.load(std::memory_order_acquire); }
    /// Throws it if there is one, once all tasks have ended.
    void rethrow() const
    {
        if (is_thrown())
            std::rethrow_exception(exception_);
    }

private:
    std::atomic<bool> is_kept_ = false, is_thrown_ = false;
    std::exception_ptr exception_;
};

/// Calls `body(first, last, thrown)` for disjoint parts of [0, count). Each runs in a task group of its own, so that
/// the one it may cancel has nothing else to do. (That takes 50 ns.)
template <class Body, class Partitioner>
void for_each_task(offset count, Body const& body, Partitioner const& partitioner)
{
    first_exception thrown;
    tbb::task_group_context context(tbb::task_group_context::isolated);
    tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(
            tbb::blocked_range<offset>(0, count),
            [&](tbb::blocked_range<offset> const& part) {
                auto const task = [&] { thrown.watch([&] { body(part.begin(), part.end(), thrown); }); };
                tbb::task_group_context own(tbb::task_group_context::isolated);
                tbb::task_group(own).run_and_wait(task);
            },
            partitioner, context);
    });
    thrown.rethrow();
}

/// Calls `body(first, last)` for disjoint parts of [0, count).
template <class Body>
void parallel_for(offset count, Body const& body)
{
    host::for_each_task(
        count, [&](offset first, offset last, first_exception const&) { body(first, last); }, tbb::auto_partitioner());
}

/// Calls `work(thrown)` on at most `threads` threads, one of which is this one. Each call should go on until nothing is
/// left or an exception is thrown elsewhere.
template <class Work>
void work_together(offset threads, Work const& work)
{
    host::for_each_task(
        threads, [&](offset, offset, first_exception const& thrown) { work(thrown); }, tbb::simple_partitioner());
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

} // namespace host
TILEWISE_NAMESPACE_END
