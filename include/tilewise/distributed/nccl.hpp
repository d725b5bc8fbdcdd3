// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `nccl_communicator`: ranks as GPUs, connected by NCCL.

#include <tilewise/distributed/communicator.hpp>
#include <tilewise/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>

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

/// A communicator for the ranks of an NCCL communicator: GPUs, each with a process or a thread of its own. Requires
/// NCCL 2.8.
///
/// Header `<tilewise/distributed/nccl.hpp>`; the CMake target `tilewise::nccl` links NCCL. The program links the CUDA
/// runtime, as programs built with nvcc do. The NCCL communicator belongs to the program, which must keep it as long as
/// this one, and must not use it from another thread. Collectives run in the stream, and the calling thread waits for
/// them. The bytes are copied through pinned memory and GPU memory that this communicator owns. Messages whose sizes do
/// not match are undefined behavior, as in NCCL.
///
/// A CUDA or NCCL error, also an asynchronous one, throws `distributed_error`. So does a collective that does not
/// complete before the timeout. The NCCL communicator is then aborted by `ncclCommAbort`, which frees it: do not
/// destroy it if `is_usable()` is false.
class nccl_communicator {
public:
    /// Makes a communicator for the ranks of `ranks`. `stream` belongs to the GPU of this rank, which must be the
    /// current device in every call.
    nccl_communicator(ncclComm_t ranks, cudaStream_t stream, nccl_options options = {})
        : options_(options), ranks_(ranks), stream_(stream)
    {
        check(ncclCommUserRank(ranks_, &rank_), "ncclCommUserRank");
        check(ncclCommCount(ranks_, &size_), "ncclCommCount");
    }
    ~nccl_communicator()
    {
        release();
        cudaFree(counters_);
    }

    nccl_communicator(nccl_communicator const&) = delete;
    nccl_communicator& operator=(nccl_communicator const&) = delete;

    int rank() const noexcept { return rank_; }           ///< the rank of this GPU
    int size() const noexcept { return size_; }           ///< the number of ranks
    bool is_usable() const noexcept { return !failure_; } ///< false once a collective has failed on this rank

    /// See tilewise::communicator.
    void all_gather(void const* own, std::size_t bytes, void* all)
    {
        std::size_t const begin = bytes * static_cast<std::size_t>(rank_);
        prepare(bytes * static_cast<std::size_t>(size_));
        upload(begin, own, bytes);
        if (bytes > 0)
            check(ncclAllGather(device_ + begin, device_, bytes, ncclUint8, ranks_, stream_), "ncclAllGather");
        download(bytes * static_cast<std::size_t>(size_));
        wait("all_gather", stream_);
        copy_bytes(all, pinned_, bytes * static_cast<std::size_t>(size_));
    }

    /// Gathers in the same way from and to GPU memory, in stream order. Does not wait, and so does not detect
    /// asynchronous errors.
    void all_gather(void const* own, std::size_t bytes, void* all, cudaStream_t stream)
    {
        require_usable();
        check(ncclAllGather(own, all, bytes, ncclUint8, ranks_, stream), "ncclAllGather");
    }

    /// See tilewise::communicator.
    void all_gather_v(void const* own, std::span<std::size_t const> sizes, void* all)
    {
        if (sizes.size() != static_cast<std::size_t>(size_))
            fail(rank_, rank_text(rank_) + " calls all_gather_v of " + std::to_string(sizes.size()) + " sizes for " +
                            std::to_string(size_) + " ranks");
        std::size_t const bytes = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
        prepare(bytes);
        std::size_t const own_begin = std::accumulate(sizes.begin(), sizes.begin() + rank_, std::size_t{0});
        upload(own_begin, own, sizes[static_cast<std::size_t>(rank_)]);
        std::size_t begin = 0;
        ncclResult_t result = ncclGroupStart();
        for (int rank = 0; std::size_t const size : sizes) {
            if (size > 0)
                note(result, ncclBroadcast(device_ + begin, device_ + begin, size, ncclUint8, rank, ranks_, stream_));
            begin += size;
            rank += 1;
        }
        note(result, ncclGroupEnd());
        check(result, "ncclBroadcast");
        download(bytes);
        wait("all_gather_v", stream_);
        copy_bytes(all, pinned_, bytes);
    }

    /// See tilewise::communicator.
    void exchange(std::span<outgoing const> out, std::span<incoming const> in)
    {
        std::size_t received = 0, bytes = 0;
        for (incoming const& message : in)
            received += message.bytes;
        for (outgoing const& message : out)
            bytes += message.bytes;
        bytes += received;
        prepare(bytes);
        std::size_t begin = received;
        for (outgoing const& message : out) {
            upload(begin, message.data, message.bytes);
            begin += message.bytes;
        }
        begin = 0;
        ncclResult_t result = ncclGroupStart();
        for (incoming const& message : in) {
            if (message.bytes > 0)
                note(result, ncclRecv(device_ + begin, message.bytes, ncclUint8, message.rank, ranks_, stream_));
            begin += message.bytes;
        }
        for (outgoing const& message : out) {
            if (message.bytes > 0)
                note(result, ncclSend(device_ + begin, message.bytes, ncclUint8, message.rank, ranks_, stream_));
            begin += message.bytes;
        }
        note(result, ncclGroupEnd());
        check(result, "ncclSend and ncclRecv");
        download(received);
        wait("exchange", stream_);
        begin = 0;
        for (incoming const& message : in) {
            copy_bytes(message.data, pinned_ + begin, message.bytes);
            begin += message.bytes;
        }
    }

