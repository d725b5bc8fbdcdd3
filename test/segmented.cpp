// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/segmented.hpp>

#include "backend.hpp"
#include "calls.hpp"
#include "golden/values.hpp"
#include "segments.hpp"
#include "values.hpp"

#include <tilewise/functional.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <fstream>
#include <functional>
#include <iterator>
#include <list>
#include <numeric>
#include <optional>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

using calls::message_of, calls::on_both;
using results = std::vector<int>;
std::vector<int> const ints{1, 2, 3, 4, 5, 6, 7};
std::vector<int> const offsets{0, 3, 3, 4, 7}; // four segments, of which one is empty

/// Values of which every other order of addition has other bits.
template <class T>
std::vector<T> some_numbers(std::size_t count)
{
    std::vector<T> x;
    for (std::uint64_t const bits : shape::some_values<std::uint64_t>(count))
        x.push_back(1 + static_cast<T>(static_cast<std::int32_t>(bits >> 32)) / static_cast<T>(1ull << 40));
    return x;
}

TEST(segmented_reduce, takes_every_policy_op_and_init)
{
    auto const first = ints.begin();
    auto const begins = offsets.begin(), last = offsets.end() - 1, ends = offsets.begin() + 1;
    results out(4);
    auto const expect = [&](auto end, results const& expected) {
        EXPECT_EQ(end, out.end());
        EXPECT_EQ(out, expected);
        out.assign(4, -1);
    };
    expect(tw::segmented_reduce(first, begins, last, ends, out.begin()), {6, 0, 4, 18});
    expect(tw::segmented_reduce(first, begins, last, ends, out.begin(), 10), {16, 10, 14, 28});
    expect(tw::segmented_reduce(first, begins, last, ends, out.begin(), 2, std::multiplies<>()), {12, 2, 8, 420});
    on_both([&](auto on) {
        expect(tw::segmented_reduce(on, first, begins, last, ends, out.begin()), {6, 0, 4, 18});
        expect(tw::segmented_reduce(on, first, begins, last, ends, out.begin(), 10), {16, 10, 14, 28});
        expect(tw::segmented_reduce(on, first, begins, last, ends, out.begin(), 2, std::multiplies<>()),
               {12, 2, 8, 420});
    });
}

TEST(segmented_scans, take_every_policy_op_and_init)
{
    auto const first = ints.begin();
    auto const begins = offsets.begin(), last = offsets.end() - 1, ends = offsets.begin() + 1;
    results out(7);
    auto const expect = [&](results const& expected) {
        EXPECT_EQ(out, expected);
        out.assign(7, -1);
    };
    tw::segmented_inclusive_scan(first, begins, last, ends, out.begin());
    expect({1, 3, 6, 4, 5, 11, 18});
    tw::segmented_inclusive_scan(first, begins, last, ends, out.begin(), std::multiplies<>());
    expect({1, 2, 6, 4, 5, 30, 210});
    tw::segmented_exclusive_scan(first, begins, last, ends, out.begin(), 10);
    expect({10, 11, 13, 10, 10, 15, 21});
    on_both([&](auto on) {
        tw::segmented_inclusive_scan(on, first, begins, last, ends, out.begin());
        expect({1, 3, 6, 4, 5, 11, 18});
        tw::segmented_inclusive_scan(on, first, begins, last, ends, out.begin(), std::multiplies<>());
        expect({1, 2, 6, 4, 5, 30, 210});
        tw::segmented_inclusive_scan(on, first, begins, last, ends, out.begin(), std::plus<>(), 10);
        expect({11, 13, 16, 14, 15, 21, 28});
        tw::segmented_exclusive_scan(on, first, begins, last, ends, out.begin(), 10);
        expect({10, 11, 13, 10, 10, 15, 21});
        tw::segmented_exclusive_scan(on, first, begins, last, ends, out.begin(), 2, std::multiplies<>());
        expect({2, 2, 4, 2, 2, 10, 60});
    });
}

