// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// mpi_communicator: the laws, and what becomes of mistakes. Every process of the program runs all tests.
#include <tilewise/distributed/mpi.hpp>

#include "communicators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace testing;

int ranks_of_program()
{
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

/// How the tests pretend that ranks share memory; as the machine says without a value.
enum class pretence { none, pairs, even_and_odd, last_alone, all_but_first };
pretence pretended_nodes = pretence::none;

} // namespace

/// Takes the place of MPI's own, as a profiling library does.
extern "C" int MPI_Comm_split_type(MPI_Comm ranks, int type, int key, MPI_Info info, MPI_Comm* node)
{
    int rank = 0, size = 0;
    MPI_Comm_rank(ranks, &rank);
    MPI_Comm_size(ranks, &size);
    switch (pretended_nodes) {
    case pretence::none:
        return PMPI_Comm_split_type(ranks, type, key, info, node);
    case pretence::pairs:
        return MPI_Comm_split(ranks, rank / 2, key, node);
    case pretence::even_and_odd:
        return MPI_Comm_split(ranks, rank % 2, key, node);
    case pretence::last_alone:
        return MPI_Comm_split(ranks, rank == size - 1 ? 1 : 0, key, node);
    default:
        return MPI_Comm_split(ranks, rank == 0 ? 0 : 1, key, node);
    }
}

