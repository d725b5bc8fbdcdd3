// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Times competitors in turns. Google Benchmark repeats one benchmark at a time, or whole repetitions in random order;
/// here each single run has its own flush of the cache and its own pair of events, and the competitors alternate run
/// by run, so that a drift of the machine hits all of them.

#include "cuda.cuh"
#include "results.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

struct competitor {
    std::string who;
    std::function<void()> run;
    std::optional<std::uint64_t> bytes = {}; ///< where they are others than its rivals'
};

/// Keeps the stream busy, so that everything after it is enqueued before the first of it starts.
static __global__ void delay(long long cycles)
{
    for (long long const start = clock64(); clock64() - start < cycles;) {
    }
}

/// What stands before each run.
enum class cache { flushed, as_it_is };

class timer {
public:
    explicit timer(cudaStream_t stream) : stream_(stream), flushed_(std::size_t{256} << 20) {}

    /// Microseconds on the GPU between an event before and an event after each run.
    std::vector<summary> on_gpu(std::vector<competitor> const& competitors, int rounds, cache state)
    {
        return in_turns(competitors, rounds, [&](competitor const& one) {
            if (state == cache::flushed)
                check(cudaMemsetAsync(flushed_.data(), ++pattern_ & 255, flushed_.size(), stream_), "cudaMemsetAsync");
            else
                launch(delay, 1, 1, stream_, 40'000); // about 20 microseconds
            start_.record(stream_);
            one.run();
            stop_.record(stream_);
            stop_.wait();
            return stop_.microseconds_since(start_);
        });
    }

    /// Microseconds of host time from call to return, with nothing else under way.
    std::vector<summary> on_host(std::vector<competitor> const& competitors, int rounds)
    {
        using clock = std::chrono::steady_clock;
        return in_turns(competitors, rounds, [&](competitor const& one) {
            check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
            auto const start = clock::now();
            one.run();
            return std::chrono::duration<double, std::micro>(clock::now() - start).count();
        });
    }

private:
    template <class Time>
    std::vector<summary> in_turns(std::vector<competitor> const& competitors, int rounds, Time time)
    {
        constexpr int warm_up = 2;
        std::vector<std::vector<double>> runs(competitors.size());
        for (int round = -warm_up; round < rounds; ++round)
            for (std::size_t i = 0; i < competitors.size(); ++i) {
                double const microseconds = time(competitors[i]);
                if (round >= 0)
                    runs[i].push_back(microseconds);
            }
        std::vector<summary> summaries;
        for (auto& one : runs)
            summaries.push_back(summarise(std::move(one)));
        return summaries;
    }

    cudaStream_t stream_;
    device_array<unsigned char> flushed_;
    event start_, stop_;
    int pattern_ = 0;
};

} // namespace bench
