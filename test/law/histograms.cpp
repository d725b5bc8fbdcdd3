// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The laws of histograms: of random axes, with samples on their edges, one unit in the last place beside them, and
/// anywhere.

#include "../histogram_specification.hpp"
#include "laws.hpp"

#include <tilewise/histogram.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace law {

namespace tw = tilewise;

using counts = std::vector<std::uint64_t>;

inline tw::axis_options options()
{
    return {*rc::gen::element(tw::flow::drop, tw::flow::bins, tw::flow::clamp), *rc::gen::arbitrary<bool>()};
}

/// A number of any size, more often than not with few digits.
template <class A>
A any_number()
{
    auto const digits = *rc::gen::inRange<int>(-1000, 1001);
    if constexpr (std::is_integral_v<A>) {
        return *rc::gen::arbitrary<bool>() ? *rc::gen::arbitrary<A>() : static_cast<A>(digits);
    } else {
        int const exponent = *rc::gen::element(-10, -2, 0, 0, 0, 3, std::numeric_limits<A>::min_exponent - 12,
                                               std::numeric_limits<A>::max_exponent - 20);
        auto const noise = static_cast<A>(*rc::gen::inRange<int>(0, 1 << 20)) * A(0x1p-20);
        return std::ldexp(static_cast<A>(digits) + (*rc::gen::arbitrary<bool>() ? noise : A(0)), exponent);
    }
}

/// Kinds of axes: each makes one at random, or throws `std::invalid_argument` when it had no luck.
template <class A>
struct regular {
    using bound = A;
    static auto make(tw::axis_options options)
    {
        A const a = any_number<A>(), b = any_number<A>();
        int const bins = *rc::gen::element(1, 2, 3, 7, 10, 64, 100) * *rc::gen::element(1, 1, 1, 3);
        return tw::regular_axis(bins, std::min(a, b), std::max(a, b), options);
    }
};
template <class A>
struct variable {
    using bound = A;
    static auto make(tw::axis_options options)
    {
        std::vector<A> edges(static_cast<std::size_t>(*rc::gen::inRange<int>(2, 40)));
        for (A& edge : edges)
            edge = any_number<A>();
        std::sort(edges.begin(), edges.end());
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        return tw::variable_axis(edges, options);
    }
};
template <class A>
struct logarithmic {
    using bound = A;
    static auto make(tw::axis_options options)
    {
        A const a = std::fabs(any_number<A>()), b = std::fabs(any_number<A>());
        return tw::log_axis(*rc::gen::inRange<int>(1, 100), std::min(a, b), std::max(a, b), options);
    }
};
template <class A>
struct integer {
    using bound = A;
    static auto make(tw::axis_options options)
    {
        auto const lower = any_number<A>();
        return tw::integer_axis(lower, static_cast<A>(lower + static_cast<A>(*rc::gen::inRange<int>(1, 100))), options);
    }
};

/// An axis of a kind.
template <class Kind>
auto axis(tw::axis_options options)
{
    for (;;) {
        try {
            return Kind::make(options);
        } catch (std::invalid_argument const&) { // bad luck
        }
    }
}

/// A number as another type, or one near its limits where it has none near.
template <class X>
X nearest(long double x)
{
    using limits = std::numeric_limits<X>;
    if constexpr (std::is_integral_v<X>)
        return x <= static_cast<long double>(limits::min())   ? limits::min()
               : x >= static_cast<long double>(limits::max()) ? limits::max()
                                                              : static_cast<X>(std::floor(x));
    else
        return static_cast<X>(x);
}

template <class X, class Edge>
X sample(std::vector<Edge> const& edges, std::uint64_t bits)
{
    using limits = std::numeric_limits<X>;
    std::size_t const i = (bits >> 8) % edges.size();
    X const edge = nearest<X>(static_cast<long double>(edges[i]));
    long double const first = static_cast<long double>(edges.front()), last = static_cast<long double>(edges.back()),
                      part = static_cast<long double>(bits >> 32) * 0x1p-32L;
    if constexpr (std::is_integral_v<X>) {
        switch (bits % 8) {
        case 0:
            return edge;
        case 1:
            return edge > limits::min() ? static_cast<X>(edge - 1) : edge;
        case 2:
            return edge < limits::max() ? static_cast<X>(edge + 1) : edge;
        case 3:
            return static_cast<X>(bits >> 16);
        default:
            return nearest<X>(first + (last - first) * (part * 1.1L - 0.05L));
        }
    } else {
        switch (bits % 8) {
        case 0:
            return edge;
        case 1:
            return std::nextafter(edge, -limits::infinity());
        case 2:
            return std::nextafter(edge, limits::infinity());
        case 3:
            switch ((bits >> 3) % 16) {
            case 0:
                return limits::quiet_NaN();
            case 1:
                return limits::infinity();
            case 2:
                return -limits::infinity();
            case 3:
                return -X(0);
            case 4:
                return limits::denorm_min();
            default:
                return static_cast<X>(std::ldexp(1 + part, static_cast<int>(bits >> 8) % 120));
            }
        default:
            return static_cast<X>(first + (last - first) * (part * 1.1L - 0.05L));
        }
    }
}

