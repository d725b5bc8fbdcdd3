// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks.hpp"

#include "../calls.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/tilewise.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

using calls::on_both;
using testing::AllOf;
using testing::HasSubstr;

constexpr int rank_count = 5, failing = 3;
std::size_t const elements = 40'000;

/// What a rank's call has thrown.
struct failure {
    int rank = -1;
    std::string text, nested;
};

/// What each rank's call throws, in a fresh world of ranks. Another call follows, which all ranks finish: they are in
/// step.
template <class Call>
std::vector<failure> failures_of(Call call)
{
    std::vector<failure> failures(rank_count);
    tw::thread_communicator::run(rank_count, [&](tw::thread_communicator& communicator) {
        failure& own = failures[static_cast<std::size_t>(communicator.rank())];
        try {
            call(communicator);
        } catch (tw::distributed_error const& error) {
            own.rank = error.rank();
            own.text = error.what();
            try {
                std::rethrow_if_nested(error);
            } catch (std::exception const& nested) {
                own.nested = nested.what();
            }
        }
        std::vector<int> const one(10, communicator.rank());
        EXPECT_EQ(tw::reduce(tw::distributed(communicator), one), 10 * (0 + 1 + 2 + 3 + 4));
    });
    return failures;
}

/// Expects that all ranks throw the same, and that the exception itself is nested where it was thrown.
template <class Call>
void expect_failure(Call call, std::string const& algorithm, std::string const& reason, int rank = failing)
{
    SCOPED_TRACE(algorithm + ": " + reason);
    auto const failures = failures_of(call);
    for (int r = 0; r < rank_count; ++r) {
        auto const& own = failures[static_cast<std::size_t>(r)];
        EXPECT_EQ(own.rank, rank);
        EXPECT_EQ(own.text, "tilewise::" + algorithm + ": rank " + std::to_string(rank) + ": " + reason);
        EXPECT_EQ(own.nested.empty(), r != rank);
        EXPECT_THAT(own.nested, HasSubstr(r == rank ? reason : ""));
    }
}

/// Expects that all ranks throw the same, which says what the rank calls.
template <class Call>
void expect_difference(Call call, std::string const& its, std::string const& that_of_rank_0)
{
    SCOPED_TRACE(its + ", " + that_of_rank_0);
    auto const failures = failures_of(call);
    for (auto const& own : failures) {
        EXPECT_EQ(own.rank, failing);
        EXPECT_EQ(own.text, failures[0].text);
        EXPECT_THAT(own.text,
                    AllOf(HasSubstr("rank 3 calls " + its), HasSubstr(", but rank 0 calls " + that_of_rank_0)));
        EXPECT_EQ(own.nested, "");
    }
}

/// Addition that throws on one rank, from the given call on.
struct throwing_plus {
    bool throws;
    int calls = 0;

    float operator()(float a, float b)
    {
        if (throws && --calls < 0)
            throw std::domain_error("too much");
        return a + b;
    }
};

std::vector<float> own_part()
{
    return std::vector<float>(elements / rank_count, 1.F);
}

bool is_failing(tw::thread_communicator& communicator)
{
    return communicator.rank() == failing;
}

TEST(an_exception_on_one_rank, reaches_all_from_the_operator)
{
    on_both([](auto local) {
        expect_failure(
            [&](auto& ranks) {
                tw::reduce(tw::distributed(ranks, local), own_part(), 0.F, throwing_plus{is_failing(ranks)});
            },
            "reduce", "too much");
        expect_failure(
            [&](auto& ranks) {
                auto x = own_part();
                tw::inclusive_scan(tw::distributed(ranks, local), x, x, throwing_plus{is_failing(ranks)});
            },
            "inclusive_scan", "too much");
        expect_failure(
            [&](auto& ranks) {
                std::vector<int> const keys(elements / rank_count, ranks.rank());
                std::vector<float> sums(rank_count);
                tw::reduce_by_index(tw::distributed(ranks, local), keys, own_part(), rank_count, sums, 0.F,
                                    throwing_plus{is_failing(ranks)});
            },
            "reduce_by_index", "too much");
        expect_failure(
            [&](auto& ranks) {
                tw::min_element(tw::distributed(ranks, local), own_part(), [&](float a, float b) {
                    return is_failing(ranks) ? throw std::domain_error("too much") : a < b;
                });
            },
            "min_element", "too much");
        expect_failure(
            [&](auto& ranks) {
                tw::count_if(tw::distributed(ranks, local), own_part(),
                             [&](float) { return is_failing(ranks) ? throw std::domain_error("too much") : true; });
            },
            "count_if", "too much");
    });
}

