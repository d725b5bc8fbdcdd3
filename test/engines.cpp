// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Every path of the engines, few times each, on arrays with nothing behind them: a program that is small enough for
/// sanitizers. What calls promise is tested elsewhere; here every policy has to give what a loop gives.

#include "backend.hpp"

#include <tilewise/tilewise.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

/// Calls `check(policy)` for both policies, for par on four threads.
template <class Check>
void with_policies(Check check)
{
    check(tw::seq);
    tbb::global_control const allow(tbb::global_control::max_allowed_parallelism, 4);
    tbb::task_arena(4).execute([&] { check(tw::par); });
}

/// An array of its own on the heap, without room behind its end.
template <class T, class Make>
std::vector<T> made(std::size_t count, Make make)
{
    std::vector<T> x;
    x.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        x.push_back(static_cast<T>(make((i * 2654435761u) >> 7)));
    return x;
}
std::vector<float> floats(std::size_t count, std::size_t below)
{
    return made<float>(count, [&](std::size_t i) { return static_cast<float>(i % below) + 0.25f; });
}

// ---- histograms

/// Counts with every policy, from an array and a list, and compares with the cells that the axis itself says.
template <class Sample, class Axis>
void expect_counts(std::vector<Sample> const& samples, Axis const& axis)
{
    std::vector<unsigned> expected(static_cast<std::size_t>(axis.extent()));
    for (auto const& x : samples)
        if (auto const cell = static_cast<std::size_t>(axis.index(x)); cell < expected.size())
            ++expected[cell];
    std::forward_list<Sample> const list(samples.begin(), samples.end());
    with_policies([&](auto policy) {
        std::vector<unsigned> counts(expected.size());
        tw::histogram(policy, samples, axis, counts.begin());
        EXPECT_EQ(counts, expected);
        tw::histogram(policy, list, axis, counts.begin());
        EXPECT_EQ(counts, expected);
        tw::histogram_add(policy, samples, axis, counts.begin());
        for (std::size_t cell = 0; cell < counts.size(); ++cell)
            EXPECT_EQ(counts[cell], 2 * expected[cell]);
        std::vector<std::uint64_t> appended;
        tw::histogram(policy, samples, axis, std::back_inserter(appended));
        EXPECT_TRUE(std::equal(appended.begin(), appended.end(), expected.begin(), expected.end()));
    });
}

