// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Runs of equal keys over ranks that each use the GPU: the bits that one rank gives under seq.
#include "../distributed/ranks.hpp"
#include "rank_elements.hpp"
#include "same_bits.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using ranks::elements, ranks::memory, ranks::memory_on, ranks::part_of, ranks::expect_same;
using tw::offset;

/// A key of which one part is compared.
struct dated_key {
    std::int32_t key, date[4];
    friend bool operator==(dated_key const&, dated_key const&) = default;
};
/// A predicate with a state, so that ranks do not apply it for each other.
struct is_same_day {
    int per_day;
    TILEWISE_PORTABLE bool operator()(dated_key const& a, dated_key const& b) const
    {
        return a.key / per_day == b.key / per_day;
    }
};

/// Runs of random lengths: of a few keys, long ones, and ones that span ranks.
template <class Key>
std::vector<Key> some_keys(std::size_t count, std::mt19937& random)
{
    std::size_t const most = random() % 3 == 0 ? 9 : random() % 2 == 0 ? count / 2 + 1 : 300;
    std::vector<Key> keys;
    for (std::int32_t run = 0; keys.size() < count; ++run)
        for (std::size_t length = 1 + random() % most; length > 0 && keys.size() < count; --length) {
            if constexpr (std::is_same_v<Key, dated_key>)
                keys.push_back({7 * run + static_cast<std::int32_t>(random() % 7), {run, 1, 2, 3}});
            else
                keys.push_back(static_cast<Key>(run % 3));
        }
    return keys;
}

/// Compares keys that an iterator computes.
template <class Pred>
struct second_are_same {
    Pred is_same;
    template <class Pair>
    TILEWISE_PORTABLE bool operator()(Pair const& a, Pair const& b) const
    {
        if constexpr (std::is_same_v<Pred, std::equal_to<>>) // which kernels cannot call here
            return get<1>(a) == get<1>(b);
        else
            return is_same(get<1>(a), get<1>(b));
    }
};

/// What one rank gives under seq.
template <class Key, class E, class T, class Pred, class Op>
struct expected_results {
    std::vector<Key> first_keys;
    std::vector<E> reduced;
    std::vector<std::uint32_t> lengths;
    std::vector<T> exclusive;
    std::vector<E> inclusive;

    expected_results(std::vector<Key> const& keys, std::vector<E> const& x, T init, Pred is_same, Op op)
        : first_keys(keys), reduced(x), lengths(x.size()), exclusive(x.size(), init), inclusive(x)
    {
        auto const ends = tw::reduce_by_key(keys, x, first_keys, reduced, is_same, op);
        tw::count_by_key(keys, first_keys, lengths, is_same);
        auto const runs = ends.second - reduced.begin();
        first_keys.erase(first_keys.begin() + runs, first_keys.end());
        reduced.erase(reduced.begin() + runs, reduced.end());
        lengths.resize(static_cast<std::size_t>(runs));
        tw::exclusive_scan_by_key(keys, x, exclusive, init, is_same, op);
        tw::inclusive_scan_by_key(keys, x, inclusive, is_same, op);
    }
};

