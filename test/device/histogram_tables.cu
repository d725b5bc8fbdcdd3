// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "histogram_kernels.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

using namespace histogram_kernels;
using on_device::amount;

std::size_t most()
{
    return amount<std::size_t>(1 << 20, 1 << 16, 9001);
}

template <class E>
void expect_counted_wherever_they_begin(double lower, double upper, int bins)
{
    auto const samples = some_samples<E>(most(), lower, upper);
    tw::regular_axis const axis(bins, lower, upper);
    expect_counted(samples, axis, some_sizes(most()));
    for (std::size_t misalignment = sizeof(E); misalignment < 16; misalignment += sizeof(E))
        expect_counted(samples, axis, {50, most() - misalignment}, misalignment);
}

DEVICE_TEST(histogram_tables, count_integers)
{
    expect_counted_wherever_they_begin<std::uint16_t>(100, 700, 60);
    expect_counted_wherever_they_begin<std::int32_t>(-1000, 1000, 130);
    expect_counted_wherever_they_begin<std::uint64_t>(0, 500, 33);
}

DEVICE_TEST(histogram_tables, count_floating_point_numbers)
{
    expect_counted_wherever_they_begin<float>(-3, 7, 100);
    expect_counted_wherever_they_begin<double>(0, 1, 41);
}

DEVICE_TEST(histogram_tables, count_in_any_number_of_cells)
{
    auto const samples = some_samples<float>(3000, 0, 1);
    for (int const bins : {1, 2, 3, 7, 8, 9, 31, 32, 33, 1000, 4097})
        expect_counted(samples, tw::regular_axis(bins, 0.0f, 1.0f), {3000});
}

DEVICE_TEST(histogram_tables, count_in_wide_counters)
{
    expect_counted<unsigned long long>(some_samples<float>(3000, 0, 1), tw::regular_axis(20, 0.0f, 1.0f), {0, 3000});
    expect_counted<long>(some_samples<double>(3000, 0, 1), tw::regular_axis(20, 0.0, 1.0), {2999});
    expect_counted<int>(some_samples<short>(3000, -9, 9), tw::integer_axis(-9, 9), {2999});
}

/// Expects a form of an axis' view to be used, by kernels that count in a small table.
template <class Expected, class Samples, class Axis>
void expect_form(Axis const& axis)
{
    using view = decltype(tw::gpu::view_of(static_cast<Samples const*>(nullptr), 0));
    tw::gpu::device_call const call("histogram", 1, tw::device);
    int visits = 0;
    tw::gpu::visit_form<in_small_table, view>(call, tw::axis_view(axis), [&]<class Form>(auto, Form const&) {
        ++visits;
        EXPECT_TRUE((std::is_same_v<Form, Expected>));
    });
    EXPECT_EQ(visits, 1);
}

DEVICE_TEST(histogram_tables, use_the_form_of_an_axis_with_the_fewest_instructions)
{
    using tw::binning::form, tw::binning::integer_bins, tw::binning::keyed_bins, tw::binning::product_bins;
    using tw::binning::regular_bins, tw::binning::variable_bins, tw::flow;
    auto const regular = [](tw::axis_options options) { return tw::regular_axis(9, 0.0f, 1.0f, options); };
    auto const edges = [](tw::axis_options options) { return tw::variable_axis({0.0f, 1.0f, 3.0f}, options); };
    auto const close_edges = tw::variable_axis({0.0f, 1.0f, 1.0000001f, 3.0f, 1e30f});
    for (tw::axis_options const dropping : {all_options[0], all_options[3]}) {
        expect_form<regular_bins<float, form::simple>, float>(regular(dropping));
        expect_form<keyed_bins<float, form::simple>, float>(edges(dropping));
    }
    for (tw::axis_options const counting : {all_options[1], all_options[2], all_options[4], all_options[5]}) {
        expect_form<regular_bins<float, form::branchless>, float>(regular(counting));
        expect_form<keyed_bins<float, form::branchless>, double>(edges(counting));
        expect_form<integer_bins<int, form::branchless>, int>(tw::integer_axis(0, 9, counting));
        expect_form<product_bins<regular_bins<float, form::branchless>, keyed_bins<float, form::branchless>>,
                    own_pair<float, float>>(tw::product_axis(regular({}), edges(counting)));
    }
    expect_form<integer_bins<int, form::simple>, int>(tw::integer_axis(0, 9));
    expect_form<variable_bins<float>, float>(close_edges);
    expect_form<regular_bins<float>, float>(tw::regular_axis(5, 1.0f, 1.0000008f)); // guesses that are far off
    expect_form<integer_bins<int>, signed char>(tw::integer_axis(0, 9, {flow::bins}));
}