TEST(segmented_algorithms, take_pointers_arrays_and_offsets_of_any_integers)
{
    int const elements[]{1, 2, 3, 4};
    std::uint8_t const bounds[]{0, 1, 4};
    int out[4]{};
    EXPECT_EQ(tw::segmented_reduce(elements, bounds, bounds + 2, bounds + 1, out), out + 2);
    EXPECT_EQ(results(out, out + 2), (results{1, 9}));
    std::vector<std::size_t> const begins{2, 0};
    std::vector<short> const ends{4, 2};
    tw::segmented_inclusive_scan(tw::par, elements, begins.begin(), begins.end(), ends.begin(), out);
    EXPECT_EQ(results(out, out + 4), (results{1, 3, 3, 7}));
#if !defined(__clang__) || __clang_major__ >= 16 // which older ones cannot compile the views of libstdc++ 12
    auto const rows = std::views::iota(0, 2);    // rows of two
    auto const twice = std::views::transform(rows, [](int row) { return 2 * row; });
    auto const after = std::views::transform(rows, [](int row) { return 2 * row + 2; });
    tw::segmented_reduce(tw::par, elements, twice.begin(), twice.end(), after.begin(), out);
    EXPECT_EQ(results(out, out + 2), (results{3, 7}));
#endif
}

TEST(segmented_algorithms, take_ranges_of_elements_and_offsets)
{
    results out(4);
    EXPECT_EQ(tw::segmented_reduce(ints, offsets, out.begin()), out.end());
    EXPECT_EQ(out, (results{6, 0, 4, 18}));
    results scanned(7);
    tw::segmented_inclusive_scan(ints, offsets, scanned);
    EXPECT_EQ(scanned, (results{1, 3, 6, 4, 5, 11, 18}));
    tw::segmented_exclusive_scan(ints, offsets, scanned.begin(), 10);
    EXPECT_EQ(scanned, (results{10, 11, 13, 10, 10, 15, 21}));
    std::forward_list<short> const bounds{0, 3, 3, 4, 7};
    int const elements[]{1, 2, 3, 4};
    std::size_t const columns[]{0, 1, 4};
    on_both([&](auto on) {
        EXPECT_EQ(tw::segmented_reduce(on, ints, bounds, out, 10), out.end());
        EXPECT_EQ(out, (results{16, 10, 14, 28}));
        EXPECT_EQ(tw::segmented_reduce(on, elements, columns, out, 2, std::multiplies<>()), out.begin() + 2);
        EXPECT_EQ(out, (results{2, 48, 14, 28}));
        tw::segmented_inclusive_scan(on, ints, bounds, scanned, std::multiplies<>());
        EXPECT_EQ(scanned, (results{1, 2, 6, 4, 5, 30, 210}));
        tw::segmented_inclusive_scan(on, ints, offsets, scanned.begin(), std::plus<>(), 10);
        EXPECT_EQ(scanned, (results{11, 13, 16, 14, 15, 21, 28}));
        tw::segmented_exclusive_scan(on, ints, bounds, scanned, 2, std::multiplies<>());
        EXPECT_EQ(scanned, (results{2, 2, 4, 2, 2, 10, 60}));
    });
}

TEST(segmented_algorithms, have_no_segments_between_fewer_than_two_offsets)
{
    for (results const& few : {results{}, results{3}}) {
        std::forward_list<int> const listed(few.begin(), few.end());
        on_both([&](auto on) {
            results out(1, -1);
            EXPECT_EQ(tw::segmented_reduce(on, ints, few, out), out.begin());
            EXPECT_EQ(tw::segmented_reduce(on, ints, listed, out), out.begin());
            tw::segmented_inclusive_scan(on, ints, listed, out);
            tw::segmented_exclusive_scan(on, ints, few, out, 5);
            EXPECT_EQ(out, results{-1});
        });
    }
}

TEST(segmented_algorithms, tell_arrays_of_offsets_from_ranges)
{
    int const elements[]{1, 2, 3, 4}, bounds[]{0, 1, 4}; // these decay to iterators
    results out(2);
    on_both([&](auto on) {
        EXPECT_EQ(tw::segmented_reduce(on, elements, bounds, bounds + 2, bounds + 1, out.begin()), out.end());
        EXPECT_EQ(out, (results{1, 9}));
        results scanned(4);
        tw::segmented_inclusive_scan(on, elements, bounds, bounds + 2, bounds + 1, scanned.begin());
        EXPECT_EQ(scanned, (results{1, 2, 5, 9}));
        tw::segmented_exclusive_scan(on, elements, bounds, bounds + 2, bounds + 1, scanned.begin(), 1);
        EXPECT_EQ(scanned, (results{1, 1, 3, 6}));
    });
}

