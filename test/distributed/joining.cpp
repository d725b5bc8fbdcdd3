// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Every way in which ranks exchange and join fragments: the same bits, and all ranks learn of an exception on one.
#include <tilewise/distributed.hpp>
#include <tilewise/distributed/threads.hpp>

#include "order_shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace tw = tilewise;
using shape::non_associative;
using shape::some_values;
using tw::offset;

/// A thread's communicator that says how many ranks share a node, if that is not 0.
struct in_nodes {
    tw::thread_communicator& threads;
    int ranks_of_node;

    int rank() const { return threads.rank(); }
    int size() const { return threads.size(); }
    int node_size() const { return ranks_of_node; }
    void all_gather(void const* own, std::size_t bytes, void* all) { threads.all_gather(own, bytes, all); }
    void all_gather_v(void const* own, std::span<std::size_t const> sizes, void* all)
    {
        threads.all_gather_v(own, sizes, all);
    }
    void exchange(std::span<tw::outgoing const> out, std::span<tw::incoming const> in) { threads.exchange(out, in); }
};

/// A tuning for tests, which change it between calls.
struct tuning {
    static inline int most_ranks_per_gather = 0;
};

/// A world of ranks, and the way in which they join fragments.
struct world {
    int ranks, ranks_of_node, most_ranks_per_gather;
};
std::string text(world const& w)
{
    return std::to_string(w.ranks) + " ranks, " + std::to_string(w.ranks_of_node) + " to a node, at most " +
           std::to_string(w.most_ranks_per_gather) + " ranks per gather";
}

/// Calls `function(communicator)` on every rank.
template <class Function>
void run(world const& w, Function function)
{
    tuning::most_ranks_per_gather = w.most_ranks_per_gather;
    tw::thread_communicator::run(w.ranks,
                                 [&](tw::thread_communicator& threads) {
                                     in_nodes communicator{threads, w.ranks_of_node};
                                     function(communicator);
                                 },
                                 {.timeout = std::chrono::seconds(60)});
}

/// Calls `body(engine)` as a call of an algorithm does.
template <class Local, class Body>
auto call(in_nodes& communicator, Body body)
{
    tw::engine::rank_call<in_nodes> call(communicator, "test");
    try {
        return body(tw::engine::on_ranks<in_nodes, Local, backend::tiny_geometry, tuning>(call, Local{}));
    } catch (...) {
        call.fail();
    }
}

/// What a rank has.
template <class T>
struct part {
    std::vector<T> elements;

    template <class Engine, class Op>
    T reduce(Engine const& on, T init, Op op) const
    {
        return on.reduce(elements.begin(), tw::extent_between(elements.begin(), elements.end()), std::move(init), op);
    }
    template <tw::scan_form form, class Engine, class Op>
    std::vector<T> scan(Engine const& on, std::optional<T> init, Op op) const
    {
        std::vector<T> out(elements.rbegin(), elements.rend());
        auto const end = on.template scan<form, T>(
            elements.begin(), tw::extent_between(elements.begin(), elements.end()), out.begin(), std::move(init), op);
        EXPECT_EQ(end, out.end());
        return out;
    }
};

/// Where a range of `count` elements is cut for so many ranks, in one of several manners: anywhere; at few places, so
/// that many ranks have nothing; after each element, all else to one rank; beside the ends of units.
std::vector<offset> cuts(int ranks, offset count, offset unit, std::mt19937& random)
{
    auto const up_to = [&](offset most) { return std::uniform_int_distribution<offset>(0, most)(random); };
    std::vector<offset> at{0, count};
    offset const manner = up_to(3), few = up_to(count), start = up_to(count);
    for (int rank = 1; rank < ranks; ++rank)
        switch (manner) {
        case 0:
            at.push_back(up_to(count));
            break;
        case 1:
            at.push_back(up_to(1) == 0 ? few : count * up_to(1));
            break;
        case 2:
            at.push_back(std::min(start + rank, count));
            break;
        default:
            at.push_back(std::clamp(up_to(count / unit) * unit + up_to(2) - 1, offset{0}, count));
        }
    std::ranges::sort(at);
    return at;
}

