// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the parts of a benchmark share: options, stream, timer, CUB's scratch, results.

#include "cuda.cuh"
#include "options.hpp"
#include "results.hpp"
#include "timer.cuh"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

/// Says what is being measured, and in the end how long that took.
class announced {
public:
    explicit announced(std::string const& what)
    {
        std::printf("%s ... ", what.c_str());
        std::fflush(stdout);
    }
    announced(announced const&) = delete;
    announced& operator=(announced const&) = delete;
    ~announced() { std::printf("%.1f s\n", std::chrono::duration<double>(clock::now() - begun_).count()); }

private:
    using clock = std::chrono::steady_clock;
    clock::time_point const begun_ = clock::now();
};

inline constexpr std::uint64_t cache_matters_below = std::uint64_t{256} << 20; // bytes

/// Has the memory pool keep what calls free, as docs/streams.md advises where they need more than 128 MiB. Otherwise,
/// each run would wait for new memory, and the scratch of CUB is allocated in advance, too.
inline void keep_freed_memory()
{
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    cudaMemPool_t pool = nullptr;
    check(cudaDeviceGetMemPool(&pool, device), "cudaDeviceGetMemPool");
    std::uint64_t most_bytes = std::uint64_t{8} << 30; // a sort of 2^28 weights for 2048 bins takes 4 GiB
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most_bytes), "cudaMemPoolSetAttribute");
}

class session {
public:
    explicit session(options chosen) : chosen(std::move(chosen)), measured(this->chosen.out), timer(queue)
    {
        bench::keep_freed_memory();
    }

    /// Times the competitors on the GPU and keeps the results under `setting`.
    void time_on_gpu(measurement setting, std::vector<competitor> const& competitors)
    {
        setting.cold = !chosen.warm;
        bool const flushes = fits_in_cache(setting) && setting.cold;
        keep(setting, competitors,
             timer.on_gpu(competitors, fits_in_cache(setting) ? 61 : 31, flushes ? cache::flushed : cache::as_it_is));
    }

    /// The same as the part `warm`, where a cache can have kept what the run before has read; else nothing.
    void time_warm(measurement setting, std::vector<competitor> const& competitors)
    {
        if (!chosen.wants_part("warm") || !fits_in_cache(setting))
            return;
        setting.part = "warm";
        setting.cold = false;
        keep(setting, competitors, timer.on_gpu(competitors, 61, cache::as_it_is));
    }

    /// Times, as the part `call`, how long calls of the library and of CUB that do not wait keep the host, beside the
    /// launch of a kernel that does nothing; for every sixth size up to 2^22.
    void time_call(measurement setting, std::vector<competitor> competitors)
    {
        if (setting.log2_count() <= 22 && setting.log2_count() % 6 == 4)
            time_call_of_any_size(std::move(setting), std::move(competitors));
    }

    /// The same, whatever the size is.
    void time_call_of_any_size(measurement setting, std::vector<competitor> competitors)
    {
        if (!chosen.wants_part("call"))
            return;
        setting.part = "call";
        std::erase_if(competitors, [](competitor const& one) { return one.who != "tilewise" && one.who != "cub"; });
        competitors.push_back({"launch", [this] { launch(delay, 1, 1, queue, 0); }});
        time_on_host(std::move(setting), competitors);
    }

    /// Times the competitors from call to return.
    void time_on_host(measurement setting, std::vector<competitor> const& competitors, int rounds = 301)
    {
        setting.cold = false;
        keep(setting, competitors, timer.on_host(competitors, rounds));
    }

    options chosen;
    results measured;
    stream queue;
    bench::timer timer;
    device_array<unsigned char> scratch{std::size_t{64} << 20}; ///< of CUB, preallocated

private:
    static bool fits_in_cache(measurement const& setting) { return setting.bytes < cache_matters_below; }

    void keep(measurement setting, std::vector<competitor> const& competitors, std::vector<summary> const& summaries)
    {
        auto const bytes = setting.bytes;
        for (std::size_t i = 0; i < competitors.size(); ++i) {
            setting.who = competitors[i].who;
            setting.bytes = competitors[i].bytes.value_or(bytes);
            setting.microseconds = summaries[i];
            measured.add(setting);
        }
    }
};

} // namespace bench