TEST(segmented_algorithms, take_offsets_of_lists_and_write_through_output_iterators)
{
    std::forward_list<int> const begins{0, 3, 3, 4};
    std::list<long> const ends{3, 3, 4, 7};
    on_both([&](auto on) {
        std::list<int> sums(4);
        EXPECT_EQ(tw::segmented_reduce(on, ints.begin(), begins.begin(), begins.end(), ends.begin(), sums.begin()),
                  sums.end());
        EXPECT_EQ(sums, (std::list<int>{6, 0, 4, 18}));
        results scans(7);
        tw::segmented_inclusive_scan(on, ints.begin(), begins.begin(), begins.end(), ends.begin(), scans.begin());
        EXPECT_EQ(scans, (results{1, 3, 6, 4, 5, 11, 18}));
    });
    results appended;
    tw::segmented_reduce(tw::seq, ints.begin(), begins.begin(), begins.end(), ends.begin(),
                         std::back_inserter(appended));
    EXPECT_EQ(appended, (results{6, 0, 4, 18}));
}

TEST(segmented_algorithms, touch_nothing_without_segments_or_elements)
{
    int const* const none = nullptr;
    int* const nowhere = nullptr;
    int const zeros[]{0, 0, 0};
    on_both([&](auto on) {
        EXPECT_EQ(tw::segmented_reduce(on, none, none, none, none, nowhere), nowhere);
        tw::segmented_inclusive_scan(on, none, none, none, none, nowhere);
        tw::segmented_exclusive_scan(on, none, zeros, zeros + 2, zeros + 1, nowhere, 5);
        int out[2]{};
        tw::segmented_reduce(on, none, zeros, zeros + 2, zeros + 1, out, 5);
        EXPECT_EQ(results(out, out + 2), (results{5, 5}));
    });
}

TEST(segmented_algorithms, leave_alone_what_no_segment_has)
{
    int const begins[]{5, 1}, ends[]{6, 3};
    on_both([&](auto on) {
        results out(7, -1);
        tw::segmented_inclusive_scan(on, ints.begin(), begins, begins + 2, ends, out.begin());
        EXPECT_EQ(out, (results{-1, 2, 5, -1, -1, 6, -1}));
    });
}

TEST(segmented_reduce, lets_segments_overlap)
{
    int const begins[]{0, 1, 2, 0}, ends[]{3, 4, 5, 7};
    on_both([&](auto on) {
        results out(4);
        tw::segmented_reduce(on, ints.begin(), begins, begins + 4, ends, out.begin());
        EXPECT_EQ(out, (results{6, 9, 12, 28}));
    });
}

TEST(segmented_algorithms, accumulate_in_the_type_of_init)
{
    std::vector<std::uint8_t> const bytes(6, 100);
    int const bounds[]{0, 3, 6};
    on_both([&](auto on) {
        std::vector<long> out(6);
        tw::segmented_reduce(on, bytes.begin(), bounds, bounds + 2, bounds + 1, out.begin());
        EXPECT_EQ(out[0], 44);
        tw::segmented_reduce(on, bytes.begin(), bounds, bounds + 2, bounds + 1, out.begin(), 1);
        EXPECT_EQ(out[1], 301);
        tw::segmented_exclusive_scan(on, bytes.begin(), bounds, bounds + 2, bounds + 1, out.begin(), 1);
        EXPECT_EQ(out, (std::vector<long>{1, 101, 201, 1, 101, 201}));
        static_assert(std::is_void_v<decltype(tw::segmented_inclusive_scan(on, bytes.begin(), bounds, bounds + 2,
                                                                           bounds + 1, out.begin()))>);
    });
}

TEST(segmented_algorithms, combine_what_has_to_be_destroyed)
{
    std::vector<std::string> const words{"a", "b", "c", "d", "e"};
    int const bounds[]{0, 2, 2, 5};
    on_both([&](auto on) {
        std::vector<std::string> sums(3), scans(5);
        tw::segmented_reduce(on, words.begin(), bounds, bounds + 3, bounds + 1, sums.begin(), std::string(">"));
        EXPECT_EQ(sums, (std::vector<std::string>{">ab", ">", ">cde"}));
        tw::segmented_inclusive_scan(on, words.begin(), bounds, bounds + 3, bounds + 1, scans.begin());
        EXPECT_EQ(scans, (std::vector<std::string>{"a", "ab", "c", "cd", "cde"}));
    });
}

TEST(segmented_algorithms, pass_on_exceptions)
{
    std::vector<int> const x(500000, 1);
    std::vector<int> begins(1000);
    for (std::size_t i = 0; i < begins.size(); ++i)
        begins[i] = static_cast<int>(500 * i);
    begins.push_back(500000);
    auto const fails = [](int a, int b) { return a + b >= 400 ? throw std::runtime_error("enough") : a + b; };
    on_both([&](auto on) {
        std::vector<int> out(x.size());
        EXPECT_THROW(tw::segmented_reduce(on, x.begin(), begins.begin(), begins.end() - 1, begins.begin() + 1,
                                          out.begin(), 336, fails),
                     std::runtime_error);
        EXPECT_THROW(tw::segmented_exclusive_scan(on, x.begin(), begins.begin(), begins.end() - 1, begins.begin() + 1,
                                                  out.begin(), 399, fails),
                     std::runtime_error);
    });
}

