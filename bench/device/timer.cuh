// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Times competitors with Google Benchmark, which shuffles their runs: a drift of the machine then hits all of them.

#include "cuda.cuh"
#include "results.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
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

/// Google Benchmark's report of shuffled runs: the microseconds of each benchmark.
class microseconds_of_runs : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(Context const&) override { return true; }
    void ReportRuns(std::vector<Run> const& runs) override
    {
        for (Run const& one : runs)
            if (one.run_type == Run::RT_Iteration)
                of_[one.run_name.function_name].push_back(1e6 * one.real_accumulated_time);
    }
    std::vector<double> const& of(std::string const& name) const { return of_.at(name); }

private:
    std::map<std::string, std::vector<double>> of_;
};

class timer {
public:
    explicit timer(cudaStream_t stream) : stream_(stream), flushed_(std::size_t{256} << 20)
    {
        std::string name = "tilewise_bench", shuffled = "--benchmark_enable_random_interleaving=true";
        char* arguments[] = {name.data(), shuffled.data(), nullptr};
        int count = 2;
        benchmark::Initialize(&count, arguments);
    }

    /// Microseconds on the GPU between an event before and an event after each run.
    std::vector<summary> on_gpu(std::vector<competitor> const& competitors, int rounds, cache state)
    {
        // A suite must end: CUB takes up to 400 ms for a segment. Long runs vary little.
        auto const of_length = [&](double seconds) {
            return std::min(rounds, seconds < 5e-3 ? rounds : seconds < 50e-3 ? 9 : 3);
        };
        return shuffled(competitors, of_length, [&](competitor const& one) {
            if (state == cache::flushed)
                check(cudaMemsetAsync(flushed_.data(), ++pattern_ & 255, flushed_.size(), stream_), "cudaMemsetAsync");
            else
                launch(delay, 1, 1, stream_, 40'000); // about 20 microseconds
            start_.record(stream_);
            one.run();
            stop_.record(stream_);
            stop_.wait();
            return 1e-6 * stop_.microseconds_since(start_);
        });
    }

    /// Microseconds of host time from call to return, with nothing else in flight.
    std::vector<summary> on_host(std::vector<competitor> const& competitors, int rounds)
    {
        using clock = std::chrono::steady_clock;
        auto const of_any_length = [&](double) { return rounds; };
        return shuffled(competitors, of_any_length, [&](competitor const& one) {
            check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
            auto const start = clock::now();
            one.run();
            return std::chrono::duration<double>(clock::now() - start).count();
        });
    }

private:
    /// Each run is a repetition of one iteration whose time is `seconds` of a competitor. There are `rounds` of
    /// those, given the seconds of one.
    template <class Rounds, class Seconds>
    std::vector<summary> shuffled(std::vector<competitor> const& competitors, Rounds rounds, Seconds seconds)
    {
        std::exception_ptr error; // must not pass through Google Benchmark
        for (auto const& one : competitors) {
            seconds(one);
            double const warmed_up = seconds(one);
            benchmark::RegisterBenchmark(one.who.c_str(),
                                         [&](benchmark::State& state) {
                                             for (auto _ : state)
                                                 try {
                                                     state.SetIterationTime(seconds(one));
                                                 } catch (...) {
                                                     error = std::current_exception();
                                                     state.SkipWithError("it failed");
                                                 }
                                         })
                ->UseManualTime()
                ->Iterations(1)
                ->Repetitions(rounds(warmed_up));
        }
        microseconds_of_runs report;
        benchmark::RunSpecifiedBenchmarks(&report);
        benchmark::ClearRegisteredBenchmarks();
        if (error)
            std::rethrow_exception(error);
        std::vector<summary> summaries;
        for (auto const& one : competitors)
            summaries.push_back(summarise(report.of(one.who)));
        return summaries;
    }

    cudaStream_t stream_;
    device_array<unsigned char> flushed_;
    event start_, stop_;
    int pattern_ = 0;
};

} // namespace bench