template <class Key, class E, class T, class Pred, class Op>
void expect_runs_of_one_range(std::vector<Key> const& keys, std::vector<E> const& x,
                              std::vector<std::size_t> const& cuts, T init, T other, Pred is_same, Op op)
{
    expected_results<Key, E, T, Pred, Op> const expected(keys, x, init, is_same, op);
    std::vector<std::vector<Key>> keys_of_ranks(cuts.size() - 1);
    std::vector<std::vector<E>> reduced_of_ranks(cuts.size() - 1);
    std::vector<std::vector<std::uint32_t>> lengths_of_ranks(cuts.size() - 1);
    ranks::on_each_rank(cuts, [&](auto& communicator, std::size_t begin, std::size_t end) {
        auto const rank = static_cast<std::size_t>(communicator.rank());
        auto const on = tw::distributed(communicator, tw::device);
        T const own_init = rank == 0 ? init : other;
        elements<Key> own_keys(part_of(keys, begin, end), memory_on(communicator));
        elements<E> own(part_of(x, begin, end), memory_on(communicator, 1));
        elements<Key> first_keys(part_of(keys, begin, end), memory_on(communicator, 1));
        elements<E> reduced(part_of(x, begin, end), memory_on(communicator, 2));
        elements<std::uint32_t> lengths(std::vector<std::uint32_t>(end - begin), memory_on(communicator));
        elements<std::int64_t> number(std::vector<std::int64_t>{-1}, memory_on(communicator, 2));

        auto const ends = tw::reduce_by_key(on, own_keys.data(), own_keys.end(), own.data(), first_keys.data(),
                                            reduced.data(), is_same, op);
        auto const runs = static_cast<std::size_t>(ends.first - first_keys.data());
        EXPECT_EQ(static_cast<std::size_t>(ends.second - reduced.data()), runs);
        keys_of_ranks[rank] = part_of(first_keys.values(), 0, runs);
        reduced_of_ranks[rank] = part_of(reduced.values(), 0, runs);
        EXPECT_EQ(tw::count_by_key_into(on, own_keys.data(), own_keys.end(), first_keys.data(), lengths.data(),
                                        number.data(), is_same),
                  number.end());
        EXPECT_EQ(number.values()[0], static_cast<std::int64_t>(runs));
        lengths_of_ranks[rank] = part_of(lengths.values(), 0, runs);
        expect_same(part_of(first_keys.values(), 0, runs), keys_of_ranks[rank]);

        elements<T> scanned(std::vector<T>(end - begin, other), memory_on(communicator, 2));
        EXPECT_EQ(tw::exclusive_scan_by_key(on, own_keys.data(), own_keys.end(), own.data(), scanned.data(), own_init,
                                            is_same, op),
                  scanned.end());
        expect_same(scanned.values(), part_of(expected.exclusive, begin, end));
        auto const pairs = tw::zip(own_keys.values_in_place(), own_keys.values_in_place());
        elements<T> of_pairs(std::vector<T>(end - begin, other), memory_on(communicator, 2));
        tw::exclusive_scan_by_key(on, pairs.begin(), pairs.end(), own.data(), of_pairs.data(), own_init,
                                  second_are_same<Pred>{is_same}, op);
        expect_same(of_pairs.values(), scanned.values());
        tw::inclusive_scan_by_key(on, own_keys.data(), own_keys.end(), own.data(), own.data(), is_same, op); // in place
        expect_same(own.values(), part_of(expected.inclusive, begin, end));
    });
    std::vector<Key> all_keys;
    std::vector<E> all_reduced;
    std::vector<std::uint32_t> all_lengths;
    for (std::size_t r = 0; r < keys_of_ranks.size(); ++r) {
        all_keys.insert(all_keys.end(), keys_of_ranks[r].begin(), keys_of_ranks[r].end());
        all_reduced.insert(all_reduced.end(), reduced_of_ranks[r].begin(), reduced_of_ranks[r].end());
        all_lengths.insert(all_lengths.end(), lengths_of_ranks[r].begin(), lengths_of_ranks[r].end());
    }
    expect_same(all_keys, expected.first_keys);
    expect_same(all_reduced, expected.reduced);
    EXPECT_EQ(all_lengths, expected.lengths);
}

std::vector<std::size_t> const sizes{0, 7, on_device::amount<std::size_t>(1 << 20, 30'000, 9000)};

DEVICE_TEST(runs_on_gpus, have_the_bits_of_one_range)
{
    ranks::emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    for (std::size_t const count : sizes)
        for (int i = 0; i < on_device::amount(8, 4, 3); ++i)
            expect_runs_of_one_range(some_keys<std::int16_t>(count, random), on_device::some_elements<float>(count),
                                     ranks::few_cuts_of(count, random, 3), 0.5f, 7.0f, std::equal_to<>(),
                                     std::plus<>());
}

DEVICE_TEST(runs_on_gpus, have_the_values_of_one_range_of_integers)
{
    ranks::emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation() + 1));
    for (std::size_t const count : sizes)
        expect_runs_of_one_range(some_keys<std::int32_t>(count, random), on_device::some_elements<std::int32_t>(count),
                                 ranks::few_cuts_of(count, random, 3), std::int64_t{5}, std::int64_t{1000},
                                 std::equal_to<>(), std::plus<>());
}

