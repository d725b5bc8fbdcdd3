// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../distributed/ranks.hpp"
#include "computed.hpp"
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
#include <span>
#include <vector>

namespace {

using ranks::elements, ranks::emptied_caches, ranks::few_cuts_of, ranks::memory, ranks::memory_on, ranks::part_of;

struct is_odd {
    TILEWISE_PORTABLE bool operator()(std::int32_t x) const { return x % 2 != 0; }
};

/// What ranks that each use the GPU make of integers, which may be combined in any order.
DEVICE_TEST(ranks_on_a_gpu, have_the_values_of_one_range)
{
    emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    for (std::size_t const count :
         {std::size_t{0}, std::size_t{5}, on_device::amount<std::size_t>(1 << 20, 30'000, 9000)}) {
        std::vector<std::int32_t> x(count), scanned(count), expected(count);
        for (auto& value : x)
            value = static_cast<std::int32_t>(random() % 2000) - 1000;
        auto const sum = tw::reduce(x, std::int64_t{7});
        auto const largest = tw::reduce(x, -2000, tw::maximum<>());
        auto const odd = tw::count_if(x, is_odd());
        tw::inclusive_scan(x, expected, std::plus<>(), 3);
        ranks::on_each_rank(
            ranks::cuts_of(count, 1024, random), [&](auto& communicator, std::size_t begin, std::size_t end) {
                std::vector<std::int32_t> const own(x.data() + begin, x.data() + end);
                on_device::device_array<std::int32_t> const device_copy(own), out(own.size());
                std::span<std::int32_t const> const elements(device_copy.data(), own.size());
                auto const on = tw::distributed(communicator, tw::device);
                std::int32_t const other = communicator.rank() == 0 ? 3 : 100; // rank 0's init counts
                EXPECT_EQ(tw::reduce(on, elements, std::int64_t{7}), sum);
                EXPECT_EQ(tw::reduce(on, elements, -2000, tw::maximum<>()), largest);
                EXPECT_EQ(tw::count_if(on, elements, is_odd()), odd);
                EXPECT_EQ(tw::inclusive_scan(on, device_copy.data(), device_copy.data() + own.size(), out.data(),
                                             std::plus<>(), other),
                          out.data() + own.size());
                auto const results = out.values(own.size());
                std::copy(results.begin(), results.end(), scanned.begin() + static_cast<std::ptrdiff_t>(begin));
            });
        EXPECT_EQ(scanned, expected);
    }
}

std::vector<std::size_t> const sizes{0, 5, on_device::amount<std::size_t>(1 << 20, 30'000, 5000)};

/// Expects the bits that one rank gives under seq, from every rank, returned and written.
template <class T, class E, class Op>
void expect_one_value(std::vector<E> const& x, T init, T other, Op op, std::mt19937& random)
{
    T const expected = tw::reduce(x, init, op);
    ranks::on_each_rank(few_cuts_of(x.size(), random), [&](auto& communicator, std::size_t begin, std::size_t end) {
        elements<E> own(part_of(x, begin, end), memory_on(communicator));
        elements<T> written(std::vector<T>{other, other}, memory_on(communicator, 1));
        auto const on = tw::distributed(communicator, tw::device);
        T const own_init = communicator.rank() == 0 ? init : other; // rank 0's counts
        EXPECT_TRUE(on_device::same_bits(tw::reduce(on, own.data(), own.end(), own_init, op), expected));
        EXPECT_EQ(tw::reduce_into(on, own.data(), own.end(), written.data(), own_init, op), written.data() + 1);
        EXPECT_TRUE(on_device::same_bits(written.values()[0], expected));
        EXPECT_TRUE(on_device::same_bits(written.values()[1], other));
    });
}

/// Expects the bits that one rank gives under seq, written to memory of any kind and in place.
template <tw::scan_form form, class T, class E, class Op>
void expect_one_scan(std::vector<E> const& x, T init, T other, Op op, std::mt19937& random)
{
    std::vector<T> expected(x.size(), init), results(expected), in_place(expected);
    auto const scan = [&](auto const& policy, auto const& first, auto const& last, auto const& out, T own_init) {
        if constexpr (form == tw::scan_form::inclusive)
            return tw::inclusive_scan(policy, first, last, out, op, own_init);
        else
            return tw::exclusive_scan(policy, first, last, out, own_init, op);
    };
    scan(tw::seq, x.begin(), x.end(), expected.begin(), init);
    ranks::on_each_rank(few_cuts_of(x.size(), random), [&](auto& communicator, std::size_t begin, std::size_t end) {
        elements<E> own(part_of(x, begin, end), memory_on(communicator));
        elements<T> out(std::vector<T>(end - begin, other), memory_on(communicator, 1));
        auto const on = tw::distributed(communicator, tw::device);
        T const own_init = communicator.rank() == 0 ? init : other;
        EXPECT_EQ(scan(on, own.data(), own.end(), out.data(), own_init), out.end());
        auto const written = out.values();
        std::copy(written.begin(), written.end(), results.begin() + static_cast<std::ptrdiff_t>(begin));
        if constexpr (std::is_same_v<E, T>) {
            scan(on, own.data(), own.end(), own.data(), own_init);
            auto const device_copy = own.values();
            std::copy(device_copy.begin(), device_copy.end(), in_place.begin() + static_cast<std::ptrdiff_t>(begin));
        }
    });
    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_TRUE(on_device::same_bits(results[i], expected[i])) << i;
        ASSERT_TRUE((!std::is_same_v<E, T> || on_device::same_bits(in_place[i], expected[i]))) << i;
    }
}

/// An order of combination shows in the bits of sums of floats, and in what is not commutative.
DEVICE_TEST(ranks_on_a_gpu, have_the_bits_of_one_range)
{
    using words = values::words<std::uint64_t, 3>;
    constexpr auto inclusive = tw::scan_form::inclusive, exclusive = tw::scan_form::exclusive;
    emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    for (std::size_t const count : sizes) {
        expect_one_value(on_device::some_elements<float>(count), 0.5f, 7.0f, std::plus<>(), random);
        expect_one_value(on_device::some_elements<std::int8_t>(count), 0.25, 7.0, std::plus<>(), random);
        expect_one_value(on_device::some_elements<words>(count / 8), words(77), words(5), values::compose{}, random);
        expect_one_scan<inclusive>(on_device::some_elements<float>(count), 0.5f, 7.0f, std::plus<>(), random);
        expect_one_scan<exclusive>(on_device::some_elements<std::int8_t>(count), 0.25, 7.0, std::plus<>(), random);
        expect_one_scan<exclusive>(on_device::some_elements<words>(count / 8), words(77), words(5), values::compose{},
                                   random);
    }
}

/// Elements that are computed from two ranges.
DEVICE_TEST(ranks_on_a_gpu, have_one_inner_product)
{
    emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    auto const x = on_device::some_elements<float>(sizes.back()), y = on_device::some_elements<float>(x.size() + 1);
    float const expected = tw::transform_reduce(x.begin(), x.end(), y.begin() + 1, 1.0f);
    ranks::on_each_rank(few_cuts_of(x.size(), random), [&](auto& communicator, std::size_t begin, std::size_t end) {
        elements<float> left(part_of(x, begin, end), memory::device),
            right(part_of(y, begin + 1, end + 1), memory::device);
        auto const on = tw::distributed(communicator, tw::device);
        EXPECT_TRUE(on_device::same_bits(
            tw::transform_reduce(on, left.data(), left.end(), right.data(), communicator.rank() == 0 ? 1.0f : 9.0f),
            expected));
    });
}

template <class Counter, class Sample, class Axis>
void expect_one_histogram(std::vector<Sample> const& x, Axis const& axis, std::mt19937& random)
{
    auto const cells = static_cast<std::size_t>(axis.extent());
    std::vector<Counter> const before(cells + 1, 7);
    std::vector<Counter> expected(before), expected_more(before);
    tw::histogram(x, axis, expected);
    tw::histogram_add(x, axis, expected_more);
    ranks::on_each_rank(few_cuts_of(x.size(), random), [&](auto& communicator, std::size_t begin, std::size_t end) {
        elements<Sample> own(part_of(x, begin, end), memory_on(communicator));
        elements<Counter> counts(before, memory_on(communicator, 1)), more(before, memory_on(communicator, 2));
        auto const on = tw::distributed(communicator, tw::device);
        EXPECT_EQ(tw::histogram(on, own.data(), own.end(), axis, counts.data()), counts.data() + cells);
        EXPECT_EQ(counts.values(), expected);
        EXPECT_EQ(tw::histogram_add(on, own.data(), own.end(), axis, more.data()), more.data() + cells);
        EXPECT_EQ(more.values(), expected_more);

        auto const cuts = tw::even_partition<std::uint64_t>(static_cast<tw::offset>(cells), communicator.size());
        auto const rank = static_cast<std::size_t>(communicator.rank());
        auto const first = static_cast<std::size_t>(cuts[rank]), last = static_cast<std::size_t>(cuts[rank + 1]);
        elements<Counter> scattered(part_of(before, first, last), memory_on(communicator, 1));
        tw::histogram_add(on.scattered(), own.data(), own.end(), axis, scattered.data());
        EXPECT_EQ(scattered.values(), part_of(expected_more, first, last));
    });
}

DEVICE_TEST(ranks_on_a_gpu, have_the_counts_of_one_range)
{
    emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    for (std::size_t const count : sizes) {
        std::vector<float> x(count);
        std::vector<std::uint8_t> bytes(count);
        for (std::size_t i = 0; i < count; ++i) {
            x[i] = static_cast<float>(random() % 4000) / 1000 - 1;
            bytes[i] = static_cast<std::uint8_t>(random());
        }
        expect_one_histogram<std::uint32_t>(x, tw::regular_axis(100, 0.0f, 2.0f, {.flow = tw::flow::bins}), random);
        expect_one_histogram<std::int64_t>(bytes, tw::integer_axis(0, 256), random);
    }
}

DEVICE_TEST(ranks_on_a_gpu, have_the_sums_of_keys_of_one_range)
{
    emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    for (std::size_t const count : sizes) {
        constexpr int cells = 37;
        std::vector<std::int16_t> keys(count);
        std::vector<std::int32_t> values(count);
        for (std::size_t i = 0; i < count; ++i) {
            keys[i] = static_cast<std::int16_t>(random() % 40) - 1; // some have no cell
            values[i] = static_cast<std::int32_t>(random() % 2000) - 1000;
        }
        std::vector<std::int64_t> sums(cells), weights(cells);
        std::vector<std::int32_t> largest(cells);
        tw::reduce_by_index(keys, values, cells, sums, std::int64_t{5});
        tw::reduce_by_index(keys, values, cells, largest, -500, tw::maximum<>());
        tw::weighted_histogram(keys, values, tw::integer_axis(0, cells), weights);
        ranks::on_each_rank(few_cuts_of(count, random, 3), [&](auto& communicator, std::size_t begin, std::size_t end) {
            elements<std::int16_t> own_keys(part_of(keys, begin, end), memory_on(communicator));
            elements<std::int32_t> own(part_of(values, begin, end), memory_on(communicator, 1));
            elements<std::int64_t> own_sums(std::vector<std::int64_t>(cells), memory_on(communicator, 2));
            elements<std::int64_t> own_weights(std::vector<std::int64_t>(cells), memory_on(communicator));
            elements<std::int32_t> own_largest(std::vector<std::int32_t>(cells), memory_on(communicator, 1));
            auto const on = tw::distributed(communicator, tw::device);
            bool const is_first = communicator.rank() == 0; // whose init counts
            EXPECT_EQ(tw::reduce_by_index(on, own_keys.data(), own_keys.end(), own.data(), cells, own_sums.data(),
                                          std::int64_t{is_first ? 5 : 900}),
                      own_sums.end());
            EXPECT_EQ(own_sums.values(), sums);
            tw::reduce_by_index(on, own_keys.data(), own_keys.end(), own.data(), cells, own_largest.data(),
                                is_first ? -500 : 5000, tw::maximum<>());
            EXPECT_EQ(own_largest.values(), largest);
            tw::weighted_histogram(on, own_keys.data(), own_keys.end(), own.data(), tw::integer_axis(0, cells),
                                   own_weights.data());
            EXPECT_EQ(own_weights.values(), weights);
        });
    }
}

/// Expects the bits that one rank gives under seq, on every rank, for keys of which some have most values.
template <class T, class E, class Op>
void expect_one_result_per_key(std::size_t count, T init, T other, Op op, std::mt19937& random)
{
    for (int const cells : {1, 3, 700}) {
        std::vector<int> keys(count);
        for (int& key : keys)
            key = static_cast<int>(random() % 2 == 0 ? 0 : random() % static_cast<unsigned>(cells + 1)); // or no cell
        auto const x = on_device::some_elements<E>(count);
        std::vector<T> expected(static_cast<std::size_t>(cells), init);
        tw::reduce_by_index(keys, x, cells, expected, init, op);
        ranks::on_each_rank(few_cuts_of(count, random, 3), [&](auto& communicator, std::size_t begin, std::size_t end) {
            elements<int> own_keys(part_of(keys, begin, end), memory_on(communicator));
            elements<E> own(part_of(x, begin, end), memory_on(communicator, 1));
            elements<T> results(std::vector<T>(expected.size(), other), memory_on(communicator, 2));
            auto const on = tw::distributed(communicator, tw::device);
            EXPECT_EQ(tw::reduce_by_index(on, own_keys.data(), own_keys.end(), own.data(), cells, results.data(),
                                          communicator.rank() == 0 ? init : other, op),
                      results.end());
            ranks::expect_same(results.values(), expected);
        });
    }
}

DEVICE_TEST(ranks_on_a_gpu, have_the_bits_of_one_range_for_every_key)
{
    using words = values::words<std::uint64_t, 3>;
    emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    for (std::size_t const count :
         {std::size_t{0}, std::size_t{9}, on_device::amount<std::size_t>(1 << 20, 60'000, 30'000)}) {
        expect_one_result_per_key<double, float>(count, 0.25, 7.0, std::plus<>(), random);
        expect_one_result_per_key<words, words>(count / 2, words(77), words(5), values::compose{}, random);
    }
}

DEVICE_TEST(ranks_on_a_gpu, have_the_weights_of_one_range)
{
    emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation() + 1));
    std::size_t const count = sizes.back();
    auto const x = on_device::some_elements<float>(count), weights = on_device::some_elements<float>(count);
    tw::regular_axis const axis(20, -1.0f, 1.0f, {.flow = tw::flow::bins});
    std::vector<float> expected(static_cast<std::size_t>(axis.extent()));
    tw::weighted_histogram(x, weights, axis, expected);
    ranks::on_each_rank(few_cuts_of(count, random, 3), [&](auto& communicator, std::size_t begin, std::size_t end) {
        elements<float> own(part_of(x, begin, end), memory_on(communicator));
        elements<float> own_weights(part_of(weights, begin, end), memory_on(communicator, 1));
        elements<float> sums(std::vector<float>(expected.size()), memory_on(communicator, 2));
        auto const on = tw::distributed(communicator, tw::device);
        tw::weighted_histogram(on, own.data(), own.end(), own_weights.data(), axis, sums.data());
        EXPECT_EQ(sums.values(), expected);
    });
}

/// An element of a range, in 12 bytes, of which one is compared.
struct position_and_height {
    std::int32_t x, y, height;
};
struct lower {
    TILEWISE_PORTABLE bool operator()(position_and_height const& a, position_and_height const& b) const
    {
        return a.height < b.height;
    }
};

/// Squares of the distance from a position.
struct distance_from {
    std::ptrdiff_t middle;
    TILEWISE_PORTABLE std::int64_t operator()(std::ptrdiff_t i) const { return (i - middle) * (i - middle); }
};

DEVICE_TEST(ranks_on_a_gpu, find_what_one_finds_in_the_whole_range)
{
    emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    for (std::size_t const count : sizes) {
        std::vector<std::int32_t> x(count);
        std::vector<position_and_height> positions(count);
        for (std::size_t i = 0; i < count; ++i) {
            x[i] = static_cast<std::int32_t>(random() % 50); // with many equal ones
            positions[i] = {static_cast<std::int32_t>(i), 0, static_cast<std::int32_t>(random() % 1000)};
        }
        auto const middle = static_cast<std::ptrdiff_t>(count / 2);
        values::computed<distance_from> const first{0, {middle}}, last{static_cast<std::ptrdiff_t>(count), {middle}};
        auto const [smallest, largest] = std::minmax_element(x.begin(), x.end());
        auto const lowest = std::min_element(positions.begin(), positions.end(), lower());
        auto const nearest = std::min_element(first, last) - first;
        auto const cuts = few_cuts_of(count, random);
        ranks::on_each_rank(cuts, [&, smallest = smallest - x.begin(), largest = largest - x.begin(),
                                   earliest = std::max_element(x.begin(), x.end()) - x.begin(),
                                   lowest = lowest - positions.begin()](auto& communicator, std::size_t begin,
                                                                        std::size_t end) {
            elements<std::int32_t> own(part_of(x, begin, end), memory_on(communicator));
            elements<position_and_height> own_positions(part_of(positions, begin, end), memory_on(communicator, 1));
            auto const on = tw::distributed(communicator, tw::device);
            auto const expect = [&](tw::rank_position const& found, std::ptrdiff_t expected) {
                if (count == 0) {
                    EXPECT_EQ(found, tw::rank_position());
                    return;
                }
                auto const of_rank = std::upper_bound(cuts.begin(), cuts.end(), static_cast<std::size_t>(expected)) - 1;
                EXPECT_EQ(found.index, expected);
                EXPECT_EQ(found.rank, of_rank - cuts.begin());
                EXPECT_EQ(found.local, expected - static_cast<std::ptrdiff_t>(*of_rank));
            };
            expect(tw::min_element(on, own.data(), own.end()), smallest);
            expect(tw::max_element(on, own.data(), own.end()), earliest);
            auto const both = tw::minmax_element(on, own.data(), own.end());
            expect(both.first, smallest);
            expect(both.second, largest);
            expect(tw::min_element(on, own_positions.data(), own_positions.end(), lower()), lowest);
            expect(tw::min_element(on, first + static_cast<std::ptrdiff_t>(begin),
                                   first + static_cast<std::ptrdiff_t>(end)),
                   nearest);
        });
    }
}

} // namespace