template <class T>
std::vector<part<T>> parts(std::vector<T> const& x, std::vector<offset> const& at)
{
    std::vector<part<T>> all;
    for (std::size_t rank = 0; rank + 1 < at.size(); ++rank)
        all.push_back({{x.begin() + at[rank], x.begin() + at[rank + 1]}});
    return all;
}

template <class T>
bool are_same(std::vector<T> const& a, T const* b)
{
    return a.empty() || std::memcmp(static_cast<void const*>(a.data()), b, a.size() * sizeof(T)) == 0;
}

/// Compares what all ranks get with the specification.
template <class Local, class T>
void expect_specified(world const& w, offset count, std::mt19937& random)
{
    using order = tw::order<T, backend::tiny_geometry>;
    constexpr auto inclusive = tw::scan_form::inclusive, exclusive = tw::scan_form::exclusive;
    non_associative<T> const op;
    auto x = some_values<T>(static_cast<std::size_t>(count) + 1);
    T const init = x.back();
    x.pop_back();
    specification::order<T, non_associative<T>> const specified(op, backend::units_of<backend::tiny_geometry>());
    auto const with_init = specified.inclusive_scan(x, init), without = specified.inclusive_scan(x, std::nullopt),
               excluding = specified.exclusive_scan(x, init);
    T const reduced = count > 0 ? with_init.back() : init;
    offset const units[] = {order::lane_vector, order::row, order::chunk, order::tile, order::group};
    auto const at = cuts(w.ranks, count, units[random() % 5], random);
    auto const all = parts(x, at);
    std::string where;
    for (offset const cut : at)
        where += ' ' + std::to_string(cut);
    SCOPED_TRACE(text(w) + ", cut at" + where);

    run(w, [&](in_nodes& communicator) {
        auto const rank = static_cast<std::size_t>(communicator.rank());
        part<T> const& own = all[rank];
        T const own_init = rank == 0 ? init : x.empty() ? init : x.front(); // rank 0's alone counts
        auto const on_engine = [&](auto body) { return call<Local>(communicator, body); };
        auto const same = [&](std::vector<T> const& result, std::vector<T> const& expected) {
            return are_same(result, expected.data() + at[rank]);
        };
        T const result = on_engine([&](auto on) { return own.reduce(on, own_init, op); });
        EXPECT_EQ(std::memcmp(&result, &reduced, sizeof(T)), 0) << "reduce on rank " << rank;
        EXPECT_TRUE(same(on_engine([&](auto on) {
                             return own.template scan<inclusive, decltype(on), non_associative<T>>(on, own_init, op);
                         }),
                         with_init))
            << "inclusive on rank " << rank;
        EXPECT_TRUE(same(on_engine([&](auto on) {
                             return own.template scan<inclusive, decltype(on), non_associative<T>>(on, std::nullopt,
                                                                                                   op);
                         }),
                         without))
            << "inclusive without init on rank " << rank;
        EXPECT_TRUE(same(on_engine([&](auto on) {
                             return own.template scan<exclusive, decltype(on), non_associative<T>>(on, own_init, op);
                         }),
                         excluding))
            << "exclusive on rank " << rank;
    });
}

/// Every way of so many ranks.
std::vector<world> ways_of(int ranks)
{
    return {{ranks, 0, 1000},                                // flat
            {ranks, 0, 9},                                   // up to 81 ranks: as many groups as ranks in a group
            {ranks, 0, 1},                                   // doubling
            {ranks, 2, 4},    {ranks, 4, 4}, {ranks, 7, 40}, // groups of a node, and between them one or the other
            {ranks, 3, 2}};                                  // groups within nodes
}

TEST(Joining, GivesTheSpecifiedBitsInEveryWay)
{
    std::mt19937 random(2026);
    auto const expect = [&](world const& w) {
        expect_specified<tw::sequenced_policy, std::uint32_t>(w, static_cast<offset>(random() % 1000), random);
    };
    for (int ranks = 1; ranks <= 10; ++ranks)
        std::ranges::for_each(ways_of(ranks), expect);
    for (int ranks = 11; ranks <= 70; ranks += 1 + ranks / 16)
        expect(ways_of(ranks)[random() % 7]);
    for (int const ranks : {16, 17, 70})
        expect(ways_of(ranks)[2]);
}