    /// See tilewise::communicator.
    void all_reduce_add(std::uint64_t* counters, std::size_t count)
    {
        std::size_t const bytes = count * sizeof(std::uint64_t);
        prepare(bytes);
        upload(0, counters, bytes);
        if (count > 0)
            check(ncclAllReduce(device_, device_, count, ncclUint64, ncclSum, ranks_, stream_), "ncclAllReduce");
        download(bytes);
        wait("all_reduce_add", stream_);
        copy_bytes(counters, pinned_, bytes);
    }

    /// See tilewise::communicator. The memory is allocated by cudaMalloc: NCCL may have the GPUs of a process access
    /// each other's buffers, which memory of a pool does not permit by default. Throws `std::bad_alloc` if there is too
    /// little; the communicator then remains usable.
    std::uint64_t* device_counters(std::size_t count)
    {
        require_usable();
        if (count > counters_capacity_) {
            cudaFree(std::exchange(counters_, nullptr));
            counters_capacity_ = 0;
            std::size_t const rounded = std::max(count, std::size_t{1} << 16);
            cudaError_t const error = cudaMalloc(reinterpret_cast<void**>(&counters_), rounded * sizeof(std::uint64_t));
            if (error == cudaErrorMemoryAllocation) {
                static_cast<void>(cudaGetLastError());
                throw std::bad_alloc();
            }
            check(error, "cudaMalloc");
            counters_capacity_ = rounded;
        }
        return counters_;
    }

    /// See tilewise::communicator. Does not wait.
    void all_reduce_add(std::uint64_t* device_counters, std::size_t count, cudaStream_t stream)
    {
        require_usable();
        if (count > 0)
            check(ncclAllReduce(device_counters, device_counters, count, ncclUint64, ncclSum, ranks_, stream),
                  "ncclAllReduce");
    }

    /// See tilewise::communicator.
    void wait(cudaStream_t stream)
    {
        require_usable();
        wait("wait", stream);
    }

private:
    void require_usable() const
    {
        if (failure_)
            throw distributed_error(*failure_);
    }

    /// Provides memory for `bytes` bytes, pinned and on the GPU.
    void prepare(std::size_t bytes)
    {
        require_usable();
        if (bytes <= capacity_)
            return;
        release();
        std::size_t const rounded = std::max(2 * bytes, std::size_t{1} << 16);
        check(cudaMallocHost(reinterpret_cast<void**>(&pinned_), rounded), "cudaMallocHost");
        check(cudaMalloc(reinterpret_cast<void**>(&device_), rounded), "cudaMalloc");
        capacity_ = rounded;
    }

    void release()
    {
        cudaFreeHost(std::exchange(pinned_, nullptr));
        cudaFree(std::exchange(device_, nullptr));
        capacity_ = 0;
    }

    void upload(std::size_t begin, void const* from, std::size_t bytes)
    {
        copy_bytes(pinned_ + begin, from, bytes);
        if (bytes > 0)
            check(cudaMemcpyAsync(device_ + begin, pinned_ + begin, bytes, cudaMemcpyHostToDevice, stream_),
                  "cudaMemcpyAsync");
    }

    void download(std::size_t bytes)
    {
        if (bytes > 0)
            check(cudaMemcpyAsync(pinned_, device_, bytes, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
    }

    /// Keeps the first error of several calls: a group must be ended even after an error.
    static void note(ncclResult_t& result, ncclResult_t next)
    {
        if (result == ncclSuccess)
            result = next;
    }

    /// Waits for the work in a stream.
    void wait(char const* collective, cudaStream_t stream)
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
        auto const start = std::chrono::steady_clock::now();
        while (true) {
            ncclResult_t state = ncclSuccess;
            ncclCommGetAsyncError(ranks_, &state);
            if (state != ncclSuccess && state != ncclInProgress)
                fail(rank_, rank_text(rank_) + ": " + what + ": " + ncclGetErrorString(state));
            if (state == ncclSuccess && is_done())
                return;
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
    cudaStream_t stream_;
    int rank_ = -1;
    int size_ = 0;
    std::byte* pinned_ = nullptr;
    std::byte* device_ = nullptr;
    std::size_t capacity_ = 0;
    std::uint64_t* counters_ = nullptr;
    std::size_t counters_capacity_ = 0;
    std::optional<distributed_error> failure_;
};

/// @}

} // namespace tilewise
