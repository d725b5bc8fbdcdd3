// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Runs of keys that span ranks, or lie on one: the bits of one call for the whole range.
#include "../order_shapes.hpp"
#include "../runs.hpp"
#include "ranks.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <numeric>
#include <optional>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

using communicator = tw::thread_communicator;
using tw::offset;

/// Lengths of runs at random: tiny ones, about as long as units of the order, many times as long as a part, or all.
std::vector<std::size_t> lengths(std::size_t elements, std::size_t tile, std::mt19937& random)
{
    std::size_t const kind = random() % 4;
    std::size_t const most = kind == 0 ? 3 : kind == 1 ? 2 * tile : kind == 2 ? elements / 3 + 1 : elements;
    std::vector<std::size_t> lengths;
    for (std::size_t rest = elements; rest > 0; rest -= lengths.back())
        lengths.push_back(std::min(rest, kind == 3 && random() % 2 == 0 ? rest : 1 + random() % most));
    return lengths;
}

/// The results that ranks write, one after another.
template <class Key, class T>
struct results {
    std::vector<std::vector<Key>> keys;
    std::vector<std::vector<std::int64_t>> counts;
    std::vector<std::vector<T>> reduced;

    explicit results(std::size_t ranks) : keys(ranks), counts(ranks), reduced(ranks) {}
    template <class Value>
    static std::vector<Value> joined(std::vector<std::vector<Value>> const& parts)
    {
        std::vector<Value> all;
        for (auto const& part : parts)
            all.insert(all.end(), part.begin(), part.end());
        return all;
    }
};

/// The number of runs whose first key is in [begin, end).
template <class Key, class Pred>
std::size_t runs_that_begin(std::vector<Key> const& keys, std::size_t begin, std::size_t end, Pred is_same)
{
    std::size_t runs = 0;
    for (std::size_t i = begin; i < end; ++i)
        runs += i == 0 || !is_same(keys[i - 1], keys[i]);
    return runs;
}

/// Compares what ranks compute of their parts with the specification.
template <class Geometry, class Policy, class Key, class T, class Op, class Pred>
void expect_specified(std::vector<Key> const& keys, std::vector<T> const& x, std::vector<std::size_t> const& cuts,
                      Op op, Pred is_same, runs::expectation<Key, T> const& expected)
{
    results<Key, T> of(cuts.size() - 1);
    std::vector<T> inclusive(x), exclusive(x); // scanned in place
    ranks::on_each_rank(cuts, [&](communicator& ranks, std::size_t begin, std::size_t end) {
        auto const rank = static_cast<std::size_t>(ranks.rank());
        auto const call = [&](auto algorithm) {
            tw::engine::rank_call<communicator> own(ranks, "test");
            algorithm(tw::engine::on_ranks<communicator, Policy, Geometry>(own, Policy{}));
        };
        auto const count = static_cast<offset>(end - begin);
        Key const* const first = keys.data() + begin;
        std::size_t const begun = runs_that_begin(keys, begin, end, is_same);
        offset number = -1;
        auto& own_keys = of.keys[rank];
        auto& own_reduced = of.reduced[rank];
        auto& own_counts = of.counts[rank];
        own_keys.assign(begun, Key{});
        own_reduced.assign(begun, T{});
        own_counts.assign(begun, -1);
        offset* to = &number;
        call([&](auto on) {
            auto const ends = on.reduce_by_key(first, count, x.data() + begin, is_same, own_keys, own_reduced, to, op);
            EXPECT_EQ(static_cast<std::size_t>(ends.count), begun);
            EXPECT_EQ(static_cast<std::size_t>(number), begun);
        });
        std::vector<Key> same_keys(begun);
        call([&](auto on) {
            auto keys_to = same_keys.begin();
            auto const ends = on.count_by_key(first, count, is_same, keys_to, own_counts, to);
            EXPECT_TRUE(ends.keys == same_keys.end());
        });
        segments::expect_bits(same_keys, own_keys, "keys of counts");
        T const init = ranks.rank() == 0 && !x.empty() ? x.back() : T{};
        call([&](auto on) {
            T* const to_scan = inclusive.data() + begin;
            EXPECT_EQ((on.template scan_by_key<tw::scan_form::inclusive, T>(first, count, to_scan, is_same, to_scan,
                                                                            std::optional<T>(), op)),
                      inclusive.data() + end);
        });
        call([&](auto on) {
            T* const to_scan = exclusive.data() + begin;
            on.template scan_by_key<tw::scan_form::exclusive, T>(first, count, to_scan, is_same, to_scan,
                                                                 std::optional<T>(init), op);
        });
    });
    SCOPED_TRACE(std::to_string(x.size()) + " elements, " + std::to_string(cuts.size() - 1) + " ranks");
    segments::expect_bits(of.joined(of.keys), expected.keys, "keys");
    EXPECT_EQ(of.joined(of.counts), expected.counts);
    segments::expect_bits(of.joined(of.reduced), expected.reduced, "reduce");
    segments::expect_bits(inclusive, expected.inclusive, "inclusive");
    segments::expect_bits(exclusive, expected.exclusive, "exclusive");
}