TEST(Joining, GivesTheSpecifiedBitsOfPartsThatThreadsTake)
{
    std::mt19937 random(7);
    for (world const& w : ways_of(5))
        expect_specified<tw::parallel_policy, std::uint32_t>(w, 5000, random);
}

TEST(Joining, GivesTheSpecifiedBitsOfAccumulatorsOfAnySize)
{
    std::mt19937 random(11);
    for (world const& w : ways_of(11)) {
        expect_specified<tw::sequenced_policy, shape::bytes<3>>(w, 1500, random);
        expect_specified<tw::sequenced_policy, shape::bytes<1032>>(w, 70, random); // combined on the heap
    }
}

TEST(Joining, GivesTheSpecifiedBitsOfFewElementsOnManyRanks)
{
    std::mt19937 random(13);
    for (world const& w : ways_of(13))
        for (offset const count : {0, 1, 2, 5})
            expect_specified<tw::sequenced_policy, std::uint32_t>(w, count, random);
}

// ---- what is sent

/// What a rank has sent by a reduction of floats under plus, which cannot throw.
tw::communication_statistics sent(world const& w, int by_rank)
{
    tw::communication_statistics result;
    run(w, [&](in_nodes& communicator) {
        part<float> const own{std::vector<float>(100, 1)};
        float const sum =
            call<tw::sequenced_policy>(communicator, [&](auto on) { return own.reduce(on, 0.f, std::plus<>()); });
        EXPECT_EQ(sum, 100 * static_cast<float>(w.ranks));
        if (communicator.rank() == by_rank)
            result = communicator.threads.statistics();
    });
    return result;
}

TEST(Joining, TakesOneGatherAfterTheHeaderOnFewRanks)
{
    EXPECT_EQ(sent({9, 0, 9}, 3).collectives, 2u);
    EXPECT_EQ(sent({9, 0, 9}, 3).messages, 0u);
}

TEST(Joining, TakesOneRoundInGroupsAndOneBetweenThem)
{
    EXPECT_EQ(sent({64, 0, 9}, 20).collectives, 3u);
    EXPECT_EQ(sent({64, 0, 9}, 20).messages, 7u + 7u);
    EXPECT_EQ(sent({70, 4, 9}, 20).messages, 11u + 5u);    // of three nodes each
    EXPECT_EQ(sent({64, 32, 4}, 20).collectives, 2u + 4u); // of a part of a node, 16 groups by doubling
}

TEST(Joining, TakesAsManyRoundsByDoublingAsTheNumberOfRanksHasBits)
{
    for (int const ranks : {2, 3, 8, 9, 33, 64, 70}) {
        auto const rounds = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(ranks - 1)));
        EXPECT_EQ(sent({ranks, 0, 1}, 1).collectives, 1 + rounds) << ranks << " ranks";
        EXPECT_EQ(sent({ranks, 0, 1}, 1).messages, rounds) << ranks << " ranks";
    }
}

// ---- failures

/// An operator that throws at one of its calls on one rank.
struct fuse {
    int* calls; ///< still to come before it throws; 0 and less: never
    std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const
    {
        if (--*calls == 0)
            throw std::runtime_error("burnt");
        return non_associative<std::uint32_t>()(a, b);
    }
};

