// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The segmented algorithms on the device.

#include "same_bits.hpp"
#include "segments.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tw = tilewise;

namespace {

using on_device::device_array;
using results = std::vector<int>;

/// Compares with seq, through the library's calls.
template <class E, class T, class Op>
void expect_the_bits_of_seq(segments::list const& of, T init, Op op)
{
    auto const x = on_device::some_elements<E>(of.elements);
    device_array<E> const device_copy(x);
    device_array<std::int64_t> const begins(of.begins), ends(of.ends);
    device_array<T> const sums(of.size()), scans(x.size());
    std::vector<T> expected_sums(of.size(), init), expected_scans(x.size(), init);
    tw::segmented_reduce(tw::seq, x.begin(), of.begins.begin(), of.begins.end(), of.ends.begin(), expected_sums.begin(),
                         init, op);
    tw::segmented_reduce(tw::device, device_copy.begin(), begins.begin(), begins.end(), ends.begin(), sums.begin(),
                         init, op);
    segments::expect_bits(sums.values(of.size()), expected_sums, "reduce");
    auto const check_scan = [&](auto scan, char const* what) {
        scans.assign(std::vector<T>(x.size(), init));
        std::fill(expected_scans.begin(), expected_scans.end(), init);
        scan(tw::seq, x.begin(), of.begins.begin(), of.begins.end(), of.ends.begin(), expected_scans.begin());
        scan(tw::device, device_copy.begin(), begins.begin(), begins.end(), ends.begin(), scans.begin());
        segments::expect_bits(scans.values(x.size()), expected_scans, what);
    };
    check_scan([&](auto... arguments) { tw::segmented_inclusive_scan(arguments..., op, init); }, "inclusive");
    check_scan([&](auto... arguments) { tw::segmented_exclusive_scan(arguments..., init, op); }, "exclusive");
}

DEVICE_TEST(segmented_algorithms, take_ranges_of_elements_and_offsets)
{
    results const x{1, 2, 3, 4, 5, 6, 7};
    std::vector<std::int64_t> const offsets{0, 3, 3, 4, 7};
    results sums(4), scanned(7); // in host memory
    EXPECT_EQ(tw::segmented_reduce(tw::device, x, offsets, sums, 10), sums.end());
    EXPECT_EQ(sums, (results{16, 10, 14, 28}));
    tw::segmented_exclusive_scan(tw::device, x, offsets, scanned, 2, std::multiplies<>());
    EXPECT_EQ(scanned, (results{2, 2, 4, 2, 2, 10, 60}));
    device_array<int> const elements(x), out(7);
    device_array<std::int64_t> const bounds(offsets);
    tw::segmented_inclusive_scan(tw::device.nosync(), std::span(elements.begin(), elements.end()),
                                 std::span(bounds.begin(), bounds.end()), out.begin());
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out.values(7), (results{1, 3, 6, 4, 5, 11, 18}));
}

/// Rows of a few elements, with longer ones in between and a huge one.
segments::list rows(tw::offset count, tw::offset huge)
{
    segments::list of;
    for (tw::offset i = 0; i < count; ++i) {
        if (i == count / 2)
            of.add(huge, 1);
        of.add(i % 1000 == 999 ? i % 5000 : i * i % 37, i % 3);
    }
    return of;
}