template <class Geometry, class Key, class T, class Op, class Pred = std::equal_to<>>
void expect_always_specified(Op op, std::size_t most, int rounds, Pred is_same = {})
{
    std::mt19937 random(1776);
    auto const tile = static_cast<std::size_t>(tw::order<T, Geometry>::tile);
    for (int round = 0; round < rounds; ++round) {
        std::size_t const count = random() % (round % 4 == 0 ? 12 : most);
        auto const keys = runs::keys_of<Key>(lengths(count, tile, random));
        auto const x = shape::some_values<T>(count);
        auto const expected = runs::specified<Geometry>(keys, x, x.empty() ? T{} : x.back(), op, is_same);
        auto cuts = ranks::cuts_of(count, tile, random);
        if (round % 8 == 7) { // more than exchange fragments in one gather elsewhere
            while (cuts.size() <= 64)
                cuts.push_back(random() % (count + 1));
            std::sort(cuts.begin(), cuts.end());
        }
        expect_specified<Geometry, tw::sequenced_policy>(keys, x, cuts, op, is_same, expected);
        expect_specified<Geometry, tw::parallel_policy>(keys, x, cuts, op, is_same, expected);
    }
}

template <class T>
class RunsOverRanks : public testing::Test {};
using sizes = testing::Types<shape::bytes<1>, shape::bytes<4>, shape::bytes<24>>;
TYPED_TEST_SUITE(RunsOverRanks, sizes);

TYPED_TEST(RunsOverRanks, HaveTheBitsOfOneRangeAcrossEveryLevel)
{
    using order = tw::order<TypeParam, backend::tiny_geometry>;
    expect_always_specified<backend::tiny_geometry, int, TypeParam>(
        shape::non_associative<TypeParam>(), static_cast<std::size_t>(3 * order::super_group), 48);
}

TEST(runs_over_ranks, have_the_bits_of_one_range_for_other_keys)
{
    using value = shape::bytes<8>;
    expect_always_specified<backend::tiny_geometry, runs::wide_key, value>(shape::non_associative<value>(), 1500, 16);
    expect_always_specified<backend::tiny_geometry, signed char, value>(shape::non_associative<value>(), 1500, 16);
}

TEST(runs_over_ranks, have_the_bits_of_one_range_for_large_values)
{
    using value = shape::bytes<1100>;
    expect_always_specified<backend::tiny_geometry, int, value>(shape::non_associative<value>(), 120, 12);
}

/// A predicate with a state, which is neither symmetric nor transitive.
struct rises_by {
    int most;
    bool operator()(int a, int b) const { return a <= b && b - a <= most; }
};

TEST(runs_over_ranks, follow_any_predicate_of_neighbors)
{
    std::mt19937 random(1777);
    using value = shape::bytes<8>;
    using geometry = backend::tiny_geometry;
    for (int round = 0; round < 24; ++round) {
        std::vector<int> keys(random() % 1200);
        for (std::size_t i = 1; i < keys.size(); ++i)
            keys[i] =
                random() % 40 == 0 ? static_cast<int>(random() % 50) : keys[i - 1] + static_cast<int>(random() % 3);
        auto const x = shape::some_values<value>(keys.size());
        value const init = x.empty() ? value{} : x.back();
        auto const cuts = ranks::cuts_of(keys.size(), 32, random);
        auto const check = [&](auto is_same) {
            shape::non_associative<value> const op;
            auto const expected = runs::specified<geometry>(keys, x, init, op, is_same);
            expect_specified<geometry, tw::sequenced_policy>(keys, x, cuts, op, is_same, expected);
        };
        check(rises_by{2});
        check(rises_by{1});
        check(std::less_equal<>());
        check([](int a, int b) { return a / 16 == b / 16; });
    }
}

