// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The same results by CUB on each GPU and NCCL between them, as one would write it by hand. Sums of floats by these
/// depend on the number of ranks, and on the order in which NCCL adds. Each call waits for its results.

#include "../cuda.cuh"
#include "group.cuh"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace bench {

/// Values in pinned host memory.
class pinned_floats {
public:
    explicit pinned_floats(std::size_t count)
    {
        check(cudaMallocHost(&values_, count * sizeof(float)), "cudaMallocHost");
    }
    pinned_floats(pinned_floats const&) = delete;
    pinned_floats& operator=(pinned_floats const&) = delete;
    ~pinned_floats() { cudaFreeHost(values_); }
    float* data() const { return values_; }

private:
    float* values_ = nullptr;
};

/// The calls of CUB and NCCL, with scratch memory at hand.
class cub_and_nccl {
public:
    explicit cub_and_nccl(cudaStream_t stream) : stream_(stream) {}

    /// cub::DeviceReduce, an all-reduce of the sums, and a copy of the result to pinned memory.
    float sum(rank_group const& group, float const* first, std::uint64_t count)
    {
        float* const total = totals_.data();
        sum_of_rank(first, count, total);
        check(ncclAllReduce(total, total, 1, ncclFloat, ncclSum, group.handle(), stream_), "ncclAllReduce");
        check(cudaMemcpyAsync(on_host_.data(), total, sizeof(float), cudaMemcpyDeviceToHost, stream_),
              "cudaMemcpyAsync");
        check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
        return on_host_.data()[0];
    }

    /// cub::DeviceReduce, a gather of the sums, which the host adds, and cub::DeviceScan with the sum of the earlier
    /// ranks as initial value. It reads and writes less than a scan of each part and a second pass that adds that sum.
    void scan(rank_group const& group, float const* first, std::uint64_t count, float* out)
    {
        int const rank = group.rank();
        float carry = 0;
        if (group.size() > 1) {
            sum_of_rank(first, count, totals_.data() + rank);
            check(ncclAllGather(totals_.data() + rank, totals_.data(), 1, ncclFloat, group.handle(), stream_),
                  "ncclAllGather");
            check(cudaMemcpyAsync(on_host_.data(), totals_.data(),
                                  static_cast<std::size_t>(group.size()) * sizeof(float), cudaMemcpyDeviceToHost,
                                  stream_),
                  "cudaMemcpyAsync");
            check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
            for (int earlier = 0; earlier < rank; ++earlier)
                carry += on_host_.data()[earlier];
        }
        with_count(
            count,
            [&](auto items) {
                auto bytes = scratch_.size();
                if (rank == 0)
                    return cub::DeviceScan::InclusiveSum(scratch_.data(), bytes, first, out, items, stream_);
                return cub::DeviceScan::InclusiveScanInit(scratch_.data(), bytes, first, out, cuda::std::plus<>{},
                                                          carry, items, stream_);
            },
            "cub::DeviceScan");
        check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    }

    /// cub::DeviceHistogram of [0, 1), and an all-reduce of the counts.
    void histogram(rank_group const& group, float const* first, std::uint64_t count, unsigned* counts, int bins)
    {
        with_count(
            count,
            [&](auto items) {
                auto bytes = scratch_.size();
                return cub::DeviceHistogram::HistogramEven(scratch_.data(), bytes, first, counts, bins + 1, 0.0f, 1.0f,
                                                           items, stream_);
            },
            "cub::DeviceHistogram");
        check(
            ncclAllReduce(counts, counts, static_cast<std::size_t>(bins), ncclUint32, ncclSum, group.handle(), stream_),
            "ncclAllReduce");
        check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    }

    /// An all-reduce of 8 bytes and a wait: the least that a collective takes.
    void all_reduce(rank_group const& group)
    {
        auto* const word = reinterpret_cast<std::uint64_t*>(totals_.data() + most_ranks);
        check(ncclAllReduce(word, word, 1, ncclUint64, ncclMax, group.handle(), stream_), "ncclAllReduce");
        check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    }

private:
    static constexpr std::size_t most_ranks = 64;

    void sum_of_rank(float const* first, std::uint64_t count, float* total)
    {
        with_count(
            count,
            [&](auto items) {
                auto bytes = scratch_.size();
                return cub::DeviceReduce::Sum(scratch_.data(), bytes, first, total, items, stream_);
            },
            "cub::DeviceReduce");
    }

    /// CUB has 32-bit offsets where they suffice, as on the other pages.
    template <class Call>
    static void with_count(std::uint64_t count, Call const& call, char const* name)
    {
        check(count <= std::numeric_limits<std::int32_t>::max() ? call(static_cast<std::int32_t>(count))
                                                                : call(static_cast<std::int64_t>(count)),
              name);
    }

    cudaStream_t stream_;
    device_array<unsigned char> scratch_{std::size_t{256} << 20};
    device_array<float> totals_{most_ranks + 2};
    pinned_floats on_host_{most_ranks};
};

} // namespace bench
