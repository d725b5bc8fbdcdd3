// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The communicators that need nothing but this process: laws, and what becomes of mistakes.
#include <tilewise/distributed/self.hpp>
#include <tilewise/distributed/threads.hpp>

#include "communicators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace testing;

// ---- laws

struct alone {
    static int ranks() { return 1; }
    static void run(auto function)
    {
        tw::self_communicator self;
        function(self);
    }
};

template <int count>
struct threads {
    static int ranks() { return count; }
    static void run(auto function) { tw::thread_communicator::run(count, function, {.timeout = 120s}); }
};

using worlds = Types<alone, threads<1>, threads<2>, threads<3>, threads<7>, threads<64>>;
INSTANTIATE_TYPED_TEST_SUITE_P(here, communicators, worlds);

// ---- one rank

TEST(self_communicator, rejects_messages_that_do_not_fit)
{
    tw::self_communicator self;
    std::array<std::byte, 8> from{}, to{};
    std::array const two_sizes{std::size_t{4}, std::size_t{4}};
    std::array const out{tw::outgoing{0, from.data(), 4}, tw::outgoing{0, from.data(), 4}};
    std::array const in{tw::incoming{0, to.data(), 4}, tw::incoming{0, to.data(), 4}};
    std::array const to_another{tw::outgoing{1, from.data(), 4}}, longer{tw::outgoing{0, from.data(), 5}};
    auto const one = [](auto const& messages) { return std::span(messages).first(1); };
    EXPECT_TRUE(error_of([&] { self.exchange(one(out), {}); }));
    EXPECT_TRUE(error_of([&] { self.exchange({}, one(in)); }));
    EXPECT_TRUE(error_of([&] { self.exchange(out, in); }));
    EXPECT_TRUE(error_of([&] { self.exchange(to_another, one(in)); }));
    EXPECT_TRUE(error_of([&] { self.exchange(longer, one(in)); }));
    EXPECT_TRUE(error_of([&] { self.all_gather_v(from.data(), two_sizes, to.data()); }));
    EXPECT_EQ(error_of([&] { self.exchange(longer, one(in)); })->rank(), 0);
}

// ---- threads: mistakes

/// What a collective reads and writes; what it writes holds `untouched` before.
struct buffers {
    std::array<std::byte, 4096> own{}, all{};
    std::array<std::uint64_t, 8> counters{};

    buffers() { all.fill(untouched); }
};

/// What each rank's call throws, with the rank that the error names; an empty text where it throws nothing. A rank that
/// gets an error gets the same from every later collective, and the memory for results is as it was.
template <class Call>
std::vector<std::string> errors(int ranks, Call call, tw::thread_options options = {.timeout = 60s})
{
    std::vector<std::string> texts(static_cast<std::size_t>(ranks));
    std::string const prefix = "tilewise::thread_communicator: ";
    auto const rank_body = [&](tw::thread_communicator& comm) {
        buffers b;
        auto const error = error_of([&] { call(comm, b); });
        if (!error)
            return;
        std::string const text = error->what();
        EXPECT_TRUE(text.starts_with(prefix)) << text;
        texts[static_cast<std::size_t>(comm.rank())] =
            std::to_string(error->rank()) + ": " + text.substr(prefix.size());
        EXPECT_FALSE(comm.is_usable());
        EXPECT_TRUE(std::ranges::all_of(b.all, [](std::byte byte) { return byte == untouched; }));
        auto const again = error_of([&] { comm.all_reduce_add(b.counters.data(), 1); });
        EXPECT_STREQ(again ? again->what() : "nothing", error->what());
    };
    tw::thread_communicator::run(ranks, rank_body, options);
    return texts;
}

TEST(thread_communicator, fails_on_every_rank_where_one_calls_another_collective)
{
    for (int const ranks : {2, 3, 7, 64})
        EXPECT_THAT(errors(ranks,
                           [](auto& comm, buffers& b) {
                               if (comm.rank() == 1)
                                   comm.exchange({}, {});
                               else
                                   comm.all_gather(b.own.data(), 64, b.all.data());
                           }),
                    Each("1: rank 1 calls exchange, rank 0 calls all_gather of 64 bytes"));
    EXPECT_THAT(errors(3,
                       [](auto& comm, buffers& b) {
                           if (comm.rank() == 2)
                               comm.all_reduce_add(b.counters.data(), 5);
                           else
                               comm.all_gather_v(b.own.data(), std::array<std::size_t, 3>{}, b.all.data());
                       }),
                Each("2: rank 2 calls all_reduce_add of 5 counters, rank 0 calls all_gather_v of 3 sizes"));
}