template <class X, class Edge>
std::vector<X> samples(std::vector<Edge> const& edges, std::size_t count)
{
    std::vector<X> result(count);
    auto const seed = *rc::gen::arbitrary<std::uint64_t>();
    for (std::size_t i = 0; i < count; ++i)
        result[i] = sample<X>(edges, mix(seed + i));
    return result;
}

/// Some samples, of any number.
template <class X, class Edge>
std::vector<X> samples(std::vector<Edge> const& edges)
{
    return samples<X>(edges,
                      *rc::gen::element<std::size_t>(0, 1, 5, 100, 600, 2500) + *rc::gen::inRange<std::size_t>(0, 9));
}

template <class Policy, class X, class Axis>
counts counted(Policy policy, std::vector<X> const& input, Axis const& axis)
{
    counts result(static_cast<std::size_t>(axis.extent()), 1234);
    tw::histogram(policy, input, axis, result.begin());
    return result;
}
template <class X, class Axis>
counts counted(std::vector<X> const& input, Axis const& axis)
{
    return counted(tw::seq, input, axis);
}

counts sum_of(counts a, counts const& b)
{
    std::transform(a.begin(), a.end(), b.begin(), a.begin(), std::plus<>());
    return a;
}

/// A kind of axis and a type of samples.
template <class Kind, class Sample>
struct of {
    using kind = Kind;
    using sample = Sample;
};

template <class Case>
class Histogram : public testing::Test {};
using cases =
    testing::Types<of<regular<float>, float>, of<regular<double>, double>, of<regular<float>, double>,
                   of<regular<double>, float>, of<regular<double>, std::int64_t>, of<regular<float>, std::uint8_t>,
                   of<variable<float>, float>, of<variable<double>, float>, of<variable<std::int16_t>, double>,
                   of<variable<std::int64_t>, std::uint64_t>, of<variable<double>, std::int8_t>,
                   of<logarithmic<double>, double>, of<logarithmic<float>, float>, of<integer<int>, int>,
                   of<integer<std::int64_t>, double>, of<integer<int>, std::uint8_t>>;
TYPED_TEST_SUITE(Histogram, cases);

TYPED_TEST(Histogram, CountsBetweenItsEdgesOnEveryPolicy)
{
    using X = typename TypeParam::sample;
    expect_always([] {
        auto const own_options = options();
        auto const own = axis<typename TypeParam::kind>(own_options);
        auto const input = samples<X>(std::vector(own.edges()));
        auto const expected = specification::histogram(input, own.edges(), own_options);
        RC_ASSERT(counted(tw::seq, input, own) == expected);
        RC_ASSERT(counted(tw::par, input, own) == expected);
    });
}

TYPED_TEST(Histogram, IsTheSameOnAllCores)
{
    using X = typename TypeParam::sample;
    tbb::global_control const allow(tbb::global_control::max_allowed_parallelism, 8);
    tbb::task_arena arena(8);
    expect_always([&] {
        auto const own = axis<typename TypeParam::kind>(options());
        std::size_t const count = *rc::gen::element<std::size_t>(1, 10, 100, 300, 512, 513, 1000, 65'536, 70'001);
        auto const input = samples<X>(std::vector(own.edges()), count);
        auto const expected = counted(tw::seq, input, own);
        arena.execute([&] { RC_ASSERT(counted(tw::par, input, own) == expected); });
    });
}

TYPED_TEST(Histogram, DoesNotDependOnTheOrderOfSamples)
{
    using X = typename TypeParam::sample;
    expect_always([] {
        auto const own = axis<typename TypeParam::kind>(options());
        auto input = samples<X>(std::vector(own.edges()));
        auto const before = counted(input, own);
        std::shuffle(input.begin(), input.end(), std::minstd_rand(*rc::gen::arbitrary<std::uint32_t>()));
        RC_ASSERT(counted(input, own) == before);
        std::sort(input.begin(), input.end(), [](X a, X b) { return a < b || (a == a && b != b); });
        RC_ASSERT(counted(tw::par, input, own) == before);
    });
}

TYPED_TEST(Histogram, OfSamplesInPiecesIsTheSumOfTheirs)
{
    using X = typename TypeParam::sample;
    expect_always([] {
        auto const own = axis<typename TypeParam::kind>(options());
        auto const edges = std::vector(own.edges());
        auto const a = samples<X>(edges), b = samples<X>(edges);
        auto both = a;
        both.insert(both.end(), b.begin(), b.end());
        auto const whole = counted(both, own);
        RC_ASSERT(sum_of(counted(a, own), counted(tw::par, b, own)) == whole);
        auto const added = [&](std::vector<X> const& first, std::vector<X> const& second) {
            auto result = counted(first, own);
            tw::histogram_add(tw::par, second, own, result.begin());
            return result;
        };
        RC_ASSERT(added(a, b) == whole);
        RC_ASSERT(added(b, a) == whole);
    });
}

