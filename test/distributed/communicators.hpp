// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The laws of communicators. A `World` calls a function on every rank, with the rank's communicator: `World::run(f)`.

#include <tilewise/distributed/communicator.hpp>
#include <tilewise/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

namespace tw = tilewise;

/// The error that a call throws, if it does.
template <class Call>
std::optional<tw::distributed_error> error_of(Call call)
{
    try {
        call();
    } catch (tw::distributed_error const& error) {
        return error;
    }
    return {};
}

/// Bytes that differ by sender, receiver and round.
inline std::vector<std::byte> bytes_of(int sender, int receiver, int round, std::size_t count)
{
    std::minstd_rand next(static_cast<unsigned>(1 + sender + 1009 * receiver + 1'000'003 * round));
    std::vector<std::byte> bytes(count);
    std::ranges::generate(bytes, [&] { return static_cast<std::byte>(next() >> 8); });
    return bytes;
}

/// Around what a collective writes, to see that it writes no more.
inline constexpr std::byte untouched{0xA5};

/// Parts of all ranks one after the other, and one byte that stays as it is.
inline std::vector<std::byte> parts_of(std::span<std::size_t const> sizes, int round)
{
    std::vector<std::byte> parts;
    for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
        auto const part = bytes_of(static_cast<int>(rank), 0, round, sizes[rank]);
        parts.insert(parts.end(), part.begin(), part.end());
    }
    parts.push_back(untouched);
    return parts;
}

template <class World>
class communicators : public testing::Test {};
TYPED_TEST_SUITE_P(communicators);

TYPED_TEST_P(communicators, number_their_ranks_from_0)
{
    TypeParam::run([](auto& comm) {
        static_assert(tw::communicator<std::remove_reference_t<decltype(comm)>>);
        EXPECT_EQ(comm.size(), TypeParam::ranks());
        std::vector<int> ranks(static_cast<std::size_t>(comm.size()), -1);
        int const own = comm.rank();
        comm.all_gather(&own, sizeof own, ranks.data());
        for (std::size_t rank = 0; rank < ranks.size(); ++rank)
            EXPECT_EQ(ranks[rank], static_cast<int>(rank));
    });
}

TYPED_TEST_P(communicators, all_gather_the_bytes_of_every_rank_in_rank_order)
{
    int round = 0;
    auto const many = 200'000 / static_cast<std::size_t>(TypeParam::ranks());
    for (std::size_t const bytes : {std::size_t{0}, std::size_t{1}, std::size_t{24}, std::size_t{512}, many}) {
        std::vector<std::size_t> const sizes(static_cast<std::size_t>(TypeParam::ranks()), bytes);
        std::vector<std::byte> const expected = parts_of(sizes, round++);
        TypeParam::run([&](auto& comm) {
            auto const own = expected.begin() + static_cast<std::ptrdiff_t>(bytes) * comm.rank();
            std::vector<std::byte> const part(own, own + static_cast<std::ptrdiff_t>(bytes));
            std::vector<std::byte> all(expected.size(), untouched);
            comm.all_gather(part.data(), bytes, all.data());
            EXPECT_TRUE(all == expected) << bytes << " bytes";
        });
    }
}

TYPED_TEST_P(communicators, all_gather_parts_of_different_sizes_empty_ones_among_them)
{
    std::mt19937 next(4711); // on every rank the same
    unsigned const many = 200'000 / static_cast<unsigned>(TypeParam::ranks());
    for (int round = 0; round < 20; ++round) {
        std::vector<std::size_t> sizes(static_cast<std::size_t>(TypeParam::ranks()));
        for (std::size_t& size : sizes)
            size = next() % 3 == 0 || round == 7 ? 0 : next() % (round % 5 == 0 ? many : 40);
        std::vector<std::byte> const expected = parts_of(sizes, round);
        TypeParam::run([&](auto& comm) {
            auto const rank = static_cast<std::size_t>(comm.rank());
            auto const before = std::accumulate(sizes.begin(), sizes.begin() + comm.rank(), std::size_t{0});
            auto const own = expected.begin() + static_cast<std::ptrdiff_t>(before);
            std::vector<std::byte> const part(own, own + static_cast<std::ptrdiff_t>(sizes[rank]));
            std::vector<std::byte> all(expected.size(), untouched);
            comm.all_gather_v(part.data(), sizes, all.data());
            EXPECT_TRUE(all == expected) << "round " << round;
        });
    }
}

