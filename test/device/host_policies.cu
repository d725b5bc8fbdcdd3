// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// seq and par in a file that nvcc compiles, whose front end reads all code for the host as well.

#include <tilewise/axis.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/functional.hpp>
#include <tilewise/histogram.hpp>
#include <tilewise/reduce.hpp>
#include <tilewise/scan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace {

template <class T>
class HostPolicies : public testing::Test {};
using types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                             std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(HostPolicies, types);

TYPED_TEST(HostPolicies, AgreeWithTheStandardInFilesOfNvcc)
{
    using T = TypeParam;
    std::vector<T> x(1000), sums(x.size()), largest(x.size()), expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<T>(i * 7 % 101); // sums of floats are exact
    auto const check = [&](auto policy) {
        tilewise::inclusive_scan(policy, x.begin(), x.end(), sums.begin());
        std::partial_sum(x.begin(), x.end(), expected.begin(), tilewise::known::plus());
        EXPECT_EQ(sums, expected);
        EXPECT_EQ(tilewise::reduce(policy, x.begin(), x.end()), expected.back());
        tilewise::exclusive_scan(policy, x.begin(), x.end(), largest.begin(), T(3), tilewise::maximum<>());
        std::exclusive_scan(x.begin(), x.end(), expected.begin(), T(3), tilewise::maximum<>());
        EXPECT_EQ(largest, expected);
    };
    check(tilewise::seq);
    check(tilewise::par);
}

TEST(HostPolicies, CountPairsInFilesOfNvcc)
{
    std::vector<std::pair<float, float>> samples;
    for (int i = 0; i < 100; ++i)
        samples.emplace_back(static_cast<float>(i % 10), static_cast<float>(i / 10));
    tilewise::regular_axis<float> const each(10, 0, 10);
    std::vector<int> counts(100);
    tilewise::histogram(tilewise::seq, samples, tilewise::product_axis(each, each), counts.begin());
    EXPECT_EQ(counts, std::vector<int>(100, 1));
}

} // namespace
