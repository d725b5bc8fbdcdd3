// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `thread_communicator`: ranks as threads of one process.

#include <tilewise/distributed/communicator.hpp>
#include <tilewise/distributed/thread_rendezvous.hpp>
#include <tilewise/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

// Outside the inline namespace of the mode, like communicator.hpp.
namespace tilewise {

/// @ingroup distributed
/// One of several ranks that are threads of one process, for testing distributed programs and for learning.
///
/// Header `<tilewise/distributed/threads.hpp>`. A collective that not every rank calls, or that ranks call with sizes
/// that do not match, throws the same `distributed_error` on every rank. So does a collective that a rank misses
/// because its function has ended, or because the timeout has expired. The communicator is unusable from then on.
class thread_communicator {
public:
    /// Calls `function(communicator)` concurrently in `ranks` threads, each with the communicator of its rank, and
    /// waits for all of them. Throws the first exception that a call threw; an exception on one rank ends the
    /// collectives in which other ranks wait. Throws `std::invalid_argument` for fewer than one rank, and
    /// `std::system_error` if the threads cannot be started.
    template <std::invocable<thread_communicator&> Function>
    static void run(int ranks, Function&& function, thread_options options = {})
    {
        if (ranks < 1)
            throw std::invalid_argument("tilewise::thread_communicator: " + std::to_string(ranks) + " ranks");
        thread_rendezvous rendezvous(static_cast<std::size_t>(ranks), options);
        auto const run_rank = [&](std::size_t rank) {
            thread_communicator communicator(rendezvous, rank);
            try {
                function(communicator);
                rendezvous.leave(rank);
            } catch (std::exception const& exception) {
                rendezvous.leave(rank, std::current_exception(), exception.what());
            } catch (...) {
                rendezvous.leave(rank, std::current_exception(), "an exception");
            }
        };
        std::vector<std::thread> threads;
        try {
            while (threads.size() < rendezvous.ranks())
                threads.emplace_back(run_rank, threads.size());
        } catch (std::exception const& exception) {
            rendezvous.leave(threads.size(), std::current_exception(), exception.what());
        }
        for (std::thread& thread : threads)
            thread.join();
        rendezvous.rethrow_first_exception();
    }

    thread_communicator(thread_communicator const&) = delete; ///< Not copyable: only run() makes communicators.
    thread_communicator& operator=(thread_communicator const&) = delete;

    int rank() const noexcept { return static_cast<int>(rank_); }               ///< the rank of this thread
    int size() const noexcept { return static_cast<int>(rendezvous_.ranks()); } ///< the number of ranks
    /// Returns false once a collective has failed on any rank.
    bool is_usable() const noexcept { return rendezvous_.is_usable(); }
    /// Returns what this rank has communicated so far.
    communication_statistics statistics() const { return rendezvous_.statistics(rank_); }

    /// See tilewise::communicator.
    void all_gather(void const* own, std::size_t bytes, void* all)
    {
        thread_call call(collective::all_gather);
        call.own = own;
        call.all = all;
        call.count = bytes;
        rendezvous_.call(rank_, call);
    }

    /// See tilewise::communicator.
    void all_gather_v(void const* own, std::span<std::size_t const> sizes, void* all)
    {
        thread_call call(collective::all_gather_v);
        call.own = own;
        call.all = all;
        call.sizes = sizes;
        rendezvous_.call(rank_, call);
    }

    /// See tilewise::communicator.
    void exchange(std::span<outgoing const> out, std::span<incoming const> in)
    {
        thread_call call(collective::exchange);
        call.out = out;
        call.in = in;
        rendezvous_.call(rank_, call);
    }

    /// See tilewise::communicator.
    void all_reduce_add(std::uint64_t* counters, std::size_t count)
    {
        thread_call call(collective::all_reduce_add);
        call.counters = counters;
        call.count = count;
        rendezvous_.call(rank_, call);
    }

private:
    thread_communicator(thread_rendezvous& rendezvous, std::size_t rank) : rendezvous_(rendezvous), rank_(rank) {}

    thread_rendezvous& rendezvous_;
    std::size_t rank_;
};

} // namespace tilewise
