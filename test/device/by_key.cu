// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The algorithms by key on the device: their results, forms and errors.

#include "computed.hpp"
#include "constant_sum.hpp"
#include "runs.hpp"
#include "same_bits.hpp"
#include "segments.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace tw = tilewise;

namespace runs {

struct doubled {
    TILEWISE_PORTABLE int operator()(int value) const { return 2 * value; }
};

struct element_of {
    int const* from;
    TILEWISE_PORTABLE int operator()(std::ptrdiff_t i) const { return from[i]; }
};
using reads = values::computed<element_of>;

struct added {
    TILEWISE_PORTABLE int operator()(int a, int b) const { return a + b; }
};

/// A key that cannot be assigned. It converts to what is written.
struct constant_key {
    int const number;
    TILEWISE_PORTABLE operator int() const { return number; }
    TILEWISE_PORTABLE friend bool operator==(constant_key a, constant_key b) { return a.number == b.number; }
};
static_assert(std::is_trivially_copyable_v<constant_key> && !std::is_copy_assignable_v<constant_key>);

} // namespace runs

namespace {

using on_device::device_array;
using ints = std::vector<int>;

ints const some_keys{1, 1, 2, 2, 2, 1, 3}, some_values{1, 2, 3, 4, 5, 6, 7};

DEVICE_TEST(OrderByKey, OfBytesIsThatOfEveryRunAlone)
{
    runs::expect_all_specified<int, unsigned char, segments::steep_geometry>(true);
}

DEVICE_TEST(OrderByKey, OfWordsIsThatOfEveryRunAlone)
{
    runs::expect_all_specified<std::uint8_t, std::uint32_t, segments::steep_geometry>(true);
}

DEVICE_TEST(OrderByKey, OfStructuresIsThatOfEveryRunAlone)
{
    runs::expect_all_specified<runs::wide_key, shape::bytes<12>, segments::steep_geometry>(true);
    runs::expect_all_specified<int, shape::bytes<12>, runs::many_chunks>(true);
}

DEVICE_TEST(OrderByKey, OfLargeStructuresIsThatOfEveryRunAlone)
{
    runs::expect_all_specified<std::int64_t, shape::bytes<40>, segments::steep_geometry>(true);
}

/// Compares with seq, through the library's calls: keys that often stay the same, and one that stays long.
template <class Key, class T, class Op>
void expect_the_bits_of_seq(std::size_t count, unsigned stay, Op op)
{
    std::vector<Key> keys;
    std::uint64_t state = 88172645463325252u + stay;
    for (std::size_t i = 0; i < count; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bool const stays = i > 0 && ((state >> 33) % (stay + 1) != 0 || (i > count / 3 && i < count / 2));
        keys.push_back(stays ? keys.back() : runs::make_key<Key>(static_cast<std::size_t>(state >> 40) % 5));
    }
    auto const x = on_device::some_elements<T>(count);
    std::vector<Key> expected_keys(count);
    std::vector<T> sums(count), scans(count);
    auto const ends = tw::reduce_by_key(tw::seq, keys, x, expected_keys, sums, std::equal_to<>(), op);
    auto const number = static_cast<std::size_t>(ends.first - expected_keys.begin());
    expected_keys.resize(number);
    sums.resize(number);
    device_array<Key> const own_keys(keys), found(number);
    device_array<T> const device_copy(x), reduced(number), scanned(count);
    auto const end = tw::reduce_by_key(tw::device, own_keys.begin(), own_keys.end(), device_copy.begin(), found.begin(),
                                       reduced.begin(), std::equal_to<>(), op);
    EXPECT_EQ(end.first, found.end());
    EXPECT_EQ(end.second, reduced.end());
    segments::expect_bits(found.values(number), expected_keys, "keys");
    segments::expect_bits(reduced.values(number), sums, "reduce");
    tw::inclusive_scan_by_key(tw::seq, keys, x, scans, std::equal_to<>(), op);
    tw::inclusive_scan_by_key(tw::device.nosync(), own_keys.begin(), own_keys.end(), device_copy.begin(),
                              scanned.begin(), std::equal_to<>(), op);
    on_device::expect_success(cudaStreamSynchronize(nullptr));
    segments::expect_bits(scanned.values(count), scans, "inclusive");
    tw::exclusive_scan_by_key(tw::seq, keys, x, scans, x[0], std::equal_to<>(), op);
    tw::exclusive_scan_by_key(tw::device, own_keys.begin(), own_keys.end(), device_copy.begin(), scanned.begin(), x[0],
                              std::equal_to<>(), op);
    segments::expect_bits(scanned.values(count), scans, "exclusive");
}

DEVICE_TEST(OrderByKey, IsThatOfSeqForManyRuns)
{
    for (unsigned const stay : {0u, 1u, 3u, 30u, 1000u, 1000000u}) {
        expect_the_bits_of_seq<std::int32_t, float>(on_device::amount<std::size_t>(20'000'001, 300'001, 9001), stay,
                                                    std::plus<>());
        if (!on_device::interpreted || stay == 30)
            expect_the_bits_of_seq<runs::wide_key, double>(on_device::amount<std::size_t>(3'000'017, 100'017, 5017),
                                                           stay, std::plus<>());
    }
}

DEVICE_TEST(algorithms_by_key, scan_in_place_what_an_iterator_reads_beside_memory)
{
    ints keys, x, old, expected;
    for (int i = 0; i < 1500; ++i) {
        keys.push_back(i / 300);
        x.push_back(i % 7);
        old.push_back(i % 11);
        expected.push_back(x.back() + old.back() + (i % 300 > 0 ? expected.back() : 0));
    }
    device_array<int> const there(keys), values(x), out(old);
    auto const sums = tw::transformed_pairs<runs::added, int const*, runs::reads>(runs::added(), values.data(),
                                                                                  runs::reads{0, {out.data()}});
    tw::gpu::scan_by_key<tw::standard_geometry, tw::scan_form::inclusive, int, runs::tuning>(
        "test", tw::device, there.data(), tw::offset{1500}, sums, tw::gpu::function_for(std::equal_to<>()), out.data(),
        std::optional<int>(), tw::gpu::plus());
    EXPECT_EQ(out.values(expected.size()), expected);
}

DEVICE_TEST(algorithms_by_key, take_every_form)
{
    device_array<int> const keys(some_keys), x(some_values), found(9), out(9), number(1);
    auto const first = keys.begin(), last = keys.end();
    auto const expect = [&](auto ends, ints const& own_keys, ints const& results) {
        EXPECT_EQ(ends.first, found.begin() + own_keys.size());
        EXPECT_EQ(ends.second, out.begin() + results.size());
        EXPECT_EQ(found.values(own_keys.size()), own_keys);
        EXPECT_EQ(out.values(results.size()), results);
    };
    auto const on = tw::device;
    expect(tw::reduce_by_key(on, first, last, x.begin(), found.begin(), out.begin()), {1, 2, 1, 3}, {3, 12, 6, 7});
    expect(tw::reduce_by_key(on, keys, x, found, out, runs::same_parity(), std::multiplies<>()), {1, 2, 1},
           {2, 60, 42});
    expect(tw::reduce_by_key(on, keys, x, found, out, std::less<>(), tw::maximum<>()), {1, 1, 2, 2, 1},
           {1, 3, 4, 5, 7});
    expect(tw::transform_reduce_by_key(on, keys, x, found, out, std::equal_to<>(), std::plus<>(), runs::doubled()),
           {1, 2, 1, 3}, {6, 24, 12, 14});
    expect(tw::count_by_key(on, keys, found, out), {1, 2, 1, 3}, {2, 3, 1, 1});
    expect(tw::count_by_key(on, first, first + 1, found.begin(), out.begin()), {1}, {1});
    expect(tw::count_by_key(on, runs::tens{5}, runs::tens{27}, found.begin(), out.begin()), {0, 1, 2}, {5, 10, 7});
    EXPECT_EQ(tw::count_by_key_into(on, keys, found, out, number), number.end());
    EXPECT_EQ(number.value(), 4);
    device_array<float> const inexact(1);
    device_array<std::int64_t> const wide(1);
    tw::count_by_key_into(on, keys, found, out, inexact);
    tw::reduce_by_key_into(on.nosync(), first, last, x.begin(), found.begin(), out.begin(), wide.begin());
    on_device::expect_success(cudaStreamSynchronize(nullptr));
    EXPECT_EQ(inexact.value(), 4);
    EXPECT_EQ(wide.value(), 4);
    EXPECT_EQ(tw::reduce_by_key(on, keys, x, tw::discard_iterator(), out.begin()).first, tw::discard_iterator(4));
    EXPECT_EQ(tw::reduce_by_key(on, keys, x, found.begin(), tw::discard_iterator()).first, found.begin() + 4);
    EXPECT_EQ(tw::inclusive_scan_by_key(on, keys, x, out), out.begin() + 7);
    EXPECT_EQ(out.values(7), (ints{1, 3, 3, 7, 12, 6, 7}));
    tw::exclusive_scan_by_key(on, first, last, x.begin(), out.begin(), 10);
    EXPECT_EQ(out.values(7), (ints{10, 11, 10, 13, 17, 10, 10}));
    tw::transform_inclusive_scan_by_key(on, keys, x, out, std::equal_to<>(), std::plus<>(), runs::doubled());
    EXPECT_EQ(out.values(7), (ints{2, 6, 6, 14, 24, 12, 14}));
    tw::transform_exclusive_scan_by_key(on, keys, x, x, 1, std::equal_to<>(), std::plus<>(), runs::doubled());
    EXPECT_EQ(x.values(7), (ints{1, 3, 1, 7, 15, 1, 1})); // in place
}

/// The guide promises that an accumulator need not be default constructible or assignable.
DEVICE_TEST(algorithms_by_key, take_sums_that_cannot_be_assigned)
{
    auto const n = on_device::amount<std::size_t>(100000, 20000, 20000); // short runs, and one of more than a tile
    std::vector<int> keys(n);
    std::vector<std::uint32_t> x(n, 1), sums(n);
    for (std::size_t i = 0; i < n; ++i) {
        keys[i] = static_cast<int>(i < n / 4 ? i / 3 : i < n / 2 ? n : n + i / 700);
        sums[i] = i > 0 && keys[i] == keys[i - 1] ? sums[i - 1] + 1 : 1;
    }
    device_array<int> const own_keys(keys);
    device_array<std::uint32_t> const in(x), out(x);
    tw::exclusive_scan_by_key(tw::device, own_keys.begin(), own_keys.end(), in.begin(), out.begin(),
                              values::constant_sum(1), std::equal_to<>(), values::add_sums());
    EXPECT_EQ(out.values(n), sums);
}

DEVICE_TEST(algorithms_by_key, take_keys_that_equal_nothing)
{
    float const nan = std::numeric_limits<float>::quiet_NaN();
    device_array<float> const keys(std::vector<float>{1, 1, nan, nan, 0.0F, -0.0F}), found(4);
    device_array<int> const x(ints{1, 2, 3, 4, 5, 6}), sums(4);
    tw::reduce_by_key(tw::device, keys, x, found, sums);
    EXPECT_EQ(sums.values(4), (ints{3, 3, 4, 11}));
    EXPECT_TRUE(std::isnan(found.value(1)) && std::isnan(found.value(2)));
    EXPECT_FALSE(std::signbit(found.value(3)));
}

DEVICE_TEST(algorithms_by_key, need_no_memory_where_there_is_nothing)
{
    int* const none = nullptr;
    device_array<int> const number(ints{5});
    auto const ends = tw::reduce_by_key(tw::device, none, none, none, none, none);
    EXPECT_EQ(ends.first, none);
    EXPECT_EQ(ends.second, none);
    EXPECT_EQ(tw::inclusive_scan_by_key(tw::device, none, none, none, none), none);
    tw::count_by_key_into(tw::device.nosync(), none, none, none, none, number.begin());
    on_device::expect_success(cudaStreamSynchronize(nullptr));
    EXPECT_EQ(number.value(), 0);
}

DEVICE_TEST(algorithms_by_key, read_and_write_memory_of_the_host)
{
    ints found(9, -1), sums(9, -1), number(1), scans(7);
    device_array<int> const device_copy(some_values);
    auto ends = tw::reduce_by_key(tw::device, some_keys, some_values, found, sums);
    EXPECT_EQ(ends.first, found.begin() + 4);
    EXPECT_EQ(found, (ints{1, 2, 1, 3, -1, -1, -1, -1, -1}));
    EXPECT_EQ(sums, (ints{3, 12, 6, 7, -1, -1, -1, -1, -1}));
    tw::reduce_by_key_into(tw::device, some_keys.begin(), some_keys.end(), device_copy.begin(), found.begin() + 4,
                           sums.begin() + 4, number.begin());
    EXPECT_EQ(found, (ints{1, 2, 1, 3, 1, 2, 1, 3, -1}));
    EXPECT_EQ(sums, (ints{3, 12, 6, 7, 3, 12, 6, 7, -1}));
    EXPECT_EQ(number[0], 4);
    tw::exclusive_scan_by_key(tw::device, some_keys, some_values, scans, 1);
    EXPECT_EQ(scans, (ints{1, 2, 1, 4, 8, 1, 1}));
}

DEVICE_TEST(algorithms_by_key, refuse_memory_of_the_host_where_nobody_waits)
{
    ints host(7, 1);
    device_array<int> const keys(some_keys), x(some_values), out(7), found(7), number(1);
    auto const on = tw::device.nosync();
    EXPECT_THROW(
        tw::reduce_by_key_into(on, host.begin(), host.end(), x.begin(), found.begin(), out.begin(), number.begin()),
        std::invalid_argument);
    EXPECT_THROW(
        tw::reduce_by_key_into(on, keys.begin(), keys.end(), host.begin(), found.begin(), out.begin(), number.begin()),
        std::invalid_argument);
    EXPECT_THROW(tw::count_by_key_into(on, keys.begin(), keys.end(), host.begin(), out.begin(), number.begin()),
                 std::invalid_argument);
    EXPECT_THROW(tw::count_by_key_into(on, keys.begin(), keys.end(), found.begin(), host.begin(), number.begin()),
                 std::invalid_argument);
    EXPECT_THROW(tw::count_by_key_into(on, keys.begin(), keys.end(), found.begin(), out.begin(), host.begin()),
                 std::invalid_argument);
    EXPECT_EQ(host, ints(7, 1));
}

DEVICE_TEST(algorithms_by_key, reject_broken_arguments)
{
    int* const none = nullptr;
    device_array<int> const keys(some_keys), x(some_values), out(7), few(3);
    auto const on = tw::device;
    EXPECT_THROW(tw::reduce_by_key(on, keys.begin(), keys.end(), none, out.begin(), out.begin()),
                 std::invalid_argument);
    EXPECT_THROW(tw::count_by_key(on, keys.begin(), keys.end(), none, out.begin()), std::invalid_argument);
    EXPECT_THROW(tw::reduce_by_key(on, keys, few, out, out), std::invalid_argument);
    EXPECT_THROW(tw::reduce_by_key(on, keys, x, out, few), std::invalid_argument); // four runs
    EXPECT_THROW(tw::inclusive_scan_by_key(on, keys, x, few), std::invalid_argument);
    EXPECT_THROW(tw::inclusive_scan_by_key(on.nosync(), keys, x, few), std::invalid_argument);
}

DEVICE_TEST_WITH_STREAMS(algorithms_by_key, run_in_streams_and_graphs_without_waiting)
{
    device_array<int> const keys(some_keys), x(some_values), found(7), sums(7), number(1), scans(7);
    on_device::stream const stream;
    auto const policy = tw::device.on(stream).nosync();
    on_device::graph const captured(stream, [&] {
        tw::reduce_by_key_into(policy, keys.begin(), keys.end(), x.begin(), found.begin(), sums.begin(),
                               number.begin());
        tw::inclusive_scan_by_key(policy, keys, x, scans);
        EXPECT_THROW(tw::count_by_key(tw::device.on(stream), keys, found.begin(), sums.begin()), std::invalid_argument);
    });
    for (int run = 0; run < 2; ++run) { // with other keys the second time
        keys.assign(run == 0 ? some_keys : ints{1, 1, 1, 1, 1, 1, 2});
        captured.launch(stream);
        stream.wait();
        EXPECT_EQ(number.value(), run == 0 ? 4 : 2);
        EXPECT_EQ(sums.values(2), run == 0 ? (ints{3, 12}) : (ints{21, 7}));
        EXPECT_EQ(scans.value(6), 7);
    }
}

/// The calls beside them take blocks away from these, so that the ones that wait for each other start at other times.
DEVICE_TEST_WITH_STREAMS(algorithms_by_key, give_the_same_bits_100_times_under_load)
{
    std::vector<std::size_t> lengths;
    for (std::size_t i = 0; i < on_device::amount<std::size_t>(20000, 2000, 100); ++i)
        lengths.push_back(i % 997 == 50 ? 9000 + i : 1 + i * i % 37);
    auto const keys = runs::keys_of<std::int32_t>(lengths);
    auto const x = on_device::some_elements<float>(keys.size());
    std::vector<std::int32_t> found(lengths.size());
    std::vector<float> sums(lengths.size()), scans(x.size());
    tw::reduce_by_key(tw::seq, keys, x, found, sums);
    tw::inclusive_scan_by_key(tw::seq, keys, x, scans);
    device_array<std::int32_t> const there(keys), first_keys(lengths.size());
    device_array<float> const values(x), out(x.size()), beside(x.size());
    on_device::stream const where, busy;
    auto const clear = [&] {
        on_device::expect_success(cudaMemsetAsync(out.data(), 0, x.size() * sizeof(float), where));
    };
    for (int i = 0; i < on_device::amount(100, 3, 2); ++i) {
        for (int burst = 0; burst < 3; ++burst)
            tw::inclusive_scan_by_key(tw::device.on(busy).nosync(), there, values, beside);
        clear();
        auto const ends = tw::reduce_by_key(tw::device.on(where), there, values, first_keys, out);
        EXPECT_EQ(ends.second - out.begin(), static_cast<std::ptrdiff_t>(sums.size()));
        segments::expect_bits(first_keys.values(found.size()), found, "keys");
        segments::expect_bits(out.values(sums.size()), sums, "reduce");
        clear();
        tw::inclusive_scan_by_key(tw::device.on(where), there, values, out);
        segments::expect_bits(out.values(scans.size()), scans, "scan");
    }
    busy.wait();
    segments::expect_bits(beside.values(scans.size()), scans, "beside them");
}

DEVICE_TEST(algorithms_by_key, tell_the_trace)
{
    device_array<int> const keys(some_keys), found(7), counts(7), number(1);
    std::vector<std::string> kernels;
    auto sink = [&](tw::launch_record const& record) {
        EXPECT_STREQ(record.algorithm, "count_by_key_into");
        EXPECT_EQ(record.items, 7);
        kernels.push_back(record.kernel);
    };
    tw::count_by_key_into(tw::device.trace(sink), keys.begin(), keys.end(), found.begin(), counts.begin(),
                          number.begin());
    EXPECT_EQ(kernels, (std::vector<std::string>{"mark_runs", "write_runs"}));
}

DEVICE_TEST(algorithms_by_key, take_keys_that_cannot_be_assigned)
{
    ints const numbers = runs::keys_of<int>(std::vector<std::size_t>(500, 2));
    std::vector<runs::constant_key> keys;
    for (int const number : numbers)
        keys.push_back({number});
    device_array<runs::constant_key> const there(keys);
    device_array<int> const values(ints(keys.size(), 3)), found(500), sums(500);
    tw::reduce_by_key(tw::device, there.begin(), there.end(), values.begin(), found.begin(), sums.begin());
    for (std::size_t i = 0; i < 500; ++i) {
        ASSERT_EQ(found.value(i), numbers[2 * i]) << i;
        ASSERT_EQ(sums.value(i), 6) << i;
    }
}

} // namespace
