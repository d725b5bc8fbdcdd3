// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The histogram by each of its kernels.

#include "on_device.hpp"

#include <tilewise/axis.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/device/histogram.cuh>
#include <tilewise/host/histogram.hpp>
#include <tilewise/policy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace tw = tilewise;

namespace histogram_kernels {

using on_device::device_array;

/// @name Tunings that choose one kernel
/// Their blocks are so small that a few thousand samples keep several of them busy.
/// @{
template <int threads_, int blocks, int words, int vectors_>
struct blocks_of {
    static constexpr int threads = threads_, blocks_per_multiprocessor = blocks, most_words = words;
    static constexpr int vectors(int) { return vectors_; }
};
template <int small_words, int large_words, int packed_words, tw::offset columns_from_>
struct small_blocks : tw::gpu::histogram_tuning {
    using small_table = blocks_of<64, 2, small_words, 2>;
    using large_table = blocks_of<96, 1, large_words, 4>;
    struct packed_table : blocks_of<64, 1, packed_words, 3> {
        static constexpr int most_between_flushes = 2000, repeating_lanes = 4;
        static constexpr int wanted_words = 0;
    };
    struct byte_columns : blocks_of<256, 1, 0, 3> {
        static constexpr int columns = 32;
    };
    struct byte_table : blocks_of<256, 2, 0, 1> {
        static constexpr int columns = 1;
    };
    struct no_table : tw::gpu::partition_tuning {
        static constexpr int threads = 64, blocks_per_multiprocessor = 1, items_per_thread = 16, loads_in_flight = 1;
        static constexpr int counting_threads = 64, log2_most_cells = 6, most_buckets = 16;
        static constexpr tw::offset least_samples = 1000;
    };
    static constexpr tw::offset columns_from = columns_from_;
    static constexpr int clearing_threads = 64;
};
inline constexpr int any_words = std::numeric_limits<int>::max();
struct in_small_table : small_blocks<any_words, 0, 0, any_words> {
    static constexpr char const* name = "in a small table";
};
struct in_large_table : small_blocks<0, any_words, 0, 0> {
    static constexpr char const* name = "in a large table";
    static constexpr bool dependent_launches = false, copies_tables = false;
};
struct in_packed_table : small_blocks<0, 0, any_words, 0> {
    static constexpr char const* name = "in a packed table";
};
struct in_no_table : small_blocks<0, 0, 0, any_words> {
    static constexpr char const* name = "in no table";
};
/// @}

/// Calls `check(tuning)` for every kernel; in the interpreter, schedules take turns with them.
template <class Check>
void by_every_kernel(Check check)
{
    std::size_t index = 0;
    auto const maybe_check = [&](auto tuning) {
        if (on_device::leaves_to_other_schedule(index++))
            return;
        SCOPED_TRACE(decltype(tuning)::name);
        check(tuning);
    };
    maybe_check(in_small_table());
    maybe_check(in_large_table());
    maybe_check(in_packed_table());
    maybe_check(in_no_table());
}

/// What the cells of an axis have to count.
template <class Axis, class Samples>
std::vector<std::uint64_t> counted(Axis const& axis, Samples const& samples)
{
    std::vector<std::uint64_t> counts(static_cast<std::size_t>(axis.extent()));
    for (auto const& sample : samples)
        if (auto const cell = axis.index(sample); cell >= 0 && cell < axis.extent())
            ++counts[static_cast<std::size_t>(cell)];
    return counts;
}

/// A histogram on the device, by a kernel of choice.
template <class Tuning, class Policy, class Input, class Axis, class Counter>
void count(Policy const& policy, Input const& input, std::size_t size, Axis const& axis, Counter* counts,
           bool adds = false)
{
    tw::gpu::histogram<Tuning>(adds ? "histogram_add" : "histogram", policy, input, static_cast<tw::offset>(size),
                               tw::axis_view(axis), counts, adds);
}

/// Counters that have something else in them, with others on both sides.
template <class Counter>
class guarded {
public:
    explicit guarded(std::size_t size) : size_(size), all_(std::vector<Counter>(size + 2, old)) {}
    Counter* data() const { return all_.data() + 1; }
    static constexpr Counter old = 77;

