// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// weighted_histogram on the device: the bits of seq and of the specification, for numbers of cells around those at
/// which a digit or a pass is added, numbers of samples around tiles, and every form of axis that kernels know.

#include "by_index_kernels.hpp"

#include <tilewise/histogram.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace by_index;
using on_device::amount;

/// Values whose sum depends on the order, from the bits of random words.
template <class Float>
std::vector<Float> weights_of(std::size_t count)
{
    std::vector<Float> x;
    for (std::uint32_t const bits : shape::some_values<std::uint32_t>(count))
        x.push_back(static_cast<Float>(static_cast<std::int32_t>(bits)) / static_cast<Float>(1 << (bits % 16)));
    return x;
}

/// Samples from below 0 to above 1, beside them those on the bounds, on an edge, and what is no number.
template <class Float>
std::vector<Float> samples_of(std::size_t count)
{
    using limits = std::numeric_limits<Float>;
    Float const special[] = {Float(0),          Float(1),           Float(0.5),          -limits::denorm_min(),
                             limits::max(),     limits::infinity(), -limits::infinity(), limits::quiet_NaN(),
                             Float(0.99999994), -Float(0)};
    std::vector<Float> x;
    for (std::uint32_t const bits : shape::some_values<std::uint32_t>(count))
        x.push_back(bits % 16 == 0 ? special[bits / 16 % std::size(special)]
                                   : static_cast<Float>(bits >> 8) / Float(1 << 24) * Float(1.5) - Float(0.25));
    return x;
}

template <class Samples, class Weight, class Axis>
void expect_bits_of_seq(Samples const& samples, std::vector<Weight> const& weights, Axis const& axis,
                        std::string const& what)
{
    std::vector<Weight> expected(static_cast<std::size_t>(axis.extent()));
    tw::weighted_histogram(tw::seq, samples.begin(), samples.end(), weights.begin(), axis, expected.begin());
    device_array<typename Samples::value_type> const device_samples(samples);
    device_array<Weight> const device_weights(weights), out(expected.size());
    tw::weighted_histogram(tw::device, device_samples.begin(), device_samples.end(), device_weights.begin(), axis,
                           out.begin());
    expect_same(out.values(expected.size()), expected, what.c_str());
}

/// Axes with a simple form for kernels (see axis/bounds.hpp), and axes that have it only with other options.
template <class Float>
void expect_every_form_of_axis()
{
    auto const count = amount<std::size_t>(300007, 30011, 600);
    auto const samples = samples_of<Float>(count);
    auto const weights = weights_of<Float>(count);
    for (int const bins : {1, 10, 256, 300}) {
        if (on_device::leaves_to_other_schedule(static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(bins)))))
            continue;
        auto const named = [&](char const* name) { return name + (", " + std::to_string(bins)) + " bins"; };
        auto const expect = [&](char const* name, auto const& axis) {
            expect_bits_of_seq(samples, weights, axis, named(name));
        };
        tw::regular_axis<Float> const plain(bins, Float(0), Float(1));
        expect("drop", plain);
        expect("bins", tw::regular_axis<Float>(bins, Float(0), Float(1), {tw::flow::bins, false}));
        expect("clamp", tw::regular_axis<Float>(bins, Float(0), Float(1), {tw::flow::clamp, false}));
        expect("closed", tw::regular_axis<Float>(bins, Float(0), Float(1), {tw::flow::drop, true}));
        expect("far from 0", tw::regular_axis<Float>(bins, Float(0.5), Float(0.50390625)));
        expect("edges", tw::variable_axis<Float>(plain.edges()));
    }
}

DEVICE_TEST(weighted_bins, have_the_bits_of_seq_for_every_form_of_axis)
{
    expect_every_form_of_axis<float>();
}

DEVICE_TEST(weighted_bins, have_the_bits_of_seq_for_axes_of_double)
{
    expect_every_form_of_axis<double>();
}

DEVICE_TEST(weighted_bins, of_integers_have_the_sums_of_seq)
{
    auto const count = amount<std::size_t>(300007, 30011, 600);
    std::vector<int> samples;
    std::vector<std::int64_t> weights;
    for (std::uint32_t const bits : shape::some_values<std::uint32_t>(count)) {
        samples.push_back(static_cast<int>(bits % 40) - 5);
        weights.push_back(static_cast<std::int32_t>(bits));
    }
    expect_bits_of_seq(samples, weights, tw::integer_axis(0, 30), "simple");
    expect_bits_of_seq(samples, weights, tw::integer_axis(0, 30, {tw::flow::bins, false}), "general");
    expect_bits_of_seq(samples, std::vector<float>(weights.begin(), weights.end()), tw::integer_axis(0, 30), "sorted");
}

/// Passes, digits and tiles of the numbers that everybody has.
DEVICE_TEST(weighted_bins, have_the_specified_bits_for_every_number_of_cells)
{
    constexpr int tile = tw::gpu::by_index_tuning::threads * tw::gpu::by_index_tuning::items_per_thread<4>;
    std::size_t turn = 0;
    for (int const cells : {1, 2, 31, 32, 33, 255, 256, 257, 2047, 2048, 2049, 65536})
        for (spread const how : {spread::anyhow, spread::one_cell, spread::sorted, spread::few_cells}) {
            ++turn;
            if (on_device::interpreted && (turn % 5 != 0 || on_device::leaves_to_other_schedule(turn / 5)))
                continue;
            auto const x = weights_of<float>(amount<std::size_t>(400009, 40009, tile + 33));
            expect_specified<tw::standard_geometry, tw::gpu::by_index_tuning>(x, cells, how, 0.5f, std::plus<>());
        }
}

DEVICE_TEST(weighted_bins, have_the_specified_bits_around_rows_and_tiles)
{
    constexpr int tile = tw::gpu::by_index_tuning::threads * tw::gpu::by_index_tuning::items_per_thread<4>;
    std::size_t turn = 0;
    for (int const count : {0, 1, 2, 31, 32, 33, 511, 512, 513, tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile}) {
        if (count >= tile && on_device::interpreted && on_device::leaves_to_other_schedule(turn++ / 2))
            continue;
        auto const x = weights_of<float>(static_cast<std::size_t>(count));
        for (spread const how : {spread::anyhow, spread::nowhere})
            if (!on_device::interpreted || count < tile || how == spread::anyhow)
                expect_specified<tw::standard_geometry, tw::gpu::by_index_tuning>(x, 100, how, 0.5f, std::plus<>());
    }
}

} // namespace