TEST(an_exception_on_one_rank, reaches_all_from_the_second_pass_of_a_scan)
{
    on_both([](auto local) {
        expect_failure(
            [&](auto& ranks) { // the first pass applies the operator less often than there are elements
                auto x = own_part();
                tw::inclusive_scan(tw::distributed(ranks, local), x, x,
                                   throwing_plus{is_failing(ranks), static_cast<int>(x.size()) + 100});
            },
            "inclusive_scan", "too much");
    });
}

TEST(an_exception_on_one_rank, reaches_all_when_it_joins_what_others_have)
{
    expect_failure(
        [&](auto& ranks) { // which is all that there is to combine
            tw::reduce(tw::distributed(ranks), std::vector<float>(1), 0.F, throwing_plus{is_failing(ranks)});
        },
        "reduce", "too much");
}

TEST(an_exception_on_one_rank, reaches_all_from_a_key_of_another)
{
    expect_failure(
        [&](auto& ranks) { // rank 3 owns the keys, and combines what others send
            std::vector<int> const keys(elements / rank_count, failing);
            std::vector<float> sums(rank_count);
            auto const x = ranks.rank() == failing ? std::vector<float>() : own_part();
            tw::reduce_by_index(tw::distributed(ranks), std::span(keys).first(x.size()), x, rank_count, sums, 0.F,
                                throwing_plus{is_failing(ranks)});
        },
        "reduce_by_index", "too much");
}

/// A hundred ones that have to be counted, which may fail.
struct sequence {
    bool throws;
    struct iterator {
        using iterator_category = std::forward_iterator_tag;
        using value_type = float;
        using difference_type = std::ptrdiff_t;
        using pointer = float const*;
        using reference = float;
        int at = 0;
        bool throws = false;
        float operator*() const { return 1; }
        iterator& operator++()
        {
            if (throws)
                throw std::domain_error("no further");
            ++at;
            return *this;
        }
        iterator operator++(int) { return iterator{at++, throws}; }
        bool operator==(iterator const& other) const { return at == other.at; }
    };
    iterator begin() const { return {0, throws}; }
    iterator end() const { return {100, throws}; }
};

TEST(an_exception_on_one_rank, reaches_all_from_an_iterator_that_is_counted)
{
    expect_failure([&](auto& ranks) { tw::reduce(tw::distributed(ranks), sequence{is_failing(ranks)}); }, "reduce",
                   "no further");
}

TEST(an_exception_on_one_rank, reaches_all_from_an_axis)
{
    struct axis {
        bool throws;
        int size() const { return 3; }
        int extent() const { return 3; }
        int index(float) const { return throws ? throw std::domain_error("no bin") : 1; }
    };
    on_both([](auto local) {
        expect_failure(
            [&](auto& ranks) {
                std::vector<int> counts(3);
                tw::histogram(tw::distributed(ranks, local), own_part(), axis{is_failing(ranks)}, counts);
            },
            "histogram", "no bin");
    });
}

TEST(an_exception_on_one_rank, is_that_of_the_first_if_several_throw)
{
    auto const failures = failures_of([&](auto& ranks) {
        tw::reduce(tw::distributed(ranks), own_part(), 0.F, [&](float a, float b) {
            return ranks.rank() % 2 == 1 ? throw std::domain_error("on rank " + std::to_string(ranks.rank())) : a + b;
        });
    });
    for (auto const& own : failures) {
        EXPECT_EQ(own.rank, 1);
        EXPECT_EQ(own.text, "tilewise::reduce: rank 1: on rank 1");
    }
    EXPECT_EQ(failures[3].nested, "on rank 3");
    EXPECT_EQ(failures[2].nested, "");
}

TEST(bad_arguments_of_one_rank, are_an_error_on_all)
{
    expect_failure(
        [&](auto& ranks) {
            std::vector<float> out(is_failing(ranks) ? 2 : elements);
            tw::inclusive_scan(tw::distributed(ranks), own_part(), out);
        },
        "inclusive_scan", "the output range has 2 elements, but there are 8000 results");
    expect_failure(
        [&](auto& ranks) {
            std::vector<float> out(is_failing(ranks) ? 0 : 1);
            tw::reduce_into(tw::distributed(ranks), own_part(), out);
        },
        "reduce_into", "the output range has 0 elements, but there are 1 results");
    expect_failure(
        [&](auto& ranks) {
            std::vector<int> counts(is_failing(ranks) ? 3 : 4);
            tw::histogram(tw::distributed(ranks), own_part(), 4, 0.F, 2.F, counts);
        },
        "histogram", "the output range has 3 elements, but there are 4 results");
    expect_failure(
        [&](auto& ranks) {
            std::vector<int> const keys(elements / rank_count, 1);
            std::vector<float> sums(4);
            tw::reduce_by_index(tw::distributed(ranks), keys, own_part(), is_failing(ranks) ? -1 : 4, sums);
        },
        "reduce_by_index", "the size must be from 0 to 2^31 - 2, not -1");
    expect_failure(
        [&](auto& ranks) { // what the hardened mode checks
            auto const x = own_part();
            auto const first = x.begin(), last = x.end();
            bool const swaps = is_failing(ranks);
            tw::reduce(tw::distributed(ranks), swaps ? last : first, swaps ? first : last);
        },
        "reduce", "last is before first");
}

