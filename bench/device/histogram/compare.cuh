// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// One axis on all distributions and sizes: checked, then timed beside CUB and a kernel that only reads.

#include "../read.cuh"
#include "../session.cuh"
#include "check.cuh"
#include "samples.cuh"

#include <tilewise/histogram.hpp>

#include <cub/device/device_histogram.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace bench::histograms {

/// CUB's histogram between equally spaced levels, with 64-bit offsets as its interface has them where they are needed.
template <class Level>
struct even_levels {
    int bins;
    Level lower, upper;

    template <class Sample, class Counter>
    cudaError_t operator()(void* scratch, std::size_t& bytes, Sample const* samples, Counter* counts,
                           std::uint64_t count, cudaStream_t stream) const
    {
        return cub::DeviceHistogram::HistogramEven(scratch, bytes, samples, counts, bins + 1, lower, upper,
                                                   static_cast<std::int32_t>(count), stream);
    }
};

/// CUB's histogram between given levels in device memory.
template <class Level>
struct given_levels {
    int bins;
    Level const* levels;

    template <class Sample, class Counter>
    cudaError_t operator()(void* scratch, std::size_t& bytes, Sample const* samples, Counter* counts,
                           std::uint64_t count, cudaStream_t stream) const
    {
        return cub::DeviceHistogram::HistogramRange(scratch, bytes, samples, counts, bins + 1, levels,
                                                    static_cast<std::int32_t>(count), stream);
    }
};

/// The numbers of samples that are measured.
inline std::vector<int> sizes_of(session const& run)
{
    std::vector<int> sizes;
    for (int const size : run.chosen.sizes)
        if (size <= 30) // CUB's counters of 32 bits
            sizes.push_back(size);
    return sizes;
}

/// Small inputs are measured with two distributions only.
inline bool is_worth_measuring(distribution kind, int size)
{
    return size >= 26 || kind == distribution::uniform || kind == distribution::one_value;
}

/// Measures an axis and CUB's histogram for the same bins; `over` is where the samples lie. All of them are in bins.
template <class Sample, class Counter = unsigned, class Axis, class Cub>
void compare(session& run, std::string const& name, Axis const& axis, spread over, Cub const& cub)
{
    auto const sizes = sizes_of(run);
    if (!run.chosen.wants_type(name) || sizes.empty())
        return;
    announced const part(name);
    std::uint64_t const largest = std::uint64_t{1} << *std::ranges::max_element(sizes);
    int const bins = static_cast<int>(axis.size()), cells = static_cast<int>(axis.extent());
    auto const published = axis.edges();
    using edge = typename std::remove_cvref_t<decltype(published)>::value_type;
    device_array<edge> const edges(published.size());
    check(cudaMemcpyAsync(edges.data(), published.data(), published.size() * sizeof(edge), cudaMemcpyHostToDevice,
                          run.queue),
          "cudaMemcpyAsync");
    device_array<Sample> const samples(largest);
    device_array<Counter> const ours(cells), theirs(cells);
    device_array<unsigned> const expected(cells);
    check(cudaMemsetAsync(theirs.data(), 0, cells * sizeof(Counter), run.queue), "cudaMemsetAsync");

    for (auto const& [kind_name, kind] : distributions) {
        if (!run.chosen.wants_part(kind_name))
            continue;
        for (int const size : sizes) {
            if (!is_worth_measuring(kind, size))
                continue;
            auto const count = std::uint64_t{1} << size;
            launch(write_samples<Sample>, 4096, 256, run.queue, samples.data(), count, kind, over);
            Sample const *const first = samples.data(), *const last = first + count;
            std::size_t bytes = 0;
            check(cub(nullptr, bytes, first, theirs.data(), count, run.queue), "cub::DeviceHistogram");
            device_array<unsigned char> const scratch(bytes);

            auto const with_tilewise = [&] {
                tilewise::histogram(tilewise::device.on(run.queue).nosync(), first, last, axis, ours.data());
            };
            auto const with_cub = [&] {
                check(cub(scratch.data(), bytes, first, theirs.data(), count, run.queue), "cub::DeviceHistogram");
            };
            check(cudaMemsetAsync(expected.data(), 0, cells * sizeof(unsigned), run.queue), "cudaMemsetAsync");
            launch(count_by_search<edge, Sample>, 4096, 256, run.queue, first, count, edges.data(), bins,
                   expected.data());
            auto const right = fetch_all(expected.data(), cells, run.queue);
            with_tilewise();
            with_cub();
            std::string const where = name + ", " + kind_name + ", 2^" + std::to_string(size);
            expect_counts(where, fetch_all(ours.data(), cells, run.queue), right);
            if (auto const lost = misplaced(fetch_all(theirs.data(), cells, run.queue), right); lost > 0) {
                std::printf("\n  CUB counts %llu samples in another bin or nowhere: %s\n",
                            static_cast<unsigned long long>(lost), where.c_str());
                run.measured.write(json_line()
                                       .text("kind", "misplaced")
                                       .text("part", kind_name)
                                       .text("what", name)
                                       .text("who", "cub")
                                       .number("n", double(count))
                                       .number("samples", double(lost)));
            }
            auto const bytes_read = count * sizeof(Sample);
            measurement const setting{kind_name, name, {}, count, 0, true, bytes_read, {}};
            std::vector<competitor> const competitors{
                {"tilewise", with_tilewise},
                {"cub", with_cub},
                {"read", [&] { read_only(run.queue, first, bytes_read, expected.data()); }}};
            run.time_on_gpu(setting, competitors);
            if (kind == distribution::uniform) {
                run.time_warm(setting, competitors);
                run.time_call(setting, competitors);
            }
            expect_counts(where + ", after it was timed", fetch_all(ours.data(), cells, run.queue), right);
        }
    }
}

} // namespace bench::histograms
