// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// weighted_histogram: the sums of cells are reductions in the order of the input. (test/reduce_by_index.cpp tests the
/// engine below it.)
#include <tilewise/histogram.hpp>

#include "calls.hpp"
#include "order_shapes.hpp"
#include "values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <ranges>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace tw = tilewise;

namespace {

using calls::message_of, calls::on_both;
using sums = std::vector<double>;

std::vector<float> const samples{0.5f, 2.5f, -1, 1.5f, 0, 3, 2.5f};
std::vector<double> const weights{1, 2, 4, 8, 16, 32, 64};

TEST(weighted_histogram, takes_every_policy_and_kind_of_bins)
{
    sums out(3);
    auto const expect = [&](auto end, sums const& expected) {
        EXPECT_EQ(end, out.end());
        EXPECT_EQ(out, expected);
        out.assign(3, -1);
    };
    tw::regular_axis const axis(3, 0.0f, 3.0f);
    float const edges[]{0, 1, 2, 3};
    auto const first = samples.begin(), last = samples.end();
    auto const w = weights.begin();
    expect(tw::weighted_histogram(first, last, w, axis, out.begin()), {17, 8, 66});
    expect(tw::weighted_histogram(samples, weights, axis, out.begin()), {17, 8, 66});
    expect(tw::weighted_histogram(first, last, w, 3, 0.0f, 3.0f, out.begin()), {17, 8, 66});
    expect(tw::weighted_histogram(first, last, w, edges, edges + 4, out.begin()), {17, 8, 66});
    on_both([&](auto on) {
        expect(tw::weighted_histogram(on, first, last, w, axis, out.begin()), {17, 8, 66});
        expect(tw::weighted_histogram(on, samples, weights, axis, out.begin()), {17, 8, 66});
        expect(tw::weighted_histogram(on, samples, weights, 3, 0.0f, 3.0f, out.begin()), {17, 8, 66});
        expect(tw::weighted_histogram(on, samples, weights, edges, out.begin()), {17, 8, 66});
        expect(tw::weighted_histogram(on, first, last, w, 3, 0.0f, 3.0f, out.begin()), {17, 8, 66});
        expect(tw::weighted_histogram(on, first, last, w, edges, edges + 4, out.begin()), {17, 8, 66});
    });
}

TEST(weighted_histogram, takes_pointers_arrays_and_lists)
{
    int const bytes[]{0, 1, 1, 7};
    float const w[]{0.5f, 1, 2, 4};
    std::list<int> const list(bytes, bytes + 4);
    std::list<float> const weight_list(w, w + 4);
    tw::integer_axis const axis(0, 2);
    float out[2]{};
    on_both([&](auto on) {
        EXPECT_EQ(tw::weighted_histogram(on, bytes, bytes + 4, w, axis, out), out + 2);
        EXPECT_EQ(std::vector<float>(out, out + 2), (std::vector<float>{0.5f, 3}));
        tw::weighted_histogram(on, bytes, w, axis, out);
        EXPECT_EQ(std::vector<float>(out, out + 2), (std::vector<float>{0.5f, 3}));
        std::list<float> written(2);
        EXPECT_EQ(tw::weighted_histogram(on, list, weight_list, axis, written.begin()), written.end());
        EXPECT_EQ(written, (std::list<float>{0.5f, 3}));
    });
    std::vector<float> appended;
    tw::weighted_histogram(list.begin(), list.end(), w, axis, std::back_inserter(appended));
    EXPECT_EQ(appended, (std::vector<float>{0.5f, 3}));
}

TEST(weighted_histogram, has_cells_outside_the_bins)
{
    double const infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> const x{-infinity, -0.1, 0, 0.9, 1, infinity, nan, 2};
    std::vector<double> const w{1, 2, 4, 8, 16, 32, 64, 128};
    on_both([&](auto on) {
        auto const of = [&](tw::axis_options options) {
            tw::regular_axis const axis(2, 0.0, 1.0, options);
            sums out(static_cast<std::size_t>(axis.extent()), -1);
            tw::weighted_histogram(on, x, w, axis, out.begin());
            return out;
        };
        EXPECT_EQ(of({}), (sums{4, 8}));
        EXPECT_EQ(of({tw::flow::clamp}), (sums{7, 184}));
        EXPECT_EQ(of({tw::flow::bins}), (sums{4, 8, 3, 176, 64}));
        EXPECT_EQ(of({tw::flow::drop, true}), (sums{4, 24}));
    });
}

TEST(weighted_histogram, takes_axes_of_several_dimensions_and_functions)
{
    std::vector<std::tuple<int, float>> const x{{0, 0.5f}, {1, 1.5f}, {1, 0.5f}, {0, 0.5f}, {2, 0.5f}, {1, 7.0f}};
    std::vector<int> const w{1, 2, 4, 8, 16, 32};
    tw::product_axis const plane(tw::integer_axis(0, 2), tw::regular_axis(2, 0.0f, 2.0f));
    tw::function_axis const parity(2, [](auto const& sample) { return std::get<0>(sample) % 2; });
    on_both([&](auto on) {
        std::vector<long> out(4, -1);
        tw::weighted_histogram(on, x, w, plane, out.begin());
        EXPECT_EQ(out, (std::vector<long>{9, 0, 4, 2}));
        tw::weighted_histogram(on, x, w, parity, out.begin());
        EXPECT_EQ(out[0], 25);
        EXPECT_EQ(out[1], 38);
    });
}

/// A user's axis, whose view says that cells exist where there are none.
struct careless_axis {
    int size() const { return 4; }
    int extent() const { return 4; }
    int index(int sample) const { return sample; }
};

TEST(weighted_histogram, leaves_out_what_an_axis_places_nowhere)
{
    std::vector<int> const x{-7, 3, 4, std::numeric_limits<int>::max(), std::numeric_limits<int>::min(), 0};
    on_both([&](auto on) {
        sums out(4, -1);
        tw::weighted_histogram(on, x, std::vector<double>(x.size(), 1), careless_axis(), out.begin());
        EXPECT_EQ(out, (sums{1, 0, 0, 1}));
        std::vector<int> counts(4, -1);
        tw::weighted_histogram(on, x, std::vector<int>(x.size(), 1), careless_axis(), counts.begin());
        EXPECT_EQ(counts, (std::vector<int>{1, 0, 0, 1}));
    });
}

TEST(weighted_histogram, adds_up_in_the_type_of_the_output)
{
    std::vector<int> const x(1000, 0);
    tw::integer_axis const axis(0, 1);
    on_both([&](auto on) {
        std::vector<float> const w(1000, 0.1f);
        double precise = 0;
        tw::weighted_histogram(on, x, w, axis, &precise);
        EXPECT_EQ(precise, tw::reduce(w, 0.0));
        float rounded = 0;
        tw::weighted_histogram(on, x, w, axis, &rounded);
        EXPECT_EQ(rounded, tw::reduce(w, 0.0f));
        EXPECT_NE(static_cast<double>(rounded), precise);

        std::vector<std::uint8_t> const bytes(1000, 200);
        std::uint32_t wide = 0;
        tw::weighted_histogram(on, x, bytes, axis, &wide);
        EXPECT_EQ(wide, 200000u);
        std::uint8_t narrow = 0;
        tw::weighted_histogram(on, x, bytes, axis, &narrow);
        EXPECT_EQ(narrow, 200000 % 256);
        std::vector<std::uint8_t> appended;
        tw::weighted_histogram(tw::seq, x, bytes, axis, std::back_inserter(appended));
        EXPECT_EQ(appended, std::vector<std::uint8_t>{200000 % 256});
    });
}

/// Weights of which every other order of addition has other bits.
template <class T>
std::vector<T> some_weights(std::size_t count)
{
    std::vector<T> w;
    for (std::uint64_t const bits : shape::some_values<std::uint64_t>(count))
        w.push_back(static_cast<T>(std::ldexp(static_cast<double>(bits >> 40), -static_cast<int>(bits % 30))));
    return w;
}

template <class Sum, class Weight>
void expect_specified(int bins, std::size_t count)
{
    std::vector<float> x;
    std::vector<std::vector<Sum>> of_bin(static_cast<std::size_t>(bins));
    auto const w = some_weights<Weight>(count);
    auto const positions = shape::some_values<std::uint32_t>(count);
    for (std::size_t i = 0; i < count; ++i) {
        auto const bin = positions[i] % static_cast<unsigned>(bins + 2);
        x.push_back(static_cast<float>(bin) - 0.75f);
        if (bin >= 1 && bin <= static_cast<unsigned>(bins))
            of_bin[bin - 1].push_back(static_cast<Sum>(w[i]));
    }
    std::vector<Sum> expected;
    for (auto const& own : of_bin)
        expected.push_back(specification::reduce(own, Sum{}, std::plus<Sum>()));
    tw::regular_axis const axis(bins, 0.0f, static_cast<float>(bins));
    on_both([&](auto on) {
        std::vector<Sum> out(expected.size(), Sum(-1));
        tw::weighted_histogram(on, x, w, axis, out.begin());
        EXPECT_TRUE(out == expected) << bins << " bins, " << count << " samples";
    });
}

TEST(weighted_histogram, has_the_bits_of_the_specification)
{
    for (std::size_t const count : {std::size_t{0}, std::size_t{1}, std::size_t{2000}, std::size_t{150001}}) {
        for (int const bins : {1, 16, 256, 150000}) {
            expect_specified<double, double>(bins, count);
            expect_specified<double, float>(bins, count);
            expect_specified<float, float>(bins, count);
        }
    }
}

TEST(weighted_histogram, of_ones_is_histogram)
{
    auto const random = shape::some_values<std::uint32_t>(100000);
    for (int const bins : {3, 10000}) {
        tw::regular_axis const axis(bins, 0.0, 5e9, {tw::flow::bins});
        auto const cells = static_cast<std::size_t>(axis.extent());
        std::vector<int> counts(cells);
        tw::histogram(random, axis, counts.begin());
        on_both([&](auto on) {
            std::vector<int> ones(cells);
            tw::weighted_histogram(on, random, std::vector<char>(random.size(), 1), axis, ones.begin());
            EXPECT_EQ(ones, counts);
            sums exact(cells);
            tw::weighted_histogram(on, random, std::vector<double>(random.size(), 1), axis, exact.begin());
            EXPECT_EQ(exact, sums(counts.begin(), counts.end()));
        });
    }
}

TEST(weighted_histogram, reports_broken_arguments_in_the_hardened_mode)
{
    int const x[]{0, 1};
    int const* const none = nullptr;
    int* const nowhere = nullptr;
    tw::integer_axis const axis(0, 2);
    on_both([&](auto on) {
        int out[2]{};
        EXPECT_EQ(message_of([&] { tw::weighted_histogram(on, x + 1, x, x, axis, out); }),
                  "tilewise::weighted_histogram: last is before first");
        EXPECT_EQ(message_of([&] { tw::weighted_histogram(on, none, none + 1, x, axis, out); }),
                  "tilewise::weighted_histogram: first is null, but the range is not empty");
        EXPECT_EQ(message_of([&] { tw::weighted_histogram(on, x, x + 2, none, axis, out); }),
                  "tilewise::weighted_histogram: first2 is null, but the range is not empty");
        EXPECT_EQ(message_of([&] { tw::weighted_histogram(on, none, none, none, axis, nowhere); }),
                  "tilewise::weighted_histogram: the output is null, but the range is not empty");
        EXPECT_EQ(message_of([&] { tw::weighted_histogram(on, x, std::vector<int>(1), axis, out); }),
                  "tilewise::weighted_histogram: the second range is shorter than the first");
        EXPECT_NE(message_of([&] { tw::weighted_histogram(on, x, x + 2, x, 0, 0.0, 1.0, out); }), "");
    });
}

/// A user's axis with a cell more than there can be.
struct too_many_cells {
    static tw::offset size() { return extent(); }
    static tw::offset extent() { return tw::most_cells + 1; }
    static int index(float) { return 0; }
};

TEST(weighted_histogram, and_histogram_reject_too_many_cells)
{
    sums out(1);
    std::vector<int> counts(1);
    on_both([&](auto on) {
        EXPECT_THROW(tw::weighted_histogram(on, samples, weights, too_many_cells(), out.begin()),
                     std::invalid_argument);
        EXPECT_THROW(tw::histogram(on, samples, too_many_cells(), counts.begin()), std::invalid_argument);
    });
}

TEST(weighted_histogram, passes_on_exceptions_of_an_axis)
{
    std::vector<int> x(70000, 1);
    x[60000] = 2;
    std::vector<double> const w(x.size(), 1);
    tw::function_axis const axis(3, [](int sample) { return sample == 2 ? throw std::out_of_range("two") : sample; });
    on_both([&](auto on) {
        sums out(3);
        EXPECT_THROW(tw::weighted_histogram(on, x, w, axis, out.begin()), std::out_of_range);
        std::vector<int> counts(3);
        EXPECT_THROW(tw::weighted_histogram(on, x, x, axis, counts.begin()), std::out_of_range);
    });
}

TEST(weighted_histogram, without_a_gpu_says_so)
{
    int const x[]{0, 1};
    int out[2]{};
    EXPECT_THROW(tw::weighted_histogram(tw::device, x, x + 2, x, tw::integer_axis(0, 2), out), tw::no_device);
}

} // namespace