TEST(bad_arguments_of_one_rank, include_an_axis_of_fewer_than_no_cells)
{
    struct axis {
        int cells;
        int size() const { return cells; }
        int extent() const { return cells; }
        int index(float) const { return 0; }
    };
    std::vector<int> counts(3);
    std::string reason;
    try {
        tw::histogram(own_part(), axis{-1}, counts.begin());
    } catch (std::invalid_argument const& error) {
        reason = std::string(error.what()).substr(std::string("tilewise::histogram: ").size());
    }
    ASSERT_NE(reason, "");
    expect_failure(
        [&](auto& ranks) {
            std::vector<int> own(3);
            tw::histogram(tw::distributed(ranks), own_part(), axis{is_failing(ranks) ? -1 : 3}, own.begin());
        },
        "histogram", reason);
}

TEST(ranks_that_differ, are_an_error_on_all)
{
    auto const x = own_part();
    expect_difference(
        [&](auto& ranks) {
            auto own = x;
            if (is_failing(ranks))
                tw::reduce(tw::distributed(ranks), x);
            else
                tw::inclusive_scan(tw::distributed(ranks), x, own);
        },
        "reduce of float", "inclusive_scan of float");
    expect_difference(
        [&](auto& ranks) {
            if (is_failing(ranks))
                tw::reduce(tw::distributed(ranks), x, 0.);
            else
                tw::reduce(tw::distributed(ranks), x);
        },
        "reduce of double", "reduce of float");
    expect_difference(
        [&](auto& ranks) {
            if (is_failing(ranks))
                tw::reduce(tw::distributed(ranks), x, 0.F, std::multiplies<>());
            else
                tw::reduce(tw::distributed(ranks), x);
        },
        "reduce of float, 4 bytes, with std::multiplies", "reduce of float, 4 bytes, with std::plus");
    expect_difference(
        [&](auto& ranks) {
            auto own = x;
            if (is_failing(ranks))
                tw::inclusive_scan(tw::distributed(ranks), x, own, std::plus<>(), 1.F);
            else
                tw::inclusive_scan(tw::distributed(ranks), x, own);
        },
        "inclusive_scan of float", "inclusive_scan of float");
    expect_difference(
        [&](auto& ranks) {
            std::vector<int> counts(3);
            std::vector<float> const edges{0, 1, 2, 3}, other{0, 1, 2, 3.0000002F};
            tw::histogram(tw::distributed(ranks), x, is_failing(ranks) ? other : edges, counts);
        },
        "histogram in 3 cells", "it with other arguments");
    expect_difference(
        [&](auto& ranks) {
            std::vector<int> counts(4);
            tw::histogram(tw::distributed(ranks), x, is_failing(ranks) ? 4 : 3, 0.F, 2.F, counts);
        },
        "histogram in 4 cells", "histogram in 3 cells");
}

/// Axes of the same type with as many cells, of which one rank has another.
TEST(ranks_with_different_axes, all_throw)
{
    std::vector<float> const x{1, 2, 3};
    auto const expect_difference_of = [&](auto const& axis, auto const& other) {
        std::vector<int> counts(static_cast<std::size_t>(axis.extent()));
        std::string const cells = " in " + std::to_string(counts.size()) + " cells";
        expect_difference(
            [&](auto& ranks) {
                auto own = counts;
                tw::histogram(tw::distributed(ranks), x, is_failing(ranks) ? other : axis, own);
            },
            "histogram" + cells, "it with other arguments");
        expect_difference(
            [&](auto& ranks) {
                std::vector<float> own(counts.size());
                tw::weighted_histogram(tw::distributed(ranks), x, x, is_failing(ranks) ? other : axis, own);
            },
            "weighted_histogram" + cells, "it with other arguments");
    };
    expect_difference_of(tw::regular_axis(3, 0.F, 2.F), tw::regular_axis(3, 0.F, 2.0000002F));
    expect_difference_of(tw::regular_axis(3, 0.F, 2.F), tw::regular_axis(3, -1e-30F, 2.F));
    expect_difference_of(tw::regular_axis(3, 0.F, 2.F), tw::regular_axis(3, 0.F, 2.F, {.closed_upper = true}));
    expect_difference_of(tw::regular_axis(3, 0.F, 2.F), tw::regular_axis(3, 0.F, 2.F, {.flow = tw::flow::clamp}));
    expect_difference_of(tw::regular_axis(6, 0.F, 2.F), tw::regular_axis(3, 0.F, 2.F, {.flow = tw::flow::bins}));
    expect_difference_of(tw::integer_axis(0, 4), tw::integer_axis(1, 5));
    expect_difference_of(tw::log_axis(3, 1.F, 8.F), tw::log_axis(3, 1.F, 9.F));
    for (std::size_t const edge : {0u, 1u, 2u, 3u}) {
        std::vector<float> edges{1, 2, 3, 4}, others(edges);
        others[edge] = std::nextafter(others[edge], 0.F);
        expect_difference_of(tw::variable_axis(edges), tw::variable_axis(others));
    }
}