    /// Compares them with what was counted, and with what they have beside them.
    void expect(std::vector<std::uint64_t> const& expected, std::uint64_t before = 0) const
    {
        auto const found = all_.values(size_ + 2);
        ASSERT_EQ(expected.size(), size_);
        EXPECT_EQ(found.front(), old);
        EXPECT_EQ(found.back(), old);
        for (std::size_t i = 0; i < size_; ++i)
            if (found[i + 1] != static_cast<Counter>(expected[i] + before)) {
                ADD_FAILURE() << "cell " << i << " of " << size_ << " has " << found[i + 1] << " instead of "
                              << expected[i] + before;
                return;
            }
    }
    void reset() const { all_.assign(std::vector<Counter>(size_ + 2, old)); }

private:
    std::size_t size_;
    device_array<Counter> all_;
};

/// Counts the first of some samples by every kernel, which begin some bytes after what the allocation is aligned for.
template <class Counter = unsigned, class E, class Axis>
void expect_counted(std::vector<E> const& samples, Axis const& axis, std::vector<std::size_t> const& sizes,
                    std::size_t misalignment = 0)
{
    device_array<E> const device_copy(samples, misalignment);
    guarded<Counter> const counts(static_cast<std::size_t>(axis.extent()));
    by_every_kernel([&](auto tuning) {
        for (std::size_t const size : sizes) {
            SCOPED_TRACE(testing::Message()
                         << size << " samples of " << sizeof(E) << " bytes, off by " << misalignment);
            auto const expected =
                counted(axis, std::vector<E>(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(size)));
            counts.reset();
            count<decltype(tuning)>(tw::device, device_copy.data(), size, axis, counts.data());
            counts.expect(expected);
            counts.reset();
            count<decltype(tuning)>(tw::device, device_copy.data(), size, axis, counts.data(), true);
            counts.expect(expected, counts.old);
        }
    });
}

/// Numbers from all over a type, and, as often, from a few.
template <class E>
std::vector<E> some_samples(std::size_t count, double lower, double upper)
{
    std::mt19937 random(static_cast<unsigned>(5 + on_device::variation()));
    std::vector<E> samples;
    while (samples.size() < count) {
        double const part = static_cast<double>(random() % 10001) / 10000;
        double value = lower + (upper - lower) * part;
        if (random() % 4 == 0)
            value = lower + (upper - lower) * 0.25; // the same again
        if (random() % 16 == 0)
            value = lower + (upper - lower) * (part * 3 - 1); // outside as well
        if constexpr (std::is_integral_v<E>) {
            value = std::max(value, static_cast<double>(std::numeric_limits<E>::lowest()));
            value = std::min(value, static_cast<double>(std::numeric_limits<E>::max() / 2 + 1));
        } else if (random() % 64 == 0) {
            value = random() % 2 == 0 ? std::nan("") : random() % 2 == 0 ? HUGE_VAL : -HUGE_VAL;
        }
        samples.insert(samples.end(), 1 + (random() % 8 == 0) * 20, static_cast<E>(value));
    }
    samples.resize(count);
    return samples;
}

/// Sizes around vectors and batches of the kernels, and some for several blocks.
inline std::vector<std::size_t> some_sizes(std::size_t most)
{
    std::vector<std::size_t> sizes = {0, 1, 2, 15, 16, 17, 31, 33, 47, 48, 49, 255, 257, 1023, 1024, 1025};
    for (std::size_t size = 1531; size <= most; size = size * 7 / 4)
        sizes.push_back(size);
    sizes.push_back(most);
    return sizes;
}

/// (The members of the standard's pair are for the host.)
template <class A, class B>
struct own_pair {
    A a;
    B b;
};
template <std::size_t i, class A, class B>
TILEWISE_PORTABLE auto get(own_pair<A, B> const& pair)
{
    if constexpr (i == 0)
        return pair.a;
    else
        return pair.b;
}

/// Every combination of options.
inline constexpr tw::axis_options all_options[] = {{tw::flow::drop, false},  {tw::flow::bins, false},
                                                   {tw::flow::clamp, false}, {tw::flow::drop, true},
                                                   {tw::flow::bins, true},   {tw::flow::clamp, true}};

} // namespace histogram_kernels