TEST(segmented_algorithms, report_broken_arguments_in_the_hardened_mode)
{
    int const* const none = nullptr;
    int* const nowhere = nullptr;
    int const bounds[]{0, 2}, backwards[]{2, 0};
    on_both([&](auto on) {
        int out[2]{};
        EXPECT_EQ(message_of([&] { tw::segmented_reduce(on, ints.data(), bounds + 1, bounds, bounds + 1, out); }),
                  "tilewise::segmented_reduce: last is before first");
        EXPECT_EQ(message_of([&] { tw::segmented_reduce(on, ints.data(), bounds, bounds + 1, none, out); }),
                  "tilewise::segmented_reduce: the ends of the segments are null, but there are segments");
        EXPECT_EQ(message_of([&] { tw::segmented_reduce(on, none, bounds, bounds + 1, bounds + 1, out); }),
                  "tilewise::segmented_reduce: first is null, but a segment is not empty");
        EXPECT_EQ(message_of([&] { tw::segmented_reduce(on, ints.data(), bounds, bounds + 1, bounds + 1, nowhere); }),
                  "tilewise::segmented_reduce: the output is null, but the range is not empty");
        EXPECT_EQ(
            message_of([&] { tw::segmented_reduce(on, ints.data(), backwards, backwards + 1, backwards + 1, out); }),
            "tilewise::segmented_reduce: a segment ends before it begins");
        EXPECT_EQ(message_of([&] {
                      tw::segmented_inclusive_scan(on, ints.data(), backwards, backwards + 1, backwards + 1, out);
                  }),
                  "tilewise::segmented_inclusive_scan: a segment ends before it begins");
        EXPECT_EQ(message_of([&] {
                      tw::segmented_exclusive_scan(on, ints.data(), bounds, bounds + 1, bounds + 1, nowhere, 0);
                  }),
                  "tilewise::segmented_exclusive_scan: the output is null, but a segment is not empty");
        int const beyond[]{0, 3, 8}, before[]{-1, 2};
        results scanned(8);
        EXPECT_EQ(message_of([&] { tw::segmented_reduce(on, ints, beyond, out); }),
                  "tilewise::segmented_reduce: the offsets of a segment are not in the range");
        EXPECT_EQ(message_of([&] { tw::segmented_inclusive_scan(on, ints, beyond, scanned); }),
                  "tilewise::segmented_inclusive_scan: the offsets of a segment are not in the range");
        EXPECT_EQ(message_of([&] { tw::segmented_exclusive_scan(on, ints, before, scanned.begin(), 0); }),
                  "tilewise::segmented_exclusive_scan: the offsets of a segment are not in the range");
    });
}

TEST(segmented_algorithms, without_a_gpu_say_so)
{
    int out[4]{};
    int const bounds[]{0, 4};
    EXPECT_THROW(tw::segmented_reduce(tw::device, ints.data(), bounds, bounds + 1, bounds + 1, out), tw::no_device);
    EXPECT_THROW(tw::segmented_inclusive_scan(tw::device.nosync(), ints.data(), bounds, bounds + 1, bounds + 1, out),
                 tw::no_device);
}

TEST(SegmentedOrder, IsThatOfEverySegmentAlone)
{
    segments::expect_all_specified<unsigned char, backend::tiny_geometry>();
    segments::expect_all_specified<shape::bytes<12>, backend::tiny_geometry>();
    segments::expect_all_specified<std::uint32_t, tw::standard_geometry>();
    segments::expect_all_specified<shape::bytes<12>, tw::standard_geometry>();
}

TEST(SegmentedOrder, IsThatOfEveryLengthUpToARow)
{
    segments::expect_every_length_specified<unsigned char>();
    segments::expect_every_length_specified<std::uint16_t>();
    segments::expect_every_length_specified<std::uint32_t>();
    segments::expect_every_length_specified<std::uint64_t>();
    segments::expect_every_length_specified<shape::bytes<12>>();
    segments::expect_every_length_specified<shape::bytes<24>>();
    auto const of = segments::of_every_length<float, tw::standard_geometry>();
    segments::expect_specified<tw::standard_geometry>(some_numbers<float>(of.elements), of, std::plus<>());
}

