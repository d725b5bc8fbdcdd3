// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "histogram_kernels.hpp"

#include <cstdint>
#include <vector>

namespace {

using namespace histogram_kernels;
using on_device::amount;

std::size_t most()
{
    return amount<std::size_t>(1 << 20, 1 << 17, 30011);
}

/// All values, some of them often.
template <class E>
std::vector<E> some_bytes(std::size_t count)
{
    std::mt19937 random(static_cast<unsigned>(9 + on_device::variation()));
    std::vector<E> samples(count);
    for (auto& sample : samples)
        sample = static_cast<E>(random() % 3 == 0 ? 200 : random());
    return samples;
}

DEVICE_TEST(histogram_bytes, are_counted_wherever_they_begin)
{
    auto const samples = some_bytes<std::uint8_t>(most());
    tw::integer_axis const axis(0, 256);
    expect_counted(samples, axis, some_sizes(most()));
    for (std::size_t misalignment = 1; misalignment < 16; ++misalignment)
        expect_counted(samples, axis, {1, 20, 32, 33, 50, most() / 8 - misalignment}, misalignment);
}

DEVICE_TEST(histogram_bytes, have_signs)
{
    auto const samples = some_bytes<std::int8_t>(most() / 2);
    expect_counted(samples, tw::integer_axis(-128, 128), {samples.size()});
    expect_counted(samples, tw::integer_axis(-100, 5, {tw::flow::bins}), {samples.size()}, 3);
    expect_counted(some_bytes<char>(5000), tw::regular_axis(10, -1.5f, 99.0f), {5000});
}

/// From one cell to more than a table of values has words.
DEVICE_TEST(histogram_bytes, are_counted_in_any_number_of_cells)
{
    auto const samples = some_bytes<std::uint8_t>(5000);
    for (int const bins : {1, 2, 16, 255, 257, 1000, 8192, 8193})
        expect_counted(samples, tw::regular_axis(bins, 0.0, 256.0), {5000});
    expect_counted<unsigned long long>(samples, tw::variable_axis({3, 60, 61, 199, 200, 256}), {0, 5000}, 5);
}

/// Every value as often as any counter of a block's may take.
DEVICE_TEST(histogram_bytes, may_all_be_the_same)
{
    for (int const value : {0, 1, 127, 128, 255}) {
        std::vector<std::uint8_t> const samples(20000, static_cast<std::uint8_t>(value));
        expect_counted(samples, tw::integer_axis(0, 256), {samples.size()});
    }
}

DEVICE_TEST(histogram_bytes, may_be_truth_values)
{
    std::vector<std::uint8_t> bytes = some_bytes<std::uint8_t>(4000);
    for (auto& byte : bytes)
        byte &= 1;
    device_array<std::uint8_t> const device_copy(bytes);
    std::vector<int> const samples(bytes.begin(), bytes.end());
    tw::integer_axis const axis(0, 2);
    guarded<unsigned> const counts(2);
    by_every_kernel([&](auto tuning) {
        counts.reset();
        count<decltype(tuning)>(tw::device, reinterpret_cast<bool const*>(device_copy.data()), bytes.size(), axis,
                                counts.data());
        counts.expect(counted(axis, samples));
    });
}

} // namespace