/// One segment of everything among short ones, of which it is split into more units than a block folds at once.
DEVICE_TEST(segmented_algorithms, split_one_long_segment)
{
    segments::list of;
    of.add(3, 0);
    of.add(on_device::amount<tw::offset>((tw::offset{1} << 27) + 8 * 8192 + 1234, 3'000'000, 300'000), 1);
    of.add(5, 0);
    auto const x = on_device::some_elements<float>(of.elements);
    device_array<float> const device_copy(x), sums(of.size());
    device_array<std::int64_t> const begins(of.begins), ends(of.ends);
    std::vector<float> expected(of.size());
    tw::segmented_reduce(tw::par, x.begin(), of.begins.begin(), of.begins.end(), of.ends.begin(), expected.begin());
    tw::segmented_reduce(tw::device, device_copy.begin(), begins.begin(), begins.end(), ends.begin(), sums.begin());
    segments::expect_bits(sums.values(of.size()), expected, "reduce");
}

DEVICE_TEST(SegmentedOrder, IsThatOfSeqForManyRows)
{
    auto const amount = [](tw::offset on_gpu, tw::offset small, tw::offset interpreted) {
        return on_device::amount(on_gpu, small, interpreted);
    };
    expect_the_bits_of_seq<float>(rows(amount(3000000, 50000, 100), amount(40000000, 200000, 10000)), 0.5f,
                                  std::plus<>());
    expect_the_bits_of_seq<double>(rows(amount(5000000, 50000, 50), amount(20000000, 200000, 5000)), 0.5,
                                   std::plus<>());
    expect_the_bits_of_seq<std::uint8_t>(rows(amount(300000, 50000, 50), amount(10000000, 200000, 5000)), 0.5f,
                                         std::plus<>());
    expect_the_bits_of_seq<std::uint8_t>(rows(amount(300000, 50000, 50), amount(10000000, 200000, 33000)),
                                         std::uint8_t{1}, tw::maximum<>());
}

struct maximum_of_magnitudes {
    TILEWISE_PORTABLE int operator()(int a, int b) const
    {
        int const x = a < 0 ? -a : a, y = b < 0 ? -b : b;
        return x < y ? y : x;
    }
};

DEVICE_TEST(segmented_algorithms, take_every_form)
{
    device_array<int> const x(results{1, 2, 3, 4, -5, 6, 7}), offsets(results{0, 3, 3, 4, 7}), out(7);
    auto const begins = offsets.begin(), last = offsets.end() - 1, ends = begins + 1;
    auto const first = x.begin();
    EXPECT_EQ(tw::segmented_reduce(tw::device, first, begins, last, ends, out.begin()), out.begin() + 4);
    EXPECT_EQ(out.values(4), (results{6, 0, 4, 8}));
    tw::segmented_reduce(tw::device, first, begins, last, ends, out.begin(), 10);
    EXPECT_EQ(out.values(4), (results{16, 10, 14, 18}));
    tw::segmented_reduce(tw::device, first, begins, last, ends, out.begin(), 1, maximum_of_magnitudes());
    EXPECT_EQ(out.values(4), (results{3, 1, 4, 7}));
    tw::segmented_reduce(tw::device, segments::products{0, {x.data(), x.data()}}, begins, last, ends, out.begin());
    EXPECT_EQ(out.values(4), (results{14, 0, 16, 110}));
    tw::segmented_inclusive_scan(tw::device, first, begins, last, ends, out.begin());
    EXPECT_EQ(out.values(7), (results{1, 3, 6, 4, -5, 1, 8}));
    tw::segmented_inclusive_scan(tw::device, first, begins, last, ends, out.begin(), std::multiplies<>());
    EXPECT_EQ(out.values(7), (results{1, 2, 6, 4, -5, -30, -210}));
    tw::segmented_inclusive_scan(tw::device, first, begins, last, ends, out.begin(), std::plus<>(), 10);
    EXPECT_EQ(out.values(7), (results{11, 13, 16, 14, 5, 11, 18}));
    tw::segmented_exclusive_scan(tw::device, first, begins, last, ends, out.begin(), 10);
    EXPECT_EQ(out.values(7), (results{10, 11, 13, 10, 10, 5, 11}));
    tw::segmented_exclusive_scan(tw::device, first, begins, last, ends, out.begin(), 1, std::multiplies<>());
    EXPECT_EQ(out.values(7), (results{1, 1, 2, 1, 1, -5, -30}));
    tw::segmented_inclusive_scan(tw::device, first, begins, last, ends, first); // in place
    EXPECT_EQ(x.values(7), (results{1, 3, 6, 4, -5, 1, 8}));
}

DEVICE_TEST(segmented_algorithms, widen_and_take_offsets_of_any_integers)
{
    device_array<std::uint8_t> const x(std::vector<std::uint8_t>{200, 100, 50, 25}),
        begins(std::vector<std::uint8_t>{1, 0});
    device_array<std::uint64_t> const ends(std::vector<std::uint64_t>{4, 2});
    device_array<double> const out(2);
    tw::segmented_reduce(tw::device, x.begin(), begins.begin(), begins.end(), ends.begin(), out.begin(), 0.5f);
    EXPECT_EQ(out.values(2), (std::vector<double>{175.5, 300.5}));
    tw::segmented_reduce(tw::device, x.begin(), begins.begin(), begins.end(), ends.begin(), out.begin());
    EXPECT_EQ(out.values(2), (std::vector<double>{175, 44}));
}

DEVICE_TEST(segmented_algorithms, need_no_memory_where_there_is_nothing)
{
    int* const none = nullptr;
    tw::segmented_inclusive_scan(tw::device, none, none, none, none, none);
    EXPECT_EQ(tw::segmented_reduce(tw::device, none, none, none, none, none), none);
    device_array<int> const zeros(results(4, 0)), out(3);
    tw::segmented_reduce(tw::device, none, zeros.begin(), zeros.end() - 1, zeros.begin() + 1, out.begin(), 5);
    EXPECT_EQ(out.values(3), results(3, 5));
    tw::segmented_exclusive_scan(tw::device, none, zeros.begin(), zeros.end() - 1, zeros.begin() + 1, none, 5);
}

DEVICE_TEST(segmented_algorithms, reject_null_pointers_in_the_hardened_mode)
{
    int* const none = nullptr;
    device_array<int> const x(results{1, 2, 3}), offsets(results{0, 0, 3}), out(3);
    int *const begins = offsets.begin(), *const last = begins + 2, *const ends = begins + 1;
    EXPECT_THROW(tw::segmented_reduce(tw::device, none, begins, last, ends, out.begin()), std::invalid_argument);
    EXPECT_THROW(tw::segmented_reduce(tw::device, x.begin(), begins, last, ends, none), std::invalid_argument);
    EXPECT_THROW(tw::segmented_inclusive_scan(tw::device, x.begin(), begins, last, ends, none), std::invalid_argument);
    EXPECT_THROW(tw::segmented_exclusive_scan(tw::device, none, begins, last, ends, out.begin(), 1),
                 std::invalid_argument);
    auto const policy = tw::device.nosync();
    EXPECT_THROW(tw::segmented_inclusive_scan(policy, x.begin(), begins, begins + 1, ends, none),
                 std::invalid_argument);
    EXPECT_THROW(tw::reduce_into(tw::device, x.begin(), x.end(), none), std::invalid_argument);
    EXPECT_THROW(tw::reduce_into(policy, x.begin(), x.begin(), none), std::invalid_argument);
}

DEVICE_TEST_WITH_STREAMS(segmented_algorithms, run_in_streams_and_graphs_without_waiting)
{
    device_array<int> const x(results{1, 2, 3, 4}), offsets(results{0, 1, 4}), sums(2), scans(4);
    on_device::stream const stream;
    auto const policy = tw::device.on(stream).nosync();
    tw::segmented_reduce(policy, x.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1, sums.begin());
    stream.wait();
    EXPECT_EQ(sums.values(2), (results{1, 9}));

    on_device::graph const captured(stream, [&] {
        tw::segmented_inclusive_scan(policy, x.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                     scans.begin());
        EXPECT_THROW(tw::segmented_inclusive_scan(tw::device.on(stream), x.begin(), offsets.begin(), offsets.end() - 1,
                                                  offsets.begin() + 1, scans.begin()),
                     std::invalid_argument);
    });
    for (int run = 0; run < 2; ++run) {
        scans.assign(results(4, -1));
        captured.launch(stream);
        stream.wait();
        EXPECT_EQ(scans.values(4), (results{1, 2, 5, 9}));
    }
}

/// The calls beside them take blocks away from these, so that the ones that wait for each other start at other times.
DEVICE_TEST_WITH_STREAMS(segmented_algorithms, give_the_same_bits_100_times_under_load)
{
    auto const of = rows(on_device::amount<tw::offset>(20000, 2000, 50),
                         on_device::amount<tw::offset>(2000000, 200000, 80000)); // is split, and folded
    auto const x = on_device::some_elements<float>(of.elements);
    std::vector<float> sums(of.size()), scans(x.size());
    tw::segmented_reduce(tw::seq, x.begin(), of.begins.begin(), of.begins.end(), of.ends.begin(), sums.begin());
    tw::segmented_inclusive_scan(tw::seq, x.begin(), of.begins.begin(), of.begins.end(), of.ends.begin(),
                                 scans.begin());
    device_array<float> const there(x), out(x.size()), beside(std::vector<float>(x.size()));
    device_array<std::int64_t> const begins(of.begins), ends(of.ends);
    on_device::stream const where, busy;
    auto const clear = [&] {
        on_device::expect_success(cudaMemsetAsync(out.data(), 0, x.size() * sizeof(float), where));
    };
    for (int i = 0; i < on_device::amount(100, 3, 2); ++i) {
        for (int burst = 0; burst < 3; ++burst)
            tw::segmented_inclusive_scan(tw::device.on(busy).nosync(), there.begin(), begins.begin(), begins.end(),
                                         ends.begin(), beside.begin());
        clear();
        tw::segmented_reduce(tw::device.on(where), there.begin(), begins.begin(), begins.end(), ends.begin(),
                             out.begin());
        segments::expect_bits(out.values(sums.size()), sums, "reduce");
        clear();
        tw::segmented_inclusive_scan(tw::device.on(where), there.begin(), begins.begin(), begins.end(), ends.begin(),
                                     out.begin());
        segments::expect_bits(out.values(scans.size()), scans, "inclusive");
    }
    busy.wait();
    segments::expect_bits(beside.values(scans.size()), scans, "beside them");
}

DEVICE_TEST(segmented_algorithms, tell_the_trace)
{
    device_array<int> const x(results(4, 1)), offsets(results{0, 1, 4}), sums(2);
    std::vector<std::string> kernels;
    auto sink = [&](tw::launch_record const& record) {
        EXPECT_STREQ(record.algorithm, "segmented_reduce");
        EXPECT_EQ(record.items, 2);
        kernels.push_back(record.kernel);
    };
    tw::segmented_reduce(tw::device.trace(sink), x.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                         sums.begin());
    EXPECT_EQ(kernels, (std::vector<std::string>{"reduce_longer_segments"})); // two are few
}

DEVICE_TEST(segmented_algorithms, leave_many_segments_to_warps)
{
    int const row = static_cast<int>(tw::order<int>::row), count = 2048;
    results offsets{0}, lengths;
    for (int i = 0; i < count; ++i) {
        lengths.push_back(i % 100 == 0 ? row + 1 + i / 100 : 1);
        offsets.push_back(offsets.back() + lengths.back());
    }
    auto const elements = static_cast<std::size_t>(offsets.back());
    device_array<int> const x(results(elements, 1)), bounds(offsets), sums(count);
    std::vector<std::string> kernels;
    auto sink = [&](tw::launch_record const& record) { kernels.push_back(record.kernel); };
    auto const policy = tw::device.trace(sink);
    auto const begins = bounds.begin(), last = bounds.end() - 1, ends = begins + 1;
    tw::segmented_reduce(policy, x.begin(), begins, last, ends, sums.begin());
    EXPECT_EQ(kernels, (std::vector<std::string>{"reduce_short_segments", "reduce_segments_by_fours",
                                                 "reduce_longer_segments"}));
    EXPECT_EQ(sums.values(count), lengths);
    kernels.clear();
    tw::segmented_inclusive_scan(policy, x.begin(), begins, last, ends, x.begin());
    ASSERT_GE(kernels.size(), 2u);
    EXPECT_EQ(kernels[1], "scan_medium_segments");
    results expected;
    for (int const length : lengths)
        for (int i = 1; i <= length; ++i)
            expected.push_back(i);
    EXPECT_EQ(x.values(elements), expected);
}

/// Those that a block takes before others are listed: among the first ones, of each length around the limits, beside
/// shorter ones and ones that are split.
DEVICE_TEST(segmented_algorithms, reduce_the_first_long_ones_without_a_list)
{
    auto const check = [](auto init, int count) {
        using T = decltype(init);
        using order = tw::order<T>;
        constexpr auto row = static_cast<int>(order::row), tile = static_cast<int>(order::tile);
        int const most = on_device::amount(10 * tile, 2 * tile, 2 * tile);
        std::vector<std::int64_t> offsets{0};
        for (int i = 0; i < count; ++i) {
            int const lengths[] = {row + 1, 2 * tile + 3, 5, 9 * tile + 1, tile, 0, 8 * tile, tile + 1, 8 * tile + 1};
            int const length = i < 600 || i % 50 == 0 ? lengths[(i + i / 9) % 9] + i / 9 % 2 : i % 7;
            offsets.push_back(offsets.back() + (i % 9 == 0 || length <= most ? length : row + 2));
        }
        auto const x = on_device::some_elements<T>(static_cast<std::size_t>(offsets.back()));
        std::vector<T> expected(static_cast<std::size_t>(count));
        tw::segmented_reduce(tw::seq, x.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                             expected.begin(), init);
        device_array<T> const copy(x), sums(static_cast<std::size_t>(count));
        device_array<std::int64_t> const bounds(offsets);
        tw::segmented_reduce(tw::device, copy.begin(), bounds.begin(), bounds.end() - 1, bounds.begin() + 1,
                             sums.begin(), init);
        segments::expect_bits(sums.values(static_cast<std::size_t>(count)), expected, "reduce");
    };
    for (int const count : {33, 60, on_device::amount(2'047, 300, 70)})
        check(1.0f, count);
    check(1.0, on_device::amount(1'000, 100, 40));
    check(std::int8_t(1), on_device::amount(2'500, 100, 40));
    if (!on_device::interpreted)
        check(1.0f, 2'500);
}

/// Those for warps, for a block each and for all blocks in one call, whose kernels run concurrently: of each length
/// around the limits, among shorter ones. One in `every` is long.
DEVICE_TEST(segmented_algorithms, scan_listed_segments_concurrently)
{
    auto const check = [](auto init, int count, int every) {
        using T = decltype(init);
        using order = tw::order<T>;
        constexpr auto row = static_cast<int>(order::row), tile = static_cast<int>(order::tile);
        int const lengths[] = {tile + 1, row + 1, tile / 2 - 1, 2 * tile + 3, tile / 2, row, tile, tile / 2 + 1};
        std::vector<std::int64_t> offsets{0};
        for (int i = 0; i < count; ++i)
            offsets.push_back(offsets.back() + (i % every == 0 ? lengths[i / every % 8] : i % 7));
        auto const elements = static_cast<std::size_t>(offsets.back());
        auto const x = on_device::some_elements<T>(elements);
        std::vector<T> expected(elements);
        device_array<T> const copy(x, sizeof(T)), scans(elements);
        device_array<std::int64_t> const bounds(offsets);
        auto const begins = bounds.begin(), last = bounds.end() - 1, ends = begins + 1;
        tw::segmented_inclusive_scan(tw::seq, x.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                     expected.begin());
        tw::segmented_inclusive_scan(tw::device, copy.begin(), begins, last, ends, scans.begin());
        segments::expect_bits(scans.values(elements), expected, "inclusive");
        tw::segmented_exclusive_scan(tw::seq, x.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                     expected.begin(), init);
        tw::segmented_exclusive_scan(tw::device, copy.begin(), begins, last, ends, copy.begin(), init);
        segments::expect_bits(copy.values(elements), expected, "exclusive, in place");
    };
    check(1.0f, on_device::amount(2'047, 300, 16), on_device::amount(1, 20, 2)); // too few for warps
    check(1.0f, 2'048, on_device::amount(3, 100, 250));
    if (on_device::interpreted)
        return;
    check(1.0, 3'000, 3);
    check(std::int8_t(1), 5'000, on_device::amount(7, 300, 0));
    check(1.0f, 3'000, on_device::amount(1, 100, 0)); // too many elements for half a tile to be long
}

DEVICE_TEST(segmented_algorithms, refuse_memory_of_the_host_where_nobody_waits)
{
    std::vector<int> host(4, 1);
    device_array<int> const x(results(4, 1)), offsets(results{0, 1, 4}), sums(2);
    auto const begins = offsets.begin(), last = offsets.end() - 1, ends = begins + 1;
    auto const policy = tw::device.nosync();
    EXPECT_THROW(tw::segmented_reduce(policy, host.data(), begins, last, ends, sums.begin()), std::invalid_argument);
    EXPECT_THROW(tw::segmented_inclusive_scan(policy, x.begin(), begins, last, ends, host.data()),
                 std::invalid_argument);
    EXPECT_THROW(tw::segmented_reduce(policy, x.begin(), host.data(), host.data() + 2, host.data() + 1, sums.begin()),
                 std::invalid_argument);
    EXPECT_THROW(tw::segmented_reduce(policy, x.begin(), begins, last, ends, host.data()), std::invalid_argument);
    EXPECT_EQ(host, std::vector<int>(4, 1));
}

DEVICE_TEST(output_ranges, are_checked_under_every_device_policy)
{
    device_array<int> const x(results{0, 1, 2, 3, 4}), offsets(results{0, 1, 2, 3, 4, 5}), out(6), few(4);
    auto const begins = offsets.begin(), last = offsets.end() - 1, ends = begins + 1;
    auto const check = [&](auto policy) {
        auto const expect = [&](auto call, results const& right) {
            out.assign(results(6, 9));
            EXPECT_EQ(call(out), out.begin() + 5);
            on_device::expect_success(cudaStreamSynchronize(nullptr));
            EXPECT_EQ(out.values(6), right);
            EXPECT_THROW(call(few), std::invalid_argument);
        };
        expect([&](auto& to) { return tw::inclusive_scan(policy, x, to); }, {0, 1, 3, 6, 10, 9});
        expect([&](auto& to) { return tw::histogram(policy, x, tw::integer_axis<int>(0, 5), to); }, {1, 1, 1, 1, 1, 9});
        expect([&](auto& to) { return tw::reduce_by_index(policy, x, x, 5, to); }, {0, 1, 2, 3, 4, 9});
        expect([&](auto& to) { return tw::segmented_reduce(policy, x.begin(), begins, last, ends, to); },
               {0, 1, 2, 3, 4, 9});
    };
    check(tw::device);
    check(tw::device.nosync());
    tw::segmented_inclusive_scan(tw::device, x.begin(), begins, last, ends, out);
    EXPECT_EQ(out.value(4), 4);
    EXPECT_THROW(tw::segmented_inclusive_scan(tw::device, x.begin(), begins, last, ends, few), std::invalid_argument);
    std::vector<int> host(5), too_few(4);
    EXPECT_EQ(tw::inclusive_scan(tw::device, x, host), host.end());
    EXPECT_EQ(host, (results{0, 1, 3, 6, 10}));
    EXPECT_THROW(tw::inclusive_scan(tw::device, x, too_few), std::invalid_argument);
}

} // namespace