DEVICE_TEST(runs_on_gpus, may_have_keys_and_values_of_any_type)
{
    using words = values::words<std::uint64_t, 3>;
    ranks::emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation() + 2));
    for (std::size_t const count : sizes)
        expect_runs_of_one_range(some_keys<dated_key>(count / 8, random), on_device::some_elements<words>(count / 8),
                                 ranks::few_cuts_of(count / 8, random, 3), words(77), words(5), is_same_day{7},
                                 values::compose{});
}

DEVICE_TEST(runs_on_gpus, may_span_all_ranks)
{
    ranks::emptied_caches const at_end;
    std::size_t const count = on_device::amount<std::size_t>(1 << 22, 70'000, 40'000);
    std::vector<std::uint8_t> keys(count, 3);
    auto const x = on_device::some_elements<double>(count);
    std::vector<std::size_t> const cuts{0, count / 3 + 5, count / 2, count};
    expect_runs_of_one_range(keys, x, cuts, 0.5, 7.0, std::equal_to<>(), std::plus<>());
    keys.front() = keys[count / 2 - 1] = keys.back() = 4;
    expect_runs_of_one_range(keys, x, cuts, 0.5, 7.0, std::equal_to<>(), std::plus<>());
}

DEVICE_TEST(runs_on_gpus, are_counted_for_outputs_of_known_length)
{
    std::vector<int> const keys{1, 1, 2, 2, 2, 5, 5, 7}, values{1, 2, 3, 4, 5, 6, 7, 8};
    ranks::emptied_caches const at_end;
    ranks::on_each_rank({0, 4, 8}, [&](auto& communicator, std::size_t begin, std::size_t end) {
        auto const rank = static_cast<std::size_t>(communicator.rank());
        std::vector<int> const own_keys = part_of(keys, begin, end), own = part_of(values, begin, end);
        std::vector<std::vector<int>> const expected_keys{{1, 2}, {5, 7}}, expected{{3, 12}, {13, 8}};
        std::vector<int> found(expected[rank].size()), sums(found.size());
        auto const on = tw::distributed(communicator, tw::device);
        EXPECT_TRUE(tw::reduce_by_key(on, own_keys, own, found, sums).second == sums.end());
        EXPECT_EQ(found, expected_keys[rank]);
        EXPECT_EQ(sums, expected[rank]);
        std::vector<int> few(rank == 0 ? 1 : 3);
        EXPECT_THROW(tw::reduce_by_key(on, own_keys, own, found, few), tw::distributed_error);
        EXPECT_EQ(tw::reduce(on, own), 36); // in step again
    });
}

/// However few keys are read at first, and wherever the first and the last run end.
DEVICE_TEST(runs_at_the_ends_of_a_part, are_found_in_steps)
{
    std::mt19937 random(static_cast<unsigned>(on_device::variation() + 3));
    auto const equals = std::equal_to<>();
    for (int run = 0; run < on_device::amount(200, 60, 40); ++run) {
        std::size_t const count = 1 + random() % 1500;
        std::vector<int> keys(count, 1);
        for (auto changes = random() % 4; changes > 0; --changes) {
            auto const at = static_cast<std::ptrdiff_t>(random() % 3 == 0   ? random() % std::min<std::size_t>(count, 4)
                                                        : random() % 2 == 0 ? count - 1
                                                                            : random() % count);
            for (auto key = keys.begin() + at; key != keys.end(); ++key)
                *key += 1;
        }
        auto const in_first = std::find_if(keys.begin(), keys.end(), [&](int k) { return k != keys.front(); });
        auto const in_last = std::find_if(keys.rbegin(), keys.rend(), [&](int k) { return k != keys.back(); });
        on_device::device_array<int> const device_copy(keys);
        auto const found = tw::engine::lengths_of_runs_at_ends<3>(
            tw::device, static_cast<int const*>(device_copy.data()), static_cast<offset>(count), equals);
        EXPECT_EQ(found.first, in_first - keys.begin());
        EXPECT_EQ(found.second, in_last - keys.rbegin());
    }
}

} // namespace
