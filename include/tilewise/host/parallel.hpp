// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Runs work on all cores with oneTBB, on the threads of the caller's task arena.
///
/// A thread that waits here runs no unrelated tasks: they could need a lock that the caller holds. This work is
/// cancelled neither with an enclosing task group nor by an operator that cancels the group it runs in, which would
/// leave results unwritten. If tasks throw, one of the exceptions reaches the caller, and tasks that have not started
/// are skipped.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/threads.hpp>
#include <tilewise/order.hpp>

#if !defined(TILEWISE_LINKED_THREADS) && !defined(__CUDA_ARCH__) // device code calls none of it
#include <tilewise/host/onetbb.hpp>
#endif

#include <atomic>
#include <exception>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Keeps the first exception that one of several tasks throws. oneTBB never sees it: it would drop the exception if the
/// task group has been cancelled, and would terminate the program if the exception is thrown while stack unwinding for
/// another one waits for tasks.
class first_exception {
public:
    /// Calls `task`, unless another task has thrown.
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
    /// Rethrows the exception, if there is one. All tasks must have ended.
    void rethrow() const
    {
        if (is_thrown())
            std::rethrow_exception(exception_);
    }

private:
    std::atomic<bool> is_kept_ = false, is_thrown_ = false;
    std::exception_ptr exception_;
};

/// Calls `body(first, last, thrown)` for disjoint parts of [0, count), and rethrows the first exception.
template <class Body>
void for_each_task(offset count, threads::division into, Body const& body)
{
    first_exception thrown;
    auto const task = [&](offset first, offset last) { thrown.watch([&] { body(first, last, thrown); }); };
    threads::for_each_part(count, into, &task, [](void const* own, offset first, offset last) {
        (*static_cast<decltype(task)*>(own))(first, last);
    });
    thrown.rethrow();
}

/// Calls `body(first, last)` for disjoint parts of [0, count).
template <class Body>
void parallel_for(offset count, Body const& body)
{
    host::for_each_task(count, threads::division::balanced,
                        [&](offset first, offset last, first_exception const&) { body(first, last); });
}

/// Calls `work(thrown)` on at most `count` threads, including this one. Each call should run until no work is left or
/// another call throws.
template <class Work>
void work_together(offset count, Work const& work)
{
    host::for_each_task(count, threads::division::single,
                        [&](offset, offset, first_exception const& thrown) { work(thrown); });
}

/// Calls `body`. While it waits for its tasks, this thread runs no others.
template <class Body>
void isolate(Body const& body)
{
    threads::isolate(&body, [](void const* own) { (*static_cast<Body const*>(own))(); });
}

/// Returns the maximum number of threads in the caller's task arena.
inline offset concurrency()
{
    return threads::concurrency();
}

/// Returns whether `count` calls of `work` would take longer than other threads need to wake up, extrapolated from one
/// call. Reading the clock takes about 30 ns, so the answer is no for calls of up to about three times that.
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