/// By comparison with the edges, one after the other.
DEVICE_TEST(histogram_tables, count_samples_between_published_edges)
{
    auto const samples = some_samples<double>(3000, 1, 50);
    tw::log_axis const axis(23, 1.0, 50.0);
    std::vector<std::uint64_t> expected(23);
    for (double const x : samples)
        for (std::size_t i = 0; i < expected.size(); ++i)
            expected[i] += axis.edges()[i] <= x && x < axis.edges()[i + 1];
    device_array<double> const device_copy(samples);
    guarded<unsigned> const counts(23);
    by_every_kernel([&](auto tuning) {
        counts.reset();
        count<decltype(tuning)>(tw::device, device_copy.data(), samples.size(), axis, counts.data());
        counts.expect(expected);
    });
}

} // namespace

namespace of_users {

/// A user's own, with cells of another type, some of which it does not have.
struct own_axis {
    tw::offset size() const { return 10; }
    tw::offset extent() const { return 10; }
    TILEWISE_PORTABLE long long index(int sample) const { return sample * 1000000000LL; }
};
struct short_axis {
    tw::offset size() const { return 10; }
    tw::offset extent() const { return 10; }
    TILEWISE_PORTABLE short index(int sample) const { return static_cast<short>(sample - 3); }
};

} // namespace of_users

namespace {

DEVICE_TEST(histogram_tables, take_axes_of_others)
{
    auto const samples = some_samples<int>(2000, 0, 12);
    expect_counted(samples, of_users::own_axis(), {2000});
    expect_counted(samples, of_users::short_axis(), {2000});
}

/// Samples that have a size of their own.
struct point {
    float x, y, z;
};
struct of_y {
    TILEWISE_PORTABLE int operator()(point const& p) const { return static_cast<int>(p.y); }
};
DEVICE_TEST(histogram_tables, take_samples_that_are_structures)
{
    std::vector<point> samples;
    for (float const y : some_samples<float>(1500, 0, 12))
        samples.push_back({1, y == y && y < 100 && y > -100 ? y : 3, 2});
    expect_counted(samples, tw::function_axis(12, of_y()), {0, 1, 5, 700, 1500});
}

struct half_of {
    TILEWISE_PORTABLE float operator()(float x) const { return x / 2; }
};
struct pair_of {
    template <class A, class B>
    TILEWISE_PORTABLE own_pair<A, B> operator()(A const& a, B const& b) const
    {
        return {a, b};
    }
};

/// Functions of memory at any place.
DEVICE_TEST(histogram_tables, take_functions_of_samples)
{
    auto const x = some_samples<float>(3001, 0, 1);
    auto const y = some_samples<std::int16_t>(3001, -50, 50);
    tw::regular_axis const axis(13, 0.0f, 0.5f);
    tw::product_axis const both(tw::regular_axis(6, 0.0f, 1.0f), tw::variable_axis({-50, -20, 0, 1, 50}));
    std::vector<float> halves;
    std::vector<std::pair<float, std::int16_t>> pairs;
    for (std::size_t i = 0; i < x.size(); ++i) {
        halves.push_back(x[i] / 2);
        pairs.emplace_back(x[i], y[i]);
    }
    for (std::size_t const off : {0, 4, 8}) {
        device_array<float> const device_copy(x, off);
        device_array<std::int16_t> const also(y, 6 - off / 2);
        guarded<unsigned> const counts(13), joint(24);
        by_every_kernel([&](auto tuning) {
            counts.reset();
            count<decltype(tuning)>(tw::device, tw::transformed(half_of(), device_copy.data()), x.size(), axis,
                                    counts.data());
            counts.expect(counted(axis, halves));
            joint.reset();
            count<decltype(tuning)>(tw::device, tw::transformed_pairs(pair_of(), device_copy.data(), also.data()),
                                    x.size(), both, joint.data());
            joint.expect(counted(both, pairs));
        });
    }
}

} // namespace

namespace of_users {

/// Positions, computed by an iterator.
class counting_iterator {
public:
    using difference_type = std::ptrdiff_t;
    using value_type = long long;
    using iterator_category = std::random_access_iterator_tag;
    using reference = long long;
    using pointer = void;

    TILEWISE_PORTABLE counting_iterator() {}
    TILEWISE_PORTABLE explicit counting_iterator(long long number) : number_(number) {}
    TILEWISE_PORTABLE long long operator*() const { return number_; }
    TILEWISE_PORTABLE long long operator[](difference_type i) const { return number_ + i; }
    TILEWISE_PORTABLE counting_iterator operator+(difference_type i) const { return counting_iterator(number_ + i); }

private:
    long long number_ = 0;
};

} // namespace of_users

