// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Histograms of which each rank gets the counts of its own cells.
#include "ranks.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/histogram.hpp>
#include <tilewise/reduce.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tw = tilewise;

namespace {

/// The cells of a rank.
struct own_cells {
    std::size_t begin, count;
    own_cells(int cells, tw::thread_communicator const& ranks)
    {
        auto const cuts = tw::even_partition<std::uint64_t>(cells, ranks.size());
        auto const rank = static_cast<std::size_t>(ranks.rank());
        begin = static_cast<std::size_t>(cuts[rank]);
        count = static_cast<std::size_t>(cuts[rank + 1]) - begin;
    }
};

TEST(scattered_histograms, give_each_rank_the_counts_of_its_cells)
{
    std::mt19937 random(1815);
    for (int run = 0; run < 40; ++run) {
        std::vector<int> x(random() % (run % 4 == 0 ? 5 : 40'000));
        static constexpr int numbers[] = {1, 2, 7, 100, 5000};
        int const cells = numbers[run % 5];
        for (int& value : x)
            value = static_cast<int>(random() % static_cast<unsigned>(cells + 2)) - 1;
        tw::integer_axis<int> const axis(0, cells);
        std::vector<unsigned char> counts(static_cast<std::size_t>(cells));
        tw::histogram(x, axis, counts);
        auto const compare = [&](auto const& on, std::span<int const> own_x, own_cells own) {
            std::vector<unsigned char> own_counts(own.count, 99);
            EXPECT_TRUE(tw::histogram(on, own_x, axis, own_counts) == own_counts.end());
            EXPECT_TRUE(std::ranges::equal(own_counts, std::span(counts).subspan(own.begin, own.count)));
            tw::histogram_add(on, own_x.begin(), own_x.end(), axis, own_counts.begin());
            for (std::size_t i = 0; i < own.count; ++i)
                EXPECT_EQ(own_counts[i], static_cast<unsigned char>(2 * counts[own.begin + i]));
            std::vector<std::uint64_t> appended;
            tw::histogram(tw::distributed(on.communicator()).scattered(), own_x, axis, std::back_inserter(appended));
            EXPECT_EQ(appended.size(), own.count);
        };
        auto const cuts = ranks::cuts_of(x.size(), 1000, random);
        ranks::on_each_rank(cuts, [&](tw::thread_communicator& ranks, std::size_t begin, std::size_t end) {
            std::span const own_x(x.data() + begin, end - begin);
            own_cells const own(cells, ranks);
            auto const first = static_cast<tw::offset>(begin), total = std::ssize(x);
            compare(tw::distributed(ranks).scattered(), own_x, own);
            compare(tw::distributed(ranks, tw::par).scattered(), own_x, own);
            compare(tw::distributed(ranks, tw::par).at(first, total).scattered(), own_x, own);
            compare(tw::distributed(ranks).scattered().at(first, total), own_x, own);
        });
    }
}

struct axis_without_cells {
    int size() const { return 0; }
    int extent() const { return 0; }
    int index(int) const { return 0; }
};

TEST(scattered_histograms, may_have_no_cells)
{
    ranks::on_each_rank({0, 5, 9}, [](tw::thread_communicator& ranks, std::size_t begin, std::size_t end) {
        std::vector<int> const x(end - begin, 1);
        std::vector<int> counts;
        tw::histogram(tw::distributed(ranks).scattered(), x.begin(), x.begin(), axis_without_cells(), counts);
        EXPECT_EQ(tw::reduce(tw::distributed(ranks), x), 9);
    });
}

TEST(scattered_histograms, send_each_count_once)
{
    int const cells = 100'000;
    ranks::on_each_rank({0, 5, 9, 14, 17}, [](tw::thread_communicator& ranks, std::size_t begin, std::size_t end) {
        std::vector<int> const x(end - begin, 1);
        own_cells const own(cells, ranks);
        std::vector<int> counts(own.count);
        tw::histogram(tw::distributed(ranks).scattered(), x, tw::integer_axis<int>(0, cells), counts);
        auto const sent = ranks.statistics();
        EXPECT_EQ(sent.collectives, 2u);
        EXPECT_LT(sent.bytes_sent, (cells + 100) * sizeof(std::uint64_t)); // of which a part is for itself
        EXPECT_LT(sent.bytes_received, 4 * (own.count + 100) * sizeof(std::uint64_t));
    });
}

/// What all of three ranks throw, each of which then makes another call.
template <class Call>
std::string error_of_all(Call call)
{
    std::vector<std::string> texts(3, "no error");
    tw::thread_communicator::run(3,
                                 [&](tw::thread_communicator& ranks) {
                                     try {
                                         call(ranks);
                                     } catch (tw::distributed_error const& error) {
                                         texts[static_cast<std::size_t>(ranks.rank())] = error.what();
                                         EXPECT_EQ(error.rank(), 1);
                                     }
                                     EXPECT_EQ(tw::reduce(tw::distributed(ranks), std::vector<int>(1, 2)), 6);
                                 },
                                 {.timeout = std::chrono::seconds(120)});
    EXPECT_EQ(texts[0], texts[1]);
    EXPECT_EQ(texts[0], texts[2]);
    return texts[0];
}

struct throwing_axis {
    bool throws;
    int size() const { return 9; }
    int extent() const { return 9; }
    int index(int) const { return throws ? throw std::domain_error("no bin") : 1; }
};

TEST(scattered_histograms, that_fail_on_one_rank_fail_on_all)
{
    std::vector<int> const x(100, 1);
    tw::integer_axis<int> const axis(0, 9);
    EXPECT_EQ(error_of_all([&](auto& ranks) {
                  std::vector<int> counts(own_cells(9, ranks).count);
                  tw::histogram(tw::distributed(ranks).scattered(), x, throwing_axis{ranks.rank() == 1}, counts);
              }),
              "tilewise::histogram: rank 1: no bin");
    EXPECT_EQ(error_of_all([&](auto& ranks) {
                  std::vector<int> counts(own_cells(9, ranks).count - (ranks.rank() == 1 ? 1 : 0));
                  tw::histogram(tw::distributed(ranks).scattered(), x, axis, counts);
              }),
              "tilewise::histogram: rank 1: the output range has 3 elements, but there are 4 results");
    EXPECT_THAT(error_of_all([&](auto& ranks) {
                    std::vector<int> counts(9);
                    if (ranks.rank() == 1)
                        tw::histogram(tw::distributed(ranks), x, axis, counts);
                    else
                        tw::histogram(tw::distributed(ranks).scattered(), x, axis, counts);
                }),
                testing::AllOf(testing::HasSubstr("rank 1 calls histogram in 9 cells"),
                               testing::HasSubstr("rank 0 calls histogram scattered in 9 cells")));
}

} // namespace
