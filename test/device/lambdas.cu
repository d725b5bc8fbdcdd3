// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "same_bits.hpp"

#include <algorithm>
#include <functional>
#include <ranges>

namespace {

using on_device::same_bits;

DEVICE_TEST(lambdas, for_host_and_device_may_be_operators_and_transforms)
{
    std::size_t const count = values::many_tiles(sizeof(float));
    auto const x = on_device::some_elements<float>(count);
    on_device::device_array<float> const device_copy(x);
    float const weight = 0.25f;
    auto const weighted = [weight] __host__ __device__(float value) { return weight * value; };
    auto const larger = [] __host__ __device__(float a, float b) { return a < b ? b : a; };
    EXPECT_TRUE(same_bits(
        tw::transform_reduce(tw::device, device_copy.begin(), device_copy.end(), 0.5f, std::plus<>{}, weighted),
        tw::transform_reduce(tw::seq, x, 0.5f, std::plus<>{}, weighted)));
    EXPECT_TRUE(same_bits(tw::reduce(tw::device, device_copy.begin(), device_copy.end(), 0.5f, larger),
                          tw::reduce(tw::seq, x, 0.5f, larger)));
}

DEVICE_TEST(lambdas, for_the_device_only_may_be_operators_and_transforms)
{
    std::size_t const count = values::many_tiles(sizeof(float));
    auto const x = on_device::some_elements<float>(count);
    on_device::device_array<float> const device_copy(x);
    auto const half = [] __device__(float value) -> float { return value / 2; };
    auto const larger = [] __device__(float a, float b) -> float { return a < b ? b : a; };
    EXPECT_TRUE(
        same_bits(tw::transform_reduce(tw::device, device_copy.begin(), device_copy.end(), 0.5f, std::plus<>{}, half),
                  tw::transform_reduce(tw::seq, x, 0.5f, std::plus<>{}, [](float value) { return value / 2; })));
    EXPECT_TRUE(same_bits(tw::reduce(tw::device, device_copy.begin(), device_copy.end(), 0.5f, larger),
                          tw::reduce(tw::seq, x, 0.5f, tw::maximum<>{})));
}

DEVICE_TEST(lambdas, in_count_if)
{
    auto const x = on_device::some_elements<float>(1000);
    on_device::device_array<float> const device_copy(x);
    EXPECT_EQ(tw::count_if(tw::device, device_copy.begin(), device_copy.end(),
                           [] __host__ __device__(float value) { return value > 1; }),
              std::count_if(x.begin(), x.end(), [](float value) { return value > 1; }));
    EXPECT_EQ(tw::min_element(tw::device, device_copy.begin(), device_copy.end(),
                              [] __host__ __device__(float a, float b) { return a < b; }) -
                  device_copy.begin(),
              std::min_element(x.begin(), x.end()) - x.begin());
}

DEVICE_TEST(lambdas, in_views)
{
    auto const thrice =
        std::views::iota(1, 10'001) | std::views::transform([] __host__ __device__(int i) { return 3 * i; });
    EXPECT_EQ(tw::reduce(tw::device, thrice), 3 * 10'000 / 2 * 10'001);
    EXPECT_EQ(tw::count_if(tw::device, thrice, [] __host__ __device__(int i) { return i % 2 == 0; }), 5'000);
}

} // namespace
