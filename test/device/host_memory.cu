// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Ordinary host memory under the device policy: elements, results, and both at once.

#include "same_bits.hpp"

#include <tilewise/device/cuda/staging.cuh>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <stdexcept>

namespace {

using on_device::amount;
using on_device::device_array;
using on_device::same_bits;
using on_device::some_elements;
using on_device::stream;

struct half {
    template <class T>
    TILEWISE_PORTABLE T operator()(T x) const
    {
        return x / 2;
    }
};

std::vector<std::size_t> sizes()
{
    std::size_t const tile = values::tile_of(sizeof(float));
    return {1, tile / 3, tile + 1, 17 * tile + 5, amount<std::size_t>(1 << 26, 40 * tile + 7, 18 * tile + 1)};
}

template <class T>
void expect_same(std::vector<T> const& a, std::vector<T> const& b)
{
    ASSERT_EQ(a.size(), b.size());
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), same_bits<T>));
}

// ---- the copies themselves

DEVICE_TEST(host_memory, is_copied_whole_in_buffers_of_any_size)
{
    std::vector<unsigned char> const bytes =
        some_elements<unsigned char>(amount<std::size_t>(5'000'003, 70'001, 30'001));
    tw::gpu::pinned_ring ring(bytes.size() / 7);
    device_array<unsigned char> const device_copy(bytes.size());
    stream const queue;
    for (std::size_t const size :
         {std::size_t{0}, std::size_t{1}, bytes.size() / 7, bytes.size() / 7 + 1, bytes.size()})
        for (std::size_t const begin : {std::size_t{0}, std::size_t{3}}) {
            if (begin > size)
                continue;
            std::vector<unsigned char> back(bytes.size() + 1, 77);
            ring.copy_to_device(device_copy.data(), bytes.data() + begin, size - begin, queue);
            ring.copy_to_host(back.data() + begin, device_copy.data(), size - begin, queue);
            EXPECT_TRUE(std::equal(back.begin() + static_cast<std::ptrdiff_t>(begin),
                                   back.begin() + static_cast<std::ptrdiff_t>(size),
                                   bytes.begin() + static_cast<std::ptrdiff_t>(begin)));
            EXPECT_EQ(std::count(back.begin(), back.begin() + static_cast<std::ptrdiff_t>(begin), 77), begin);
            EXPECT_EQ(back[size], 77);
        }
}

