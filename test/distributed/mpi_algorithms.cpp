// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Algorithms over the processes of an MPI program: the bits of one call for the whole range, on every process.
#include <tilewise/distributed.hpp>
#include <tilewise/distributed/mpi.hpp>
#include <tilewise/tilewise.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tw = tilewise;

namespace {

using namespace std::chrono_literals;

/// On every process the same: no prefix of it has an exact sum.
std::vector<float> const& whole()
{
    static auto const x = [] {
        std::vector<float> values(100'003);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>((i * 7919) % 1013) / 7.F - 60.F;
        return values;
    }();
    return x;
}

/// Cuts for as many parts as there are processes, on every process the same; most of them in the first quarter.
std::vector<std::size_t> random_cuts(int ranks, std::mt19937& random)
{
    std::vector<std::size_t> cuts{0, whole().size()};
    while (cuts.size() <= static_cast<std::size_t>(ranks))
        cuts.push_back(random() % 5 == 0 ? cuts.back() : random() % (whole().size() / (1 + random() % 4)));
    std::ranges::sort(cuts);
    return cuts;
}

/// Calls `test(policy, part, begin)` for cuts at random and each local policy.
template <class Test>
void on_random_parts(Test test)
{
    tw::mpi_communicator ranks(MPI_COMM_WORLD, {.timeout = 120s});
    std::mt19937 random(1848);
    for (int round = 0; round < 4; ++round) {
        auto const cuts = random_cuts(ranks.size(), random);
        auto const rank = static_cast<std::size_t>(ranks.rank());
        std::span const part = std::span(whole()).subspan(cuts[rank], cuts[rank + 1] - cuts[rank]);
        test(tw::distributed(ranks), part, cuts[rank]);
        test(tw::distributed(ranks, tw::par), part, cuts[rank]);
    }
}

/// So many values of `all` as `part` has, from `begin` on.
template <class T>
std::span<T const> part_of(std::vector<T> const& all, std::size_t begin, std::vector<T> const& part)
{
    return std::span(all).subspan(begin, part.size());
}

TEST(algorithms_over_processes, reduce_to_the_bits_of_one_call)
{
    float const sum = tw::reduce(tw::seq, whole(), 0.5F);
    float const squares = tw::transform_reduce(tw::seq, whole(), 0.F, std::plus<>(), tw::square());
    on_random_parts([&](auto on, std::span<float const> part, std::size_t) {
        EXPECT_EQ(tw::reduce(on, part, 0.5F), sum);
        EXPECT_EQ(tw::transform_reduce(on, part, 0.F, std::plus<>(), tw::square()), squares);
        EXPECT_EQ(tw::count_if(on, part, [](float x) { return x > 0; }),
                  std::ranges::count_if(whole(), [](float x) { return x > 0; }));
    });
}

TEST(algorithms_over_processes, scan_to_the_bits_of_one_call)
{
    std::vector<float> inclusive(whole().size()), exclusive(whole().size());
    tw::inclusive_scan(tw::seq, whole(), inclusive);
    tw::exclusive_scan(tw::seq, whole(), exclusive, 2.5F);
    on_random_parts([&](auto on, std::span<float const> part, std::size_t begin) {
        std::vector<float> out(part.size());
        tw::inclusive_scan(on, part, out);
        EXPECT_TRUE(std::ranges::equal(out, part_of(inclusive, begin, out)));
        tw::exclusive_scan(on, part, out, 2.5F);
        EXPECT_TRUE(std::ranges::equal(out, part_of(exclusive, begin, out)));
    });
}

TEST(algorithms_over_processes, count_and_add_up_weights_to_the_bits_of_one_call)
{
    tw::regular_axis const axis(16, -60.F, 90.F);
    std::vector<std::uint64_t> counts(16);
    std::vector<float> sums(16);
    tw::histogram(tw::seq, whole(), axis, counts);
    tw::weighted_histogram(tw::seq, whole(), whole(), axis, sums);
    on_random_parts([&](auto on, std::span<float const> part, std::size_t) {
        std::vector<std::uint64_t> own_counts(16);
        std::vector<float> own_sums(16);
        tw::histogram(on, part, axis, own_counts);
        EXPECT_EQ(own_counts, counts);
        tw::weighted_histogram(on, part, part, axis, own_sums);
        EXPECT_EQ(own_sums, sums);
    });
}

TEST(algorithms_over_processes, combine_runs_of_keys_to_the_bits_of_one_call)
{
    std::vector<int> keys(whole().size()); // runs of one element, of a few thousands, and of a quarter of all
    for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = i < 25'000 ? 0 : i < 60'000 ? static_cast<int>(i / 3000) : static_cast<int>(i) % 2 + 100;
    std::vector<int> found(keys.size());
    std::vector<float> sums(keys.size()), scanned(keys.size());
    auto const runs = tw::reduce_by_key(keys, whole(), found, sums).second - sums.begin();
    tw::inclusive_scan_by_key(keys, whole(), scanned);
    on_random_parts([&](auto on, std::span<float const> part, std::size_t begin) {
        std::span const own_keys = part_of(keys, begin, std::vector<int>(part.size()));
        std::vector<float> out(part.size()), own_sums(part.size());
        std::vector<int> own_found(part.size());
        std::ptrdiff_t number = 0, position = 0;
        tw::inclusive_scan_by_key(on, own_keys, part, out);
        EXPECT_TRUE(std::ranges::equal(out, part_of(scanned, begin, out)));
        tw::reduce_by_key_into(on, own_keys, part, own_found, own_sums, &number);
        tw::exclusive_scan(on, &number, &number + 1, &position, std::ptrdiff_t(0));
        EXPECT_TRUE(std::equal(own_sums.begin(), own_sums.begin() + number, sums.begin() + position));
        EXPECT_TRUE(std::equal(own_found.begin(), own_found.begin() + number, found.begin() + position));
        EXPECT_EQ(tw::reduce(on, &number, &number + 1), runs);
    });
}

TEST(algorithms_over_processes, have_these_bits_where_processes_state_their_positions)
{
    tw::mpi_communicator ranks(MPI_COMM_WORLD, {.timeout = 120s});
    std::mt19937 random(1871);
    std::vector<float> inclusive(whole().size());
    tw::inclusive_scan(whole(), inclusive);
    float const sum = tw::reduce(whole(), 0.5F);
    auto const largest = std::ranges::max_element(whole()) - whole().begin();
    for (int round = 0; round < 4; ++round) {
        auto const cuts = random_cuts(ranks.size(), random);
        auto const rank = static_cast<std::size_t>(ranks.rank());
        std::span const part = std::span(whole()).subspan(cuts[rank], cuts[rank + 1] - cuts[rank]);
        auto const on = tw::distributed(ranks, tw::par).at(static_cast<tw::offset>(cuts[rank]), std::ssize(whole()));
        EXPECT_EQ(tw::reduce(on, part, 0.5F), sum);
        std::vector<float> out(part.size());
        tw::inclusive_scan(on, part, out);
        EXPECT_TRUE(std::ranges::equal(out, part_of(inclusive, cuts[rank], out)));
        EXPECT_EQ(tw::max_element(on, part).index, largest);
    }
}

TEST(algorithms_over_processes, throw_on_every_process_where_a_position_is_wrong)
{
    tw::mpi_communicator ranks(MPI_COMM_WORLD, {.timeout = 120s});
    int const last = ranks.size() - 1;
    std::vector<float> const part(100, 1.F);
    for (tw::offset const more : {1, -1}) {
        auto const begin = ranks.rank() * tw::offset{100}, total = ranks.size() * tw::offset{100};
        auto const on = tw::distributed(ranks).at(ranks.rank() == last ? begin + more : begin, total);
        std::string text = "nothing";
        try {
            tw::reduce(on, part);
        } catch (tw::distributed_error const& error) {
            text = error.what();
            EXPECT_EQ(error.rank(), last);
        }
        EXPECT_THAT(text, testing::HasSubstr("does not fit a part of 100 elements on rank " + std::to_string(last)));
        EXPECT_TRUE(ranks.is_usable());
    }
}

/// As if even two processes were too many for one gather.
struct few_packets {
    static constexpr int most_ranks_per_gather = 1;
};
/// Two rounds of messages for three processes and more.
struct some_packets {
    static constexpr int most_ranks_per_gather = 3;
};

/// Compares a call that exchanges messages in rounds with that of one process.
template <class Tuning>
void expect_bits_of_rounds(int ranks_of_node)
{
    tw::mpi_communicator ranks(MPI_COMM_WORLD, {.timeout = 120s, .node_size = ranks_of_node});
    EXPECT_EQ(ranks.node_size(), ranks_of_node);
    float const sum = tw::reduce(whole(), 0.5F);
    std::vector<float> scanned(whole().size());
    tw::exclusive_scan(whole(), scanned, 2.5F);
    std::mt19937 random(1905);
    for (int round = 0; round < 4; ++round) {
        auto const cuts = random_cuts(ranks.size(), random);
        auto const rank = static_cast<std::size_t>(ranks.rank());
        std::span const part = std::span(whole()).subspan(cuts[rank], cuts[rank + 1] - cuts[rank]);
        auto const call = [&](auto algorithm) {
            using engine =
                tw::engine::on_ranks<tw::mpi_communicator, tw::sequenced_policy, tw::standard_geometry, Tuning>;
            tw::engine::rank_call own(ranks, "a test");
            EXPECT_EQ(own.ranks_of_node(), ranks_of_node);
            algorithm(engine(own, tw::seq));
        };
        call([&](auto on) { EXPECT_EQ(on.reduce(part.data(), std::ssize(part), 0.5F, std::plus<>()), sum); });
        std::vector<float> out(part.size());
        call([&](auto on) {
            on.template scan<tw::scan_form::exclusive, float>(part.data(), std::ssize(part), out.data(), 2.5F,
                                                              std::plus<>());
        });
        EXPECT_TRUE(std::ranges::equal(out, part_of(scanned, cuts[rank], out)));
    }
}

TEST(algorithms_over_processes, have_these_bits_where_nodes_exchange_messages_first)
{
    for (int const ranks_of_node : {1, 2, 3}) {
        expect_bits_of_rounds<few_packets>(ranks_of_node);
        expect_bits_of_rounds<some_packets>(ranks_of_node);
    }
}

TEST(algorithms_over_processes, throw_on_every_process_what_one_throws_and_stay_in_step)
{
    tw::mpi_communicator ranks(MPI_COMM_WORLD, {.timeout = 120s});
    int const last = ranks.size() - 1;
    std::vector<float> const part(40'000, 1.F);
    auto const plus = [&](float a, float b) {
        if (ranks.rank() == last)
            throw std::domain_error("too much");
        return a + b;
    };
    for (int repetition = 0; repetition < 3; ++repetition) {
        std::string text = "nothing";
        try {
            tw::reduce(tw::distributed(ranks), part, 0.F, plus);
        } catch (tw::distributed_error const& error) {
            text = error.what();
            EXPECT_EQ(error.rank(), last);
        }
        EXPECT_EQ(text, "tilewise::reduce: rank " + std::to_string(last) + ": too much");
        EXPECT_TRUE(ranks.is_usable());
        EXPECT_EQ(tw::reduce(tw::distributed(ranks), part, 0.0), 40'000. * ranks.size());
    }
}

TEST(algorithms_over_processes, throw_on_every_process_where_one_calls_another_algorithm)
{
    tw::mpi_communicator ranks(MPI_COMM_WORLD, {.timeout = 120s});
    if (ranks.size() == 1)
        return;
    std::vector<float> part(1000, 1.F);
    std::string text = "nothing";
    try {
        if (ranks.rank() == 1)
            tw::inclusive_scan(tw::distributed(ranks), part, part);
        else
            tw::reduce(tw::distributed(ranks), part);
    } catch (tw::distributed_error const& error) {
        text = error.what();
        EXPECT_EQ(error.rank(), 1);
    }
    EXPECT_THAT(text, testing::AllOf(testing::HasSubstr("rank 1 calls"), testing::HasSubstr("rank 0 calls")));
    EXPECT_TRUE(ranks.is_usable());
    EXPECT_EQ(tw::reduce(tw::distributed(ranks), std::vector<float>(10, 1.F)), 10.F * static_cast<float>(ranks.size()));
}

} // namespace

int main(int argc, char** argv)
{
    testing::InitGoogleTest(&argc, argv);
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    int const status = RUN_ALL_TESTS();
    MPI_Finalize();
    return status;
}
