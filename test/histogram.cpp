// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/histogram.hpp>

#include "histogram_specification.hpp"
#include "values.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <forward_list>
#include <iterator>
#include <limits>
#include <list>
#include <mutex>
#include <numeric>
#include <ranges>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;
using tw::flow;

std::vector<double> const samples{0.1, 0.9, 0.6, -1, 0.7, 1, 0.1};
tw::regular_axis<double> const halves(2, 0.0, 1.0);
std::vector<double> const edges{0, 0.5, 1};

/// Enough samples for par to use threads.
constexpr std::size_t many = 300'017;

/// Calls `check(policy)` for both policies, and for par with more threads than cores.
template <class Check>
void with_policies(Check check)
{
    check(tw::seq);
    check(tw::par);
    tbb::global_control const allow(tbb::global_control::max_allowed_parallelism, 8);
    tbb::task_arena(8).execute([&] { check(tw::par); });
}

/// The counts that a call makes of so many cells, and the end that it returns.
template <class Call>
std::vector<int> counts_of(std::size_t cells, Call call)
{
    std::vector<int> counts(cells, 100);
    EXPECT_EQ(call(counts.begin()), counts.end());
    return counts;
}

TEST(histogram, takes_iterators_or_a_range_with_every_policy)
{
    std::list<double> const list(samples.begin(), samples.end());
    double const array[]{0.1, 0.9};
    auto const check = [&](auto call) { EXPECT_THAT(counts_of(2, call), ElementsAre(2, 3)); };
    check([&](auto out) { return tw::histogram(samples.begin(), samples.end(), halves, out); });
    check([&](auto out) { return tw::histogram(samples, halves, out); });
    check([&](auto out) { return tw::histogram(list, halves, out); });
    with_policies([&](auto policy) {
        check([&](auto out) { return tw::histogram(policy, samples.begin(), samples.end(), halves, out); });
        check([&](auto out) { return tw::histogram(policy, samples, halves, out); });
        check([&](auto out) { return tw::histogram(policy, list.begin(), list.end(), halves, out); });
        check([&](auto out) { return tw::histogram(policy, list, halves, out); });
        check([&](auto out) { return tw::histogram(policy, std::span(samples), halves, out); });
        EXPECT_THAT(counts_of(2, [&](auto out) { return tw::histogram(policy, array, halves, out); }),
                    ElementsAre(1, 1));
    });
    EXPECT_THAT(counts_of(2, [&](auto out) { return tw::histogram(array, halves, out); }), ElementsAre(1, 1));
}

TEST(histogram, has_thin_forms_for_bins_of_equal_width_and_for_edges)
{
    double const array[]{0, 0.5, 1};
    auto const check = [&](auto call) { EXPECT_THAT(counts_of(2, call), ElementsAre(2, 3)); };
    check([&](auto out) { return tw::histogram(samples.begin(), samples.end(), 2, 0, 1, out); });
    check([&](auto out) { return tw::histogram(samples, 2u, 0.0f, 1.0, out); });
    check([&](auto out) { return tw::histogram(samples.begin(), samples.end(), edges.begin(), edges.end(), out); });
    check([&](auto out) { return tw::histogram(samples.begin(), samples.end(), array, array + 3, out); });
    check([&](auto out) { return tw::histogram(samples, edges, out); });
    check([&](auto out) { return tw::histogram(samples, array, out); });
    with_policies([&](auto policy) {
        check([&](auto out) { return tw::histogram(policy, samples.begin(), samples.end(), 2, 0, 1, out); });
        check([&](auto out) { return tw::histogram(policy, samples, std::int64_t{2}, 0.0, 1, out); });
        check([&](auto out) {
            return tw::histogram(policy, samples.begin(), samples.end(), edges.begin(), edges.end(), out);
        });
        check([&](auto out) { return tw::histogram(policy, samples, edges, out); });
    });
}