/// The error that every rank throws where the operator throws at call `at` on rank `failing`; nothing if none throws.
template <bool scans>
std::optional<std::string> error_of_all(world const& w, std::vector<part<std::uint32_t>> const& all, int failing,
                                        int at)
{
    std::mutex mutex;
    std::vector<std::string> errors;
    int nested = 0;
    run(w, [&](in_nodes& communicator) {
        part<std::uint32_t> const& own = all[static_cast<std::size_t>(communicator.rank())];
        int calls = communicator.rank() == failing ? at : 0;
        try {
            call<tw::sequenced_policy>(communicator, [&](auto on) {
                if constexpr (scans)
                    return own.scan<tw::scan_form::inclusive>(on, std::optional<std::uint32_t>(7), fuse{&calls});
                else
                    return own.reduce(on, std::uint32_t{7}, fuse{&calls});
            });
        } catch (tw::distributed_error const& error) {
            EXPECT_EQ(error.rank(), failing);
            std::lock_guard const lock(mutex);
            errors.emplace_back(error.what());
            try {
                std::rethrow_if_nested(error);
            } catch (std::runtime_error const& cause) {
                EXPECT_STREQ(cause.what(), "burnt");
                nested += 1;
            }
        }
        // and all are in step again
        int never = 0;
        auto const again = call<tw::sequenced_policy>(
            communicator, [&](auto on) { return own.reduce(on, std::uint32_t{7}, fuse{&never}); });
        std::lock_guard const lock(mutex);
        errors.push_back(std::to_string(again));
    });
    auto const ranks = static_cast<std::size_t>(w.ranks);
    std::ranges::sort(errors); // a number comes before a text that begins with a letter
    EXPECT_TRUE(errors.size() == ranks || errors.size() == 2 * ranks) << errors.size() << " of " << 2 * ranks;
    EXPECT_EQ(errors.front(), errors[ranks - 1]);
    if (errors.size() == ranks)
        return {};
    EXPECT_EQ(errors[ranks], errors.back());
    EXPECT_EQ(nested, 1);
    return errors.back();
}

template <bool scans>
void expect_every_failure_is_learnt(world const& w)
{
    SCOPED_TRACE(text(w));
    offset const count = 180;
    auto const x = some_values<std::uint32_t>(static_cast<std::size_t>(count));
    std::vector<offset> at{0};
    for (int rank = 1; rank < w.ranks; ++rank)
        at.push_back(std::min(count * rank / w.ranks + rank % 3, count));
    at.push_back(count);
    auto const all = parts(x, at);
    for (int const failing : {w.ranks / 2, w.ranks - 1}) {
        int call_number = 1;
        while (auto const error = error_of_all<scans>(w, all, failing, call_number)) {
            EXPECT_EQ(*error, "tilewise::test: rank " + std::to_string(failing) + ": burnt");
            ++call_number;
        }
        EXPECT_GT(call_number, 20) << "fewer calls than a rank makes for its own part";
    }
}

TEST(Joining, TellsAllRanksWhereAReductionThrowsWhereverItDoes)
{
    for (world const& w : {world{7, 0, 4}, world{7, 0, 1}, world{11, 2, 4}})
        expect_every_failure_is_learnt<false>(w);
}

TEST(Joining, TellsAllRanksWhereAScanThrowsWhereverItDoes)
{
    for (world const& w : {world{4, 0, 1000}, world{7, 0, 4}, world{7, 0, 1}, world{11, 2, 4}})
        expect_every_failure_is_learnt<true>(w);
}

/// 1, or not to be read.
struct element {
    bool is_readable = true;
    operator float() const { return is_readable ? 1.f : throw std::runtime_error("unreadable"); }
};

TEST(Joining, TellsAllRanksWithoutAnotherGatherWhereTheOperatorCannotThrow)
{
    for (world const& w : {world{9, 0, 4}, world{33, 0, 1}, world{41, 4, 4}, world{23, 0, 9}})
        for (int const failing : {0, 1, w.ranks / 2, w.ranks - 1}) {
            SCOPED_TRACE(text(w));
            run(w, [&](in_nodes& communicator) {
                std::vector<element> x(50);
                x[10].is_readable = communicator.rank() != failing;
                auto const extent = tw::extent_between(x.begin(), x.end());
                try {
                    call<tw::sequenced_policy>(
                        communicator, [&](auto on) { return on.reduce(x.begin(), extent, 0.f, std::plus<>()); });
                    ADD_FAILURE() << "rank " << communicator.rank();
                } catch (tw::distributed_error const& error) {
                    EXPECT_EQ(std::string(error.what()),
                              "tilewise::test: rank " + std::to_string(failing) + ": unreadable");
                }
                std::vector<float> out(50);
                x[10].is_readable = true;
                call<tw::sequenced_policy>(communicator, [&](auto on) {
                    return on.template scan<tw::scan_form::inclusive, float>(x.begin(), extent, out.begin(),
                                                                             std::optional<float>(0.f), std::plus<>());
                });
                EXPECT_EQ(out.back(), 50 * static_cast<float>(communicator.rank() + 1));
            });
        }
}

} // namespace