namespace {

// ---- nodes

/// The size of nodes that a communicator finds where ranks share memory in that way.
int size_of_nodes(pretence nodes)
{
    pretended_nodes = nodes;
    int const size = tw::mpi_communicator(MPI_COMM_WORLD).node_size();
    pretended_nodes = pretence::none;
    return size;
}

TEST(mpi_communicator, asks_which_ranks_share_a_node)
{
    int const ranks = ranks_of_program();
    EXPECT_EQ(size_of_nodes(pretence::none), ranks); // all of this machine
    EXPECT_EQ(size_of_nodes(pretence::pairs), std::min(ranks, 2));
    EXPECT_EQ(size_of_nodes(pretence::last_alone), std::max(ranks - 1, 1)); // the last node may be smaller
}

TEST(mpi_communicator, knows_no_nodes_that_are_not_regular)
{
    int const ranks = ranks_of_program();
    EXPECT_EQ(size_of_nodes(pretence::even_and_odd), 1);
    EXPECT_EQ(size_of_nodes(pretence::all_but_first), 1) << ranks; // a larger node follows a smaller one
}

TEST(mpi_communicator, takes_the_size_of_nodes_as_an_option)
{
    EXPECT_EQ(tw::mpi_communicator(MPI_COMM_WORLD, {.node_size = 3}).node_size(), 3);
    EXPECT_THROW(tw::mpi_communicator(MPI_COMM_WORLD, {.node_size = -1}), std::invalid_argument);
}

// ---- laws

/// All processes, by calls of MPI that carry any number of bytes; a rank that failed would leave the others waiting.
struct processes {
    static int ranks() { return ranks_of_program(); }
    static void run(auto function)
    {
        tw::mpi_communicator comm(MPI_COMM_WORLD, {.timeout = 120s});
        function(comm);
    }
};

/// The same by calls that carry few bytes, as those of large memory do.
struct processes_with_small_calls {
    static int ranks() { return ranks_of_program(); }
    static void run(auto function)
    {
        tw::mpi_communicator comm(MPI_COMM_WORLD, {.timeout = 120s, .largest_call = 1003});
        function(comm);
    }
};

/// The processes in the opposite order.
struct processes_in_reverse {
    static int ranks() { return ranks_of_program(); }
    static void run(auto function)
    {
        int rank = 0;
        MPI_Comm reversed = MPI_COMM_NULL;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
        tw::mpi_communicator comm(reversed);
        MPI_Comm_free(&reversed); // the communicator has its own
        EXPECT_EQ(comm.rank(), comm.size() - 1 - rank);
        function(comm);
    }
};

using worlds = Types<processes, processes_with_small_calls, processes_in_reverse>;
INSTANTIATE_TYPED_TEST_SUITE_P(mpi, communicators, worlds);

// ---- mistakes

TEST(mpi_communicator, rejects_what_is_no_communicator_of_ranks)
{
    EXPECT_THROW(tw::mpi_communicator(MPI_COMM_NULL), std::invalid_argument);
    EXPECT_THROW(tw::mpi_communicator(MPI_COMM_WORLD, {.largest_call = 7}), std::invalid_argument);
    EXPECT_THROW(tw::mpi_communicator(MPI_COMM_WORLD, {.largest_call = std::size_t{1} << 31}), std::invalid_argument);
    if (ranks_of_program() == 1)
        return;
    int rank = 0;
    MPI_Comm half = MPI_COMM_NULL, between = MPI_COMM_NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : 1, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 0, &between);
    EXPECT_THROW(tw::mpi_communicator{between}, std::invalid_argument);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

TEST(mpi_communicator, keeps_its_messages_apart_from_those_of_the_program)
{
    tw::mpi_communicator comm(MPI_COMM_WORLD, {.timeout = 120s});
    int const next = (comm.rank() + 1) % comm.size(), last = (comm.rank() + comm.size() - 1) % comm.size();
    std::array const own{comm.rank(), -1};
    std::array received{-2, -2};
    MPI_Request of_program = MPI_REQUEST_NULL;
    MPI_Irecv(received.data(), 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &of_program);
    tw::outgoing const out{next, own.data(), sizeof(int)};
    tw::incoming const in{last, &received[1], sizeof(int)};
    comm.exchange(std::span(&out, 1), std::span(&in, 1));
    MPI_Send(&own[1], 1, MPI_INT, next, 5, MPI_COMM_WORLD);
    MPI_Wait(&of_program, MPI_STATUS_IGNORE);
    EXPECT_THAT(received, ElementsAre(-1, last));
}

/// An exchange of each rank with itself; a size of -1 is no message.
std::string sent_to_self(int sent, int expected)
{
    tw::mpi_communicator comm(MPI_COMM_WORLD, {.timeout = 120s});
    std::array<std::byte, 64> from{}, to{};
    to.fill(untouched);
    tw::outgoing const out{comm.rank(), from.data(), static_cast<std::size_t>(sent)};
    tw::incoming const in{comm.rank(), to.data(), static_cast<std::size_t>(expected)};
    auto const exchange = [&] { comm.exchange(std::span(&out, sent >= 0), std::span(&in, expected >= 0)); };
    auto const error = error_of(exchange);
    if (!error)
        return "nothing";
    EXPECT_EQ(error->rank(), comm.rank());
    EXPECT_THAT(to, Each(untouched));
    EXPECT_FALSE(comm.is_usable());
    EXPECT_STREQ(error_of(exchange).value_or(tw::distributed_error(-1, "nothing")).what(), error->what());
    std::string const prefix = "tilewise::mpi_communicator: rank " + std::to_string(comm.rank());
    return std::string(error->what()).substr(prefix.size());
}

TEST(mpi_communicator, says_which_message_to_oneself_has_another_size_than_expected)
{
    EXPECT_EQ(sent_to_self(16, 16), "nothing");
    EXPECT_EQ(sent_to_self(16, 15), " sends itself 16 bytes and expects 15");
    EXPECT_EQ(sent_to_self(16, 17), " sends itself 16 bytes and expects 17");
    EXPECT_EQ(sent_to_self(16, -1), " sends itself 16 bytes and expects none");
    EXPECT_EQ(sent_to_self(-1, 16), " sends itself no bytes and expects 16");
}

TEST(mpi_communicator, says_which_message_has_another_size_than_expected)
{
    if (ranks_of_program() == 1)
        return;
    for (int const expected : {15, 17}) {
        tw::mpi_communicator comm(MPI_COMM_WORLD, {.timeout = 120s});
        int const next = (comm.rank() + 1) % comm.size(), last = (comm.rank() + comm.size() - 1) % comm.size();
        std::array<std::byte, 64> from{}, to{};
        to.fill(untouched);
        tw::outgoing const out{next, from.data(), 16};
        tw::incoming const in{last, to.data(), static_cast<std::size_t>(expected)};
        auto const error = error_of([&] { comm.exchange(std::span(&out, 1), std::span(&in, 1)); });
        std::string const text = error ? error->what() : "nothing";
        if (expected > 16) {
            EXPECT_EQ(text, "tilewise::mpi_communicator: rank " + std::to_string(last) + " sends 16 bytes to rank " +
                                std::to_string(comm.rank()) + ", which expects 17");
            EXPECT_EQ(error ? error->rank() : -2, last);
        } else { // what follows is MPI's own text
            EXPECT_THAT(text, StartsWith("tilewise::mpi_communicator: rank " + std::to_string(comm.rank()) + ": MPI_"));
            EXPECT_EQ(error ? error->rank() : -2, comm.rank());
        }
        EXPECT_THAT(to, Each(untouched));
        EXPECT_FALSE(comm.is_usable());
    }
}

TEST(mpi_communicator, fails_where_mpi_rejects_an_argument)
{
    tw::mpi_communicator comm(MPI_COMM_WORLD, {.timeout = 120s});
    std::array<std::byte, 8> bytes{};
    tw::outgoing const out{comm.size(), bytes.data(), bytes.size()};
    auto const error = error_of([&] { comm.exchange(std::span(&out, 1), {}); });
    ASSERT_TRUE(error);
    EXPECT_THAT(error->what(), HasSubstr("rank " + std::to_string(comm.rank()) + ": MPI_Isend: "));
    EXPECT_EQ(error->rank(), comm.rank());
    EXPECT_FALSE(comm.is_usable());
}

TEST(mpi_communicator, wants_a_size_for_each_rank)
{
    tw::mpi_communicator comm(MPI_COMM_WORLD);
    std::vector<std::size_t> const sizes(static_cast<std::size_t>(comm.size()) + 1);
    auto const error = error_of([&] { comm.all_gather_v(nullptr, sizes, nullptr); });
    EXPECT_STREQ(error ? error->what() : "nothing",
                 ("tilewise::mpi_communicator: all_gather_v of " + std::to_string(sizes.size()) + " sizes, of " +
                  std::to_string(comm.size()) + " ranks")
                     .c_str());
    EXPECT_FALSE(comm.is_usable());
}

TEST(mpi_communicator, does_not_take_a_message_that_was_left_for_the_next_one)
{
    tw::mpi_communicator comm(MPI_COMM_WORLD, {.timeout = 120s});
    if (comm.size() == 1)
        return;
    bool const is_sender = comm.rank() == 0, is_receiver = comm.rank() == 1;
    for (int round = 1; round <= 2; ++round) { // the first message has no receiver
        int received = 0;
        tw::outgoing const out{1, &round, sizeof round};
        tw::incoming const in{0, &received, sizeof received};
        comm.exchange(std::span(&out, is_sender), std::span(&in, is_receiver && round == 2));
        EXPECT_EQ(received, is_receiver && round == 2 ? 2 : 0);
    }
}

TEST(mpi_communicator, waits_no_longer_than_the_timeout)
{
    if (ranks_of_program() == 1)
        return;
    // Each rank but 0 waits for rank 0, which calls nothing; then in each other collective.
    for (int const collective : {0, 1, 2, 3}) {
        tw::mpi_communicator comm(MPI_COMM_WORLD, {.timeout = 30ms});
        std::vector<std::byte> own(64), all(64 * static_cast<std::size_t>(comm.size()), untouched);
        std::vector<std::size_t> const sizes(static_cast<std::size_t>(comm.size()), 64);
        std::array<std::uint64_t, 3> counters{};
        tw::incoming const in{0, all.data(), 64};
        auto const call = [&] {
            switch (collective) {
            case 0:
                return comm.all_gather(own.data(), 64, all.data());
            case 1:
                return comm.all_gather_v(own.data(), sizes, all.data());
            case 2:
                return comm.exchange({}, std::span(&in, 1));
            default:
                return comm.all_reduce_add(counters.data(), counters.size());
            }
        };
        if (comm.rank() > 0) {
            constexpr std::array names{"all_gather", "all_gather_v", "exchange", "all_reduce_add"};
            auto const error = error_of(call);
            EXPECT_STREQ(error ? error->what() : "nothing",
                         ("tilewise::mpi_communicator: rank " + std::to_string(comm.rank()) + " waited 30 ms in " +
                          names[static_cast<std::size_t>(collective)])
                             .c_str());
            EXPECT_EQ(error ? error->rank() : -2, -1);
            EXPECT_FALSE(comm.is_usable());
            auto const again = error_of([&] { comm.all_gather(own.data(), 64, all.data()); });
            EXPECT_STREQ(again ? again->what() : "nothing", error ? error->what() : "");
        }
        EXPECT_THAT(all, Each(untouched));
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

} // namespace

int main(int argc, char** argv)
{
    InitGoogleTest(&argc, argv);
    bool const before = error_of([] { tw::mpi_communicator comm(MPI_COMM_WORLD); }).has_value();
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int status = RUN_ALL_TESTS();
    auto outlives_mpi = std::make_unique<tw::mpi_communicator>(MPI_COMM_WORLD);
    MPI_Finalize();
    outlives_mpi.reset();
    bool const after = error_of([] { tw::mpi_communicator comm(MPI_COMM_WORLD); }).has_value();
    if (!before || !after) {
        std::puts("a communicator is made where MPI is not initialized, or finalized");
        status = 1;
    }
    return status;
}
