// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// reduce_by_index and weighted_histogram on the device, of what iterators make of elements.

#include "wrappings.hpp"

#include <tilewise/histogram.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

namespace {

using namespace wrappings;

/// The elements of a type twice, and what is compared.
template <class T>
void expect_equal(thrust::device_vector<T> const& device_copy, std::vector<T> const& here)
{
    std::vector<T> results(here.size());
    thrust::copy(device_copy.begin(), device_copy.end(), results.begin());
    for (std::size_t i = 0; i < here.size(); ++i)
        EXPECT_TRUE(same_bits(results[i], here[i])) << "cell " << i;
}

constexpr std::ptrdiff_t count = 300007;

struct last_digits {
    TILEWISE_PORTABLE int operator()(std::int16_t value) const { return value % 1000; }
};

DEVICE_TEST(by_index_wrappings, of_transformed_keys_and_values)
{
    both<std::int16_t> const keys;
    both<float> const values;
    thrust::device_vector<float> device_copy(900);
    std::vector<float> here(900);
    auto const device_keys = thrust::make_transform_iterator(keys.device_copy.begin(), last_digits());
    auto const keys_here = thrust::make_transform_iterator(keys.here.begin(), last_digits());
    tw::reduce_by_index(tw::device, device_keys, device_keys + count,
                        thrust::make_transform_iterator(values.device_copy.begin(), square()), 900, device_copy.begin(),
                        0.5f);
    tw::reduce_by_index(tw::seq, keys_here, keys_here + count,
                        thrust::make_transform_iterator(values.here.begin(), square()), 900, here.begin(), 0.5f);
    expect_equal(device_copy, here);
}

DEVICE_TEST(by_index_wrappings, of_zipped_samples_with_counted_weights)
{
    both<float> const x;
    both<std::int16_t> const y;
    tw::product_axis const axis(tw::regular_axis(20, -1e9, 1e9),
                                tw::variable_axis(std::vector<double>{-20000, -100, 0, 5, 15000}));
    auto const cells = static_cast<std::size_t>(axis.extent());
    thrust::device_vector<double> device_copy(cells);
    std::vector<double> here(cells);
    auto const samples = thrust::make_zip_iterator(thrust::make_tuple(x.device_copy.begin(), y.device_copy.begin()));
    thrust::counting_iterator<int> const weights(3);
    tw::weighted_histogram(tw::device, samples, samples + count, weights, axis, device_copy.begin());
    std::vector<std::tuple<float, std::int16_t>> pairs;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
        pairs.emplace_back(x.here[i], y.here[i]);
    tw::weighted_histogram(tw::seq, pairs.begin(), pairs.end(), weights, axis, here.begin());
    expect_equal(device_copy, here);
}

} // namespace
