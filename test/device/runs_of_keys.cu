// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Runs of equal keys on the device: how they are found and written, and the kernel that combines short ones by rows of
/// memory.

#include "computed.hpp"
#include "found_runs.hpp"
#include "runs.hpp"
#include "same_bits.hpp"
#include "segments.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string_view>
#include <vector>

namespace tw = tilewise;

namespace runs {

/// An output iterator that writes to every other place.
struct every_other {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = void;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = int&;

    int* to;

    TILEWISE_PORTABLE int& operator*() const { return *to; }
    TILEWISE_PORTABLE int& operator[](std::ptrdiff_t i) const { return to[2 * i]; }
    TILEWISE_PORTABLE every_other operator+(std::ptrdiff_t i) const { return {to + 2 * i}; }
    TILEWISE_PORTABLE every_other& operator++() { return to += 2, *this; }
    TILEWISE_PORTABLE std::ptrdiff_t operator-(every_other const& other) const { return (to - other.to) / 2; }
};

} // namespace runs

namespace {

using on_device::device_array;

DEVICE_TEST(runs_of_keys, are_found_in_keys_of_any_size_and_alignment)
{
    using tuning = runs::small_parts<64, 2>;
    for (std::size_t const at : {0, 1, 15})
        runs::expect_runs_at<std::uint8_t, tuning>(at, 5003);
    for (std::size_t const at : {0, 14})
        runs::expect_runs_at<std::uint16_t, tuning>(at, 3001);
    for (std::size_t const at : {0, 4, 12})
        runs::expect_runs_at<std::int32_t, tuning>(at, 1501);
    for (std::size_t const at : {0, 4, 8, 12})
        runs::expect_runs_at<runs::wide_key, runs::small_parts<64, 4>>(at, 1501);
    runs::expect_runs_at<runs::packed_key<3>, tuning>(5, 1999);
    runs::expect_runs_at<std::int64_t, tuning>(8, 1200);
    runs::expect_runs_at<runs::packed_key<16>, tuning>(0, 700);
    runs::expect_runs_at<runs::packed_key<4>, tuning>(2, 900);
    runs::expect_runs_at<runs::packed_key<40>, tuning>(3, 400);
}

DEVICE_TEST(runs_of_keys, are_found_at_every_boundary)
{
    for (std::size_t const count : {1, 2, 31, 63, 64, 65, 128, 300}) // parts of 64 keys
        for (std::size_t boundary = 1; boundary <= count; boundary += count < 100 ? 1 : 3) {
            std::vector<std::int32_t> keys(count, 5);
            std::fill(keys.begin() + static_cast<std::ptrdiff_t>(boundary), keys.end(), 6);
            device_array<std::int32_t> const there(keys, boundary % 4 * 4);
            runs::expect_runs_of<runs::small_parts<32, 2>>(there.data(), keys);
        }
}

DEVICE_TEST(runs_of_keys, are_counted_for_any_number_of_parts)
{
    runs::expect_runs_at<std::int32_t, runs::small_parts<64, 1>>(4, 4001);
    runs::expect_runs_at<std::uint8_t, runs::small_parts<32, 1>>(3, 5900); // in some of them no run begins
    runs::expect_runs_at<runs::packed_key<40>, runs::small_parts<32, 1>>(0, 2500);
}

DEVICE_TEST(runs_of_keys, are_found_in_parts_of_the_usual_size)
{
    auto const count = on_device::amount<std::size_t>(30'000'001, 50'001, 17'001);
    runs::expect_runs_at<std::int32_t, tw::gpu::by_key_tuning>(4, count);
    runs::expect_runs_at<std::uint8_t, tw::gpu::by_key_tuning>(1, count);
    runs::expect_dense_runs_at<std::int32_t, tw::gpu::by_key_tuning>(8, count);
}

DEVICE_TEST(runs_of_keys, are_written_where_they_are_dense)
{
    for (std::size_t const count :
         {1024, 1025, 3072, 6999}) { // the end is behind 1024 keys, among them, or behind parts
        runs::expect_dense_runs_at<std::int32_t, runs::large_parts>(0, count);
        runs::expect_dense_runs_at<std::uint16_t, runs::large_parts>(2, count);
    }
    runs::expect_dense_runs_at<runs::packed_key<40>, runs::large_parts>(1, 1300);
}

DEVICE_TEST(runs_of_keys, end_where_the_predicate_says)
{
    std::vector<std::int32_t> keys;
    for (std::int32_t i = 0; i < 1500; ++i)
        keys.push_back(i * i % 37);
    device_array<std::int32_t> const there(keys, 12);
    runs::expect_runs_of<runs::small_parts<64, 2>>(there.data(), keys, std::less<>());
    runs::expect_runs_of<runs::small_parts<64, 2>>(there.data(), keys, runs::same_parity());
    std::vector<int> computed;
    for (std::ptrdiff_t i = 5; i < 777; ++i)
        computed.push_back(runs::tens{i}[0]);
    runs::expect_runs_of<runs::small_parts<64, 2>>(runs::tens{5}, computed);
    runs::expect_runs_of<runs::small_parts<64, 2>>(runs::tens{5}, computed, std::less<>());
}

DEVICE_TEST(runs_of_keys, are_listed_only_if_they_are_long_where_keys_are_few)
{
    std::size_t const count = 300; // more than a row
    device_array<int> const keys(std::vector<int>(count, 1)), found(1);
    device_array<float> const x(std::vector<float>(count, 1)), sum(1);
    device_array<double> const y(std::vector<double>(count, 1)), wide(count);
    bool lists_all = false;
    auto sink = [&](tw::launch_record const& record) { lists_all |= std::string_view(record.kernel) == "write_runs"; };
    auto const traced = tw::device.trace(sink);
    tw::reduce_by_key_into(traced, keys.begin(), keys.end(), x.begin(), found.begin(), sum.begin(),
                           tw::discard_iterator());
    tw::inclusive_scan_by_key(traced, keys.begin(), keys.end(), y.begin(), wide.begin());
    EXPECT_FALSE(lists_all);
    EXPECT_EQ(sum.value(), 300);
    EXPECT_EQ(wide.value(count - 1), 300);
}

/// A value of 16 bytes.
struct two_sums {
    double a, b;
    two_sums() = default;
    TILEWISE_PORTABLE explicit two_sums(double x) : a(x), b(1 - x) {}
    TILEWISE_PORTABLE friend two_sums operator+(two_sums const& x, two_sums const& y)
    {
        two_sums sums(x.a + y.a);
        sums.b = x.b + y.b;
        return sums;
    }
};

/// Expects the results of seq for few keys, in runs of these lengths.
template <class T>
void expect_runs_of_host(std::vector<std::size_t> const& lengths)
{
    auto const keys = runs::keys_of<std::int32_t>(lengths);
    std::vector<T> x; // no NaN: the bits of a sum that is NaN depend on the processor
    for (std::size_t i = 0; i < keys.size(); ++i)
        x.push_back(static_cast<T>(1 / (1 + static_cast<double>(i * i % 97))));
    ASSERT_LE(keys.size(), tw::gpu::by_key_tuning::few_keys<T>);
    device_array<std::int32_t> const there(keys), found(lengths.size());
    device_array<T> const values(x), sums(lengths.size()), scans(x.size());
    std::vector<std::int32_t> host_keys(lengths.size());
    std::vector<T> host_sums(lengths.size()), host_scans(x.size());
    tw::reduce_by_key(tw::seq, keys, x, host_keys, host_sums);
    tw::inclusive_scan_by_key(tw::seq, keys, x, host_scans);
    tw::reduce_by_key(tw::device, there, values, found, sums);
    tw::inclusive_scan_by_key(tw::device, there, values, scans);
    segments::expect_bits(found.values(lengths.size()), host_keys, "keys");
    segments::expect_bits(sums.values(lengths.size()), host_sums, "reduce");
    segments::expect_bits(scans.values(x.size()), host_scans, "scan");
}

DEVICE_TEST(runs_of_keys, have_every_length_that_kernels_tell_apart)
{
    constexpr std::size_t longest = tw::gpu::by_key_tuning::longest_of_few<double>;
    std::vector<std::size_t> lengths(97, 1); // so that runs begin anywhere in parts
    for (std::size_t const limit :
         {std::size_t{32}, std::size_t{64}, std::size_t{128}, longest / 2, longest, longest + 256, longest + 512})
        for (std::size_t const length : {limit - 1, limit, limit + 1})
            lengths.insert(lengths.end(), {length, 1, 3});
    expect_runs_of_host<float>(lengths);
    expect_runs_of_host<double>(lengths);
    expect_runs_of_host<two_sums>(lengths);
    lengths.insert(lengths.end(), lengths.size(), 2 * longest); // a longer mean: shorter runs are listed, too
    expect_runs_of_host<float>(lengths);
    expect_runs_of_host<double>(lengths);
    expect_runs_of_host<two_sums>(lengths);
    // The longest mean with which they are not listed, and the shortest with which they are: it almost fills the list.
    for (std::size_t const mean : {longest, longest + 1}) {
        lengths.assign(on_device::amount<std::size_t>(2000, 200, 20), mean);
        expect_runs_of_host<double>(lengths);
    }
}

/// Rows of memory in which a run begins at every key, or at all keys but one, before and after a long run. The last row
/// is complete, or has one key more or less.
template <class T, class Key>
void expect_rows_of_single_keys()
{
    auto const row = static_cast<std::size_t>(tw::order<T>::row);
    for (std::size_t const behind : {row - 1, row, row + 1}) {
        std::vector<std::size_t> lengths(3 * row, 1);
        lengths.insert(lengths.end(), {9 * row, 2});
        lengths.insert(lengths.end(), 3 * row - 2 + behind, 1);
        auto const keys = runs::keys_of<Key>(lengths);
        std::vector<T> x;
        for (std::size_t i = 0; i < keys.size(); ++i)
            x.push_back(static_cast<T>(100.0 / static_cast<double>(1 + i % 89)));
        device_array<Key> const there(keys), found(lengths.size());
        device_array<T> const values(x), sums(lengths.size());
        std::vector<Key> host_keys(lengths.size());
        std::vector<T> host_sums(lengths.size());
        tw::reduce_by_key(tw::seq, keys, x, host_keys, host_sums);
        auto const ends = tw::reduce_by_key(tw::device, there, values, found, sums);
        ASSERT_EQ(ends.first - found.begin(), static_cast<std::ptrdiff_t>(lengths.size()));
        segments::expect_bits(found.values(lengths.size()), host_keys, "keys");
        segments::expect_bits(sums.values(lengths.size()), host_sums, "reduce");
    }
}

DEVICE_TEST(runs_of_keys, begin_at_every_key_of_a_row)
{
    expect_rows_of_single_keys<float, std::int32_t>();
    expect_rows_of_single_keys<double, std::int64_t>();
    expect_rows_of_single_keys<std::int8_t, std::int16_t>();
    expect_rows_of_single_keys<float, runs::wide_key>();
}

DEVICE_TEST(runs_of_keys, are_written_by_rows_through_output_iterators)
{
    std::vector<std::size_t> lengths(700, 1); // rows of which all keys begin runs, and some do
    for (std::size_t i = 300; i < lengths.size(); i += 2)
        lengths[i] = 1 + i % 7;
    auto const keys = runs::keys_of<int>(lengths);
    std::vector<int> const x(keys.size(), 3), unwritten(2 * lengths.size(), -1);
    device_array<int> const there(keys), values(x), found(unwritten), sums(unwritten);
    tw::reduce_by_key(tw::device, there.begin(), there.end(), values.begin(), runs::every_other{found.data()},
                      runs::every_other{sums.data()});
    auto const first_keys = found.values(unwritten.size()), results = sums.values(unwritten.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        ASSERT_EQ(first_keys[2 * i], runs::make_key<int>(i)) << i;
        ASSERT_EQ(results[2 * i], static_cast<int>(3 * lengths[i])) << i;
        ASSERT_EQ(first_keys[2 * i + 1], -1) << i;
        ASSERT_EQ(results[2 * i + 1], -1) << i;
    }
}

} // namespace
