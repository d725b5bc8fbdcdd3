// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrappings.hpp"

namespace {

using namespace wrappings;

DEVICE_TEST(computed_elements, of_counting_and_constant_iterators)
{
    expect([] { return thrust::make_counting_iterator(-1000); },
           [](std::size_t count) {
               std::vector<int> values;
               for (std::size_t i = 0; i < count; ++i)
                   values.push_back(static_cast<int>(i) - 1000);
               return values;
           },
           7, std::plus<>{});
    expect([] { return thrust::make_constant_iterator(0.1f); },
           [](std::size_t count) { return std::vector<float>(count, 0.1f); }, 0.5f, std::plus<>{});
}

DEVICE_TEST(computed_elements, of_permutations)
{
    both<float> const x;
    std::vector<int> positions;
    for (std::size_t i = 0; i < most; ++i)
        positions.push_back(static_cast<int>(i * 7919 % most));
    thrust::device_vector<int> const device_places(positions.begin(), positions.end());
    expect([&] { return thrust::make_permutation_iterator(x.device_copy.begin(), device_places.begin()); },
           [&](std::size_t count) {
               std::vector<float> values;
               for (std::size_t i = 0; i < count; ++i)
                   values.push_back(x.here[static_cast<std::size_t>(positions[i])]);
               return values;
           },
           0.5f, std::plus<>{});
}

DEVICE_TEST(computed_elements, of_ranges_read_backwards)
{
    both<float> const x;
    expect([&] { return thrust::make_reverse_iterator(x.device_copy.end()); },
           [&](std::size_t count) {
               return std::vector<float>(x.here.rbegin(), x.here.rbegin() + static_cast<std::ptrdiff_t>(count));
           },
           0.5f, std::plus<>{});
    expect(
        [&] { return thrust::make_transform_iterator(thrust::make_reverse_iterator(x.device_copy.end()), square{}); },
        [&](std::size_t count) {
            std::vector<float> values(x.here.rbegin(), x.here.rbegin() + static_cast<std::ptrdiff_t>(count));
            for (float& value : values)
                value *= value;
            return values;
        },
        0.5f, std::plus<>{});
}

} // namespace
