// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How `mpi_communicator` makes nonblocking MPI calls and waits for them.

#include <tilewise/distributed/communicator.hpp>
#include <tilewise/error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>

// Outside the inline namespace of the mode, like communicator.hpp.
namespace tilewise {

/// @addtogroup distributed
/// @{

/// Options of `mpi_communicator`.
struct mpi_options {
    /// The maximum time that a collective may take on this rank. Unlimited without a value.
    std::optional<std::chrono::nanoseconds> timeout = std::nullopt;
    /// The maximum number of bytes per MPI call, whose counts are of type int. Larger collectives take several calls.
    /// Must be the same on all ranks.
    std::size_t largest_call = std::size_t{1} << 30;
    /// How many consecutive ranks share a node, or 0 to ask MPI which ranks share memory. Must be the same on all
    /// ranks.
    int node_size = 0;
};

/// @}

/// @cond internals
/// The MPI calls of a communicator. A call that fails makes it unusable.
class mpi_calls {
public:
    mpi_calls(mpi_calls const&) = delete;
    mpi_calls& operator=(mpi_calls const&) = delete;

protected:
    explicit mpi_calls(mpi_options options) : options_(options) {}
    ~mpi_calls() = default;

    static constexpr std::size_t largest_count = std::numeric_limits<int>::max();

    /// The memory that MPI may read and write until all requests are complete.
    struct transfer {
        char const* collective;
        std::vector<std::byte> bytes;
        std::vector<int> counts, begins;
        std::vector<MPI_Request> requests;
        std::vector<MPI_Status> statuses;

        std::byte* at(std::size_t position) { return bytes.data() + position; }
        MPI_Request* new_request() { return &requests.emplace_back(MPI_REQUEST_NULL); }
    };

    std::size_t ranks() const { return static_cast<std::size_t>(size_); }

    void prepare(char const* collective, std::size_t bytes)
    {
        if (failure_)
            throw distributed_error(*failure_);
        transfer_ = std::make_unique<transfer>();
        transfer_->collective = collective;
        transfer_->bytes.resize(bytes);
    }

    /// Splits `bytes` bytes into pieces that one MPI call can carry, and calls `f` with each piece; with one empty
    /// piece for 0 bytes.
    void for_each_piece(std::size_t begin, std::size_t bytes, auto f)
    {
        std::size_t const most = options_.largest_call / sizeof(std::uint64_t) * sizeof(std::uint64_t);
        std::size_t first = 0;
        do {
            f(transfer_->at(begin + first), static_cast<int>(std::min(bytes - first, most)));
            first += most;
        } while (first < bytes);
    }

    /// Gathers by one MPI call if it can carry all bytes, and otherwise by broadcasts of the pieces of each rank.
    void gather(char const* collective, void const* own, std::span<std::size_t const> sizes, void* all,
                auto in_one_call)
    {
        std::size_t const bytes = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
        prepare(collective, bytes);
        std::size_t begin = 0;
        for (int rank = 0; std::size_t const size : sizes) {
            if (rank == rank_)
                copy_bytes(transfer_->at(begin), own, size);
            if (bytes > options_.largest_call)
                for_each_piece(begin, size, [&](std::byte* piece, int count) {
                    check(MPI_Ibcast(piece, count, MPI_BYTE, rank, ranks_, transfer_->new_request()), "MPI_Ibcast");
                });
            begin += size;
            rank += 1;
        }
        if (bytes <= options_.largest_call)
            in_one_call();
        wait();
        copy_bytes(all, transfer_->at(0), bytes);
        transfer_.reset();
    }

    /// Waits for all requests by polling, so that there can be a timeout, and so that ranks that share a core yield it
    /// to each other.
    void wait()
    {
        std::vector<MPI_Request>& requests = transfer_->requests;
        transfer_->statuses.resize(requests.size());
        auto const start = std::chrono::steady_clock::now();
        for (int is_complete = 0; is_complete == 0; std::this_thread::yield()) {
            check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &is_complete,
                              transfer_->statuses.data()),
                  "MPI_Testall");
            if (is_complete == 0 && options_.timeout && std::chrono::steady_clock::now() - start > *options_.timeout)
                fail(-1, rank_text(rank_) + " waited " +
                             std::to_string(
                                 std::chrono::duration_cast<std::chrono::milliseconds>(*options_.timeout).count()) +
                             " ms in " + transfer_->collective);
        }
    }

    void check(int code, char const* call)
    {
        if (code == MPI_SUCCESS)
            return;
        int error_class = MPI_SUCCESS;
        MPI_Error_class(code, &error_class);
        if (error_class == MPI_ERR_IN_STATUS)
            for (MPI_Status const& status : transfer_->statuses)
                if (status.MPI_ERROR != MPI_SUCCESS && status.MPI_ERROR != MPI_ERR_PENDING)
                    code = status.MPI_ERROR;
        std::array<char, MPI_MAX_ERROR_STRING> text{};
        int length = 0;
        MPI_Error_string(code, text.data(), &length);
        fail(rank_, rank_text(rank_) + ": " + call + ": " + text.data());
    }

    [[noreturn]] void fail(int rank, std::string const& reason)
    {
        [[maybe_unused]] transfer* const left = transfer_.release(); // leaked: pending requests may still write to it
        if (!failure_)
            failure_ = distributed_error(rank, "tilewise::mpi_communicator: " + reason);
        throw distributed_error(*failure_);
    }

    mpi_options options_;
    MPI_Comm ranks_ = MPI_COMM_NULL;
    int rank_ = -1;
    int size_ = 0;
    std::optional<distributed_error> failure_;
    std::unique_ptr<transfer> transfer_;
};
/// @endcond

} // namespace tilewise
