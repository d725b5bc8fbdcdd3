// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// zip() in kernels: of host and of GPU memory, at every alignment, without a flag for nvcc.

#include "same_bits.hpp"

#include <tilewise/tilewise.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace {

using on_device::device_array;

struct weighted {
    template <class Tuple>
    TILEWISE_PORTABLE float operator()(Tuple const& tuple) const
    {
        auto const& [x, y, z] = tuple;
        return x * static_cast<float>(y) + static_cast<float>(z);
    }
};

DEVICE_TEST(zip, has_the_bits_of_seq_at_every_alignment)
{
    auto const count = on_device::amount<std::size_t>(3'000'000, 40'000, 3000);
    auto const x = on_device::some_elements<float>(count);
    auto const y = on_device::some_elements<std::int16_t>(count);
    auto const z = on_device::some_elements<std::uint8_t>(count);
    device_array<float> const on_x(x);
    device_array<std::int16_t> const on_y(y);
    device_array<std::uint8_t> const on_z(z);
    for (std::size_t const skipped : {0, 1, 2}) {
        auto const n = count - skipped;
        auto const here = tw::zip(std::span(x).last(n), std::span(y).last(n), z);
        auto const there = tw::zip(std::span(on_x.begin() + skipped, n), std::span(on_y.begin() + skipped, n),
                                   std::span(on_z.begin(), n));
        float const expected = tw::transform_reduce(tw::seq, here, 0.5F, std::plus<>(), weighted());
        EXPECT_EQ(tw::transform_reduce(tw::device, there, 0.5F, std::plus<>(), weighted()), expected);
        EXPECT_EQ(tw::transform_reduce(tw::device, here, 0.5F, std::plus<>(), weighted()), expected); // host memory
    }
}

DEVICE_TEST(zip, has_samples_of_several_dimensions)
{
    std::vector<float> const x{1, 2, 3, 3}, y{4, 5, 6, 6};
    device_array<float> const on_x(x), on_y(y);
    device_array<std::uint32_t> const counts(4);
    tw::product_axis const cells(tw::regular_axis(2, 0, 4), tw::regular_axis(2, 4, 8));
    tw::histogram(tw::device, tw::zip(std::span(on_x.begin(), 4), std::span(on_y.begin(), 4)), cells, counts.begin());
    EXPECT_EQ(counts.values(4), (std::vector<std::uint32_t>{1, 0, 1, 2}));
}

} // namespace
