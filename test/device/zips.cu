// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrappings.hpp"

namespace {

using namespace wrappings;

DEVICE_TEST(zips, of_two_and_three)
{
    both<float> const x, z;
    both<std::int16_t> const y;
    expect(
        [&] {
            return thrust::make_transform_iterator(
                thrust::make_zip_iterator(thrust::make_tuple(x.device_copy.begin(), y.device_copy.begin())),
                weighted{});
        },
        [&](std::size_t count) {
            auto values = x.first(count);
            for (std::size_t i = 0; i < count; ++i)
                values[i] *= static_cast<float>(y.here[i]);
            return values;
        },
        0.5f, std::plus<>{});
    expect(
        [&] {
            return thrust::make_transform_iterator(
                thrust::make_zip_iterator(thrust::make_tuple(x.device_copy.begin(), y.device_copy.begin(),
                                                             thrust::raw_pointer_cast(z.device_copy.data()))),
                weighted_twice{});
        },
        [&](std::size_t count) {
            std::vector<float> values;
            for (std::size_t i = 0; i < count; ++i) {
                float const product = x.here[i] * static_cast<float>(y.here[i]);
                values.push_back(product + z.here[i]);
            }
            return values;
        },
        0.5f, std::plus<>{});
}

DEVICE_TEST(zips, of_positions_with_elements)
{
    both<float> const x;
    expect(
        [&] {
            return thrust::make_transform_iterator(
                thrust::make_zip_iterator(thrust::make_tuple(x.device_copy.begin(), thrust::make_counting_iterator(3))),
                weighted{});
        },
        [&](std::size_t count) {
            auto values = x.first(count);
            for (std::size_t i = 0; i < count; ++i)
                values[i] *= static_cast<float>(3 + static_cast<int>(i));
            return values;
        },
        0.5f, std::plus<>{});
}

/// Elements of different sizes, none of them aligned.
DEVICE_TEST(zips, of_memory_at_any_place)
{
    both<float> const x;
    both<std::int16_t> const y;
    for (std::ptrdiff_t const off : {1, 2, 3}) {
        auto const a = thrust::raw_pointer_cast(x.device_copy.data()) + off;
        auto const b = thrust::raw_pointer_cast(y.device_copy.data()) + 5 - off;
        auto const first =
            thrust::make_transform_iterator(thrust::make_zip_iterator(thrust::make_tuple(a, b)), weighted{});
        std::size_t const count = most - 5;
        std::vector<float> products;
        for (std::size_t i = 0; i < count; ++i)
            products.push_back(x.here[i + static_cast<std::size_t>(off)] *
                               static_cast<float>(y.here[i + 5 - static_cast<std::size_t>(off)]));
        EXPECT_TRUE(same_bits(tw::reduce(tw::device, first, first + static_cast<std::ptrdiff_t>(count), 0.5f),
                              tw::reduce(tw::seq, products, 0.5f)));
    }
}

} // namespace
