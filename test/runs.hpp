// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The algorithms by key against the specification: each run of keys is a range of its own. The runs are found by a
/// plain loop.

#include "computed.hpp"
#include "order_shapes.hpp"
#include "segments.hpp"

#include <tilewise/core/operators.hpp>
#include <tilewise/count_by_key.hpp>
#include <tilewise/discard_iterator.hpp>
#include <tilewise/reduce_by_key.hpp>
#include <tilewise/scan_by_key.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

namespace runs {

/// A key of 12 bytes.
struct wide_key {
    std::int32_t a, b, c;
    TILEWISE_PORTABLE friend bool operator==(wide_key const& x, wide_key const& y)
    {
        return x.a == y.a && x.b == y.b && x.c == y.c;
    }
};

/// Key number `i`, which differs from number i + 1.
template <class Key>
Key make_key(std::size_t i)
{
    if constexpr (std::is_same_v<Key, wide_key>)
        return {7, static_cast<std::int32_t>(i), -7};
    else
        return static_cast<Key>(i % 100);
}

/// Keys of runs of so many elements each.
template <class Key>
std::vector<Key> keys_of(std::vector<std::size_t> const& lengths)
{
    std::vector<Key> keys;
    for (std::size_t i = 0; i < lengths.size(); ++i)
        keys.insert(keys.end(), lengths[i], make_key<Key>(i));
    return keys;
}

/// Lengths of runs: about as many elements as a unit of the order has, tiny ones, one run, one element, none.
template <class T, class Geometry>
std::vector<std::vector<std::size_t>> lengths()
{
    using order = tilewise::order<T, Geometry>;
#ifdef TILEWISE_DEVICE_ENGINE // racecheck needs much memory for long ones
    tilewise::offset const most = backend::is_slow || on_device::is_small() ? 3000 : 40000;
#else
    constexpr tilewise::offset most = 40000;
#endif
    std::vector<std::size_t> units, tiny, ones;
    for (tilewise::offset const unit :
         {order::lane_vector, order::row / 2, order::row, order::chunk, order::tile, order::group, order::super_group})
        for (tilewise::offset const difference : {-1, 0, 1, 2})
            if (unit + difference > 0 && unit + difference <= most) {
                units.push_back(static_cast<std::size_t>(unit + difference));
                if (difference > 0)
                    units.push_back(static_cast<std::size_t>(difference));
            }
    for (std::size_t i = 0; i < 150; ++i) {
        tiny.push_back(1 + i * i % (4 * static_cast<std::size_t>(order::lane_vector) + 2));
        ones.push_back(1);
    }
    auto const one = static_cast<std::size_t>(std::min(order::tile * 3 + order::row + 1, most));
    auto const in_chunk = static_cast<std::size_t>(order::tile + order::chunk + 5);
    std::vector<std::size_t> among_ones(one + 7, 1); // so many that the mean is short
    among_ones.insert(among_ones.begin() + 5, {one, 1, one - 1});
    among_ones.insert(among_ones.end(), one + 5, 1);
    auto const row = static_cast<std::size_t>(order::row);
    return {units,
            tiny,
            ones,
            {one},
            {1, one},
            {one, 1},
            {1},
            {},
            {in_chunk, 1, in_chunk + 1},
            {one, row + 1, 1, 2 * row, one},       // of few keys, the runs of more than a row may be listed
            std::vector<std::size_t>(12, row + 1), // here not: there is no room in the list
            among_ones};
}

/// A predicate of keys that is not equality.
struct same_parity {
    TILEWISE_PORTABLE bool operator()(int a, int b) const { return a % 2 == b % 2; }
};

/// Keys that are computed: ten of each.
struct a_tenth {
    TILEWISE_PORTABLE int operator()(std::ptrdiff_t i) const { return static_cast<int>(i / 10); }
};
using tens = values::computed<a_tenth>;

/// The runs of keys.
template <class Key, class Pred>
segments::list runs_of(std::vector<Key> const& keys, Pred is_same)
{
    segments::list runs;
    for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
        for (end = begin + 1; end < keys.size() && is_same(keys[end - 1], keys[end]);)
            ++end;
        runs.add(static_cast<tilewise::offset>(end - begin), 0);
    }
    return runs;
}