TEST(thread_communicator, fails_on_every_rank_where_sizes_differ)
{
    EXPECT_THAT(errors(3, [](auto& comm,
                             buffers& b) { comm.all_gather(b.own.data(), comm.rank() == 2 ? 65 : 64, b.all.data()); }),
                Each("2: rank 2 calls all_gather of 65 bytes, rank 0 calls all_gather of 64 bytes"));
    EXPECT_THAT(errors(3,
                       [](auto& comm, buffers& b) {
                           std::array<std::size_t, 3> sizes{8, 8, 8};
                           sizes[1] += comm.rank() == 2;
                           comm.all_gather_v(b.own.data(), sizes, b.all.data());
                       }),
                Each("2: rank 2 calls all_gather_v with 9 bytes of rank 1, rank 0 with 8"));
    EXPECT_THAT(errors(3,
                       [](auto& comm, buffers& b) {
                           std::array<std::size_t, 3> const sizes{8, 8, 8};
                           comm.all_gather_v(b.own.data(), std::span(sizes).first(comm.rank() == 1 ? 2 : 3),
                                             b.all.data());
                       }),
                Each("1: rank 1 calls all_gather_v of 2 sizes for 3 ranks"));
    EXPECT_THAT(
        errors(2, [](auto& comm, buffers& b) { comm.all_reduce_add(b.counters.data(), comm.rank() == 0 ? 2 : 3); }),
        Each("1: rank 1 calls all_reduce_add of 3 counters, rank 0 calls all_reduce_add of 2 counters"));
}

TEST(thread_communicator, fails_on_every_rank_where_messages_do_not_fit)
{
    // An exchange of three ranks, in which one passes messages of its own
    auto const with = [](int rank, std::vector<std::pair<int, std::size_t>> const& sent,
                         std::vector<std::pair<int, std::size_t>> const& expected) {
        return errors(3, [&](auto& comm, buffers& b) {
            std::vector<tw::outgoing> out{{(comm.rank() + 1) % 3, b.own.data(), 8}};
            std::vector<tw::incoming> in{{(comm.rank() + 2) % 3, b.all.data(), 8}};
            if (comm.rank() == rank) {
                out.clear();
                in.clear();
                for (auto const& [to, bytes] : sent)
                    out.push_back({to, b.own.data(), bytes});
                for (auto const& [from, bytes] : expected)
                    in.push_back({from, b.all.data(), bytes});
            }
            comm.exchange(out, in);
        });
    };
    EXPECT_THAT(with(1, {{2, 8}}, {{0, 8}}), Each(""));
    EXPECT_THAT(with(1, {{2, 9}}, {{0, 8}}), Each("1: rank 1 sends 9 bytes to rank 2, which expects 8"));
    EXPECT_THAT(with(1, {{2, 8}}, {{0, 9}}), Each("0: rank 0 sends 8 bytes to rank 1, which expects 9"));
    EXPECT_THAT(with(1, {{2, 8}}, {}), Each("0: rank 0 sends 8 bytes to rank 1, which expects none"));
    EXPECT_THAT(with(1, {}, {{0, 8}}), Each("2: rank 2 expects 8 bytes from rank 1, which sends none"));
    EXPECT_THAT(with(1, {{2, 8}, {2, 8}}, {{0, 8}}), Each("1: rank 1 sends two messages to rank 2"));
    EXPECT_THAT(with(1, {{2, 8}}, {{0, 8}, {0, 8}}), Each("1: rank 1 expects two messages from rank 0"));
    EXPECT_THAT(with(1, {{2, 8}, {3, 4}}, {{0, 8}}), Each("1: rank 1 sends 4 bytes to rank 3, which expects none"));
    EXPECT_THAT(with(1, {{2, 8}}, {{-1, 4}, {0, 8}}), Each("1: rank 1 expects 4 bytes from rank -1, which sends none"));
}

TEST(thread_communicator, fails_where_a_rank_has_returned_or_returns)
{
    for (bool const is_first : {true, false}) // before the others wait, and while they do
        EXPECT_THAT(
            errors(3,
                   [&](auto& comm, buffers& b) {
                       std::this_thread::sleep_for((comm.rank() == 1) == is_first ? 0ms : 20ms);
                       if (comm.rank() == 1)
                           return;
                       comm.all_gather(b.own.data(), 16, b.all.data());
                   }),
            AllOf(Contains("").Times(1),
                  Contains(MatchesRegex("1: rank 1 returned, rank [02] calls all_gather of 16 bytes")).Times(2)));
}

TEST(thread_communicator, lets_ranks_return_whose_last_collective_others_have_not_left_yet)
{
    for (int repetition = 0; repetition < 200; ++repetition)
        EXPECT_THAT(errors(5, [](auto& comm, buffers& b) { comm.all_reduce_add(b.counters.data(), 1); }), Each(""));
}

