// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Segments over ranks that each use the GPU: the bits that one rank gives under seq.
#include "../distributed/ranks.hpp"
#include "rank_elements.hpp"
#include "same_bits.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace {

using ranks::elements, ranks::memory, ranks::memory_on, ranks::part_of, ranks::expect_same;
using ranks::random_segments, ranks::segments;
using tw::offset;

/// Expects the bits that one rank gives under seq: of reductions on all ranks, and of scans, also in place.
template <class T, class E, class Op>
void expect_bits_of_one_range(std::vector<E> const& x, segments const& of, std::vector<std::size_t> const& cuts, T init,
                              T other, Op op)
{
    auto const begins = of.begins.begin(), begins_last = of.begins.end(), ends = of.ends.begin();
    std::vector<T> reduced(of.begins.size(), init), inclusive(x.size(), other), exclusive(x.size(), other);
    std::vector<E> in_place(x);
    tw::segmented_reduce(x.begin(), begins, begins_last, ends, reduced.begin(), init, op);
    tw::segmented_inclusive_scan(x.begin(), begins, begins_last, ends, inclusive.begin(), op, init);
    tw::segmented_exclusive_scan(x.begin(), begins, begins_last, ends, exclusive.begin(), init, op);
    if constexpr (std::is_same_v<E, T>)
        tw::segmented_inclusive_scan(in_place.begin(), begins, begins_last, ends, in_place.begin(), op);
    ranks::on_each_rank(cuts, [&](auto& communicator, std::size_t begin, std::size_t end) {
        auto const on =
            tw::distributed(communicator, tw::device).at(static_cast<offset>(begin), static_cast<offset>(x.size()));
        T const own_init = communicator.rank() == 0 ? init : other;
        elements<E> own(part_of(x, begin, end), memory_on(communicator));
        elements<offset> own_begins(of.begins, memory_on(communicator, 2)), own_ends(of.ends, memory_on(communicator));
        elements<T> results(std::vector<T>(reduced.size(), other), memory_on(communicator, 1));
        elements<T> scanned(std::vector<T>(end - begin, other), memory_on(communicator, 1));
        EXPECT_EQ(tw::segmented_reduce(on, own.data(), own_begins.data(), own_begins.end(), own_ends.data(),
                                       results.data(), own_init, op),
                  results.end());
        expect_same(results.values(), reduced);
        tw::segmented_inclusive_scan(on, own.data(), own_begins.data(), own_begins.end(), own_ends.data(),
                                     scanned.data(), op, own_init);
        expect_same(scanned.values(), part_of(inclusive, begin, end));
        tw::segmented_exclusive_scan(on, own.data(), own_begins.data(), own_begins.end(), own_ends.data(),
                                     scanned.data(), own_init, op);
        expect_same(scanned.values(), part_of(exclusive, begin, end));
        if constexpr (std::is_same_v<E, T>) {
            tw::segmented_inclusive_scan(on, own.data(), own_begins.data(), own_begins.end(), own_ends.data(),
                                         own.data(), op);
            expect_same(own.values(), part_of(in_place, begin, end));
        }
    });
}

/// Calls `use(x, segments, cuts)` with some elements that are divided among ranks.
template <class E, class Use>
void with_segments_over_ranks(std::mt19937& random, Use use)
{
    for (std::size_t const count :
         {std::size_t{0}, std::size_t{6}, on_device::amount<std::size_t>(1 << 20, 60'000, 25'000)}) {
        auto const x = on_device::some_elements<E>(count / (sizeof(E) > 8 ? 8 : 1));
        use(x, random_segments(x.size(), 300, random), ranks::few_cuts_of(x.size(), random, 3));
    }
}

DEVICE_TEST(segments_on_gpus, have_the_bits_of_one_range_of_numbers)
{
    ranks::emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    with_segments_over_ranks<float>(random, [](auto const& x, auto const& of, auto const& cuts) {
        expect_bits_of_one_range(x, of, cuts, 0.5f, 7.0f, std::plus<>());
    });
    with_segments_over_ranks<std::int8_t>(random, [](auto const& x, auto const& of, auto const& cuts) {
        expect_bits_of_one_range(x, of, cuts, 0.25, 7.0, std::plus<>());
    });
}

