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

struct by_distance {
    template <class Tuple>
    TILEWISE_PORTABLE bool operator()(Tuple const& a, Tuple const& b) const
    {
        return length(a) < length(b);
    }
    template <class Tuple>
    TILEWISE_PORTABLE static int length(Tuple const& tuple)
    {
        auto const& [x, y] = tuple;
        return x * x + y * y;
    }
};

DEVICE_TEST(zip, is_searched_in_any_memory_at_once_and_in_pieces)
{
    std::size_t const n = 9000;
    std::vector<int> x(n);
    std::vector<std::int8_t> y(n);
    for (int const spread : {1, 7, 20'000}) { // all equal, many equals, few
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = static_cast<int>(i * 48271 % 65537) % spread;
            y[i] = static_cast<std::int8_t>(i * 16807 % 127 % static_cast<std::size_t>(spread));
        }
        device_array<int> const on_x(x);
        device_array<std::int8_t> const on_y(y);
        auto const here = tw::zip(x, y);
        auto const mixed = tw::zip(std::span(on_x.begin(), n), y);
        auto const there = tw::zip(std::span(on_x.begin(), n), std::span(on_y.begin(), n));
        auto const low = tw::min_element(here, by_distance()) - here.begin(),
                   high = tw::max_element(here, by_distance()) - here.begin(),
                   last_high = tw::minmax_element(here, by_distance()).second - here.begin();
        EXPECT_EQ(tw::min_element(tw::device, there, by_distance()) - there.begin(), low);
        for (std::size_t const budget : {0, 1}) { // 1: pieces of 4096 elements
            auto const policy = tw::device.budget(budget);
            EXPECT_EQ(tw::min_element(policy, here, by_distance()) - here.begin(), low);
            EXPECT_EQ(tw::max_element(policy, here, by_distance()) - here.begin(), high);
            auto const both = tw::minmax_element(policy, here, by_distance());
            EXPECT_EQ(both.first - here.begin(), low);
            EXPECT_EQ(both.second - here.begin(), last_high);
            EXPECT_EQ(tw::max_element(policy, mixed, by_distance()) - mixed.begin(), high);
        }
    }
}

} // namespace
