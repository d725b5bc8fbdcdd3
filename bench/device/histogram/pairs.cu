// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Two dimensions: pairs of floats from two arrays. CUB has no such histogram.

#include "compare.cuh"
#include "parts.cuh"

#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <algorithm>
#include <cstdint>
#include <string>

void bench::histograms::compare_pairs(session& run)
{
    constexpr char const* name = "pairs_256x256";
    auto const sizes = sizes_of(run);
    if (!run.chosen.wants_type(name) || sizes.empty())
        return;
    announced const part(name);
    constexpr int bins = 256, cells = bins * bins;
    std::uint64_t const largest = std::uint64_t{1} << *std::ranges::max_element(sizes);
    tilewise::regular_axis const side{bins, 0.0f, 1.0f};
    tilewise::product_axis const axis(side, side);
    auto const published = side.edges();
    device_array<float> const edges(published.size()), x(largest), y(largest);
    check(cudaMemcpyAsync(edges.data(), published.data(), published.size() * sizeof(float), cudaMemcpyHostToDevice,
                          run.queue),
          "cudaMemcpyAsync");
    device_array<unsigned> const ours(cells), expected(cells);
    for (auto const& [kind_name, kind] : distributions) {
        if (!run.chosen.wants_part(kind_name))
            continue;
        for (int const size : sizes) {
            if (!is_worth_measuring(kind, size))
                continue;
            auto const count = std::uint64_t{1} << size;
            launch(write_samples<float>, 4096, 256, run.queue, x.data(), count, kind, spread{0, 1, bins});
            launch(write_samples<float>, 4096, 256, run.queue, y.data(), count, kind, spread{0, 1, 3 * bins});
            auto const first = thrust::make_zip_iterator(x.data(), y.data());
            auto const with_tilewise = [&] {
                tilewise::histogram(tilewise::device.on(run.queue).nosync(), first,
                                    first + static_cast<std::ptrdiff_t>(count), axis, ours.data());
            };
            check(cudaMemsetAsync(expected.data(), 0, cells * sizeof(unsigned), run.queue), "cudaMemsetAsync");
            launch(count_pairs_by_search<float, float>, 4096, 256, run.queue, x.data(), y.data(), count, edges.data(),
                   bins, expected.data());
            with_tilewise();
            expect_counts(std::string(name) + ", " + kind_name, fetch_all(ours.data(), cells, run.queue),
                          fetch_all(expected.data(), cells, run.queue));
            auto const bytes = count * 2 * sizeof(float);
            run.time_on_gpu({kind_name, name, {}, count, 0, true, bytes, {}},
                            {{"tilewise", with_tilewise}, {"read", [&] {
                                                               read_only(run.queue, x.data(), bytes / 2, ours.data());
                                                               read_only(run.queue, y.data(), bytes / 2, ours.data());
                                                           }}});
        }
    }
}
