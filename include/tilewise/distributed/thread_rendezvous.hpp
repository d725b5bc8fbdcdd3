// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How ranks that are threads wait for each other.

#include <tilewise/distributed/thread_call.hpp>
#include <tilewise/error.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

// Outside the inline namespace of the mode, like communicator.hpp.
namespace tilewise {

/// @ingroup distributed
/// Options of `thread_communicator::run`.
struct thread_options {
    /// The maximum time that a rank waits for the others in a collective. Unlimited without a value.
    std::optional<std::chrono::nanoseconds> timeout = std::nullopt;
};

/// @cond internals

/// The last rank that calls a collective completes it for all ranks, while it holds the mutex that the others wait
/// with. Hence a rank that gives up waiting leaves no other rank with a pointer into its memory.
class thread_rendezvous {
public:
    thread_rendezvous(std::size_t ranks, thread_options options)
        : options_(options), ranks_(ranks), calls_(ranks), has_arrived_(ranks), has_left_(ranks)
    {}

    std::size_t ranks() const { return ranks_; }

    bool is_usable() const
    {
        std::lock_guard const lock(mutex_);
        return !failure_;
    }

    communication_statistics statistics(std::size_t rank) const
    {
        std::lock_guard const lock(mutex_);
        return calls_.statistics(rank);
    }

    /// Calls a collective, and waits for the calls of the other ranks.
    void call(std::size_t rank, thread_call const& call)
    {
        std::unique_lock lock(mutex_);
        if (failure_)
            throw distributed_error(*failure_);
        calls_[rank] = call;
        has_arrived_[rank] = true;
        arrived_ += 1;
        std::size_t const own_generation = generation_;
        auto const is_over = [&] { return generation_ != own_generation || failure_; };
        if (arrived_ == ranks_)
            complete(rank);
        else if (std::size_t const gone = first(has_left_); gone < ranks_)
            fail(gone, rank_text(gone) + " returned, " + rank_text(rank) + " calls " + text(call));
        else if (!options_.timeout)
            changed_.wait(lock, is_over);
        else if (!changed_.wait_for(lock, *options_.timeout, is_over))
            fail_late(rank, call);
        if (generation_ == own_generation)
            throw distributed_error(*failure_);
    }

    /// Called when the function of a rank has returned.
    void leave(std::size_t rank)
    {
        std::lock_guard const lock(mutex_);
        has_left_[rank] = true;
        if (std::size_t const waiting = first(has_arrived_); arrived_ > 0)
            fail(rank, rank_text(rank) + " returned, " + rank_text(waiting) + " calls " + text(calls_[waiting]));
    }

    /// Called when the function of a rank has thrown.
    void leave(std::size_t rank, std::exception_ptr const& exception, std::string const& what)
    {
        std::lock_guard const lock(mutex_);
        if (!exception_)
            exception_ = exception;
        fail(rank, rank_text(rank) + " threw " + what);
    }

    /// Rethrows the first exception of a rank, if any. Called after every rank has left.
    void rethrow_first_exception() const
    {
        if (exception_)
            std::rethrow_exception(exception_);
    }

private:
    /// Returns the first rank for which `is` equals `wanted`, or the number of ranks.
    static std::size_t first(std::vector<bool> const& is, bool wanted = true)
    {
        return static_cast<std::size_t>(std::find(is.begin(), is.end(), wanted) - is.begin());
    }

    void complete(std::size_t rank)
    {
        try {
            if (auto const failure = calls_.complete()) {
                fail(*failure);
                return;
            }
        } catch (std::exception const& exception) {
            fail(rank, rank_text(rank) + " threw " + exception.what());
            return;
        }
        has_arrived_.assign(ranks_, false);
        arrived_ = 0;
        generation_ += 1;
        changed_.notify_all();
    }

    void fail_late(std::size_t rank, thread_call const& call)
    {
        std::size_t const missing = first(has_arrived_, false);
        std::size_t const others = ranks_ - arrived_ - 1;
        auto const waited = std::chrono::duration_cast<std::chrono::milliseconds>(*options_.timeout).count();
        fail(missing, rank_text(rank) + " waited " + std::to_string(waited) + " ms in " + text(call) + " for " +
                          rank_text(missing) + (others > 0 ? " and " + std::to_string(others) + " more" : ""));
    }

    void fail(std::size_t rank, std::string const& reason) { fail(thread_failure(rank, reason)); }

    void fail(distributed_error const& failure)
    {
        if (!failure_)
            failure_ = failure;
        changed_.notify_all();
    }

    thread_options options_;
    std::size_t ranks_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    thread_calls calls_;
    std::vector<bool> has_arrived_; // in the current collective
    std::vector<bool> has_left_;
    std::size_t arrived_ = 0;
    std::size_t generation_ = 0; // the number of completed collectives
    std::optional<distributed_error> failure_;
    std::exception_ptr exception_; // the first one thrown
};

/// @endcond

} // namespace tilewise
