// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrappings.hpp"

#include <tilewise/minmax.hpp>
#include <tilewise/scan.hpp>

#include <thrust/copy.h>

#include <span>

namespace {

using namespace wrappings;

DEVICE_TEST(wrappings, of_memory)
{
    both<float> const x;
    auto const same = [&](std::size_t count) { return x.first(count); };
    auto const* const pointer = thrust::raw_pointer_cast(x.device_copy.data());
    expect([&] { return pointer; }, same, 0.5f, std::plus<>{});
    expect([&] { return std::span(pointer, most).begin(); }, same, 0.5f, std::plus<>{});
    expect([&] { return x.device_copy.begin(); }, same, 0.5f, std::plus<>{});
    expect([&] { return x.device_copy.data(); }, same, 0.5f, std::plus<>{}); // a device_ptr
}

DEVICE_TEST(wrappings, of_memory_as_ranges)
{
    both<float> const x;
    float const expected = tw::reduce(tw::seq, x.here, 0.5f);
    EXPECT_TRUE(same_bits(tw::reduce(tw::device, x.device_copy, 0.5f), expected));
    EXPECT_TRUE(same_bits(tw::reduce(tw::device, std::span(thrust::raw_pointer_cast(x.device_copy.data()), most), 0.5f),
                          expected));
    EXPECT_TRUE(same_bits(tw::reduce(tw::device, x.device_copy), tw::reduce(tw::seq, x.here)));
}

/// A number that nobody has by default.
struct number {
    int value;
    TILEWISE_PORTABLE explicit number(int value) : value(value) {}
    TILEWISE_PORTABLE friend number operator+(number a, number b) { return number(a.value + b.value); }
    TILEWISE_PORTABLE friend bool operator<(number a, number b) { return a.value < b.value; }
};

DEVICE_TEST(wrappings, of_memory_in_another_order_without_default_constructors)
{
    thrust::device_vector<number> const x = std::vector<number>{number(1), number(5), number(-3), number(7)};
    thrust::device_vector<number> out(4, number(0));
    thrust::device_vector<int> const order = std::vector<int>{3, 1, 0, 2};
    auto const first = thrust::make_permutation_iterator(x.begin(), order.begin());
    EXPECT_EQ(tw::reduce(tw::device, first, first + 4, number(100)).value, 110);
    EXPECT_EQ(tw::min_element(tw::device, first, first + 4) - first, 3);
    tw::inclusive_scan(tw::device, first, first + 4, thrust::make_permutation_iterator(out.begin(), order.begin()));
    std::vector<number> sums(4, number(0));
    thrust::copy(out.begin(), out.end(), sums.begin());
    EXPECT_EQ(sums[3].value, 7);
    EXPECT_EQ(sums[1].value, 12);
    EXPECT_EQ(sums[0].value, 13);
    EXPECT_EQ(sums[2].value, 10);
}

DEVICE_TEST(wrappings, in_functions)
{
    both<float> const x;
    auto const squares = [&](std::size_t count) {
        auto values = x.first(count);
        for (float& value : values)
            value *= value;
        return values;
    };
    expect([&] { return thrust::make_transform_iterator(x.device_copy.begin(), square{}); }, squares, 0.5f,
           std::plus<>{});
    expect([&] { return thrust::make_transform_iterator(thrust::raw_pointer_cast(x.device_copy.data()), square{}); },
           squares, 0.5f, std::plus<>{});
    expect(
        [&] {
            return thrust::make_transform_iterator(thrust::make_transform_iterator(x.device_copy.begin(), square{}),
                                                   twice{});
        },
        [&](std::size_t count) {
            auto values = squares(count);
            for (float& value : values)
                value += value;
            return values;
        },
        0.5f, std::plus<>{});
}

DEVICE_TEST(wrappings, of_host_memory_are_searched_at_once_and_in_pieces)
{
    both<float> const x;
    auto const first = thrust::make_transform_iterator(x.here.data(), square{}), last = first + 9'000;
    auto const both_there = tw::minmax_element(tw::seq, first, last);
    for (std::size_t const budget : {0, 1}) { // 1: pieces of 4096 elements
        auto const policy = tw::device.budget(budget);
        EXPECT_EQ(tw::min_element(policy, first, last) - first, tw::min_element(tw::seq, first, last) - first);
        EXPECT_EQ(tw::max_element(policy, first, last) - first, tw::max_element(tw::seq, first, last) - first);
        EXPECT_TRUE(tw::minmax_element(policy, first, last) == both_there);
    }
}

DEVICE_TEST(wrappings, of_a_transform_reduce)
{
    both<float> const x;
    both<int> const y;
    for (std::size_t const size : {std::size_t{1}, std::size_t{5000}, most}) {
        auto const count = static_cast<std::ptrdiff_t>(size);
        auto const a = x.here.begin();
        auto const b = y.here.begin();
        auto const device_a = x.device_copy.begin();
        auto const device_b = y.device_copy.begin();
        EXPECT_TRUE(
            same_bits(tw::transform_reduce(tw::device, device_a, device_a + count, 0.5f, std::plus<>{}, square{}),
                      tw::transform_reduce(tw::seq, a, a + count, 0.5f, std::plus<>{}, square{})));
        EXPECT_TRUE(same_bits(tw::transform_reduce(tw::device, device_a, device_a + count, device_a, 0.5f),
                              tw::transform_reduce(tw::seq, a, a + count, a, 0.5f)));
        EXPECT_TRUE(same_bits(tw::transform_reduce(tw::device, device_b, device_b + count, device_b, 0),
                              tw::transform_reduce(tw::seq, b, b + count, b, 0)));
        EXPECT_TRUE(same_bits(tw::transform_reduce(tw::device, thrust::make_transform_iterator(device_a, twice{}),
                                                   thrust::make_transform_iterator(device_a, twice{}) + count,
                                                   thrust::raw_pointer_cast(x.device_copy.data()), 0.5f),
                              tw::transform_reduce(tw::seq, thrust::make_transform_iterator(a, twice{}),
                                                   thrust::make_transform_iterator(a, twice{}) + count, a, 0.5f)));
    }
}

} // namespace