DEVICE_TEST(host_memory, may_change_once_it_is_copied)
{
    std::vector<int> values(10'000);
    tw::gpu::pinned_ring ring(1'000);
    device_array<int> const device_copy(values.size());
    stream const queue;
    std::iota(values.begin(), values.end(), 0);
    ring.copy_to_device(device_copy.data(), values.data(), values.size() * sizeof(int), queue);
    std::vector<int> const expected(std::exchange(values, std::vector<int>(10'000, -1)));
    queue.wait();
    EXPECT_EQ(device_copy.values(10'000), expected);
}

// ---- the algorithms

template <class E, class T>
void expect_reductions(T init)
{
    for (std::size_t const size : sizes()) {
        std::vector<E> const x = some_elements<E>(size);
        EXPECT_TRUE(same_bits(tw::reduce(tw::device, x, init), tw::reduce(x, init))) << "n = " << size;
        auto const from_second = x.begin() + 1; // which is aligned for an element and nothing wider
        EXPECT_TRUE(same_bits(tw::transform_reduce(tw::device, from_second, x.end(), init, std::plus<>{}, half{}),
                              tw::transform_reduce(from_second, x.end(), init, std::plus<>{}, half{})));
    }
}
DEVICE_TEST(host_memory, is_reduced)
{
    expect_reductions<float>(0.5f);
    expect_reductions<std::uint8_t>(7L);
}

DEVICE_TEST(host_memory, is_reduced_with_memory_of_the_device)
{
    std::vector<float> const x = some_elements<float>(30'000), y = some_elements<float>(30'000);
    device_array<float> const device_copy(y);
    float const expected = tw::transform_reduce(x, y, 0.5f);
    EXPECT_TRUE(same_bits(tw::transform_reduce(tw::device, x.begin(), x.end(), device_copy.data(), 0.5f), expected));
    EXPECT_TRUE(
        same_bits(tw::transform_reduce(tw::device, device_copy.begin(), device_copy.end(), x.begin(), 0.5f), expected));
    EXPECT_TRUE(same_bits(tw::transform_reduce(tw::device, x, y, 0.5f), expected));
}

DEVICE_TEST(host_memory, takes_a_reduction)
{
    std::vector<float> const x = some_elements<float>(30'000);
    float result = 0;
    EXPECT_EQ(tw::reduce_into(tw::device, x, &result, 0.5f), &result + 1);
    EXPECT_TRUE(same_bits(result, tw::reduce(x, 0.5f)));
}

DEVICE_TEST(host_memory, is_scanned_to_anywhere)
{
    for (std::size_t const size : sizes()) {
        std::vector<float> const x = some_elements<float>(size);
        device_array<float> const device_copy(x), device_out(size);
        std::vector<float> expected(size), out(size + 1, 77);
        tw::inclusive_scan(x, expected.begin());
        expected.push_back(77);

        EXPECT_EQ(tw::inclusive_scan(tw::device, x, out.begin()), out.end() - 1); // from the host to the host
        expect_same(out, expected);
        tw::inclusive_scan(tw::device, x, device_out.data());
        expect_same(device_out.values(size), {expected.begin(), expected.end() - 1});
        std::fill(out.begin(), out.end(), 77.0f);
        tw::inclusive_scan(tw::device, device_copy.begin(), device_copy.end(), out.data());
        expect_same(out, expected);
        std::copy(x.begin(), x.end(), out.begin());
        tw::inclusive_scan(tw::device, out.begin(), out.end() - 1, out.begin()); // in place
        expect_same(out, expected);

        tw::transform_exclusive_scan(x, expected.begin(), 0.5f, std::plus<>{}, half{});
        tw::transform_exclusive_scan(tw::device, x, out.begin(), 0.5f, std::plus<>{}, half{});
        expect_same(out, expected);
    }
}

DEVICE_TEST(host_memory, is_counted_to_anywhere)
{
    tw::regular_axis const axis(100, -1e9f, 1e9f);
    for (std::size_t const size : sizes()) {
        std::vector<float> const x = some_elements<float>(size);
        device_array<std::uint32_t> const device_copy(100);
        std::vector<std::uint32_t> expected(100), counts(100, 77);
        tw::histogram(x, axis, expected.begin());
        EXPECT_EQ(tw::histogram(tw::device, x, axis, counts.begin()), counts.end());
        EXPECT_EQ(counts, expected);
        tw::histogram(tw::device, x, axis, device_copy.data());
        EXPECT_EQ(device_copy.values(100), expected);
        tw::histogram_add(tw::device, x, axis, counts.begin());
        for (auto& count : expected)
            count *= 2;
        EXPECT_EQ(counts, expected);
    }
}

DEVICE_TEST(host_memory, is_combined_by_index)
{
    std::vector<float> const x = some_elements<float>(20'000);
    std::vector<int> keys(x.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = static_cast<int>(i * i % 37);
    std::vector<float> expected(37), sums(37);
    tw::reduce_by_index(keys, x, 37, expected.begin(), 0.5f);
    tw::reduce_by_index(tw::device, keys, x, 37, sums.begin(), 0.5f);
    expect_same(sums, expected);
    tw::regular_axis const axis(37, -1e9f, 1e9f);
    tw::weighted_histogram(x, x, axis, expected.begin());
    tw::weighted_histogram(tw::device, x, x, axis, sums.begin());
    expect_same(sums, expected);
}

DEVICE_TEST(host_memory, has_offsets_of_segments)
{
    std::vector<float> const x = some_elements<float>(20'000);
    device_array<float> const device_copy(x);
    std::vector<int> const offsets{0, 7, 7, 5'000, 20'000};
    std::vector<float> expected(4), sums(4);
    tw::segmented_reduce(x.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1, expected.begin(), 0.5f);
    tw::segmented_reduce(tw::device, device_copy.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                         sums.begin(), 0.5f);
    expect_same(sums, expected);
}

DEVICE_TEST(host_memory, is_searched)
{
    std::vector<float> x = some_elements<float>(20'000);
    EXPECT_EQ(tw::min_element(tw::device, x), tw::min_element(x));
    EXPECT_EQ(tw::max_element(tw::device, x.data(), x.data() + x.size()) - x.data(), tw::max_element(x) - x.begin());
    EXPECT_EQ(tw::minmax_element(tw::device, x), tw::minmax_element(x));
    EXPECT_EQ(tw::count(tw::device, x, x[17]), tw::count(x, x[17]));
}

// ---- what cannot be, and what fails

DEVICE_TEST_WITH_STREAMS(host_memory, cannot_be_waited_for_later)
{
    std::vector<float> const x = some_elements<float>(1'000);
    std::vector<float> out(1'000, 77);
    device_array<float> const device_copy(x);
    stream const queue;
    auto const policy = tw::device.on(queue).nosync();
    EXPECT_THROW(tw::reduce_into(policy, x, device_copy.data()), std::invalid_argument);
    EXPECT_THROW(tw::inclusive_scan(policy, x, device_copy.data()), std::invalid_argument);
    EXPECT_THROW(tw::inclusive_scan(policy, device_copy.begin(), device_copy.end(), out.begin()),
                 std::invalid_argument);
    queue.wait();
    EXPECT_EQ(device_copy.values(1'000), x);
    EXPECT_EQ(out, std::vector<float>(1'000, 77));
}

/// Has no memory for the request of a given number.
struct scarce_memory {
    int left;

    void* allocate(std::size_t bytes, cudaStream_t stream)
    {
        if (left-- == 0)
            throw std::bad_alloc();
        ++held;
        void* memory = nullptr;
        on_device::expect_success(cudaMallocAsync(&memory, bytes, stream));
        return memory;
    }
    void deallocate(void* memory, std::size_t, cudaStream_t stream)
    {
        --held;
        on_device::expect_success(cudaFreeAsync(memory, stream));
    }
    int held = 0;
};

DEVICE_TEST(host_memory, leaves_nothing_behind_when_there_is_no_room_for_it)
{
    std::vector<float> const x = some_elements<float>(30'000);
    std::vector<float> expected(x.size());
    tw::inclusive_scan(x, expected.begin());
    int failures = 0;
    for (bool done = false; !done; ++failures) {
        std::vector<float> out(x.size(), 77);
        scarce_memory scarce{failures};
        try {
            tw::inclusive_scan(tw::device.with(scarce), x, out.begin());
            expect_same(out, expected);
            done = true;
        } catch (std::bad_alloc const&) {
            EXPECT_EQ(out, std::vector<float>(x.size(), 77));
        }
        EXPECT_EQ(scarce.held, 0);
    }
    EXPECT_GE(failures, 3); // a copy of the elements, one of the results
}

} // namespace
