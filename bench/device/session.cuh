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
        bool const cached = setting.bytes < cache_matters_below;
        setting.cold = !chosen.warm;
        keep(setting, competitors,
             timer.on_gpu(competitors, cached ? 61 : 31, cached && setting.cold ? cache::flushed : cache::as_it_is));
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
