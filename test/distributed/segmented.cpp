// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Segments that span ranks, or lie in the part of one: the bits of one call for the whole range.
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
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace tw = tilewise;

namespace {

using ranks::random_segments, ranks::segments;
using tw::offset;

template <class T>
bool same(T const* a, T const* b, std::size_t count)
{
    return count == 0 || std::memcmp(a, b, count * sizeof(T)) == 0;
}

/// Compares calls over ranks with those of one range.
template <class T, class Op>
void expect_bits_of_one_range(std::vector<T> const& x, segments const& of, std::vector<std::size_t> const& cuts, Op op)
{
    T const init = x.empty() ? T{} : x.back(), other = x.empty() ? T{} : x.front();
    auto const begins = of.begins.begin(), begins_last = of.begins.end(), ends = of.ends.begin();
    std::vector<T> reduced(of.begins.size(), init), inclusive(x), without(x), exclusive(x);
    tw::segmented_reduce(x.begin(), begins, begins_last, ends, reduced.begin(), init, op);
    tw::segmented_inclusive_scan(x.begin(), begins, begins_last, ends, inclusive.begin(), op, init);
    tw::segmented_inclusive_scan(x.begin(), begins, begins_last, ends, without.begin(), op);
    tw::segmented_exclusive_scan(x.begin(), begins, begins_last, ends, exclusive.begin(), init, op);
    ranks::on_each_rank(cuts, [&](tw::thread_communicator& ranks, std::size_t begin, std::size_t end) {
        auto const compare = [&](auto local) {
            auto const on = tw::distributed(ranks, local).at(static_cast<offset>(begin), std::ssize(x));
            T const own_init = ranks.rank() == 0 ? init : other;
            std::vector<T> const own(x.begin() + static_cast<offset>(begin), x.begin() + static_cast<offset>(end));
            std::vector<T> results(reduced.size(), other), scanned(own);
            EXPECT_TRUE(tw::segmented_reduce(on, own.begin(), begins, begins_last, ends, results, own_init, op) ==
                        results.end());
            EXPECT_TRUE(same(results.data(), reduced.data(), results.size())) << "reductions";
            tw::segmented_inclusive_scan(on, own.begin(), begins, begins_last, ends, scanned, op, own_init);
            EXPECT_TRUE(same(scanned.data(), inclusive.data() + begin, own.size())) << "inclusive scans";
            scanned = own;
            tw::segmented_exclusive_scan(on, own.data(), begins, begins_last, ends, scanned.data(), own_init, op);
            EXPECT_TRUE(same(scanned.data(), exclusive.data() + begin, own.size())) << "exclusive scans";
            scanned = own; // in place
            tw::segmented_inclusive_scan(on, scanned.begin(), begins, begins_last, ends, scanned.begin(), op);
            EXPECT_TRUE(same(scanned.data(), without.data() + begin, own.size())) << "scans without init";
        };
        compare(tw::seq);
        compare(tw::par);
    });
}

template <class T>
class SegmentsOverRanks : public testing::Test {};
using sizes = testing::Types<shape::bytes<1>, shape::bytes<4>, shape::bytes<24>>;
TYPED_TEST_SUITE(SegmentsOverRanks, sizes);

TYPED_TEST(SegmentsOverRanks, HaveTheBitsOfOneRange)
{
    std::mt19937 random(1969);
    for (int run = 0; run < 12; ++run) {
        auto const x = shape::some_values<TypeParam>(random() % (run % 3 == 0 ? 20 : 30'000));
        segments const of = random_segments(x.size(), 40, random);
        expect_bits_of_one_range(x, of, ranks::cuts_of(x.size(), 1000, random), shape::non_associative<TypeParam>());
    }
}

TEST(segments_over_ranks, are_given_by_a_range_of_offsets_in_the_whole)
{
    std::vector<int> const x{1, 2, 3, 4, 5, 6, 7};
    std::list<short> const offsets{0, 3, 3, 4, 7};
    ranks::on_each_rank({0, 2, 5, 7}, [&](tw::thread_communicator& ranks, std::size_t begin, std::size_t end) {
        auto const on = tw::distributed(ranks, tw::par).at(static_cast<offset>(begin), std::ssize(x));
        std::vector<int> const own(x.begin() + static_cast<offset>(begin), x.begin() + static_cast<offset>(end)),
            all{11, 13, 16, 14, 15, 21, 28};
        std::vector<int> sums(4), scanned(own.size());
        tw::segmented_reduce(on, own, offsets, sums, 10);
        EXPECT_THAT(sums, testing::ElementsAre(16, 10, 14, 28));
        tw::segmented_inclusive_scan(on, own, offsets, scanned, std::plus<>(), 10);
        EXPECT_TRUE(std::equal(scanned.begin(), scanned.end(), all.begin() + static_cast<offset>(begin)));
    });
}

TEST(segments_over_ranks, have_the_bits_of_one_range_of_numbers)
{
    std::mt19937 random(1970);
    for (int run = 0; run < 12; ++run) {
        std::vector<float> x(random() % 100'000);
        for (float& value : x)
            value = static_cast<float>(random() % 2001) / 7.F - 100.F;
        segments const of = random_segments(x.size(), 40, random);
        expect_bits_of_one_range(x, of, ranks::cuts_of(x.size(), 1000, random), std::plus<>());
        std::vector<int> const integers(x.begin(), x.end());
        expect_bits_of_one_range(integers, of, ranks::cuts_of(x.size(), 1000, random), std::plus<>());
    }
}

TEST(segments_over_ranks, have_the_bits_of_one_range_of_large_values)
{
    using value = shape::bytes<1100>;
    std::mt19937 random(1971);
    auto const x = shape::some_values<value>(150);
    expect_bits_of_one_range(x, random_segments(x.size(), 40, random), {0, 10, 60, 60, 61, 150},
                             shape::non_associative<value>());
}

TEST(segments_over_ranks, may_overlap_where_they_are_reduced)
{
    std::vector<float> x(10'000);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i % 1013) / 7.F;
    std::vector<int> const begins{0, 5, 4000, 2, 9999}, ends{10'000, 9'000, 6000, 2, 10'000};
    std::vector<float> expected(5);
    tw::segmented_reduce(x.begin(), begins.begin(), begins.end(), ends.begin(), expected.begin());
    ranks::on_each_rank({0, 3000, 5001, 10'000}, [&](auto& ranks, std::size_t begin, std::size_t) {
        std::vector<float> sums(5);
        std::list<int> const listed(begins.begin(), begins.end()); // offsets need no random access
        tw::segmented_reduce(tw::distributed(ranks).at(static_cast<offset>(begin), std::ssize(x)), x.data() + begin,
                             listed.begin(), listed.end(), ends.begin(), sums);
        EXPECT_EQ(sums, expected);
    });
}

TEST(segments_over_ranks, may_be_over_many_ranks)
{
    std::vector<float> const x(4000, 1.F);
    std::vector<int> const offsets{0, 7, 3990, 4000};
    tw::thread_communicator::run(40, [&](tw::thread_communicator& ranks) {
        offset const begin = 100 * ranks.rank();
        std::vector<float> sums(3);
        tw::segmented_reduce(tw::distributed(ranks).at(begin, 4000), x.data() + begin, offsets.begin(),
                             offsets.end() - 1, offsets.begin() + 1, sums);
        EXPECT_THAT(sums, testing::ElementsAre(7.F, 3983.F, 10.F));
    });
}

/// What all of three ranks of ten elements throw, each of which then makes another call.
template <class Call>
std::string error_of_all(Call call)
{
    std::vector<std::string> texts(3, "no error");
    tw::thread_communicator::run(3,
                                 [&](tw::thread_communicator& ranks) {
                                     std::vector<float> x(10, 1.F);
                                     try {
                                         call(ranks, x);
                                     } catch (tw::distributed_error const& error) {
                                         texts[static_cast<std::size_t>(ranks.rank())] = error.what();
                                     }
                                     EXPECT_EQ(tw::reduce(tw::distributed(ranks), std::vector<int>(1, 2)), 6);
                                 },
                                 {.timeout = std::chrono::seconds(120)});
    EXPECT_EQ(texts[0], texts[1]);
    EXPECT_EQ(texts[0], texts[2]);
    return texts[0];
}

TEST(segments_over_ranks, that_are_wrong_on_one_rank_are_an_error_on_all)
{
    std::vector<int> const offsets{0, 5, 15, 30}, others{0, 5, 16, 30}, beyond{0, 5, 15, 31};
    auto const reduce = [](auto on, auto const& x, std::vector<int> const& at, auto... rest) {
        std::vector<float> sums(at.size() - 1);
        tw::segmented_reduce(on, x.begin(), at.begin(), at.end() - 1, at.begin() + 1, sums, rest...);
    };
    auto const on = [](auto& ranks) { return tw::distributed(ranks).at(10 * ranks.rank(), 30); };
    EXPECT_EQ(error_of_all([&](auto& ranks, auto& x) { reduce(on(ranks), x, offsets); }), "no error");
    EXPECT_THAT(error_of_all([&](auto& ranks, auto& x) { reduce(tw::distributed(ranks), x, offsets); }),
                testing::HasSubstr("use distributed(communicator, policy).at(begin, total)"));
    EXPECT_THAT(error_of_all([&](auto& ranks, auto& x) { reduce(on(ranks), x, ranks.rank() == 1 ? others : offsets); }),
                testing::HasSubstr("rank 1 calls segmented_reduce of 3 segments"));
    EXPECT_THAT(error_of_all([&](auto& ranks, auto& x) { reduce(on(ranks), x, beyond); }),
                testing::HasSubstr("rank 0: the segment from 15 to 31 is not in the range of 30 elements"));
    EXPECT_THAT(error_of_all([&](auto& ranks, auto& x) {
                    reduce(tw::distributed(ranks).at(ranks.rank() == 1 ? 21 : 10 * ranks.rank(), 30), x, offsets);
                }),
                testing::HasSubstr("rank 1: states that its part begins at 21, but the"));
    EXPECT_THAT(error_of_all([&](auto& ranks, auto& x) {
                    reduce(on(ranks), x, offsets, 0.F, [&](float a, float b) {
                        return ranks.rank() == 1 ? throw std::domain_error("too much") : a + b;
                    });
                }),
                testing::HasSubstr("rank 1: too much"));
    EXPECT_THAT(error_of_all([&](auto& ranks, auto& x) {
                    std::vector<float> out(ranks.rank() == 1 ? 9 : 10);
                    tw::segmented_inclusive_scan(on(ranks), x.begin(), offsets.begin(), offsets.end() - 1,
                                                 offsets.begin() + 1, out);
                }),
                testing::HasSubstr("rank 1: the output range has 9 elements"));
    EXPECT_THAT(error_of_all([&](auto& ranks, auto& x) { // while it scans what follows other ranks
                    tw::segmented_inclusive_scan(on(ranks), x.begin(), offsets.begin(), offsets.end() - 1,
                                                 offsets.begin() + 1, x, [&, calls = 0](float a, float b) mutable {
                                                     return ranks.rank() == 2 && ++calls > 3
                                                                ? throw std::domain_error("too much")
                                                                : a + b;
                                                 });
                }),
                testing::HasSubstr("rank 2: too much"));
}

} // namespace
