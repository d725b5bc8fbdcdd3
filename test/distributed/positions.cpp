// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Ranks that state the positions of their parts: the same bits with one collective fewer, and an error on all ranks
/// where statements contradict each other or the parts.
#include "../order_shapes.hpp"
#include "ranks.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/tilewise.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tw = tilewise;

namespace {

using testing::HasSubstr;
using tw::offset;

std::vector<float> some_floats(std::size_t count)
{
    std::vector<float> x(count);
    for (std::size_t i = 0; i < count; ++i)
        x[i] = static_cast<float>(i * 7919 % 1013) / 7.F - 60.F;
    return x;
}

/// Calls `work(policy, begin, end)` on a rank for each part, with a policy that knows the position.
template <class Work>
void at_each_position(std::vector<std::size_t> const& cuts, Work work)
{
    ranks::on_each_rank(cuts, [&](tw::thread_communicator& own, std::size_t begin, std::size_t end) {
        auto const first = static_cast<offset>(begin), total = static_cast<offset>(cuts.back());
        work(tw::distributed(own).at(first, total), begin, end);
        work(tw::distributed(own, tw::par).at(first, total), begin, end);
    });
}

/// The collectives that a call makes on rank 0.
template <class Call>
std::size_t collectives_of(int ranks, Call call)
{
    std::size_t collectives = 0;
    tw::thread_communicator::run(ranks, [&](tw::thread_communicator& own) {
        auto const before = own.statistics().collectives;
        call(own, 1000 * own.rank(), 1000 * own.size());
        if (own.rank() == 0)
            collectives = own.statistics().collectives - before;
    });
    return collectives;
}

TEST(positions, save_a_collective)
{
    std::vector<float> const x(1000, 1.F);
    std::vector<int> const integers(1000, 1);
    auto const expect = [](std::size_t without, std::size_t with, auto algorithm) {
        EXPECT_EQ(collectives_of(5, [&](auto& own, offset, offset) { algorithm(tw::distributed(own)); }), without);
        EXPECT_EQ(collectives_of(5, [&](auto& own, offset begin,
                                        offset total) { algorithm(tw::distributed(own).at(begin, total)); }),
                  with);
    };
    expect(2, 1, [&](auto on) { EXPECT_EQ(tw::reduce(on, x), 5000.F); });
    expect(2, 1, [&](auto on) { EXPECT_EQ(tw::reduce(on, integers), 5000); });
    expect(2, 1, [&](auto on) { EXPECT_EQ(tw::count_if(on, x, [](float value) { return value > 0; }), 5000); });
    expect(2, 1, [&](auto on) {
        std::vector<float> out(x.size());
        tw::inclusive_scan(on, x, out);
        EXPECT_EQ(out.back(), static_cast<float>((on.communicator().rank() + 1) * 1000));
    });
    expect(2, 1, [&](auto on) {
        std::vector<int> out(x.size());
        tw::exclusive_scan(on, integers, out, 0);
    });
    expect(2, 1, [&](auto on) { EXPECT_EQ(tw::min_element(on, x).index, 0); });
    expect(2, 2, [&](auto on) {
        std::vector<int> counts(3);
        tw::histogram(on, x, 3, 0., 2., counts);
        EXPECT_EQ(counts[1], 5000);
    });
}

TEST(positions, do_not_change_bits)
{
    std::mt19937 random(1789);
    for (int run = 0; run < 40; ++run) {
        auto const x = some_floats(random() % (run % 4 == 0 ? 4 : 90'000));
        std::vector<int> keys(x.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            keys[i] = static_cast<int>(i * 13 % 7);
        auto const cuts = ranks::cuts_of(x.size(), 1024, random);
        float const sum = tw::reduce(x, 0.5F);
        long const whole = tw::reduce(keys, 3L);
        std::vector<float> scanned(x.size()), excluding(x.size()), sums(7);
        std::vector<int> integers(x.size()), counts(5);
        std::vector<double> weights(5);
        tw::inclusive_scan(x, scanned);
        tw::exclusive_scan(x, excluding, 2.5F);
        tw::inclusive_scan(keys, integers);
        tw::reduce_by_index(keys, x, 7, sums, 1.F);
        tw::histogram(x, 5, -50., 50., counts);
        tw::weighted_histogram(x, x, 5, -50., 50., weights);
        auto const least = tw::min_element(x) - x.begin();
        at_each_position(cuts, [&](auto on, std::size_t begin, std::size_t end) {
            std::span const own(x.data() + begin, end - begin);
            std::span const own_keys(keys.data() + begin, end - begin);
            auto const part_of = [&](auto const& all) { return std::span(all).subspan(begin, end - begin); };
            EXPECT_EQ(tw::reduce(on, own, 0.5F), sum);
            EXPECT_EQ(tw::reduce(on, std::list<float>(own.begin(), own.end()), 0.5F), sum);
            EXPECT_EQ(tw::reduce(on, own_keys, 3L), whole);
            std::vector<float> out(own.size());
            tw::inclusive_scan(on, own, out);
            EXPECT_TRUE(std::ranges::equal(out, part_of(scanned)));
            tw::exclusive_scan(on, own, out, 2.5F);
            EXPECT_TRUE(std::ranges::equal(out, part_of(excluding)));
            std::vector<int> out_integers(own.size());
            tw::inclusive_scan(on, own_keys, out_integers);
            EXPECT_TRUE(std::ranges::equal(out_integers, part_of(integers)));
            std::vector<float> own_sums(7);
            tw::reduce_by_index(on, own_keys, own, 7, own_sums, 1.F);
            EXPECT_EQ(own_sums, sums);
            std::vector<int> own_counts(5);
            tw::histogram(on, own, 5, -50., 50., own_counts);
            EXPECT_EQ(own_counts, counts);
            std::vector<double> own_weights(5);
            tw::weighted_histogram(on, own, own, 5, -50., 50., own_weights);
            EXPECT_EQ(own_weights, weights);
            auto const found = tw::min_element(on, own);
            EXPECT_EQ(found.index, x.empty() ? 0 : least);
            EXPECT_EQ(found.rank < 0, x.empty());
        });
    }
}

TEST(positions, do_not_change_bits_of_values_that_do_not_fit_into_the_first_message)
{
    using value = shape::bytes<24>;
    using order = tw::order<value>;
    auto const count = static_cast<std::size_t>(5 * order::tile + 17);
    auto const x = shape::some_values<value>(count);
    shape::non_associative<value> const op;
    value const init = x[3];
    value const result = tw::reduce(x, init, op);
    std::vector<value> scanned(count);
    tw::inclusive_scan(x, scanned, op);
    std::vector<std::size_t> const cuts{0, 1, count - 18, count};
    auto const values = tw::host::unit<order>::count(1, static_cast<offset>(cuts[2]));
    ASSERT_GT(static_cast<std::size_t>(values) * sizeof(value), tw::engine::first_values_bytes);
    at_each_position(cuts, [&](auto on, std::size_t begin, std::size_t end) {
        std::span const own(x.data() + begin, end - begin);
        value const own_result = tw::reduce(on, own, init, op);
        EXPECT_EQ(std::memcmp(&own_result, &result, sizeof(value)), 0);
        std::vector<value> out(own.size());
        tw::inclusive_scan(on, own, out, op);
        EXPECT_EQ(std::memcmp(out.data(), scanned.data() + begin, out.size() * sizeof(value)), 0);
    });
}

TEST(positions, may_be_those_of_an_even_partition)
{
    auto const x = some_floats(200'000);
    float const sum = tw::reduce(x);
    for (int const ranks : {1, 3, 7, 40}) { // 40 ranks take rounds of messages
        auto const cuts = tw::even_partition<float>(static_cast<offset>(x.size()), ranks);
        tw::thread_communicator::run(ranks, [&](tw::thread_communicator& own) {
            auto const rank = static_cast<std::size_t>(own.rank());
            std::span const part(x.data() + cuts[rank], x.data() + cuts[rank + 1]);
            auto const on = tw::distributed(own).at(cuts[rank], cuts.back());
            EXPECT_EQ(tw::reduce(on, part), sum);
            EXPECT_EQ(tw::max_element(on, part).index, tw::max_element(x) - x.begin());
        });
    }
}

/// What ranks state, of which each has ten elements.
struct statement {
    std::optional<tw::part_position> position;
    std::size_t count = 10;
};

/// Calls `call(policy, elements)` on ranks that make such statements, and expects the same error on all; then another
/// call, which all ranks finish.
template <class Call>
void expect_error(std::vector<statement> const& statements, int rank, std::string const& text, Call call)
{
    SCOPED_TRACE(text);
    std::vector<std::string> texts(statements.size(), "no error");
    tw::thread_communicator::run(static_cast<int>(statements.size()),
                                 [&](tw::thread_communicator& own) {
                                     auto const number = static_cast<std::size_t>(own.rank());
                                     statement const& stated = statements[number];
                                     std::vector<float> const x(stated.count, 1.F);
                                     auto on = tw::distributed(own);
                                     if (stated.position)
                                         on = on.at(stated.position->begin, stated.position->total);
                                     try {
                                         call(on, x);
                                     } catch (tw::distributed_error const& error) {
                                         texts[number] = error.what();
                                         EXPECT_EQ(error.rank(), rank);
                                     }
                                     EXPECT_EQ(tw::reduce(tw::distributed(own), std::vector<int>(1, 2)),
                                               2 * own.size());
                                 },
                                 {.timeout = std::chrono::seconds(120)});
    for (std::string const& each : texts) {
        EXPECT_EQ(each, texts[0]);
        EXPECT_THAT(each, HasSubstr(text));
    }
}

TEST(positions, that_contradict_each_other_are_an_error_on_all_ranks)
{
    auto const under_each_call = [](std::vector<statement> const& statements, int rank, std::string const& text) {
        expect_error(statements, rank, text, [](auto on, auto const& x) { tw::reduce(on, x); });
        expect_error(statements, rank, text, [](auto on, auto const& x) {
            std::vector<float> out(x.size());
            tw::inclusive_scan(on, x, out);
        });
        expect_error(statements, rank, text, [](auto on, auto const& x) { tw::max_element(on, x); });
        expect_error(statements, rank, text, [](auto on, auto const& x) { tw::count(on, x, 1.F); });
        expect_error(statements, rank, text, [](auto on, auto const& x) {
            std::vector<int> counts(3);
            tw::histogram(on, x, 3, 0., 1., counts);
        });
        expect_error(statements, rank, text, [](auto on, auto const& x) {
            std::vector<int> const keys(x.size());
            std::vector<float> sums(3);
            tw::reduce_by_index(on, keys, x, 3, sums);
        });
    };
    auto const at = [](offset begin, offset total, std::size_t count = 10) {
        return statement{tw::part_position{begin, total}, count};
    };
    under_each_call({at(0, 30), at(10, 30), at(20, 30, 11)}, 2,
                    "rank 2: at(20, 30) does not fit a part of 11 elements");
    under_each_call({at(0, 30), at(10, 30), at(20, 30, 9)}, 2, "rank 2: at(20, 30) does not fit a part of 9 elements");
    under_each_call({at(1, 30), at(10, 30), at(20, 30)}, 0, "rank 0: at(1, 30) does not fit a part of 10 elements");
    under_each_call({at(0, 30), at(-1, 30), at(20, 30)}, 1, "rank 1: at(-1, 30) does not fit");
    under_each_call({at(0, 30), at(31, 30), at(20, 30)}, 1, "rank 1: at(31, 30) does not fit");
    under_each_call({at(0, 30), at(10, 30, 9), at(20, 30)}, 2,
                    "rank 2: states that its part begins at 20, but the ranks "
                    "before it have 19 elements");
    under_each_call({at(0, 30), at(9, 30), at(20, 30)}, 1,
                    "rank 1: states that its part begins at 9, but the ranks "
                    "before it have 10 elements");
    under_each_call({at(0, 30), at(10, 31), at(20, 30)}, 1, "rank 1: states 31 elements in all, but rank 0 states 30");
}

TEST(positions, of_many_ranks_are_checked_too)
{
    std::vector<statement> statements;
    for (offset rank = 0; rank < 40; ++rank)
        statements.push_back({tw::part_position{10 * rank, 400}, 10});
    auto const reduce = [](auto on, auto const& x) { tw::reduce(on, x); };
    statements[17].position->begin = 171;
    expect_error(statements, 17, "rank 17: states that its part begins at 171", reduce);
    statements[17].position.reset(); // a header has room for that
    expect_error(statements, 17, "rank 17: states no position, but rank 0 states 400", reduce);
}

TEST(positions, that_only_some_of_a_few_ranks_state_are_an_error_on_all)
{
    int errors = 0;
    std::mutex mutex;
    tw::thread_communicator::run(3, [&](tw::thread_communicator& own) {
        auto on = tw::distributed(own);
        if (own.rank() == 1)
            on = on.at(10, 30);
        try {
            tw::reduce(on, std::vector<float>(10));
        } catch (tw::distributed_error const&) { // of the communicator, because the sizes of messages differ
            std::lock_guard const lock(mutex);
            ++errors;
        }
    });
    EXPECT_EQ(errors, 3);
}

TEST(positions, of_elements_that_are_not_counted_are_not_checked)
{
    tw::thread_communicator::run(2, [&](tw::thread_communicator& own) {
        std::list<float> const x(10, 1.F);
        std::vector<int> counts(1);
        tw::histogram(tw::distributed(own).at(own.rank() == 0 ? 0 : 7, 20), x, 1, 0., 2., counts);
        EXPECT_EQ(counts[0], 20);
    });
}

TEST(positions, leave_other_errors_as_they_are)
{
    std::vector<statement> const statements{
        {tw::part_position{0, 30}}, {tw::part_position{10, 30}}, {tw::part_position{20, 30}}};
    auto const is_second = [](auto const& on) { return on.communicator().rank() == 1; };
    expect_error(statements, 1, "tilewise::reduce: rank 1: too much", [&](auto on, auto const& x) {
        tw::reduce(on, x, 0.F,
                   [&](float a, float b) { return is_second(on) ? throw std::domain_error("too much") : a + b; });
    });
    expect_error(statements, 1, "tilewise::inclusive_scan: rank 1: too much", [&](auto on, auto const& x) {
        std::vector<float> out(x.size()); // the first pass applies the operator less often than there are elements
        tw::inclusive_scan(on, x, out, [&, calls = 0](float a, float b) mutable {
            return is_second(on) && ++calls > 12 ? throw std::domain_error("too much") : a + b;
        });
    });
    expect_error(statements, 1, "tilewise::min_element: rank 1: too much", [&](auto on, auto const& x) {
        tw::min_element(on, x,
                        [&](float a, float b) { return is_second(on) ? throw std::domain_error("too much") : a < b; });
    });
    expect_error(statements, 1, "rank 1 calls reduce of double", [&](auto on, auto const& x) {
        if (is_second(on))
            tw::reduce(on, x, 0.);
        else
            tw::reduce(on, x);
    });
    expect_error(statements, 1, "rank 1 calls histogram in 3 cells", [&](auto on, auto const& x) {
        std::vector<int> counts(3);
        if (is_second(on))
            tw::histogram(on, x, 3, 0., 1., counts);
        else
            tw::reduce(on, x);
    });
    expect_error(statements, 1, "rank 1: the output range has 9 elements", [&](auto on, auto const& x) {
        std::vector<float> out(is_second(on) ? 9 : 10);
        tw::inclusive_scan(on, x, out);
    });
}

} // namespace