TEST(histogram, reads_a_stream_once)
{
    std::istringstream text("1 2 1 7 0 1");
    std::vector<int> counts(3);
    tw::histogram(std::istream_iterator<int>(text), std::istream_iterator<int>(), tw::integer_axis(0, 3),
                  counts.begin());
    EXPECT_THAT(counts, ElementsAre(1, 3, 1));
    values::single_pass::state stream{values::seeds(5000)};
    std::vector<std::uint64_t> of_stream(10);
    tw::histogram(tw::seq, values::single_pass(stream), values::single_pass(), 10, 0u, 4294967295u, of_stream.begin());
    std::vector<std::uint64_t> expected(10);
    tw::histogram(stream.elements, 10, 0u, 4294967295u, expected.begin());
    EXPECT_EQ(of_stream, expected);
    EXPECT_EQ(std::accumulate(expected.begin(), expected.end(), std::uint64_t{0}), 5000);
}

TEST(histogram, writes_through_an_output_iterator)
{
    std::vector<std::uint64_t> counts;
    with_policies([&](auto policy) {
        counts.clear();
        tw::histogram(policy, samples, halves, std::back_inserter(counts));
        EXPECT_THAT(counts, ElementsAre(2, 3));
    });
    std::ostringstream text;
    tw::histogram(samples, halves, std::ostream_iterator<std::uint64_t>(text, " "));
    EXPECT_EQ(text.str(), "2 3 ");
    std::forward_list<short> list(2);
    EXPECT_EQ(tw::histogram(tw::par, samples, halves, list.begin()), list.end());
    EXPECT_THAT(list, ElementsAre(2, 3));
}

TEST(histogram, of_an_empty_range_is_zero_and_touches_no_iterator)
{
    auto const check = [](auto policy, auto it) {
        std::vector<int> counts{7, 7};
        tw::histogram(policy, it, it, halves, counts.begin());
        EXPECT_THAT(counts, ElementsAre(0, 0));
        counts = {7, 8};
        tw::histogram_add(policy, it, it, halves, counts.begin());
        EXPECT_THAT(counts, ElementsAre(7, 8));
    };
    check(tw::seq, values::untouchable<std::input_iterator_tag>{});
    with_policies([&](auto policy) {
        check(policy, values::untouchable<std::forward_iterator_tag>{});
        check(policy, values::untouchable<std::random_access_iterator_tag>{});
        check(policy, static_cast<double const*>(nullptr));
    });
}

TEST(histogram, flushes_counters_that_are_full)
{
    for (int const cells : {3, 3000})
        for (tw::offset const most : {1, 7, 100}) {
            std::vector<int> const numbers{2, -1, 0, 0, 2, 2, 1, 2, 2, -1, 0};
            tw::host::sub_histogram counted(cells, 3000, most);
            for (int i = 0; i < 9; ++i)
                counted.count(numbers.data(), static_cast<tw::offset>(numbers.size()));
            counted.add(1, std::uint64_t{1} << 40);
            EXPECT_EQ(counted.number_of(0), 27);
            EXPECT_EQ(counted.number_of(1), (std::uint64_t{1} << 40) + 9);
            EXPECT_EQ(counted.number_of(2), 45);
        }
}

TEST(histogram_add, adds_to_the_counters)
{
    std::list<double> const list(samples.begin(), samples.end());
    std::vector<int> counts{-1, 10};
    with_policies([&](auto policy) {
        counts = {-1, 10};
        EXPECT_EQ(tw::histogram_add(policy, samples.begin(), samples.end(), halves, counts.begin()), counts.end());
        EXPECT_THAT(counts, ElementsAre(1, 13));
        tw::histogram_add(policy, samples, halves, counts.begin());
        EXPECT_THAT(counts, ElementsAre(3, 16));
        tw::histogram_add(policy, list, halves, counts.begin());
        EXPECT_THAT(counts, ElementsAre(5, 19));
    });
    tw::histogram_add(samples.begin(), samples.end(), halves, counts.begin());
    tw::histogram_add(samples, halves, counts.begin());
    EXPECT_THAT(counts, ElementsAre(9, 25));
}

template <class Counter>
class HistogramCounters : public testing::Test {};
using counter_types =
    testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int, unsigned, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(HistogramCounters, counter_types);