DEVICE_TEST(segments_on_gpus, have_the_values_of_one_range_of_integers)
{
    ranks::emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation() + 1));
    with_segments_over_ranks<std::int32_t>(random, [](auto const& x, auto const& of, auto const& cuts) {
        expect_bits_of_one_range(x, of, cuts, std::int32_t{5}, std::int32_t{1000}, std::plus<>());
        expect_bits_of_one_range(x, of, cuts, std::int64_t{-5}, std::int64_t{1000}, tw::maximum<>());
    });
}

DEVICE_TEST(segments_on_gpus, may_have_values_that_do_not_commute)
{
    using words = values::words<std::uint64_t, 3>;
    ranks::emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation() + 2));
    with_segments_over_ranks<words>(random, [](auto const& x, auto const& of, auto const& cuts) {
        expect_bits_of_one_range(x, of, cuts, words(77), words(5), values::compose{});
    });
}

DEVICE_TEST(segments_on_gpus, may_span_all_ranks)
{
    ranks::emptied_caches const at_end;
    std::size_t const count = on_device::amount<std::size_t>(1 << 22, 100'000, 60'000);
    auto const x = on_device::some_elements<float>(count);
    expect_bits_of_one_range(x, {{0}, {static_cast<offset>(count)}}, {0, count / 3 + 5, count / 3 + 5, count}, 0.5f,
                             7.0f, std::plus<>());
    expect_bits_of_one_range(x, {{3}, {static_cast<offset>(count) - 1}}, {0, 2, count / 4 * 3, count}, 0.5f, 7.0f,
                             std::plus<>());
}

DEVICE_TEST(segments_on_gpus, may_overlap_where_they_are_reduced)
{
    ranks::emptied_caches const at_end;
    auto const x = on_device::some_elements<float>(10'000);
    std::vector<int> const begins{0, 5, 4000, 2, 9999}, ends{10'000, 9'000, 6000, 2, 10'000};
    std::vector<float> expected(5);
    tw::segmented_reduce(x.begin(), begins.begin(), begins.end(), ends.begin(), expected.begin());
    ranks::on_each_rank({0, 3000, 5001, 10'000}, [&](auto& communicator, std::size_t begin, std::size_t end) {
        elements<float> own(part_of(x, begin, end), memory_on(communicator));
        std::vector<float> sums(5);
        tw::segmented_reduce(tw::distributed(communicator, tw::device).at(static_cast<offset>(begin), 10'000),
                             own.data(), begins.data(), begins.data() + 5, ends.data(), sums);
        expect_same(sums, expected);
    });
}

#ifndef __CUDACC__

/// A rank that has two parts of segments makes two calls at a time, each of which makes the device current.
DEVICE_TEST(segments_on_gpus, leave_the_current_device)
{
    ranks::emptied_caches const at_end;
    simt::runtime::set_devices({{}, {}});
    auto const x = on_device::some_elements<float>(300);
    std::vector<int> const offsets{0, 150, 300};
    std::vector<float> expected(300), scanned(300);
    tw::segmented_inclusive_scan(x, offsets, expected);
    ranks::on_each_rank({0, 100, 200, 300}, [&](auto& communicator, std::size_t begin, std::size_t end) {
        on_device::expect_success(cudaSetDevice(1));
        cudaStream_t stream = nullptr;
        on_device::expect_success(cudaStreamCreate(&stream));
        on_device::expect_success(cudaSetDevice(0));
        auto const on = tw::distributed(communicator, tw::device.on(stream)).at(static_cast<offset>(begin), 300);
        std::vector<float> const own = part_of(x, begin, end);
        tw::segmented_inclusive_scan(on, own.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                     scanned.begin() + static_cast<offset>(begin));
        int current = -1;
        on_device::expect_success(cudaGetDevice(&current));
        EXPECT_EQ(current, 0);
        on_device::expect_success(cudaStreamDestroy(stream));
    });
    expect_same(scanned, expected);
}

#endif

} // namespace