TEST(thread_communicator, throws_what_a_rank_throws_and_frees_the_others)
{
    struct surprise {};
    for (bool const is_standard : {true, false}) {
        std::vector<std::string> texts;
        auto const run = [&] {
            std::vector<std::string> found(3);
            auto const rank_body = [&](tw::thread_communicator& comm) {
                buffers b;
                comm.all_gather(b.own.data(), 16, b.all.data());
                if (comm.rank() == 2 && is_standard)
                    throw std::out_of_range("no such planet");
                if (comm.rank() == 2)
                    throw surprise();
                auto const error = error_of([&] { comm.all_gather(b.own.data(), 16, b.all.data()); });
                EXPECT_EQ(error ? error->rank() : -1, 2);
                found[static_cast<std::size_t>(comm.rank())] = error ? error->what() : "nothing";
                comm.all_gather(b.own.data(), 16, b.all.data()); // throws, but not first
            };
            try {
                tw::thread_communicator::run(3, rank_body, {.timeout = 60s});
            } catch (...) {
                texts = found;
                throw;
            }
        };
        if (is_standard)
            EXPECT_THROW(run(), std::out_of_range);
        else
            EXPECT_THROW(run(), surprise);
        std::string const text = std::string("tilewise::thread_communicator: rank 2 threw ") +
                                 (is_standard ? "no such planet" : "an exception");
        EXPECT_THAT(texts, ElementsAre(text, text, ""));
    }
}

TEST(thread_communicator, fails_on_every_rank_where_one_is_late)
{
    std::atomic<int> freed = 0;
    auto const found = errors(4,
                              [&](auto& comm, buffers& b) {
                                  while (comm.rank() == 1 && freed < 3)
                                      std::this_thread::sleep_for(1ms);
                                  try {
                                      comm.all_gather(b.own.data(), 16, b.all.data());
                                  } catch (tw::distributed_error const&) {
                                      freed += 1;
                                      throw;
                                  }
                              },
                              {.timeout = 50ms});
    EXPECT_THAT(found, Each(MatchesRegex("1: rank [023] waited 50 ms in all_gather of 16 bytes for rank 1")));
}

TEST(thread_communicator, names_how_many_ranks_are_late)
{
    std::atomic<bool> is_freed = false;
    auto const found = errors(4,
                              [&](auto& comm, buffers& b) {
                                  while (comm.rank() != 2 && !is_freed)
                                      std::this_thread::sleep_for(1ms);
                                  try {
                                      comm.all_gather(b.own.data(), 16, b.all.data());
                                  } catch (tw::distributed_error const&) {
                                      is_freed = true;
                                      throw;
                                  }
                              },
                              {.timeout = 5ms});
    EXPECT_THAT(found, Each("0: rank 2 waited 5 ms in all_gather of 16 bytes for rank 0 and 2 more"));
}

TEST(thread_communicator, waits_for_a_rank_that_is_in_time)
{
    auto const late = [](auto& comm, buffers& b) {
        std::this_thread::sleep_for(comm.rank() * 30ms);
        comm.all_reduce_add(b.counters.data(), 1);
    };
    EXPECT_THAT(errors(2, late, {.timeout = 50s}), Each(""));
    EXPECT_THAT(errors(2, late, {}), Each(""));
}

TEST(thread_communicator, wants_a_rank_at_least)
{
    auto const nothing = [](tw::thread_communicator&) { ADD_FAILURE() << "called"; };
    EXPECT_THROW(tw::thread_communicator::run(0, nothing), std::invalid_argument);
    EXPECT_THROW(tw::thread_communicator::run(-1, nothing), std::invalid_argument);
}

// ---- threads: what is counted, and many

TEST(thread_communicator, counts_what_each_rank_communicates)
{
    tw::thread_communicator::run(3, [](tw::thread_communicator& comm) {
        buffers b;
        std::array<std::size_t, 3> const sizes{100, 0, 7};
        auto const rank = static_cast<std::size_t>(comm.rank());
        comm.all_gather(b.own.data(), 24, b.all.data());
        comm.all_gather_v(b.own.data(), sizes, b.all.data());
        comm.all_reduce_add(b.counters.data(), 5);
        tw::outgoing const out{1, b.own.data(), 500}; // of rank 0
        tw::incoming const in{0, b.all.data(), 500};  // of rank 1
        comm.exchange(std::span(&out, comm.rank() == 0), std::span(&in, comm.rank() == 1));

        tw::communication_statistics const found = comm.statistics();
        EXPECT_EQ(found.collectives, 4);
        EXPECT_EQ(found.messages, comm.rank() == 0);
        EXPECT_EQ(found.bytes_sent, 24 + sizes[rank] + 40 + (comm.rank() == 0 ? 500 : 0));
        EXPECT_EQ(found.bytes_received, 72 + 107 + 40 + (comm.rank() == 1 ? 500 : 0));
        EXPECT_EQ(found.largest, comm.rank() == 0 ? 500 : 40);
    });
}

#ifndef __SANITIZE_THREAD__
TEST(thread_communicator, has_room_for_1000_ranks)
{
    std::atomic<int> right = 0;
    tw::thread_communicator::run(1000, [&](tw::thread_communicator& comm) {
        auto const own = static_cast<std::uint64_t>(comm.rank());
        std::vector<std::uint64_t> all(1000);
        comm.all_gather(&own, sizeof own, all.data());
        std::uint64_t sum = own;
        comm.all_reduce_add(&sum, 1);
        right += sum == 499'500 && std::ranges::is_sorted(all) && all.back() == 999;
    });
    EXPECT_EQ(right, 1000);
}
#endif

} // namespace