/// What each algorithm gives.
template <class Key, class T>
struct expectation {
    std::vector<Key> keys;
    std::vector<std::int64_t> counts;
    std::vector<T> reduced, inclusive, exclusive;
};
template <class Geometry, class Key, class T, class Op, class Pred>
expectation<Key, T> specified(std::vector<Key> const& keys, std::vector<T> const& x, T const& init, Op op, Pred is_same)
{
    auto const of = runs_of(keys, is_same);
    auto const scans = segments::specified<Geometry>(x, of, init, op);
    expectation<Key, T> expected{{}, {}, {}, scans.inclusive, scans.exclusive};
    for (std::size_t i = 0; i < of.size(); ++i) {
        expected.keys.push_back(keys[static_cast<std::size_t>(of.begins[i])]);
        expected.counts.push_back(of.ends[i] - of.begins[i]);
        expected.reduced.push_back(scans.inclusive[static_cast<std::size_t>(of.ends[i]) - 1]);
    }
    return expected;
}

#ifndef TILEWISE_DEVICE_ENGINE

/// Compares the engines with the specification.
template <class Geometry, class Key, class T, class Op, class Pred = std::equal_to<>>
void expect_specified(std::vector<Key> const& keys, std::vector<T> const& x, Op op, Pred is_same = {})
{
    using tilewise::scan_form;
    T const init = x.empty() ? T{} : x.back();
    auto const expected = specified<Geometry>(keys, x, init, op, is_same);
    auto const own_op = tilewise::known::operator_or_self<T>(op);
    auto const count = static_cast<tilewise::offset>(keys.size());
    auto const check = [&](auto policy) {
        std::vector<Key> found(keys);
        std::vector<T> reduced(x);
        auto const ends = tilewise::host::reduce_by_key<Geometry, T>(policy, keys.begin(), count, x.begin(), is_same,
                                                                     found.begin(), reduced.begin(), own_op);
        ASSERT_EQ(static_cast<std::size_t>(ends.count), expected.keys.size());
        EXPECT_EQ(ends.keys - found.begin(), ends.count);
        EXPECT_EQ(ends.results - reduced.begin(), ends.count);
        found.resize(expected.keys.size());
        reduced.resize(expected.keys.size());
        segments::expect_bits(found, expected.keys, "keys");
        segments::expect_bits(reduced, expected.reduced, "reduce");
        auto const scanned = [&]<scan_form form>(std::integral_constant<scan_form, form>, std::optional<T> first) {
            std::vector<T> out(x), difference(x.size(), init); // in place
            tilewise::host::scan_by_key<Geometry, form, T>("test", policy, keys.begin(), count, out.begin(), is_same,
                                                           out.begin(), first, own_op);
            auto const end = tilewise::host::scan_by_key<Geometry, form, T>(
                "test", policy, keys.begin(), count, x.begin(), is_same, difference.begin(), first, own_op);
            EXPECT_EQ(end, difference.end());
            segments::expect_bits(difference, out, "in place");
            return out;
        };
        constexpr std::integral_constant<scan_form, scan_form::inclusive> inclusive;
        constexpr std::integral_constant<scan_form, scan_form::exclusive> exclusive;
        segments::expect_bits(scanned(inclusive, std::nullopt), expected.inclusive, "inclusive");
        segments::expect_bits(scanned(exclusive, init), expected.exclusive, "exclusive");
    };
    check(tilewise::seq);
    check(tilewise::par);
}

#else

/// Tiles of more chunks.
struct many_chunks : segments::steep_geometry {
    static constexpr int rows_per_chunk = 4, chunks_per_tile = 8;
};

/// Parts of few keys, or of more rows than a warp looks at together; and several launches for the runs.
template <int log2_units, int part = 64>
struct tuning_with : tilewise::gpu::by_key_tuning {
    using segments = ::segments::tuning_with<log2_units>;
    template <class>
    static constexpr tilewise::offset few_keys = 0;
    static constexpr int threads = 64, words_at_once = 2, combining_blocks_per_multiprocessor = 1;
    static constexpr int least_part = part, most_part = part, least_rows_to_reduce = part, least_rows_to_scan = part;
};
using tuning = tuning_with<6>;

/// Few keys: runs of more values than `longest` and a row are segments. The parts are those of users, of fewer keys
/// than a warp marks at once.
template <int longest = 1>
struct tuning_of_few : tilewise::gpu::by_key_tuning {
    using segments = ::segments::tuning_with<2>;
    template <class>
    static constexpr tilewise::offset few_keys = tilewise::offset{1} << 62;
    template <class>
    static constexpr int longest_of_few = longest;
    static constexpr int threads = 64, combining_blocks_per_multiprocessor = 1;
};

