// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Sums of weights by bin: floats, in one order and with the same bits as on the host, and integers. CUB has neither.

#include "compare.cuh"
#include "parts.cuh"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench::histograms {
namespace {

template <class Weight>
void compare_sums_of(session& run, std::string const& name, int bins)
{
    auto const sizes = sizes_of(run);
    if (!run.chosen.wants_type(name) || sizes.empty())
        return;
    announced const part(name);
    tilewise::regular_axis const axis{bins, 0.0f, 1.0f};
    std::uint64_t const largest = std::uint64_t{1} << *std::ranges::max_element(sizes);
    device_array<float> const samples(largest);
    device_array<Weight> const weights(largest), sums(static_cast<std::uint64_t>(bins));
    fill(weights.data(), largest, run.queue);
    for (auto const& [kind_name, kind] : distributions) {
        if (!run.chosen.wants_part(kind_name))
            continue;
        for (int const size : sizes) {
            if (!is_worth_measuring(kind, size))
                continue;
            auto const count = std::uint64_t{1} << size;
            launch(write_samples<float>, 4096, 256, run.queue, samples.data(), count, kind,
                   spread{0, 1, static_cast<double>(bins)});
            float const *const first = samples.data(), *const last = first + count;
            auto const with_tilewise = [&] {
                tilewise::weighted_histogram(tilewise::device.on(run.queue).nosync(), first, last, weights.data(), axis,
                                             sums.data());
            };
            with_tilewise();
            if (size <= 24) {
                auto const x = fetch_all(samples.data(), count, run.queue);
                auto const w = fetch_all(weights.data(), count, run.queue);
                std::vector<Weight> expected(static_cast<std::size_t>(bins));
                tilewise::weighted_histogram(tilewise::seq, x.begin(), x.end(), w.begin(), axis, expected.begin());
                if (std::memcmp(expected.data(), fetch_all(sums.data(), expected.size(), run.queue).data(),
                                expected.size() * sizeof(Weight)) != 0)
                    throw std::runtime_error("other bits than on the host: " + name + ", " + kind_name);
            }
            auto const bytes = count * (sizeof(float) + sizeof(Weight));
            run.time_on_gpu({kind_name, name, {}, count, 0, true, bytes, {}},
                            {{"tilewise", with_tilewise},
                             {"read", [&] {
                                  read_only(run.queue, first, count * sizeof(float), sums.data());
                                  read_only(run.queue, weights.data(), count * sizeof(Weight), sums.data());
                              }}});
        }
    }
}

} // namespace

void compare_weighted(session& run)
{
    compare_sums_of<float>(run, "f32_weighted_16", 16);
    compare_sums_of<float>(run, "f32_weighted_256", 256);
    compare_sums_of<float>(run, "f32_weighted_2048", 2048);
    compare_sums_of<std::int32_t>(run, "i32_weighted_256", 256);
}

} // namespace bench::histograms
