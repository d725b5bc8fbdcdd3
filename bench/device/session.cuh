// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the parts of a benchmark share: options, stream, timer, CUB's scratch, results.

#include "cuda.cuh"
#include "options.hpp"
#include "results.hpp"
#include "timer.cuh"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

inline constexpr std::uint64_t cache_matters_below = std::uint64_t{256} << 20; // bytes

class session {
public:
    explicit session(options chosen) : chosen(std::move(chosen)), measured(this->chosen.out), timer(queue) {}

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