TYPED_TEST(HistogramCounters, count_modulo_their_range)
{
    std::vector<float> const ones(70'003, 1), twos(200'000, 2);
    with_policies([&](auto policy) {
        std::vector<TypeParam> counts(4, 42);
        tw::histogram(policy, ones, tw::integer_axis(0, 4), counts.data());
        EXPECT_THAT(counts, ElementsAre(0, static_cast<TypeParam>(70'003), 0, 0));
        tw::histogram_add(policy, twos, tw::integer_axis(0, 4), counts.data());
        tw::histogram_add(policy, ones, tw::integer_axis(0, 4), counts.data());
        EXPECT_THAT(counts, ElementsAre(0, static_cast<TypeParam>(140'006), static_cast<TypeParam>(200'000), 0));
        counts.assign(4, std::numeric_limits<TypeParam>::max());
        tw::histogram_add(policy, ones.begin(), ones.begin() + 1, tw::integer_axis(0, 4), counts.data());
        EXPECT_EQ(counts[1], std::numeric_limits<TypeParam>::min());
        EXPECT_EQ(counts[2], std::numeric_limits<TypeParam>::max());
    });
}

/// Samples that cover an axis of so many bins from 0 on and a little more on both sides, in no order.
template <class Sample>
std::vector<Sample> realigned(std::size_t count, double bins)
{
    std::vector<Sample> result;
    for (unsigned const seed : values::seeds(count))
        result.push_back(static_cast<Sample>(seed * (1.1 * bins) / 4294967296.0 - 0.05 * bins));
    return result;
}

/// Expects of both policies what the specification counts.
template <class Samples, class Axis, class Edge>
void expect_counts(Samples const& input, Axis const& axis, std::vector<Edge> const& its_edges, tw::axis_options options)
{
    auto expected = specification::histogram(input, its_edges, options);
    expected.push_back(77); // what stands behind them
    with_policies([&](auto policy) {
        std::vector<std::uint64_t> counts(expected.size(), 77);
        tw::histogram(policy, std::ranges::begin(input), std::ranges::end(input), axis, counts.begin());
        ASSERT_EQ(counts, expected);
    });
}

TEST(histogram, agrees_with_the_specification_for_all_numbers_of_samples)
{
    for (auto const options : {tw::axis_options{}, {flow::bins, true}, {flow::clamp, false}}) {
        tw::regular_axis const axis(10, 0.0f, 10.0f, options);
        for (int const count :
             {1, 2, 3, 4, 5, 7, 511, 512, 513, 1023, 1024, 1029, 2047, 2048, 2049, 65535, 65536, 98305}) {
            auto const input = realigned<float>(static_cast<std::size_t>(count), 10);
            expect_counts(input, axis, axis.edges(), options);
        }
    }
}

TEST(histogram, counts_samples_of_any_type_in_any_axis)
{
    for (auto const options : {tw::axis_options{}, {flow::bins, true}, {flow::clamp, true}}) {
        auto const check = [&](auto sample, std::size_t count) {
            auto const input = realigned<decltype(sample)>(count, 100);
            tw::regular_axis const regular(10, 0.0, 100.0, options);
            expect_counts(input, regular, regular.edges(), options);
            tw::regular_axis const own_type(10, 0.0f, 100.0f, options);
            expect_counts(input, own_type, own_type.edges(), options);
            tw::integer_axis const integers(40, 60, options);
            expect_counts(input, integers, integers.edges(), options);
            tw::variable_axis const variable({0.0, 10.5, 20.25, 70.0}, options);
            expect_counts(input, variable, variable.edges(), options);
        };
        for (std::size_t const count : std::vector<std::size_t>{100, 5000, 70'001}) {
            if (count > 5000 && options.flow != flow::bins)
                continue;
            check(float{}, count);
            check(double{}, count);
            check(short{}, count);
            check(std::int8_t{}, count);
            check(std::int64_t{}, count);
        }
    }
}

TEST(histogram, counts_bytes_of_every_type_and_value)
{
    auto const check = [](auto byte) {
        using B = decltype(byte);
        for (int const count : {100, 2047, 2048, 2049, 66'001}) {
            std::vector<B> input;
            for (unsigned const seed : values::seeds(static_cast<std::size_t>(count)))
                input.push_back(static_cast<B>(seed >> 16));
            for (auto const options : {tw::axis_options{}, {flow::bins, false}}) {
                tw::integer_axis const integers(-20, 40, options);
                expect_counts(input, integers, integers.edges(), options);
                tw::regular_axis const regular(7, -50.5, 130.0, options);
                expect_counts(input, regular, regular.edges(), options);
                expect_counts(std::list<B>(input.begin(), input.end()), regular, regular.edges(), options);
            }
        }
    };
    check(std::int8_t{});
    check(std::uint8_t{});
    check(char{});
    std::deque<bool> bools(many);
    for (std::size_t i = 0; i < many; ++i)
        bools[i] = i % 3 == 0;
    with_policies([&](auto policy) {
        std::vector<unsigned> counts(2);
        tw::histogram(policy, bools, tw::integer_axis(0, 2), counts.begin());
        EXPECT_THAT(counts, ElementsAre(many - (many + 2) / 3, (many + 2) / 3));
    });
    std::vector<bool> const packed{true, false, true};
    std::vector<unsigned> counts(2);
    tw::histogram(tw::par, packed, tw::integer_axis(0, 2), counts.begin());
    EXPECT_THAT(counts, ElementsAre(1, 2));
}

TEST(histogram, counts_in_any_number_of_cells)
{
    for (int const bins : {1, 2, 255, 2047, 2048, 2049, 16384, 70'000, 1'000'000}) {
        auto const input = realigned<float>(many, bins);
        std::vector<unsigned> expected(static_cast<std::size_t>(bins));
        for (float const x : input)
            if (x >= 0 && x < static_cast<float>(bins))
                ++expected[static_cast<std::size_t>(x)];
        with_policies([&](auto policy) {
            std::vector<unsigned> counts(expected.size(), 77);
            tw::histogram(policy, input, tw::integer_axis(0, bins), counts.begin());
            ASSERT_EQ(counts, expected) << bins;
            tw::histogram_add(policy, input, tw::regular_axis(bins, 0.0f, static_cast<float>(bins)), counts.begin());
            for (unsigned& count : expected)
                count *= 2;
            ASSERT_EQ(counts, expected) << bins;
            for (unsigned& count : expected)
                count /= 2;
            std::vector<std::uint64_t> appended;
            tw::histogram(policy, input, tw::integer_axis(0, bins), std::back_inserter(appended));
            ASSERT_TRUE(std::ranges::equal(appended, expected)) << bins;
        });
    }
}

TEST(histogram, takes_unaligned_samples_and_input_in_pieces)
{
    auto const input = realigned<float>(many, 10);
    std::vector<unsigned> expected(10), counts(10);
    tw::histogram(input, 10, 0.0f, 10.0f, expected.begin());
    with_policies([&](auto policy) {
        for (std::size_t const piece : {std::size_t{1000}, std::size_t{100'003}}) {
            counts.assign(10, 0);
            for (std::size_t first = 0; first < many; first += piece)
                tw::histogram_add(policy, input.data() + first, input.data() + std::min(first + piece, many),
                                  tw::regular_axis(10, 0.0f, 10.0f), counts.begin());
            EXPECT_EQ(counts, expected);
        }
    });
}

TEST(histogram, takes_inputs_that_do_not_stand_in_memory)
{
    auto const input = realigned<float>(many, 10);
    auto const expected = specification::histogram(input, std::vector{0.0, 5.0, 10.0}, {});
    std::forward_list<float> const list(input.begin(), input.end());
    with_policies([&](auto policy) {
        std::vector<std::uint64_t> counts(2);
        tw::histogram(policy, list, 2, 0.0, 10.0, counts.begin());
        EXPECT_EQ(counts, expected);
        tw::histogram(policy, input.rbegin(), input.rend(), 2, 0.0, 10.0, counts.begin());
        EXPECT_EQ(counts, expected);
#if !defined(__clang__) || __clang_major__ >= 16 // which older ones cannot compile the views of libstdc++ 12
        tw::histogram(policy, input | std::views::take(5000) | std::views::filter([](float x) { return x < 5; }), 2,
                      0.0, 10.0, counts.begin());
        EXPECT_EQ(counts[1], 0);
        EXPECT_NEAR(static_cast<double>(counts[0]), 5000 / 2.2, 300);
        auto const squares = std::views::iota(0, 1000) | std::views::transform([](int i) { return i * i; });
        tw::histogram(policy, squares, tw::variable_axis({0, 100, 10'000}), counts.begin());
        EXPECT_THAT(counts, ElementsAre(10, 90));
        tw::histogram(policy, std::views::iota(std::int64_t{0}, std::int64_t{many}), 2, 0, many, counts.begin());
        EXPECT_THAT(counts, ElementsAre((many + 1) / 2, many / 2));
#endif
    });
}

TEST(histogram, counts_pairs_in_cells_of_two_dimensions)
{
    std::vector<std::pair<int, float>> pairs;
    std::vector<unsigned> expected(12);
    for (unsigned const seed : values::seeds(many)) {
        pairs.emplace_back(static_cast<int>(seed % 5), static_cast<float>(seed % 1024) / 1000);
        if (pairs.back().first < 3 && pairs.back().second < 1)
            ++expected[static_cast<std::size_t>(pairs.back().first) * 4 + seed % 1024 / 250];
    }
    tw::product_axis const axis(tw::integer_axis(0, 3), tw::variable_axis({0.0f, 0.25f, 0.5f, 0.75f, 1.0f}));
    with_policies([&](auto policy) {
        EXPECT_THAT(counts_of(12, [&](auto out) { return tw::histogram(policy, pairs, axis, out); }),
                    ElementsAreArray(expected));
    });
}

/// Pairs of references, as zip iterators have them.
struct zipped {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::pair<float, double>;
    using reference = std::pair<float const&, double const&>;
    using pointer = void;
    using difference_type = std::ptrdiff_t;

    float const* x;
    double const* y;

    reference operator*() const { return {*x, *y}; }
    reference operator[](std::ptrdiff_t n) const { return {x[n], y[n]}; }
    zipped& operator++() { return *this += 1; }
    zipped operator++(int) { return std::exchange(*this, *this + 1); }
    zipped& operator+=(std::ptrdiff_t n) { return *this = *this + n; }
    zipped operator+(std::ptrdiff_t n) const { return {x + n, y + n}; }
    std::ptrdiff_t operator-(zipped const& other) const { return x - other.x; }
    bool operator==(zipped const&) const = default;
};

TEST(histogram, counts_pairs_of_floats_wherever_they_come_from)
{
    std::vector<std::pair<float, double>> pairs;
    std::vector<int> expected(32 * 16);
    for (unsigned const seed : values::seeds(many)) { // outside the first axis, outside the second, or in a cell
        unsigned const i = seed % 37, j = seed / 37 % 19;
        pairs.emplace_back(static_cast<float>(i) + 0.5f, static_cast<double>(j) + 0.25);
        if (i < 32 && j < 16)
            ++expected[i * 16 + j];
    }
    tw::product_axis const axis(tw::regular_axis(32, 0.0f, 32.0f), tw::regular_axis(16, 0.0, 16.0));
    std::vector<float> xs;
    std::vector<double> ys;
    for (auto const& [x, y] : pairs) {
        xs.push_back(x);
        ys.push_back(y);
    }
    zipped const zip{xs.data(), ys.data()};
    std::forward_list const list(pairs.begin(), pairs.end());
    std::deque const deque(pairs.begin(), pairs.end());
    with_policies([&](auto policy) {
        auto const counts = [&](auto first, auto last) {
            return counts_of(expected.size(), [&](auto out) { return tw::histogram(policy, first, last, axis, out); });
        };
        EXPECT_EQ(counts(pairs.begin(), pairs.end()), expected);
        EXPECT_EQ(counts(list.begin(), list.end()), expected);
        EXPECT_EQ(counts(deque.begin(), deque.end()), expected);
        EXPECT_EQ(counts(zip, zip + many), expected);
        std::vector<int> sums(expected.size());
        tw::weighted_histogram(policy, pairs, std::vector(many, 1), axis, sums.begin());
        EXPECT_EQ(sums, expected);
    });
}

/// A user's axis, whose view says what it likes about samples that belong nowhere.
template <class Number>
struct wild_axis {
    std::vector<Number> of_sample;
    int cells;

    int size() const { return cells; }
    int extent() const { return cells; }
    struct wild_view {
        Number const* of_sample;
        int cells;
        int extent() const { return cells; }
        Number index(std::size_t sample) const { return of_sample[sample]; }
    };
    wild_view view() const { return {of_sample.data(), cells}; }
};

TEST(histogram, counts_only_in_cells_that_there_are)
{
    auto const check = [](auto number) {
        using N = decltype(number);
        using limits = std::numeric_limits<N>;
        wild_axis<N> const axis{{0, 1, 1, 2, 3, 4, limits::max(), limits::min(), static_cast<N>(-1), limits::max() / 2},
                                3};
        with_policies([&](auto policy) {
            std::vector<std::size_t> all(axis.of_sample.size());
            std::iota(all.begin(), all.end(), std::size_t{0});
            EXPECT_THAT(counts_of(3, [&](auto out) { return tw::histogram(policy, all, axis, out); }),
                        ElementsAre(limits::is_signed ? 1 : 2, 2, 1));
        });
    };
    check(int{});
    check(unsigned{});
    check(std::int64_t{});
    check(std::uint64_t{});
    check(short{});
}

struct nothing {
    int size() const { return 0; }
    int extent() const { return 0; }
    int index(double) const { return 0; }
};

TEST(histogram, of_no_cells_writes_nothing)
{
    with_policies([](auto policy) {
        int counter = 7;
        EXPECT_EQ(tw::histogram(policy, samples, nothing{}, &counter), &counter);
        EXPECT_EQ(tw::histogram(policy, samples, nothing{}, static_cast<int*>(nullptr)), nullptr);
        EXPECT_EQ(counter, 7);
    });
}

TEST(histogram, asks_for_the_cell_of_a_sample_once_and_par_perhaps_once_more)
{
    std::atomic<std::size_t> calls = 0;
    auto const parity = tw::function_axis(2, [&](unsigned x) { return ++calls, x % 2; });
    for (std::size_t const count : {std::size_t{1}, std::size_t{1000}, many}) {
        auto const input = values::seeds(count);
        std::vector<unsigned> counts(2);
        tw::histogram(input, parity, counts.begin());
        EXPECT_EQ(calls.exchange(0), count);
        tw::histogram(tw::par, input, parity, counts.begin());
        EXPECT_GE(calls, count);
        EXPECT_LE(calls.exchange(0), count + 1);
        EXPECT_EQ(counts[0] + counts[1], count);
    }
}

/// The first call tells that samples are slow; from the second on the caller waits for help.
TEST(histogram, shares_slow_samples_out_though_they_are_few)
{
    std::mutex mutex;
    std::condition_variable another;
    bool helped = false;
    int own_calls = 0;
    auto const caller = std::this_thread::get_id();
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    auto const slow = tw::function_axis(2, [&](int x) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        std::unique_lock lock(mutex);
        if (std::this_thread::get_id() != caller) {
            helped = true;
            another.notify_all();
        } else if (own_calls++ > 0) {
            another.wait_until(lock, deadline, [&] { return helped; });
        }
        return x % 2;
    });
    std::vector<int> input(40);
    std::iota(input.begin(), input.end(), 0);
    tbb::global_control const allow(tbb::global_control::max_allowed_parallelism, 4);
    tbb::task_arena(4).execute([&] {
        EXPECT_THAT(counts_of(2, [&](auto out) { return tw::histogram(tw::par, input, slow, out); }),
                    ElementsAre(20, 20));
    });
    EXPECT_TRUE(helped);
}

/// An iterator over a vector that may blow the fuse when it is read.
struct fused_iterator : std::vector<float>::const_iterator {
    using base = std::vector<float>::const_iterator;
    using reference = float;
    fused_iterator() = default;
    explicit fused_iterator(base it) : base(it) {}
    float operator*() const
    {
        values::fuse::burn();
        return base::operator*();
    }
    float operator[](std::ptrdiff_t n) const { return *(*this + n); }
    fused_iterator& operator++()
    {
        base::operator++();
        return *this;
    }
    fused_iterator operator++(int) { return std::exchange(*this, fused_iterator(base::operator++())); }
    friend fused_iterator operator+(fused_iterator it, std::ptrdiff_t n)
    {
        return fused_iterator(static_cast<base const&>(it) + n);
    }
};

TEST(histogram, lets_exceptions_of_axes_and_iterators_pass)
{
    auto const input = realigned<float>(many, 10);
    std::forward_list<float> const list(input.begin(), input.end());
    auto const fused = tw::function_axis(10, [](float x) {
        values::fuse::burn();
        return x;
    });
    std::vector<unsigned> expected(10);
    tw::histogram(input, tw::integer_axis(0, 10), expected.begin());
    auto const check = [&](auto call) {
        for (long const event : {1L, 100L, 70'000L, static_cast<long>(many)}) {
            values::fuse::set(event);
            std::vector<unsigned> counts(10, 7);
            EXPECT_THROW(call(counts.begin()), values::blown) << event;
            EXPECT_THAT(counts, Each(7)); // an axis that throws leaves even the counters alone
        }
        values::fuse::set(values::fuse::never);
        std::vector<unsigned> counts(10, 7);
        call(counts.begin());
        EXPECT_EQ(counts, expected);
    };
    with_policies([&](auto policy) {
        check([&](auto out) { tw::histogram(policy, input, fused, out); });
        check([&](auto out) { tw::histogram(policy, list, fused, out); });
        check([&](auto out) {
            tw::histogram(policy, fused_iterator(input.begin()), fused_iterator(input.end()), tw::integer_axis(0, 10),
                          out);
        });
    });
}

TEST(histogram, can_be_called_from_several_threads_and_within_tasks)
{
    auto const input = realigned<float>(many, 10);
    std::vector<unsigned> expected(10);
    tw::histogram(input, tw::integer_axis(0, 10), expected.begin());
    std::vector<std::vector<unsigned>> counts(4, std::vector<unsigned>(10));
    std::vector<std::thread> threads;
    threads.reserve(counts.size());
    for (auto& own : counts)
        threads.emplace_back([&] { tw::histogram(tw::par, input, tw::integer_axis(0, 10), own.begin()); });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_THAT(counts, Each(expected));
}

TEST(histogram, rejects_arguments_that_make_no_axis)
{
    std::vector<int> counts(2, 7);
    with_policies([&](auto policy) {
        EXPECT_THROW(tw::histogram(policy, samples, 0, 0.0, 1.0, counts.begin()), std::invalid_argument);
        EXPECT_THROW(tw::histogram(policy, samples, 2, 1.0, 0.0, counts.begin()), std::invalid_argument);
        EXPECT_THROW(tw::histogram(policy, samples, std::vector{1.0, 0.0}, counts.begin()), std::invalid_argument);
        EXPECT_THROW(
            tw::histogram(policy, samples.begin(), samples.end(), edges.begin(), edges.begin() + 1, counts.begin()),
            std::invalid_argument);
    });
    EXPECT_THAT(counts, Each(7));
}

TEST(histogram, in_the_hardened_mode_rejects_what_is_no_range)
{
    std::vector<int> counts(2, 7);
    double const* const null = nullptr;
    int* const nowhere = nullptr;
    with_policies([&](auto policy) {
        auto const rejects = [](auto call) { EXPECT_THROW(call(), std::invalid_argument); };
        rejects([&] { tw::histogram(policy, samples.end(), samples.begin(), halves, counts.begin()); });
        rejects([&] { tw::histogram(policy, null, null + 1, halves, counts.begin()); });
        rejects([&] { tw::histogram(policy, samples, halves, nowhere); });
        rejects([&] { tw::histogram(policy, samples.begin(), samples.begin(), halves, nowhere); });
        rejects([&] { tw::histogram_add(policy, samples.end(), samples.begin(), halves, counts.begin()); });
        rejects([&] { tw::histogram_add(policy, samples, halves, nowhere); });
    });
    EXPECT_THAT(counts, Each(7));
}

} // namespace