/// Few runs, the long ones of which may not be scanned by one kernel alone.
struct little_room : segments::tuning_with<2> {
    static constexpr std::size_t most_status_bytes = 5 * 8;
};
struct no_single_pass : segments::tuning_with<2> {
    using scan = segments::without_bulk_copies;
};
template <class Segments>
struct few_with : tuning_of_few<> {
    using segments = Segments;
};

/// Compares the kernels with the specification, whether or not the host learns the number of runs.
template <class Geometry, class Key, class T, class Op, class Pred = std::equal_to<>>
void expect_specified(std::vector<Key> const& keys, std::vector<T> const& x, Op op, Pred is_same = {})
{
    using on_device::device_array;
    using tilewise::scan_form;
    T const init = x.empty() ? T{} : x.back();
    auto const expected = specified<Geometry>(keys, x, init, op, is_same);
    auto const own_op = tilewise::gpu::operator_for(tilewise::known::portable_operator_or_self<T>(op));
    auto const pred = tilewise::gpu::function_for(is_same);
    auto const count = static_cast<tilewise::offset>(keys.size());
    std::size_t const number = expected.keys.size();
    device_array<Key> const there(keys), misaligned(keys, alignof(Key)), found(number);
    device_array<T> const values(x), reduced(number);
    device_array<std::int64_t> const counts(number), numbers(2);
    auto const wait = [] { on_device::expect_success(cudaStreamSynchronize(nullptr)); };
    constexpr std::integral_constant<scan_form, scan_form::inclusive> inclusive;
    constexpr std::integral_constant<scan_form, scan_form::exclusive> exclusive;
    auto const scanned = [&]<class Tuning, scan_form form>(auto policy, Tuning, std::integral_constant<scan_form, form>,
                                                           std::optional<T> first, bool in_place) {
        device_array<T> const out(x);
        tilewise::gpu::scan_by_key<Geometry, form, T, Tuning>("test", policy, there.data(), count,
                                                              in_place ? out.data() : values.data(), pred, out.data(),
                                                              first, own_op);
        wait();
        return out.values(x.size());
    };
    auto const check = [&]<class Tuning>(auto policy, Tuning tuning, device_array<Key> const& reduced_keys) {
        bool const waits = decltype(policy)::waits;
        tilewise::offset const runs = tilewise::gpu::reduce_by_key<Geometry, T, Tuning>(
            "test", policy, reduced_keys.data(), count, values.data(), pred, found.data(), reduced.data(),
            numbers.data(), own_op);
        wait();
        EXPECT_EQ(runs, waits ? static_cast<tilewise::offset>(number) : 0);
        EXPECT_EQ(numbers.value(0), static_cast<tilewise::offset>(number));
        segments::expect_bits(found.values(number), expected.keys, "keys");
        segments::expect_bits(reduced.values(number), expected.reduced, "reduce");
        tilewise::gpu::count_by_key<Tuning>("test", policy, there.data(), count, pred, tilewise::discard_iterator(),
                                            counts.data(), numbers.data() + 1);
        wait();
        EXPECT_EQ(numbers.value(1), static_cast<tilewise::offset>(number));
        EXPECT_EQ(counts.values(number), expected.counts);
        segments::expect_bits(scanned(policy, tuning, inclusive, std::nullopt, !waits), expected.inclusive,
                              "inclusive");
        segments::expect_bits(scanned(policy, tuning, exclusive, init, waits), expected.exclusive, "exclusive");
    };
    check(tilewise::device, tuning(), there);
    check(tilewise::device.nosync(), tuning_with<2, 2048>(), misaligned);
    check(tilewise::device.nosync(), tuning_of_few<sizeof(T) == 4 ? 300 : 1>(), there);
    segments::expect_bits(scanned(tilewise::device, few_with<little_room>(), exclusive, init, false),
                          expected.exclusive, "with little room");
    segments::expect_bits(scanned(tilewise::device, few_with<no_single_pass>(), inclusive, std::nullopt, false),
                          expected.inclusive, "without a single pass");
}

#endif

/// The same for all lists of lengths, of keys and values of a type. The lists can take turns: in the interpreter, each
/// schedule then has every other one.
template <class Key, class T, class Geometry>
void expect_all_specified(bool in_turn = false)
{
    std::size_t variant = 0;
    for (auto const& of : lengths<T, Geometry>()) {
        if (in_turn && backend::leaves_to_other_schedule(variant++))
            continue;
        auto const keys = keys_of<Key>(of);
        expect_specified<Geometry>(keys, shape::some_values<T>(keys.size()), shape::non_associative<T>());
    }
}

} // namespace runs
