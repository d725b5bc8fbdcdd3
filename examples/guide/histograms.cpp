// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histograms: every form, the axes, weights, and reduce_by_index.

#include "expect.hpp"

#include <tilewise/functional.hpp>
#include <tilewise/histogram.hpp>
#include <tilewise/reduce.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace tw = tilewise;

namespace {

using counters = std::vector<std::uint64_t>;

std::vector<float> const x{0.1F, 0.9F, 0.5F, 0.3F, 0.25F, 7};

struct remainder_by_three {
    int operator()(int number) const { return number % 3; }
};

void forms()
{
    //! [histogram]
    counters counts(4);
    tw::histogram(tw::par, x, tw::regular_axis{4, 0.0F, 1.0F}, counts.begin());
    expect(counts == counters{1, 2, 1, 1}); // 7 is outside
    //! [histogram]
    //! [thin]
    tw::histogram(tw::par, x, 4, 0.0F, 1.0F, counts.begin()); // bins, lower, upper: the same axis
    expect(counts == counters{1, 2, 1, 1});
    tw::histogram(tw::par, x, std::vector{0.0F, 0.2F, 0.4F, 0.6F, 10.0F}, counts.begin()); // edges
    expect(counts == counters{1, 2, 1, 2});
    //! [thin]
    //! [add]
    tw::regular_axis const axis{4, 0.0F, 1.0F};
    counters all(4); // zeros
    tw::histogram_add(tw::par, x.begin(), x.begin() + 3, axis, all.begin());
    tw::histogram_add(tw::par, x.begin() + 3, x.end(), axis, all.begin());
    expect(all == counters{1, 2, 1, 1});
    //! [add]

    // The other forms.
    auto const first = x.begin(), last = x.end();
    std::vector<double> const edges{0, 0.25, 0.5, 0.75, 1};
    auto const check = [&] {
        expect(counts == all);
        counts.assign(4, 99);
    };
    expect(tw::histogram(tw::par, first, last, axis, counts.begin()) == counts.end());
    check();
    tw::histogram(tw::par, first, last, 4, 0.0F, 1.0F, counts.begin());
    check();
    tw::histogram(tw::par, first, last, edges.begin(), edges.end(), counts.begin());
    check();
    tw::histogram(x, axis, counts.begin());
    check();
    tw::histogram(first, last, 4, 0, 1, counts.begin());
    check();
    counts.assign(4, 0);
    tw::histogram_add(x, axis, counts.begin());
    check();
}

void axes()
{
    //! [axes]
    tw::regular_axis const equal{100, 0.0, 1.0};             // bins of equal width
    tw::variable_axis const given{0.0, 0.5, 0.6, 1.0};       // bins between these edges
    tw::log_axis const decades{6, 1e-3, 1e3};                // edges in geometric progression
    tw::integer_axis const bytes{0, 256};                    // a bin for every integer
    tw::function_axis const thirds{3, remainder_by_three{}}; // bins that a function numbers
    tw::product_axis const plane{equal, decades};            // cells for pairs, or for longer tuples
    //! [axes]
    expect(equal.size() == 100 && given.size() == 3 && bytes.size() == 256 && thirds.size() == 3);
    expect(given.index(0.55) == 1 && decades.index(2.0) == 3 && bytes.index(200) == 200 && thirds.index(5) == 2);
    expect(plane.size() == 600 && plane.index(std::tuple(0.5, 2.0)) == 50 * 6 + 3);
    expect(given.edges() == std::vector{0.0, 0.5, 0.6, 1.0} && equal.edges().size() == 101);

    //! [product]
    std::vector<std::tuple<int, float>> const pairs{{0, 0.1F}, {1, 0.9F}, {1, 0.8F}, {1, 0.2F}, {2, 0.2F}};
    tw::product_axis const axis{tw::integer_axis{0, 2}, tw::regular_axis{2, 0, 1}};
    std::vector<int> cells(4);
    tw::histogram(tw::par, pairs, axis, cells.begin());
    expect(cells == std::vector{1, 0,   // 0, and below 0.5 or not: the last axis varies fastest
                                1, 2}); // 1
    //! [product]
}

void weights()
{
    //! [weighted]
    std::vector<float> const position{0.1F, 0.7F, 0.2F, 0.6F};
    std::vector<double> const mass{1.5, 2, 0.25, 4};
    std::vector<double> sums(2);
    tw::weighted_histogram(tw::par, position, mass, tw::regular_axis{2, 0.0F, 1.0F}, sums.begin());
    expect(sums == std::vector{1.75, 6.0});
    //! [weighted]

    std::vector<float> where(100'003);
    std::vector<double> what(where.size());
    for (std::size_t i = 0; i < where.size(); ++i) {
        where[i] = std::abs(std::sin(static_cast<float>(i)));
        what[i] = std::sqrt(static_cast<double>(i));
    }
    //! [same_bits]
    std::vector<double> by_par(10), by_seq(10);
    tw::regular_axis const axis{10, 0.0F, 1.0F};
    tw::weighted_histogram(tw::par, where, what, axis, by_par.begin());
    tw::weighted_histogram(tw::seq, where, what, axis, by_seq.begin());
    expect(by_par == by_seq);

    std::vector<double> own; // the weights of bin 3, in their order
    for (std::size_t i = 0; i < where.size(); ++i)
        if (axis.index(where[i]) == 3)
            own.push_back(what[i]);
    expect(by_par[3] == tw::reduce(tw::par, own, 0.0)); // bit for bit
    //! [same_bits]
}

void by_index()
{
    //! [by_index]
    std::vector<int> const station{0, 2, 0, 2, 2};
    std::vector<float> const degrees{11, 20, 15, 24, 16};

    std::vector<float> hottest(3), sum(3);
    tw::reduce_by_index(tw::par, station, degrees, 3, hottest.begin(), -273.15F, tw::maximum<>{});
    expect(hottest == std::vector{15.0F, -273.15F, 24.0F}); // station 1 measured nothing

    std::vector<int> count(3);
    tw::reduce_by_index(tw::par, station, degrees, 3, sum.begin());
    tw::histogram(tw::par, station, tw::integer_axis{0, 3}, count.begin());
    expect(sum[0] / static_cast<float>(count[0]) == 13 && sum[2] / static_cast<float>(count[2]) == 20); // means
    //! [by_index]
}

} // namespace

int main()
{
    forms();
    axes();
    weights();
    by_index();
}
