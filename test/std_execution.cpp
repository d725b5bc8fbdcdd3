// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/std_execution.hpp>
#include <tilewise/tilewise.hpp>

#include "values.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <execution>
#include <vector>

namespace tw = tilewise;

namespace {

TEST(std_execution, policies_stand_for_those_of_the_library)
{
    static_assert(std::same_as<tw::policy_for<std::execution::sequenced_policy>, tw::sequenced_policy>);
    static_assert(std::same_as<tw::policy_for<std::execution::unsequenced_policy>, tw::sequenced_policy>);
    static_assert(std::same_as<tw::policy_for<std::execution::parallel_policy>, tw::parallel_policy>);
    static_assert(
        std::same_as<tw::policy_for<std::execution::parallel_unsequenced_policy const&>, tw::parallel_policy>);
}

/// Every algorithm gives the bits that it gives under seq.
template <class Policy>
void expect_the_same_bits(Policy const& policy)
{
    std::vector<float> x;
    for (unsigned const seed : values::seeds(values::many_tiles(sizeof(float))))
        x.push_back(static_cast<float>(seed) / 3);
    float out = 0, expected_out = 0;
    auto const half = [](float a) { return a / 2; };
    auto const large = [](float a) { return a > 1e8F; };
    auto const expect_equal = [](float a, float b) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(a), std::bit_cast<std::uint32_t>(b));
    };
    expect_equal(tw::reduce(policy, x), tw::reduce(x));
    expect_equal(tw::reduce(policy, x.begin(), x.end(), 0.5F), tw::reduce(x, 0.5F));
    expect_equal(tw::transform_reduce(policy, x, x, 0.5F), tw::transform_reduce(x, x, 0.5F));
    expect_equal(tw::transform_reduce(policy, x, 0.5F, std::plus<>{}, half),
                 tw::transform_reduce(x, 0.5F, std::plus<>{}, half));
    EXPECT_EQ(tw::reduce_into(policy, x, &out), &out + 1);
    expect_equal(out, tw::reduce(x));
    EXPECT_EQ(tw::transform_reduce_into(policy, x, x, &out, 0.5F), &out + 1);
    tw::transform_reduce_into(x, x, &expected_out, 0.5F);
    expect_equal(out, expected_out);
    EXPECT_EQ(tw::count(policy, x, x[7]), tw::count(x, x[7]));
    EXPECT_EQ(tw::count_if(policy, x, large), tw::count_if(x, large));
    EXPECT_EQ(tw::min_element(policy, x), tw::min_element(x));
    EXPECT_EQ(tw::max_element(policy, x), tw::max_element(x));
    EXPECT_EQ(tw::minmax_element(policy, x), tw::minmax_element(x));

    std::vector<float> scanned(x), expected(x);
    auto const expect_scans_equal = [&](auto scan) {
        EXPECT_EQ(scan(policy, scanned.begin()), scanned.end());
        scan(tw::seq, expected.begin());
        for (std::size_t i = 0; i < x.size(); ++i)
            ASSERT_EQ(std::bit_cast<std::uint32_t>(scanned[i]), std::bit_cast<std::uint32_t>(expected[i])) << i;
    };
    std::plus<> const plus;
    expect_scans_equal([&](auto const& on, auto to) { return tw::inclusive_scan(on, x, to); });
    expect_scans_equal([&](auto const& on, auto to) { return tw::exclusive_scan(on, x.begin(), x.end(), to, 0.5F); });
    expect_scans_equal([&](auto const& on, auto to) { return tw::transform_inclusive_scan(on, x, to, plus, half); });
    expect_scans_equal(
        [&](auto const& on, auto to) { return tw::transform_exclusive_scan(on, x, to, 0.5F, plus, half); });
}

TEST(std_execution, policies_give_the_same_bits_in_every_algorithm)
{
    expect_the_same_bits(std::execution::seq);
    expect_the_same_bits(std::execution::unseq);
    expect_the_same_bits(std::execution::par);
    expect_the_same_bits(std::execution::par_unseq);
}

} // namespace