namespace {

DEVICE_TEST(histogram_tables, take_samples_that_are_computed)
{
    tw::integer_axis const axis(100LL, 150LL);
    guarded<unsigned> const counts(50);
    by_every_kernel([&](auto tuning) {
        for (std::size_t const size : {1, 2, 63, 64, 65, 3000}) {
            counts.reset();
            count<decltype(tuning)>(tw::device, of_users::counting_iterator(90), size, axis, counts.data());
            std::vector<long long> samples;
            for (std::size_t i = 0; i < size; ++i)
                samples.push_back(90 + static_cast<long long>(i));
            counts.expect(counted(axis, samples));
        }
    });
}

/// More blocks than the device runs at once, if each could count too much.
struct of_few_samples : in_small_table {
    static constexpr tw::offset most_per_block = 100;
};
DEVICE_TEST(histogram_tables, have_blocks_for_any_number_of_samples)
{
    auto const samples = some_samples<float>(5000, 0, 1);
    tw::regular_axis const axis(10, 0.0f, 1.0f);
    device_array<float> const device_copy(samples);
    guarded<unsigned> const counts(10);
    int blocks = 0;
    auto sink = [&](tw::launch_record const& record) { blocks = record.blocks; };
    count<of_few_samples>(tw::device.trace(sink), device_copy.data(), samples.size(), axis, counts.data());
    counts.expect(counted(axis, samples));
    EXPECT_EQ(blocks, 50);
}

#ifndef __CUDACC__
/// The cells that a kernel finds for each edge, and for one step beside it, with all options.
template <class A>
void expect_exact_if_simple(int bins, A lower, A upper, int& simple)
{
    constexpr A infinity = std::numeric_limits<A>::infinity();
    for (tw::axis_options const options : all_options) {
        if (bins > 5000 && (options.closed_upper || options.flow == tw::flow::clamp))
            continue; // takes long
        std::optional<tw::regular_axis<A>> axis;
        try {
            axis.emplace(bins, lower, upper, options);
        } catch (std::invalid_argument const&) {
            return; // edges that coincide
        }
        auto const view = axis->view();
        if (!view.is_branchless())
            return;
        bool const is_simple = options.flow == tw::flow::drop;
        ASSERT_EQ(view.is_simple(), is_simple);
        simple += options.flow == tw::flow::drop && !options.closed_upper;
        auto const cell = [&](A x) {
            auto const found = is_simple ? view.simple_form().locate(x) : view.branchless_form().locate(x);
            return found.inside ? static_cast<int>(found.cell) : tw::no_cell;
        };
        bool const counts = options.flow == tw::flow::bins, clamps = options.flow == tw::flow::clamp;
        int const below = counts   ? bins
                          : clamps ? 0
                                   : tw::no_cell,
                  above_all = counts   ? bins + 1
                              : clamps ? bins - 1
                                       : tw::no_cell;
        for (int i = 0; i <= bins; ++i) {
            A const edge = axis->edge(i), above = std::nextafter(edge, infinity);
            int const own = i < bins ? i : options.closed_upper ? bins - 1 : above_all;
            ASSERT_EQ(cell(edge), own) << bins << " bins from " << lower << " to " << upper;
            ASSERT_EQ(cell(std::nextafter(edge, -infinity)), i > 0 ? i - 1 : below)
                << bins << " bins from " << lower << " to " << upper;
            if (i == bins || above < axis->edge(i + 1)) {
                ASSERT_EQ(cell(above), i == bins ? above_all : own)
                    << bins << " bins from " << lower << " to " << upper;
            }
        }
        ASSERT_EQ(cell(-infinity), below);
        ASSERT_EQ(cell(infinity), above_all);
        ASSERT_EQ(cell(std::numeric_limits<A>::quiet_NaN()), counts ? bins + 2 : tw::no_cell);
    }
}

TEST(simple_bins, have_what_their_edges_say)
{
    int simple = 0;
    auto const expect_exact = [&](int bins, double lower, double upper) {
        expect_exact_if_simple(bins, static_cast<float>(lower), static_cast<float>(upper), simple);
        expect_exact_if_simple(bins, lower, upper, simple);
    };
    expect_exact(1 << 20, 0, 1);
    EXPECT_EQ(simple, 2); // as many as the guess of a float allows
    expect_exact(1 << 20, -1, 1);
    expect_exact(4096, 1000, 1001);
    expect_exact(100000, -3, 7);
    expect_exact(7777, -1e6, 1e6);
    std::mt19937 engine(1);
    auto const number = [&](double below) { return std::uniform_real_distribution(0.0, below)(engine); };
    for (int i = 0; i < 300; ++i) {
        int const bins = static_cast<int>(std::exp2(number(14)));
        double const lower = std::ldexp(number(2) - 1, static_cast<int>(number(40)) - 20);
        expect_exact(bins, lower, lower + std::ldexp(0.5 + number(0.5), static_cast<int>(number(40)) - 20));
        expect_exact(bins, -std::abs(lower), number(3) * std::abs(lower)); // around zero
        float const tiny = std::ldexp(static_cast<float>(number(2) - 1), -100 - static_cast<int>(number(49)));
        expect_exact_if_simple(bins, tiny, tiny + std::ldexp(1.0F, -100 - static_cast<int>(number(40))), simple);
    }
    EXPECT_GT(simple, 800);
}
#endif

} // namespace