TEST(Engines, CountSamplesOfEveryKindOfAxis)
{
    constexpr tw::axis_options every{.flow = tw::flow::bins}, clamped{.flow = tw::flow::clamp};
    for (std::size_t const count : {std::size_t{0}, std::size_t{1}, std::size_t{700}, std::size_t{140'001}}) {
        auto const x = floats(count, 130);
        expect_counts(x, tw::regular_axis(100, 0.0f, 100.0f, every));
        expect_counts(x, tw::variable_axis({0.0f, 1.0f, 10.0f, 50.0f}, clamped));
        expect_counts(x, tw::log_axis(30, 1e-3f, 1e3f));
    }
    std::vector<double> edges;
    for (int i = 0; i < 3000; ++i)
        edges.push_back(i / 16.0);
    expect_counts(floats(140'001, 130), tw::variable_axis(edges));
}

TEST(Engines, CountSamplesInMoreCellsThanOneTableHolds)
{
    expect_counts(floats(140'001, 30'000), tw::regular_axis(20'000, 0.0f, 20'000.0f));
    expect_counts(floats(1000, 30'000), tw::integer_axis(0, 2048));
}

TEST(Engines, CountBytesIntegersAndPairs)
{
    for (std::size_t const count : {std::size_t{100}, std::size_t{5000}, std::size_t{140'001}}) {
        expect_counts(made<std::uint8_t>(count, [](std::size_t i) { return i; }), tw::integer_axis(10, 200));
        expect_counts(made<short>(count, [](std::size_t i) { return i; }), tw::integer_axis(-1000, 1000));
        std::vector<std::pair<int, float>> pairs;
        pairs.reserve(count);
        for (float const x : floats(count, 8))
            pairs.emplace_back(static_cast<int>(x) % 5, x);
        expect_counts(pairs, tw::product_axis(tw::integer_axis(0, 4), tw::regular_axis(5, 0.0f, 5.0f)));
    }
}

TEST(Engines, CountSlowSamplesAndThoseOfAStream)
{
    auto const slow = tw::function_axis(2, [](int x) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return x % 2;
    });
    with_policies([&](auto policy) {
        std::vector<int> counts(2);
        tw::histogram(policy, std::vector<int>(40, 1), slow, counts.begin());
        EXPECT_THAT(counts, testing::ElementsAre(0, 40));
    });
    std::istringstream in("1 2 3 5 7");
    std::vector<int> counts(2);
    tw::histogram(std::istream_iterator<int>(in), std::istream_iterator<int>(),
                  tw::function_axis(2, [](int x) { return x % 2; }), counts.begin());
    EXPECT_THAT(counts, testing::ElementsAre(1, 4));
}

// ---- reductions by index, weighted histograms

/// Reduces exact values by key with every policy, from arrays and lists, and compares with a loop.
template <class T, class Op>
void expect_by_key(std::vector<T> const& values, int keys_below, T const& init, Op op)
{
    auto const keys = made<int>(values.size(), [&](std::size_t i) {
        return static_cast<int>(i % (static_cast<std::size_t>(keys_below) + 2)) - 1;
    });
    std::vector<T> expected(static_cast<std::size_t>(keys_below), init);
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (keys[i] >= 0 && keys[i] < keys_below) {
            T& total = expected[static_cast<std::size_t>(keys[i])];
            total = op(total, values[i]);
        }
    std::forward_list<int> const list(keys.begin(), keys.end());
    with_policies([&](auto policy) {
        std::vector<T> out(expected.size(), init);
        tw::reduce_by_index(policy, keys, values, keys_below, out.begin(), init, op);
        EXPECT_TRUE(out == expected);
        tw::reduce_by_index(policy, list, values, keys_below, out.begin(), init, op);
        EXPECT_TRUE(out == expected);
        std::list<T> elsewhere(expected.size(), init);
        tw::reduce_by_index(policy, keys, values, keys_below, elsewhere.begin(), init, op);
        EXPECT_TRUE(std::equal(elsewhere.begin(), elsewhere.end(), expected.begin()));
    });
}

TEST(Engines, ReduceByIndexInTablesOrSorted)
{
    for (std::size_t const count : {std::size_t{0}, std::size_t{900}, std::size_t{140'001}}) {
        expect_by_key(made<int>(count, [](std::size_t i) { return i % 1000; }), 50, 3, std::plus<>());
        expect_by_key(made<double>(count, [](std::size_t i) { return i % 1000; }), 50, 3.0, std::plus<>());
    }
    expect_by_key(made<double>(600'000, [](std::size_t i) { return i % 1000; }), 3, 0.0, std::plus<>()); // large pages
    expect_by_key(made<double>(140'001, [](std::size_t i) { return i % 1000; }), 140'000, 0.0, std::plus<>());
    expect_by_key(made<std::string>(3000, [](std::size_t i) { return std::string(1 + i % 40, 'x'); }), 7,
                  std::string("a string that is too long for a place without the heap"), std::plus<>());
}

TEST(Engines, AddWeightsOfSamples)
{
    auto const x = floats(70'000, 30);
    auto const ones = std::vector<double>(x.size(), 1.0);
    tw::regular_axis const axis(20, 0.0f, 20.0f, {.flow = tw::flow::bins});
    std::vector<unsigned> counts(static_cast<std::size_t>(axis.extent()));
    tw::histogram(x, axis, counts.begin());
    with_policies([&](auto policy) {
        std::vector<double> sums(counts.size());
        tw::weighted_histogram(policy, x, ones, axis, sums.begin());
        EXPECT_TRUE(std::equal(sums.begin(), sums.end(), counts.begin()));
    });
}

// ---- segments

/// Reduces and scans segments, of which some are empty and one is long, with every policy.
template <class T, class Input>
void expect_segments(std::vector<T> const& values, Input const& input)
{
    std::vector<int> offsets{0, 0, 1, 6, 300};
    while (offsets.back() + 500 < static_cast<int>(values.size()) / 3)
        offsets.push_back(offsets.back() + 500);
    offsets.push_back(static_cast<int>(values.size()));
    auto const begins = offsets.begin(), ends = offsets.begin() + 1, begins_end = offsets.end() - 1;
    std::vector<T> totals, inclusive(values), exclusive(values);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
        T total{};
        for (auto i = static_cast<std::size_t>(offsets[s]); i < static_cast<std::size_t>(offsets[s + 1]); ++i) {
            exclusive[i] = total;
            total = total + values[i];
            inclusive[i] = total;
        }
        totals.push_back(total);
    }
    with_policies([&](auto policy) {
        std::vector<T> sums(totals.size()), out(values.size());
        tw::segmented_reduce(policy, input.begin(), begins, begins_end, ends, sums.begin());
        EXPECT_TRUE(sums == totals);
        tw::segmented_inclusive_scan(policy, input.begin(), begins, begins_end, ends, out.begin());
        EXPECT_TRUE(out == inclusive);
        tw::segmented_exclusive_scan(policy, input.begin(), begins, begins_end, ends, out.begin(), T{});
        EXPECT_TRUE(out == exclusive);
    });
}

TEST(Engines, ReduceAndScanSegments)
{
    auto const doubles = made<double>(200'000, [](std::size_t i) { return i % 1000; });
    expect_segments(doubles, doubles);
    expect_segments(doubles, std::deque<double>(doubles.begin(), doubles.end()));
    auto const integers = made<int>(200'000, [](std::size_t i) { return i % 1000; });
    expect_segments(integers, integers);
    auto const strings = made<std::string>(900, [](std::size_t i) { return std::string(i % 3, 'x'); });
    expect_segments(strings, strings);
}

// ---- reductions and scans of what is in arrays, lists and strings

/// So large that the engines keep it in memory of their own.
struct large {
    std::uint64_t part[600];
    bool operator==(large const&) const = default;
    friend large operator+(large const& a, large const& b)
    {
        large sum{};
        for (std::size_t i = 0; i < std::size(sum.part); ++i)
            sum.part[i] = a.part[i] + b.part[i];
        return sum;
    }
};

/// Reduces, transforms and scans, beside the input and in its place, with every policy, and compares with a loop.
template <class T, class Input>
void expect_sums(std::vector<T> const& values, Input const& input)
{
    std::vector<T> inclusive;
    inclusive.reserve(values.size());
    for (T const& x : values)
        inclusive.push_back(inclusive.empty() ? x : inclusive.back() + x);
    with_policies([&](auto policy) {
        EXPECT_TRUE(tw::reduce(policy, input.begin(), input.end(), T{}) == inclusive.back());
        EXPECT_TRUE(tw::transform_reduce(policy, input.begin(), input.end(), T{}, std::plus<>(),
                                         [](T const& x) { return x + T{}; }) == inclusive.back());
        std::vector<T> out(values);
        tw::inclusive_scan(policy, input.begin(), input.end(), out.begin());
        EXPECT_TRUE(out == inclusive);
        tw::exclusive_scan(policy, input.begin(), input.end(), out.begin(), T{});
        EXPECT_TRUE(out.front() == T{} && std::equal(out.begin() + 1, out.end(), inclusive.begin()));
        Input in_place(input);
        tw::inclusive_scan(policy, in_place.begin(), in_place.end(), in_place.begin());
        EXPECT_TRUE(std::equal(in_place.begin(), in_place.end(), inclusive.begin()));
        std::list<T> elsewhere(values.begin(), values.end());
        tw::transform_inclusive_scan(policy, values.begin(), values.end(), elsewhere.begin(), std::plus<>(),
                                     [](T const& x) { return x + T{}; });
        EXPECT_TRUE(std::equal(elsewhere.begin(), elsewhere.end(), inclusive.begin()));
    });
}

TEST(Engines, ReduceAndScanEveryKindOfInput)
{
    auto const integers = made<int>(150'001, [](std::size_t i) { return i % 1000; });
    expect_sums(integers, integers);
    expect_sums(integers, std::deque<int>(integers.begin(), integers.end()));
    expect_sums(integers, std::forward_list<int>(integers.begin(), integers.end()));
    auto const doubles = made<double>(150'001, [](std::size_t i) { return i % 1000; });
    expect_sums(doubles, doubles);
    auto const strings = made<std::string>(2000, [](std::size_t i) { return std::string(i % 3, 'x'); });
    expect_sums(strings, strings);
    auto const larges = made<large>(100, [](std::size_t i) { return large{{i, 2 * i}}; });
    expect_sums(larges, larges);
}

TEST(Engines, CallOperatorsThatAreNotKnownOnEveryLevelOfTheOrder)
{
    auto const add = [](auto a, auto b) { return a + b; };
    auto const expect_sums_of = [&]<class T>(T) {
        auto const x = made<T>(2500, [](std::size_t i) { return i % 1000; });
        auto const expect_same = [&](auto op) {
            backend::on_all<backend::tiny_geometry>([&](auto on) {
                std::vector<T> inclusive(x.size());
                std::partial_sum(x.begin(), x.end(), inclusive.begin());
                EXPECT_EQ(on.reduce(x, T{}, op), inclusive.back());
                EXPECT_EQ(on.template scan<tw::scan_form::inclusive>(x, std::optional<T>(), op), inclusive);
                EXPECT_EQ(on.template scan_in_place<tw::scan_form::inclusive>(x, std::optional<T>(T{}), op), inclusive);
            });
        };
        expect_same(add);
        expect_same(std::plus<>());
    };
    expect_sums_of(0);
    expect_sums_of(0.0);
    with_policies([&](auto policy) {
        auto const doubles = made<double>(40'001, [](std::size_t i) { return i % 1000; });
        EXPECT_EQ(tw::reduce(policy, doubles, 0.0, add), std::accumulate(doubles.begin(), doubles.end(), 0.0));
        EXPECT_EQ(tw::reduce(policy, std::vector<double>(), 7.0, add), 7);
        double nothing = 7;
        EXPECT_EQ(tw::inclusive_scan(policy, std::vector<double>(), &nothing, add), &nothing);
    });
}

TEST(Engines, LetExceptionsPassAndKeepNothing)
{
    auto const strings = made<std::string>(30'000, [](std::size_t i) { return std::string(30 + i % 3, 'x'); });
    std::vector<int> keys(strings.size(), 1);
    with_policies([&](auto policy) {
        for (int const calls : {0, 100, 20'000}) {
            std::atomic<int> left = calls;
            auto const longer = [&](std::string const& a, std::string const& b) {
                if (left-- <= 0)
                    throw std::runtime_error("enough");
                return std::max(a, b);
            };
            std::vector<std::string> out(strings.size());
            EXPECT_THROW(tw::reduce(policy, strings, std::string(), longer), std::runtime_error);
            left = calls;
            EXPECT_THROW(tw::inclusive_scan(policy, strings, out.begin(), longer), std::runtime_error);
            left = calls;
            EXPECT_THROW(tw::reduce_by_index(policy, keys, strings, 3, out.begin(), std::string(), longer),
                         std::runtime_error);
        }
    });
}

} // namespace