TYPED_TEST(Histogram, SumsToTheNumberOfSamplesWithFlowBins)
{
    using X = typename TypeParam::sample;
    expect_always([] {
        auto const own = axis<typename TypeParam::kind>({tw::flow::bins, *rc::gen::arbitrary<bool>()});
        auto const input = samples<X>(std::vector(own.edges()));
        auto const result = counted(input, own);
        RC_ASSERT(std::accumulate(result.begin(), result.end(), std::uint64_t{0}) == input.size());
    });
}

TYPED_TEST(Histogram, IsThatOfAVariableAxisWithItsEdges)
{
    using X = typename TypeParam::sample;
    expect_always([] {
        auto const own_options = options();
        auto const own = axis<typename TypeParam::kind>(own_options);
        auto const edges = std::vector(own.edges());
        auto const input = samples<X>(edges);
        RC_ASSERT(counted(input, own) == counted(input, tw::variable_axis(edges, own_options)));
    });
}

template <class Case>
class FlowOfHistogram : public testing::Test {};
TYPED_TEST_SUITE(FlowOfHistogram, cases);

TYPED_TEST(FlowOfHistogram, IsWhatTheOtherOptionsDropOrClamp)
{
    using X = typename TypeParam::sample;
    expect_always([] {
        bool const closed = *rc::gen::arbitrary<bool>();
        auto const edges = std::vector(axis<typename TypeParam::kind>({}).edges());
        auto const of_flow = [&](std::vector<X> const& input, tw::flow flow) {
            return counted(input, tw::variable_axis(edges, {flow, closed}));
        };
        auto const input = samples<X>(edges);
        auto all = of_flow(input, tw::flow::bins);
        std::uint64_t const above = all[edges.size()], below = all[edges.size() - 1];
        all.resize(edges.size() - 1);
        RC_ASSERT(of_flow(input, tw::flow::drop) == all);
        all.front() += below;
        all.back() += above;
        RC_ASSERT(of_flow(input, tw::flow::clamp) == all);
    });
}

/// The counts of neighbours together.
counts in_pairs(counts const& fine)
{
    counts result(fine.size() / 2);
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = fine[2 * i] + fine[2 * i + 1];
    return result;
}

template <class A>
class Splitting : public testing::Test {};
using floating_types = testing::Types<float, double>;
TYPED_TEST_SUITE(Splitting, floating_types);

TYPED_TEST(Splitting, EveryBinInTwoAndAddingNeighboursChangesNothing)
{
    using A = TypeParam;
    expect_always([] {
        int const bins = *rc::gen::inRange<int>(1, 200);
        auto const lower = static_cast<A>(*rc::gen::inRange<int>(-1000, 1000)) / 7;
        A const upper = lower + static_cast<A>(*rc::gen::inRange<int>(1, 1000)) / 3;
        tw::regular_axis const coarse(bins, lower, upper), fine(2 * bins, lower, upper);
        auto const input = samples<A>(fine.edges());
        RC_ASSERT(in_pairs(counted(input, fine)) == counted(input, coarse));
    });
}

TYPED_TEST(Splitting, BinsBetweenAnyEdgesInTwoAndAddingNeighboursChangesNothing)
{
    using A = TypeParam;
    expect_always([] {
        auto const coarse = axis<variable<A>>({});
        std::vector<A> fine;
        for (A const edge : coarse.edges()) {
            if (!fine.empty()) {
                A const middle = fine.back() / 2 + edge / 2;
                RC_PRE(fine.back() < middle && middle < edge);
                fine.push_back(middle);
            }
            fine.push_back(edge);
        }
        auto const input = samples<A>(fine);
        RC_ASSERT(in_pairs(counted(input, tw::variable_axis(fine))) == counted(input, coarse));
    });
}

TEST(HistogramOfPairs, HasTheCountsOfEachAxisAsSumsOfRowsAndColumns)
{
    expect_always([] {
        auto const a = axis<regular<float>>({tw::flow::bins});
        auto const b = axis<variable<double>>({tw::flow::bins});
        auto const x = samples<float>(a.edges());
        auto const y = samples<double>(b.edges(), x.size());
        std::vector<std::pair<float, double>> pairs;
        for (std::size_t i = 0; i < x.size(); ++i)
            pairs.emplace_back(x[i], y[i]);
        auto const both = counted(pairs, tw::product_axis(a, b));
        auto const rows = static_cast<std::size_t>(a.extent()), columns = static_cast<std::size_t>(b.extent());
        counts of_rows(rows), of_columns(columns);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < columns; ++j) {
                of_rows[i] += both[i * columns + j];
                of_columns[j] += both[i * columns + j];
            }
        RC_ASSERT(of_rows == counted(x, a));
        RC_ASSERT(of_columns == counted(y, b));
    });
}

} // namespace law
