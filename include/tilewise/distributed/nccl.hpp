// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `nccl_communicator`: ranks as GPUs, connected by NCCL.

#include <tilewise/distributed/communicator.hpp>
#include <tilewise/distributed/nccl_errors.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include <cuda_runtime.h>
#include <nccl.h>

// Outside the inline namespace of the mode, like communicator.hpp.
namespace tilewise {

/// @addtogroup distributed
/// @{

/// A communicator for the ranks of an NCCL communicator: GPUs, each with a process or a thread of its own. Requires
/// NCCL 2.8.
///
/// Header `<tilewise/distributed/nccl.hpp>`; the CMake target `tilewise::nccl` links NCCL. The program links the CUDA
/// runtime, as programs built with nvcc do. The NCCL communicator belongs to the program, which must keep it as long as
/// this one, and must not use it from another thread. Collectives run in the stream, and the calling thread waits for
/// them. NCCL reads and writes small messages in pinned memory that this communicator owns; larger ones are copied from
/// there to GPU memory, and back. Messages whose sizes do
/// not match are undefined behavior, as in NCCL.
///
/// A CUDA or NCCL error, also an asynchronous one, throws `distributed_error`. So does a collective that does not
/// complete before the timeout. The NCCL communicator is then aborted by `ncclCommAbort`, which frees it: do not
/// destroy it if `is_usable()` is false.
class nccl_communicator : nccl_errors {
public:
    /// Makes a communicator for the ranks of `ranks`. `stream` belongs to the GPU of this rank, which must be the
    /// current device in every call.
    nccl_communicator(ncclComm_t ranks, cudaStream_t stream, nccl_options options = {})
        : nccl_errors(ranks, options), stream_(stream)
    {
        check(ncclCommCount(ranks_, &size_), "ncclCommCount");
    }
    ~nccl_communicator()
    {
        release();
        cudaFree(counters_);
    }

    nccl_communicator(nccl_communicator const&) = delete; ///< Not copyable
    nccl_communicator& operator=(nccl_communicator const&) = delete;

    int rank() const noexcept { return rank_; } ///< the rank of this GPU
    int size() const noexcept { return size_; } ///< the number of ranks
    using nccl_errors::is_usable;

    /// See tilewise::communicator.
    void all_gather(void const* own, std::size_t bytes, void* all)
    {
        std::size_t const begin = bytes * static_cast<std::size_t>(rank_);
        prepare(bytes * static_cast<std::size_t>(size_));
        upload(begin, own, bytes);
        if (bytes > 0)
            check(ncclAllGather(memory_ + begin, memory_, bytes, ncclUint8, ranks_, stream_), "ncclAllGather");
        download(bytes * static_cast<std::size_t>(size_));
        wait_for(stream_, "all_gather");
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
        std::size_t const largest = *std::max_element(sizes.begin(), sizes.end());
        if (largest * sizes.size() <= most_bytes_in_place)
            return all_gather_padded(own, sizes, largest, all);
        std::size_t const bytes = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
        prepare(bytes);
        std::size_t const own_begin = std::accumulate(sizes.begin(), sizes.begin() + rank_, std::size_t{0});
        upload(own_begin, own, sizes[static_cast<std::size_t>(rank_)]);
        std::size_t begin = 0;
        ncclResult_t result = ncclGroupStart();
        for (int rank = 0; std::size_t const size : sizes) {
            if (size > 0)
                note(result, ncclBroadcast(memory_ + begin, memory_ + begin, size, ncclUint8, rank, ranks_, stream_));
            begin += size;
            rank += 1;
        }
        note(result, ncclGroupEnd());
        check(result, "ncclBroadcast");
        download(bytes);
        wait_for(stream_, "all_gather_v");
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
                note(result, ncclRecv(memory_ + begin, message.bytes, ncclUint8, message.rank, ranks_, stream_));
            begin += message.bytes;
        }
        for (outgoing const& message : out) {
            if (message.bytes > 0)
                note(result, ncclSend(memory_ + begin, message.bytes, ncclUint8, message.rank, ranks_, stream_));
            begin += message.bytes;
        }
        note(result, ncclGroupEnd());
        check(result, "ncclSend and ncclRecv");
        download(received);
        wait_for(stream_, "exchange");
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
            check(ncclAllReduce(memory_, memory_, count, ncclUint64, ncclSum, ranks_, stream_), "ncclAllReduce");
        download(bytes);
        wait_for(stream_, "all_reduce_add");
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
        wait_for(stream, "wait");
    }

private:
    /// Messages of up to so many bytes in all stay in pinned memory, which saves two copies of about 3 us each. NCCL
    /// accepts pointers to host memory that the GPU can access (github.com/NVIDIA/nccl, issue 561).
    static constexpr std::size_t most_bytes_in_place = 16 * 1024;

    /// Gathers messages of different sizes as messages of the largest size: one gather is faster than a broadcast from
    /// each rank.
    void all_gather_padded(void const* own, std::span<std::size_t const> sizes, std::size_t largest, void* all)
    {
        std::size_t const bytes = largest * sizes.size(), begin = largest * static_cast<std::size_t>(rank_);
        prepare(bytes);
        upload(begin, own, sizes[static_cast<std::size_t>(rank_)]);
        if (bytes > 0)
            check(ncclAllGather(memory_ + begin, memory_, largest, ncclUint8, ranks_, stream_), "ncclAllGather");
        download(bytes);
        wait_for(stream_, "all_gather_v");
        auto* to = static_cast<std::byte*>(all);
        std::byte const* from = pinned_;
        for (std::size_t const size : sizes) {
            copy_bytes(to, from, size);
            to += size;
            from += largest;
        }
    }

    /// Provides memory for messages of `bytes` bytes.
    void prepare(std::size_t bytes)
    {
        require_usable();
        if (bytes > capacity_)
            allocate(bytes);
        memory_ = bytes <= most_bytes_in_place ? pinned_ : device_;
    }
    void allocate(std::size_t bytes)
    {
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
        if (bytes > 0 && memory_ == device_)
            check(cudaMemcpyAsync(device_ + begin, pinned_ + begin, bytes, cudaMemcpyHostToDevice, stream_),
                  "cudaMemcpyAsync");
    }

    void download(std::size_t bytes)
    {
        if (bytes > 0 && memory_ == device_)
            check(cudaMemcpyAsync(pinned_, device_, bytes, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
    }

    cudaStream_t stream_;
    int size_ = 0;
    std::byte* pinned_ = nullptr;
    std::byte* device_ = nullptr;
    std::byte* memory_ = nullptr; ///< one of the two: where NCCL reads and writes
    std::size_t capacity_ = 0;
    std::uint64_t* counters_ = nullptr;
    std::size_t counters_capacity_ = 0;
};

/// @}

} // namespace tilewise
