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
#include <tilewise/host/threads.hpp>
#include <tilewise/order.hpp>

#if !defined(TILEWISE_LINKED_THREADS) && !defined(__CUDA_ARCH__) // what is for the GPU calls none of it
#include <tilewise/host/onetbb.hpp>
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

/// Calls `body(first, last, thrown)` for disjoint parts of [0, count).
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

/// Calls `work(thrown)` on at most `count` threads, one of which is this one. Each call should go on until nothing is
/// left or an exception is thrown elsewhere.
template <class Work>
void work_together(offset count, Work const& work)
{
    host::for_each_task(count, threads::division::single,
                        [&](offset, offset, first_exception const& thrown) { work(thrown); });
}

/// Calls `body`. While that waits for tasks, this thread runs no others.
template <class Body>
void isolate(Body const& body)
{
    threads::isolate(&body, [](void const* own) { (*static_cast<Body const*>(own))(); });
}

/// How many threads the caller's arena has.
inline offset concurrency()
{
    return threads::concurrency();
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