/// An axis of a user's own, with edges, or with members that the library's axes have for another purpose.
struct own_axis {
    std::vector<float> own_edges;
    float head = 0, tail = 0; // not an axis and further ones
    tw::offset size() const { return static_cast<tw::offset>(own_edges.size()) - 1; }
    tw::offset extent() const { return size(); }
    std::vector<float> const& edges() const { return own_edges; }
    int index(float x) const { return x < own_edges[1] ? 0 : 1; }
};
/// The same, where kernels and loops get a view without the edges.
struct viewed_axis : own_axis {
    struct middle {
        float edge;
        tw::offset extent() const { return 2; }
        int index(float x) const { return x < edge ? 0 : 1; }
    };
    middle view() const { return {own_edges[1]}; }
};
struct named_axis {
    tw::axis_options options() const { return {}; }
    std::string edge(tw::offset i) const { return std::to_string(i); }
    tw::offset size() const { return 2; }
    tw::offset extent() const { return 2; }
    int index(float) const { return 0; }
};

template <class Axis>
void expect_difference_of_edges()
{
    std::vector<float> const x{1, 2, 3};
    for (std::size_t const edge : {0u, 1u, 2u}) {
        Axis axis;
        axis.own_edges = x;
        Axis other = axis;
        other.own_edges[edge] += 0.5F;
        expect_difference(
            [&](auto& ranks) {
                std::vector<int> counts(2);
                tw::histogram(tw::distributed(ranks), x, is_failing(ranks) ? other : axis, counts);
            },
            "histogram in 2 cells", "it with other arguments");
    }
}
TEST(ranks_with_different_axes, all_throw_for_edges_of_an_axis_of_ones_own)
{
    expect_difference_of_edges<own_axis>();
    expect_difference_of_edges<viewed_axis>();
}

TEST(axes_over_ranks, may_have_no_cells_and_edges_of_any_type)
{
    tw::thread_communicator::run(rank_count, [&](tw::thread_communicator& ranks) {
        std::vector<float> const x{1, 2, 3};
        std::vector<int> const keys{0, 1, 2};
        std::vector<int> counts(2);
        tw::histogram(tw::distributed(ranks), x, named_axis(), counts);
        EXPECT_EQ(counts[0], 3 * rank_count);
        std::vector<float> none;
        EXPECT_TRUE(tw::reduce_by_index(tw::distributed(ranks), keys, x, 0, none, 0.F) == none.end());
    });
}

TEST(ranks_with_different_axes, all_throw_for_each_of_several_axes)
{
    using sample = std::tuple<float, float, float>;
    std::vector<sample> const x{{1.F, 1.F, 1.F}};
    tw::regular_axis const same(3, 0.F, 2.F), other(3, 0.F, 3.F);
    for (int const differs : {0, 1, 2})
        expect_difference(
            [&](auto& ranks) {
                std::vector<int> counts(27);
                auto const axis = [&](int i) { return is_failing(ranks) && i == differs ? other : same; };
                tw::histogram(tw::distributed(ranks), x, tw::product_axis(axis(0), axis(1), axis(2)), counts);
            },
            "histogram in 27 cells", "it with other arguments");
}

TEST(a_rank_that_leaves, is_an_error_on_all_others)
{
    std::mutex mutex;
    std::vector<int> failed;
    tw::thread_communicator::run(rank_count, [&](tw::thread_communicator& ranks) {
        if (is_failing(ranks))
            return;
        try {
            tw::reduce(tw::distributed(ranks), own_part());
        } catch (tw::distributed_error const& error) {
            EXPECT_EQ(error.rank(), failing);
            std::lock_guard const lock(mutex);
            failed.push_back(ranks.rank());
        }
    });
    EXPECT_THAT(failed, testing::UnorderedElementsAre(0, 1, 2, 4));
}

} // namespace
