// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Histogram of a part of the samples of several GPUs, in steps: the samples are counted in GPU memory, where a
/// communicator adds the counts of all parts up, and the sums are written to the output.

#include <tilewise/core/config.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/pinned_ring.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/histogram.cuh>
#include <tilewise/device/host_values.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The counts of one part.
template <bool adds, class Out, class Tuning = host_values_tuning>
class part_histogram {
public:
    /// `memory` is GPU memory for `extent` counts.
    template <class Policy>
    part_histogram(char const* algorithm, Policy const& policy, std::uint64_t* memory, offset extent, Out const& out)
        : call(algorithm, 0, policy), counts(memory), cells(extent), sink(gpu::sink_of(out))
    {
        if (cells > 0)
            is_on_host = staging(call).bytes_per_result(sink) > 0;
    }

    std::uint64_t* begin() const { return counts; }
    std::size_t size() const { return static_cast<std::size_t>(cells); }
    /// Whether only the host can write the counters; then `write` needs sums that are complete.
    bool is_written_by_host() const { return is_on_host; }

    /// Counts the samples of the part, in the policy's stream.
    template <class It, class Bins>
    void count(It const& first, offset samples, Bins const& bins)
    {
        call.set_items(samples);
        if (cells > 0)
            gpu::start_histogram(call, first, std::max(offset{0}, samples), bins, counts, false);
    }
    /// Writes the sums, in the policy's stream or from here.
    void write()
    {
        if (cells == 0)
            return;
        if (is_on_host)
            return write_from_host();
        constexpr int threads = Tuning::threads;
        offset const most_blocks = offset{call.multiprocessors()} * Tuning::blocks_per_multiprocessor;
        int const blocks = static_cast<int>(std::min((cells + threads - 1) / threads, most_blocks));
        call.launch(&store_values<threads, adds, std::uint64_t, decltype(sink)>, "store_values", {blocks, threads},
                    static_cast<std::uint64_t const*>(counts), cells, sink);
    }

private:
    void write_from_host()
    {
        std::vector<std::uint64_t> sums(size());
        leased_ring ring(call.device());
        ring->copy_to_host(sums.data(), counts, size() * sizeof *counts, call.stream());
        auto* to = sink.first;
        for (std::uint64_t const sum : sums) {
            if constexpr (adds)
                *to = gpu::added(*to, sum);
            else
                tilewise::store(to, sum);
            ++to;
        }
    }

    device_call call;
    std::uint64_t* counts;
    offset cells;
    decltype(gpu::sink_of(std::declval<Out const&>())) sink;
    bool is_on_host = false;
};

} // namespace gpu
TILEWISE_NAMESPACE_END