TEST(SegmentedOrder, IsThatOfEverySegmentAloneInRegisters)
{
    for (auto const& of : segments::lists<float, tw::standard_geometry>())
        segments::expect_specified<tw::standard_geometry>(some_numbers<float>(of.elements + 1), of, std::plus<>());
    for (auto const& of : segments::lists<double, tw::standard_geometry>())
        segments::expect_specified<tw::standard_geometry>(some_numbers<double>(of.elements + 1), of,
                                                          std::multiplies<>());
}

TEST(SegmentedOrder, IsThatOfALongSegmentThatAllCoresShare)
{
    segments::list of;
    of.add(17, 0);
    of.add(static_cast<tw::offset>(values::many_tiles(8)), 5);
    of.add(40000, 1);
    segments::expect_specified<tw::standard_geometry>(some_numbers<double>(of.elements), of, std::plus<>());
    segments::expect_specified<tw::standard_geometry>(some_numbers<double>(of.elements), of,
                                                      [](double a, double b) { return a + b; });
}

TEST(GoldenSegments, AreReproducedWhereverTheyStand)
{
    std::ifstream file(golden::file("scan.txt"));
    ASSERT_TRUE(file) << "no golden values in " << golden::file("scan.txt");
    std::string comment, name, form, position, value;
    std::getline(file, comment);
    std::vector<std::int32_t> begins, ends;
    std::vector<std::string> expected;
    constexpr int gap = 5;
    while (file >> name >> form >> position >> value) {
        if (name == "f32_plus" && form == "inclusive_after" && std::stoi(position) < 300000) {
            begins.push_back(gap);
            ends.push_back(gap + std::stoi(position) + 1);
            expected.push_back(value);
        }
    }
    ASSERT_FALSE(expected.empty());
    std::vector<float> x(gap, 1e10f);
    for (std::uint64_t i = 0; i < 300000; ++i)
        x.push_back(golden::number<float>(i));
    on_both([&](auto on) {
        std::vector<float> sums(expected.size()), scan(x);
        tw::segmented_reduce(on, x.begin(), begins.begin(), begins.end(), ends.begin(), sums.begin(), 0.5f);
        tw::segmented_inclusive_scan(on, x.begin(), begins.end() - 1, begins.end(), ends.end() - 1, scan.begin(),
                                     std::plus<>(), 0.5f);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_EQ(golden::hex(sums[i]), expected[i]) << ends[i] - begins[i] << " elements";
            EXPECT_EQ(golden::hex(scan[static_cast<std::size_t>(ends[i]) - 1]), expected[i]);
        }
    });
}

#if !defined(__clang__) || __clang_major__ >= 16 // which older ones cannot compile the views of libstdc++ 12
/// Offsets 0, 3, 6, ... without memory, in a type.
template <class Offset>
void expect_offsets_of_views(auto policy)
{
    std::vector<int> numbers(30000);
    std::iota(numbers.begin(), numbers.end(), 0);
    auto const numbered = std::views::iota(Offset{0}, Offset{100});
    auto const threefold = numbered | std::views::transform([](Offset i) { return 3 * i; });
    std::vector<int> out(99), expected(99);
    std::iota(expected.begin(), expected.end(), 0);
    auto const last = std::ranges::next(numbered.begin(), 99);
    EXPECT_EQ(tw::segmented_reduce(policy, numbers.begin(), numbered.begin(), last, std::ranges::next(numbered.begin()),
                                   out.begin()),
              out.end());
    EXPECT_EQ(out, expected);
    std::list<int> list(99);
    tw::segmented_reduce(policy, numbers.begin(), numbered.begin(), last, std::ranges::next(numbered.begin()),
                         list.begin());
    EXPECT_TRUE(std::ranges::equal(list, expected));
    std::vector<int> scanned(297);
    tw::segmented_inclusive_scan(policy, numbers.begin(), threefold.begin(), std::ranges::next(threefold.begin(), 99),
                                 std::ranges::next(threefold.begin()), scanned.begin());
    EXPECT_EQ(scanned[296], 294 + 295 + 296);
}

TEST(segmented, takes_the_offsets_of_views_of_any_integers)
{
    auto const check = [](auto policy) {
        expect_offsets_of_views<signed char>(policy);
        expect_offsets_of_views<unsigned>(policy);
        expect_offsets_of_views<long>(policy);
        expect_offsets_of_views<std::size_t>(policy);
        expect_offsets_of_views<unsigned long long>(policy);
    };
    check(tw::seq);
    check(tw::par);
}
#endif

} // namespace