/// Numbers whose sums are not exact.
template <class T>
std::vector<T> numbers(std::size_t count)
{
    std::vector<T> x(count);
    for (std::size_t i = 0; i < count; ++i)
        x[i] = static_cast<T>(static_cast<double>(i * 7919 % 1013) / 7 - 60);
    return x;
}

/// Compares all forms with one call for the whole range.
template <class T>
void expect_forms_of_one_range(std::vector<int> const& keys, std::vector<T> const& x,
                               std::vector<std::size_t> const& cuts)
{
    auto const half = [](T value) { return value / 2; };
    std::size_t const n = keys.size();
    std::vector<int> found(n);
    std::vector<T> sums(n), largest(n), halves(n), inclusive(n), exclusive(n), inclusive_halves(n), exclusive_halves(n);
    std::vector<long> counts(n);
    auto const number = static_cast<std::size_t>(tw::reduce_by_key(keys, x, found, sums).first - found.begin());
    tw::reduce_by_key(keys, x, tw::discard_iterator(), largest, std::equal_to<>(), tw::maximum<>());
    tw::transform_reduce_by_key(keys, x, tw::discard_iterator(), halves, std::equal_to<>(), std::plus<>(), half);
    tw::count_by_key(keys, tw::discard_iterator(), counts);
    tw::inclusive_scan_by_key(keys, x, inclusive);
    tw::exclusive_scan_by_key(keys, x, exclusive, T{3});
    tw::transform_inclusive_scan_by_key(keys, x, inclusive_halves, std::equal_to<>(), std::plus<>(), half);
    tw::transform_exclusive_scan_by_key(keys, x, exclusive_halves, T{3}, std::equal_to<>(), std::plus<>(), half);

    std::vector<std::vector<int>> all_found(cuts.size() - 1);
    ranks::on_each_rank(cuts, [&](communicator& ranks, std::size_t begin, std::size_t end) {
        auto const check = [&](auto on) {
            std::vector<int> const own_keys(keys.begin() + static_cast<offset>(begin),
                                            keys.begin() + static_cast<offset>(end));
            std::vector<T> const own(x.begin() + static_cast<offset>(begin), x.begin() + static_cast<offset>(end));
            std::size_t const before = runs_that_begin(keys, 0, begin, std::equal_to<>());
            std::size_t const begun = runs_that_begin(keys, begin, end, std::equal_to<>());
            auto const same = [&](auto const& part, auto const& all, std::size_t from, char const* what) {
                EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + static_cast<offset>(from))) << what;
            };
            std::vector<int> keys_out(begun);
            std::vector<T> out(begun), scanned(own.size());
            EXPECT_TRUE(tw::reduce_by_key(on, own_keys, own, keys_out, out).second == out.end());
            same(keys_out, found, before, "keys");
            same(out, sums, before, "sums");
            tw::reduce_by_key(on, own_keys.begin(), own_keys.end(), own.begin(), tw::discard_iterator(), out.begin(),
                              std::equal_to<>(), tw::maximum<>());
            same(out, largest, before, "maxima");
            std::array<int, 1> runs_here{-1};
            EXPECT_TRUE(tw::transform_reduce_by_key_into(on, own_keys, own, keys_out, out, runs_here, std::equal_to<>(),
                                                         std::plus<>(), half) == runs_here.end());
            EXPECT_EQ(runs_here[0], static_cast<int>(begun));
            same(out, halves, before, "halves");
            offset position = 0, own_runs = static_cast<offset>(begun);
            tw::exclusive_scan(tw::distributed(ranks), &own_runs, &own_runs + 1, &position, offset{0});
            EXPECT_EQ(position, static_cast<offset>(before));
            std::vector<long> own_counts(begun);
            tw::count_by_key_into(on, own_keys, tw::discard_iterator(), own_counts, runs_here);
            EXPECT_EQ(runs_here[0], static_cast<int>(begun));
            same(own_counts, counts, before, "counts");
            T const init = ranks.rank() == 0 ? T{3} : T{4};
            EXPECT_TRUE(tw::inclusive_scan_by_key(on, own_keys, own, scanned) == scanned.end());
            same(scanned, inclusive, begin, "inclusive scans");
            tw::exclusive_scan_by_key(on, own_keys.data(), own_keys.data() + own_keys.size(), own.data(),
                                      scanned.data(), init);
            same(scanned, exclusive, begin, "exclusive scans");
            tw::transform_inclusive_scan_by_key(on, own_keys, own, scanned, std::equal_to<>(), std::plus<>(), half);
            same(scanned, inclusive_halves, begin, "inclusive scans of halves");
            tw::transform_exclusive_scan_by_key(on, own_keys, own, scanned, init, std::equal_to<>(), std::plus<>(),
                                                half);
            same(scanned, exclusive_halves, begin, "exclusive scans of halves");
        };
        auto const first = static_cast<offset>(begin), total = static_cast<offset>(cuts.back());
        check(tw::distributed(ranks));
        check(tw::distributed(ranks, tw::par));
        check(tw::distributed(ranks, tw::par).at(first, total));
    });
    EXPECT_EQ(number, runs_that_begin(keys, 0, n, std::equal_to<>()));
}

