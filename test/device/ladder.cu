// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Every version of examples/ladder, but the one that is wrong, gives what a plain loop gives.
#include "on_device.hpp"

#include <ladder/histogram.cuh>
#include <ladder/reduction.cuh>
#include <ladder/scan.cuh>

#include <tilewise/device/cuda/device_call.cuh> // defines what their launches call on errors

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

namespace {

using on_device::device_array;

/// Small numbers of both signs, whose sums are exact in any order.
template <class T>
std::vector<T> some_numbers(std::size_t count)
{
    std::mt19937 generator(7);
    std::uniform_int_distribution<int> number(-4, 4);
    std::vector<T> values(count);
    for (T& value : values)
        value = static_cast<T>(number(generator));
    return values;
}

std::vector<std::size_t> sizes()
{
    std::vector<std::size_t> some{0, 1, 2, 3, 31, 33, 255, 256, 257, 2047, 2049, 4099};
    if (!on_device::is_small())
        some.insert(some.end(), {65536, 1'000'003, (1 << 24) + 5});
    return some;
}

constexpr int multiprocessors = on_device::interpreted ? 1 : 132;

template <class T>
void expect_sum(void (*version)(ladder::reduction::task<T> const&), std::size_t misalignment = 0)
{
    auto const values = some_numbers<T>(sizes().back());
    device_array<T> const in(values, misalignment), work(values.size() + 1);
    device_array<T> const out(1);
    on_device::stream const stream;
    for (std::size_t const size : sizes()) {
        out.assign({T{77}});
        version({in.data(), static_cast<tilewise::offset>(size), work.data(), out.data(), multiprocessors, stream});
        stream.wait();
        auto const end = values.begin() + static_cast<std::ptrdiff_t>(size);
        ASSERT_EQ(out.value(), std::accumulate(values.begin(), end, T{})) << size;
    }
}

template <class T>
void expect_sum_of_levels()
{
    using namespace ladder::reduction;
    expect_sum<T>(&sum_by_levels<interleaved_modulo, 1, T>);
    expect_sum<T>(&sum_by_levels<interleaved_strided, 1, T>);
    expect_sum<T>(&sum_by_levels<sequential, 1, T>);
    expect_sum<T>(&sum_by_levels<sequential, 2, T>);
    expect_sum<T>(&sum_by_levels<last_warp_unrolled, 2, T>);
    expect_sum<T>(&sum_by_levels<completely_unrolled, 2, T>);
    expect_sum<T>(&sum_by_levels<warp_shuffles, 1, T>);
    expect_sum<T>(&sum_by_levels<warp_shuffles, 8, T>);
}

DEVICE_TEST(ladder, of_reductions_by_launches)
{
    expect_sum<int>(&ladder::reduction::global_tree<int>);
    expect_sum<float>(&ladder::reduction::global_tree<float>);
    expect_sum_of_levels<int>();
    expect_sum_of_levels<float>();
}

DEVICE_TEST(ladder, of_reductions_by_atomics)
{
    using namespace ladder::reduction;
    expect_sum<int>(&one_atomic_per_element<int>);
    expect_sum<float>(&one_atomic_per_element<float>);
    expect_sum<int>(&one_atomic_per_thread<int>);
    expect_sum<float>(&one_atomic_per_thread<float>);
    expect_sum<int>(&one_atomic_per_block<int>);
    expect_sum<float>(&one_atomic_per_block<float>);
}

DEVICE_TEST(ladder, of_reductions_in_two_passes)
{
    using namespace ladder::reduction;
    expect_sum<int>(&two_passes<int>);
    for (std::size_t const misalignment : {0, 4, 8, 12}) {
        expect_sum<int>(&two_passes_of_vectors<&sum_vectors_at_strides<int>, int>, misalignment);
        expect_sum<float>(&two_passes_of_vectors<&sum_even_shares<float>, float>, misalignment);
    }
}

template <class T>
void expect_sums(void (*version)(ladder::scan::task<T> const&), std::size_t most = 1 << 24)
{
    auto const values = some_numbers<T>(sizes().back());
    device_array<T> const in(values), out(values.size()), work(values.size() + values.size() / 100 + 3000);
    device_array<unsigned long long> const words(values.size() / ladder::scan::tile + 2);
    on_device::stream const stream;
    for (std::size_t const size : sizes()) {
        if (size > most)
            continue;
        out.assign(std::vector<T>(values.size(), T{77}));
        version({in.data(), static_cast<tilewise::offset>(size), work.data(), out.data(), words.data(), stream});
        stream.wait();
        std::vector<T> expected(values.size(), T{77});
        std::inclusive_scan(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(size), expected.begin());
        ASSERT_EQ(out.values(expected.size()), expected) << size;
    }
}

DEVICE_TEST(ladder, of_scans_by_launches)
{
    using namespace ladder::scan;
    expect_sums<int>(&serial<int>, 70'000);
    expect_sums<int>(&hillis_steele<int>);
    expect_sums<float>(&blelloch<float>);
}

DEVICE_TEST(ladder, of_scans_of_blocks)
{
    using namespace ladder::scan;
    expect_sums<float>(&scan_then_add<hillis_steele_in_block, float>);
    expect_sums<int>(&scan_then_add<blelloch_in_block, int>);
    expect_sums<int>(&scan_then_add<warp_shuffles, int>);
    expect_sums<float>(&reduce_then_scan<float>);
}

DEVICE_TEST(ladder, of_scans_in_one_pass)
{
    using namespace ladder::scan;
    expect_sums<int>(&one_pass<chained, int>);
    expect_sums<float>(&one_pass<look_back, float>);
}

void expect_counts(void (*version)(ladder::histogram::task const&), std::size_t most = 1 << 24)
{
    using namespace ladder::histogram;
    for (bool const is_constant : {false, true}) {
        std::mt19937 generator(9);
        std::vector<unsigned char> values(sizes().back());
        for (unsigned char& value : values)
            value = static_cast<unsigned char>(is_constant ? 200 : generator() % 256);
        device_array<unsigned char> const in(values);
        device_array<unsigned> const counts(bins),
            work(static_cast<std::size_t>(on_device::interpreted ? 5 * threads : private_threads) * bins);
        on_device::stream const stream;
        for (std::size_t const size : sizes()) {
            if (size > most || (on_device::interpreted && size > 5 * threads && version == &table_per_thread))
                continue;
            counts.assign(std::vector<unsigned>(bins, 77));
            version(
                {in.data(), static_cast<tilewise::offset>(size), counts.data(), work.data(), multiprocessors, stream});
            stream.wait();
            std::vector<unsigned> expected(bins);
            for (std::size_t i = 0; i < size; ++i)
                ++expected[values[i]];
            ASSERT_EQ(counts.values(bins), expected) << size;
        }
    }
}

DEVICE_TEST(ladder, of_histograms)
{
    using namespace ladder::histogram;
    expect_counts(&serial, 70'000);
    expect_counts(&global_atomics);
    expect_counts(&table_per_thread);
    expect_counts(&table_per_block);
}

} // namespace