TYPED_TEST_P(communicators, exchange_messages_between_any_ranks_also_with_oneself_also_empty_ones)
{
    TypeParam::run([](auto& comm) {
        std::mt19937 pattern(815); // on every rank the same
        std::mt19937 shuffle(static_cast<unsigned>(comm.rank()));
        for (int round = 0; round < 12; ++round) {
            unsigned const density = round == 0 ? 0 : round == 1 ? 100 : 100 / static_cast<unsigned>(round);
            unsigned const limit = round == 2 ? 200'000 / static_cast<unsigned>(comm.size()) : 100u;
            std::vector<std::vector<std::byte>> sent, received, expected;
            std::vector<int> receivers, senders;
            for (int from = 0; from < comm.size(); ++from)
                for (int to = 0; to < comm.size(); ++to) {
                    bool const is_sent = pattern() % 100 < density;
                    std::size_t const bytes = pattern() % 4 == 0 ? 0 : pattern() % limit;
                    if (is_sent && from == comm.rank()) {
                        sent.push_back(bytes_of(from, to, round, bytes));
                        receivers.push_back(to);
                    }
                    if (is_sent && to == comm.rank()) {
                        expected.push_back(bytes_of(from, to, round, bytes));
                        expected.back().push_back(untouched);
                        received.emplace_back(bytes + 1, untouched);
                        senders.push_back(from);
                    }
                }
            std::vector<tw::outgoing> out;
            for (std::size_t i = 0; i < sent.size(); ++i)
                out.push_back({receivers[i], sent[i].data(), sent[i].size()});
            std::vector<tw::incoming> in;
            for (std::size_t i = 0; i < received.size(); ++i)
                in.push_back({senders[i], received[i].data(), received[i].size() - 1});
            std::ranges::shuffle(out, shuffle);
            std::ranges::shuffle(in, shuffle);
            comm.exchange(out, in);
            EXPECT_TRUE(received == expected) << "round " << round;
        }
    });
}

TYPED_TEST_P(communicators, all_reduce_add_is_exact_modulo_2_to_the_64)
{
    TypeParam::run([](auto& comm) {
        for (std::size_t const count : {0u, 1u, 3u, 1000u}) {
            std::vector<std::uint64_t> expected(count), counters(count);
            for (int rank = 0; rank < comm.size(); ++rank) {
                std::mt19937_64 next(static_cast<unsigned>(rank));
                for (std::size_t i = 0; i < count; ++i) {
                    std::uint64_t const value = i % 3 == 0 ? ~std::uint64_t{0} - next() % 5 : next();
                    expected[i] += value;
                    if (rank == comm.rank())
                        counters[i] = value;
                }
            }
            comm.all_reduce_add(counters.data(), count);
            EXPECT_EQ(counters, expected);
        }
    });
}

TYPED_TEST_P(communicators, keep_collectives_apart_that_follow_each_other)
{
    TypeParam::run([](auto& comm) {
        auto const ranks = static_cast<std::size_t>(comm.size());
        int const next = (comm.rank() + 1) % comm.size(), last = (comm.rank() + comm.size() - 1) % comm.size();
        for (std::uint64_t round = 0; round < 30; ++round) {
            std::uint64_t const own = round * ranks + static_cast<std::uint64_t>(comm.rank());
            std::vector<std::uint64_t> all(ranks);
            comm.all_gather(&own, sizeof own, all.data());
            std::uint64_t from_last = 0;
            tw::outgoing const out{next, &own, sizeof own};
            tw::incoming const in{last, &from_last, sizeof from_last};
            comm.exchange(std::span(&out, 1), std::span(&in, 1));
            std::uint64_t sum = own;
            comm.all_reduce_add(&sum, 1);

            for (std::size_t rank = 0; rank < ranks; ++rank)
                EXPECT_EQ(all[rank], round * ranks + rank);
            EXPECT_EQ(from_last, round * ranks + static_cast<std::uint64_t>(last));
            EXPECT_EQ(sum, round * ranks * ranks + ranks * (ranks - 1) / 2);
        }
    });
}

REGISTER_TYPED_TEST_SUITE_P(communicators, number_their_ranks_from_0, all_gather_the_bytes_of_every_rank_in_rank_order,
                            all_gather_parts_of_different_sizes_empty_ones_among_them,
                            exchange_messages_between_any_ranks_also_with_oneself_also_empty_ones,
                            all_reduce_add_is_exact_modulo_2_to_the_64, keep_collectives_apart_that_follow_each_other);
