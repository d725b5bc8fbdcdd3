// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Samples at the edges of bins and outside, with all options of axes.

#include "histogram_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace {

using namespace histogram_kernels;

/// Samples at the edges of an axis and one step beside them, and others outside.
template <class E, class Axis>
std::vector<E> at_edges_of(Axis const& axis)
{
    using limits = std::numeric_limits<E>;
    std::vector<E> samples;
    for (auto const edge : axis.edges()) {
        auto const sample = static_cast<E>(edge);
        if constexpr (std::is_integral_v<E>)
            samples.insert(samples.end(), {static_cast<E>(sample - 1), sample, static_cast<E>(sample + 1)});
        else
            samples.insert(samples.end(), {std::nextafter(sample, -limits::infinity()), sample, sample,
                                           std::nextafter(sample, limits::infinity())});
    }
    if constexpr (!std::is_integral_v<E>)
        samples.insert(samples.end(),
                       {0, -E(0), limits::denorm_min(), -limits::denorm_min(), limits::max(), limits::lowest(),
                        limits::infinity(), -limits::infinity(), limits::quiet_NaN(), -limits::quiet_NaN()});
    else
        samples.insert(samples.end(), {0, limits::max(), limits::min(), static_cast<E>(limits::max() / 2)});
    std::size_t const once = samples.size();
    while (samples.size() < 2100)
        samples.push_back(samples[samples.size() % once]);
    return samples;
}

/// An axis that is made with all options in turn, and samples of type E.
template <class E, class Make>
void expect_counted_with_all_options(Make const& make)
{
    for (tw::axis_options const options : all_options) {
        SCOPED_TRACE(testing::Message() << "flow " << int(options.flow) << (options.closed_upper ? ", closed" : ""));
        auto const axis = make(options);
        auto const samples = at_edges_of<E>(axis);
        expect_counted(samples, axis, {samples.size()});
    }
}

DEVICE_TEST(histogram_options, count_samples_outside_regular_bins)
{
    expect_counted_with_all_options<float>([](auto options) { return tw::regular_axis(9, -0.1f, 1.0f, options); });
    expect_counted_with_all_options<double>([](auto options) { return tw::regular_axis(9, 0.0, 0.3, options); });
    expect_counted_with_all_options<double>([](auto options) { return tw::regular_axis(9, 0.0f, 0.3f, options); });
    expect_counted_with_all_options<float>([](auto options) { return tw::regular_axis(5, 1.0f, 1.0000008f, options); });
    auto const counts = counted(tw::regular_axis(9, 0.0f, 1.0f, {tw::flow::bins}), some_samples<float>(4000, 0, 1));
    EXPECT_GT(std::min({counts[9], counts[10], counts[11]}), 0u);
}

DEVICE_TEST(histogram_options, count_samples_outside_integer_bins)
{
    expect_counted_with_all_options<int>([](auto options) { return tw::integer_axis(-4, 9, options); });
    expect_counted_with_all_options<std::int64_t>([](auto options) {
        return tw::integer_axis(std::numeric_limits<int>::max() - 9, std::numeric_limits<int>::max(), options);
    });
    expect_counted_with_all_options<float>([](auto options) { return tw::integer_axis(-4, 9, options); });
}

DEVICE_TEST(histogram_options, count_samples_outside_variable_bins)
{
    expect_counted_with_all_options<float>(
        [](auto options) { return tw::variable_axis({-5.0f, -1.0f, -0.5f, 0.0f, 0.25f, 3.0f}, options); });
    expect_counted_with_all_options<double>(
        [](auto options) { return tw::variable_axis({-5.0f, -1.0f, -0.1f, 0.25f, 3.0f}, options); });
    expect_counted_with_all_options<float>([](auto options) { return tw::log_axis(17, 1e-3f, 1.0f, options); });
    expect_counted_with_all_options<double>([](auto options) { return tw::log_axis(17, 1e-300, 1e200, options); });
    expect_counted_with_all_options<int>(
        [](auto options) { return tw::variable_axis({-70, -3, 0, 1, 5, 60}, options); });
    expect_counted_with_all_options<float>([](auto options) { // too many entries for the branchless form
        return tw::variable_axis({0.0f, 1.0f, 1.0000001f, 3.0f, 1e30f}, options);
    });
}

/// Combinations of forms: an axis with a table and one without, each with other options.
DEVICE_TEST(histogram_options, count_samples_outside_products)
{
    auto const x = some_samples<float>(1400, 0, 1);
    std::vector<own_pair<float, float>> pairs;
    for (std::size_t i = 0; i < x.size(); ++i)
        pairs.push_back({x[i], x[x.size() - 1 - i]});
    for (tw::axis_options const first : {all_options[0], all_options[1], all_options[3], all_options[5]})
        for (tw::axis_options const second : {all_options[0], all_options[2], all_options[4]}) {
            expect_counted(
                pairs,
                tw::product_axis(tw::regular_axis(3, 0.0f, 1.0f, first), tw::regular_axis(4, 0.25f, 0.75f, second)),
                {1400});
            expect_counted(pairs,
                           tw::product_axis(tw::regular_axis(3, 0.0f, 1.0f, first),
                                            tw::variable_axis({0.25f, 0.5f, 1.0f}, second)),
                           {1400});
        }
}

} // namespace