TEST(forms_by_key_over_ranks, have_the_bits_of_one_range)
{
    std::mt19937 random(1778);
    for (int round = 0; round < 12; ++round) {
        std::size_t const count = random() % (round % 3 == 0 ? 30 : 60'000);
        auto const keys = runs::keys_of<int>(lengths(count, 2048, random));
        expect_forms_of_one_range(keys, numbers<float>(count), ranks::cuts_of(count, 1000, random));
        expect_forms_of_one_range(keys, numbers<int>(count), ranks::cuts_of(count, 1000, random));
    }
}

TEST(forms_by_key_over_ranks, have_the_bits_of_one_range_in_runs_that_threads_share)
{
    std::size_t const count = 900'000;
    for (auto const& of : std::vector<std::vector<std::size_t>>{
             {count}, {1, count - 1}, {count - 1, 1}, {299'000, 2000, 299'000, 300'000}, {400'000, 400'000, 100'000}})
        expect_forms_of_one_range(runs::keys_of<int>(of), numbers<float>(count), {0, 300'000, 300'000, 600'001, count});
}

TEST(runs_over_ranks, are_found_by_comparing_neighbors_alone)
{
    std::mt19937 random(1779);
    for (std::size_t const count : {3U, 40U, 500U, 300'000U}) {
        std::vector<int> keys(count);
        std::iota(keys.begin(), keys.end(), 0);
        for (int const length : {1, 7, 100'000}) {
            std::vector<long> counts(count);
            auto const is_same = [length](int a, int b) {
                EXPECT_EQ(b, a + 1);
                return b % length != 0;
            };
            auto const number = tw::count_by_key(keys, tw::discard_iterator(), counts, is_same).second - counts.begin();
            auto const cuts = ranks::cuts_of(count, 1000, random);
            std::vector<std::vector<long>> of_ranks(cuts.size() - 1);
            ranks::on_each_rank(cuts, [&](communicator& ranks, std::size_t begin, std::size_t end) {
                auto& own = of_ranks[static_cast<std::size_t>(ranks.rank())];
                for (auto const on :
                     {tw::distributed(ranks, tw::par),
                      tw::distributed(ranks, tw::par).at(static_cast<offset>(begin), static_cast<offset>(count))}) {
                    own.assign(end - begin, 0);
                    auto const ends = tw::count_by_key(on, keys.data() + begin, keys.data() + end,
                                                       tw::discard_iterator(), own, is_same);
                    own.erase(ends.second, own.end());
                }
            });
            counts.resize(static_cast<std::size_t>(number));
            EXPECT_EQ((results<int, int>::joined(of_ranks)), counts);
        }
    }
}

TEST(runs_over_ranks, may_have_keys_that_do_not_fit_into_the_first_message)
{
    struct large_key {
        int id;
        char rest[1020];
        bool operator==(large_key const& other) const noexcept { return id == other.id; }
    };
    ranks::on_each_rank({0, 2, 5, 6}, [&](communicator& ranks, std::size_t begin, std::size_t end) {
        std::vector<large_key> keys(end - begin, large_key{ranks.rank() / 2, {}}); // 0 0, 0 0 0, 1
        std::vector<float> const x(keys.size(), 1.F);
        for (auto const& on : {tw::distributed(ranks), tw::distributed(ranks).at(static_cast<offset>(begin), 6)}) {
            std::vector<float> sums(1, -1.F);
            tw::reduce_by_key(on, keys, x, tw::discard_iterator(), sums);
            EXPECT_EQ(sums[0], ranks.rank() == 0 ? 5.F : ranks.rank() == 1 ? -1.F : 1.F);
        }
    });
}

TEST(forms_by_key_over_ranks, have_the_bits_of_one_range_on_one_rank)
{
    tw::self_communicator alone;
    auto const keys = runs::keys_of<int>({3, 1, 5000, 12});
    auto const x = numbers<float>(keys.size());
    std::vector<float> sums(4), own_sums(4), scanned(x.size()), own_scanned(x.size());
    tw::reduce_by_key(keys, x, tw::discard_iterator(), sums);
    tw::inclusive_scan_by_key(keys, x, scanned);
    for (auto const& on : {tw::distributed(alone), tw::distributed(alone).at(0, std::ssize(x))}) {
        EXPECT_EQ(tw::reduce_by_key(on, keys, x, tw::discard_iterator(), own_sums).first, tw::discard_iterator(4));
        EXPECT_EQ(own_sums, sums);
        tw::inclusive_scan_by_key(on, keys, x, own_scanned);
        EXPECT_EQ(own_scanned, scanned);
    }
}

TEST(forms_by_key_over_ranks, read_lists_and_streams_and_write_through_output_iterators)
{
    auto const keys = runs::keys_of<int>({2, 7, 1, 5});
    std::vector<int> const x = numbers<int>(keys.size());
    std::vector<int> inclusive(x.size());
    tw::inclusive_scan_by_key(keys, x, inclusive);
    ranks::on_each_rank({0, 5, 5, 6, 15}, [&](communicator& ranks, std::size_t begin, std::size_t end) {
        auto const from = static_cast<offset>(begin), to = static_cast<offset>(end);
        std::list<int> const own_keys(keys.begin() + from, keys.begin() + to);
        std::stringstream text;
        for (std::size_t i = begin; i < end; ++i)
            text << x[i] << ' ';
        std::vector<int> const begun{2, 0, 0, 2};
        std::vector<int> found, sums, scanned;
        tw::reduce_by_key(tw::distributed(ranks), own_keys.begin(), own_keys.end(), std::istream_iterator<int>(text),
                          std::back_inserter(found), std::back_inserter(sums));
        EXPECT_EQ(found.size(), static_cast<std::size_t>(begun[static_cast<std::size_t>(ranks.rank())]));
        EXPECT_EQ(sums.size(), found.size());
        tw::inclusive_scan_by_key(tw::distributed(ranks), own_keys, std::vector<int>(x.begin() + from, x.begin() + to),
                                  std::back_inserter(scanned));
        EXPECT_EQ(scanned, std::vector<int>(inclusive.begin() + from, inclusive.begin() + to));
        std::list<int> lists(own_keys.size());
        tw::inclusive_scan_by_key(tw::distributed(ranks, tw::par), own_keys,
                                  std::list<int>(x.begin() + from, x.begin() + to), lists);
        EXPECT_EQ(std::vector<int>(lists.begin(), lists.end()), scanned);
        std::vector<bool> bits(own_keys.size()), any(own_keys.size(), true);
        tw::inclusive_scan_by_key(tw::distributed(ranks, tw::par), own_keys, any, bits, std::equal_to<>(),
                                  std::logical_and<>());
        EXPECT_EQ(bits, any);
    });
}

TEST(forms_by_key_over_ranks, make_a_gather_of_keys_and_one_of_values)
{
    auto const collectives = [](auto call) {
        std::size_t made = 0;
        communicator::run(3, [&](communicator& ranks) {
            auto const before = ranks.statistics().collectives;
            call(ranks);
            if (ranks.rank() == 0)
                made = ranks.statistics().collectives - before;
        });
        return made;
    };
    std::vector<int> const keys(10, 1);
    std::vector<float> const x(10, 1.F);
    std::vector<float> out(10); // written by one rank, as one run begins
    auto const reduce = [&](auto on, auto is_same) {
        tw::reduce_by_key(on, keys, x, tw::discard_iterator(), std::vector<float>(1), is_same);
    };
    EXPECT_EQ(collectives([&](auto& ranks) { reduce(tw::distributed(ranks), std::equal_to<>()); }), 4U);
    EXPECT_EQ(
        collectives([&](auto& ranks) { reduce(tw::distributed(ranks).at(10 * ranks.rank(), 30), std::equal_to<>()); }),
        3U);
    EXPECT_EQ(collectives([&](auto& ranks) { // a predicate that may differ is applied once
                  reduce(tw::distributed(ranks), [](int a, int b) { return a == b; });
              }),
              5U);
    EXPECT_EQ(collectives([&](auto& ranks) {
                  tw::count_by_key(tw::distributed(ranks), keys, tw::discard_iterator(), tw::discard_iterator());
              }),
              3U);
}

} // namespace
