// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How a rank waits for NCCL, and what becomes of errors of NCCL and of CUDA.

#include <tilewise/distributed/communicator.hpp>
#include <tilewise/error.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include <cuda_runtime.h>
#include <nccl.h>

// Outside the inline namespace of the mode, like communicator.hpp.
namespace tilewise {

/// @addtogroup distributed
/// @{

/// Options of `nccl_communicator`.
struct nccl_options {
    /// The maximum time that a collective may take on this rank. Unlimited without a value.
    std::optional<std::chrono::nanoseconds> timeout = std::nullopt;
};

/// @}

/// @cond internals
/// The part of an `nccl_communicator` that deals with errors. The first one aborts the NCCL communicator, and is thrown
/// again by every later collective.
class nccl_errors {
public:
    /// Returns false once a collective has failed on this rank.
    bool is_usable() const noexcept { return !failure_; }

protected:
    nccl_errors(ncclComm_t ranks, nccl_options options) : options_(options), ranks_(ranks)
    {
        check(ncclCommUserRank(ranks_, &rank_), "ncclCommUserRank");
    }
    nccl_errors(nccl_errors const&) = delete;
    nccl_errors& operator=(nccl_errors const&) = delete;
    ~nccl_errors() = default;

    void require_usable() const
    {
        if (failure_)
            throw distributed_error(*failure_);
    }

    /// Keeps the first error of several calls: a group must be ended even after an error.
    static void note(ncclResult_t& result, ncclResult_t next)
    {
        if (result == ncclSuccess)
            result = next;
    }

    /// Waits for the work in a stream.
    void wait_for(cudaStream_t stream, char const* collective)
    {
        poll(collective, [&] {
            cudaError_t const state = cudaStreamQuery(stream);
            if (state != cudaErrorNotReady)
                check(state, "cudaStreamQuery");
            return state == cudaSuccess;
        });
    }

    /// Polls until `is_done()` returns true, an asynchronous error occurs, or the timeout expires.
    void poll(char const* what, auto is_done)
    {
        constexpr unsigned polls_per_check = 16; // of NCCL's state, which takes longer than the stream's
        auto const start = std::chrono::steady_clock::now();
        for (unsigned polls = 0;; ++polls) {
            bool const done = is_done();
            if (done || polls % polls_per_check == 0) {
                ncclResult_t state = ncclSuccess;
                ncclCommGetAsyncError(ranks_, &state);
                if (state != ncclSuccess && state != ncclInProgress)
                    fail(rank_, rank_text(rank_) + ": " + what + ": " + ncclGetErrorString(state));
                if (done && state == ncclSuccess)
                    return;
            }
            if (options_.timeout && std::chrono::steady_clock::now() - start > *options_.timeout)
                fail(-1, rank_text(rank_) + " waited " +
                             std::to_string(
                                 std::chrono::duration_cast<std::chrono::milliseconds>(*options_.timeout).count()) +
                             " ms in " + what);
            std::this_thread::yield();
        }
    }

    /// Throws for an error. If the NCCL communicator is nonblocking, waits until the call is enqueued in the stream.
    void check(ncclResult_t result, char const* call)
    {
        if (result == ncclInProgress)
            poll(call, [] { return true; });
        else if (result != ncclSuccess)
            fail(rank_, rank_text(rank_) + ": " + call + ": " + ncclGetErrorString(result));
    }

    void check(cudaError_t error, char const* call)
    {
        if (error != cudaSuccess)
            fail(rank_, rank_text(rank_) + ": " + call + ": " + cudaGetErrorName(error));
    }

    [[noreturn]] void fail(int rank, std::string const& reason)
    {
        if (!failure_) {
            failure_ = distributed_error(rank, "tilewise::nccl_communicator: " + reason);
            ncclCommAbort(ranks_);
        }
        throw distributed_error(*failure_);
    }

    nccl_options options_;
    ncclComm_t ranks_;
    int rank_ = -1;

private:
    std::optional<distributed_error> failure_;
};
/// @endcond

} // namespace tilewise
