// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/count_by_key.hpp>
#include <tilewise/reduce_by_key.hpp>
#include <tilewise/scan_by_key.hpp>

#include "backend.hpp"
#include "calls.hpp"
#include "runs.hpp"
#include "segments.hpp"

#include <tilewise/discard_iterator.hpp>
#include <tilewise/functional.hpp>
#include <tilewise/segmented.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <mutex>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

using calls::message_of, calls::on_both;
using ints = std::vector<int>;
ints const keys{1, 1, 2, 2, 2, 1, 3}, values{1, 2, 3, 4, 5, 6, 7};

/// The two outputs of a reduction by key, larger than its results.
struct outputs {
    ints keys = ints(9, -1), results = ints(9, -1);

    void expect(std::pair<ints::iterator, ints::iterator> ends, ints const& own_keys, ints const& own_results)
    {
        EXPECT_EQ(ints(keys.begin(), ends.first), own_keys);
        EXPECT_EQ(ints(results.begin(), ends.second), own_results);
        EXPECT_TRUE(std::all_of(ends.first, keys.end(), [](int key) { return key == -1; }));
        EXPECT_TRUE(std::all_of(ends.second, results.end(), [](int result) { return result == -1; }));
        *this = {};
    }
};

TEST(transform_reduce_by_key, takes_pointers_to_data_members)
{
    struct sample {
        int value;
        double weight;
    };
    std::vector<sample> const samples{{1, 0.5}, {2, 0.25}, {3, 0.125}};
    std::vector<int> const of{7, 7, 8};
    std::vector<double> sums(2), scanned(3);
    tw::transform_reduce_by_key(tw::par, of, samples, tw::discard_iterator(), sums, std::equal_to<>(), std::plus<>(),
                                &sample::weight);
    EXPECT_EQ(sums, (std::vector{0.75, 0.125}));
    tw::transform_inclusive_scan_by_key(tw::seq, of, samples, scanned, std::equal_to<>(), std::plus<>(),
                                        &sample::value);
    EXPECT_EQ(scanned, (std::vector{1.0, 3.0, 3.0}));
}

TEST(reduce_by_key, takes_every_policy_predicate_and_op)
{
    outputs to;
    auto const first = keys.begin(), last = keys.end(), x = values.begin();
    auto const same_parity = [](int a, int b) { return a % 2 == b % 2; };
    to.expect(tw::reduce_by_key(first, last, x, to.keys.begin(), to.results.begin()), {1, 2, 1, 3}, {3, 12, 6, 7});
    on_both([&](auto on) {
        auto const expect = [&](auto ends, ints const& own_keys, ints const& sums) { to.expect(ends, own_keys, sums); };
        expect(tw::reduce_by_key(on, first, last, x, to.keys.begin(), to.results.begin()), {1, 2, 1, 3}, {3, 12, 6, 7});
        expect(tw::reduce_by_key(on, first, last, x, to.keys.begin(), to.results.begin(), same_parity), {1, 2, 1},
               {3, 12, 13});
        expect(tw::reduce_by_key(on, first, last, x, to.keys.begin(), to.results.begin(), same_parity,
                                 std::multiplies<>()),
               {1, 2, 1}, {2, 60, 42});
        expect(tw::transform_reduce_by_key(on, first, last, x, to.keys.begin(), to.results.begin(), std::equal_to<>(),
                                           tw::maximum<>(), [](int v) { return 10 * v; }),
               {1, 2, 1, 3}, {20, 50, 60, 70});
        expect(tw::count_by_key(on, first, last, to.keys.begin(), to.results.begin()), {1, 2, 1, 3}, {2, 3, 1, 1});
        expect(tw::count_by_key(on, first, last, to.keys.begin(), to.results.begin(), same_parity), {1, 2, 1},
               {2, 3, 2});
    });
}

TEST(reduce_by_key, takes_ranges)
{
    outputs to;
    to.expect(tw::reduce_by_key(keys, values, to.keys, to.results), {1, 2, 1, 3}, {3, 12, 6, 7});
    to.expect(tw::count_by_key(keys, to.keys, to.results), {1, 2, 1, 3}, {2, 3, 1, 1});
    on_both([&](auto on) {
        to.expect(tw::reduce_by_key(on, keys, values, to.keys, to.results), {1, 2, 1, 3}, {3, 12, 6, 7});
        to.expect(tw::reduce_by_key(on, keys, values, to.keys.begin(), to.results, std::less<>(), tw::minimum<>()),
                  {1, 1, 2, 2, 1}, {1, 2, 4, 5, 6}); // 1 | 1 2 | 2 | 2 | 1 3
        to.expect(tw::transform_reduce_by_key(on, keys, values, to.keys, to.results, std::equal_to<>(), std::plus<>(),
                                              std::negate<>()),
                  {1, 2, 1, 3}, {-3, -12, -6, -7});
        to.expect(tw::count_by_key(on, keys, to.keys, to.results.begin()), {1, 2, 1, 3}, {2, 3, 1, 1});
        int const some_keys[]{4, 4, 5}, some_values[]{1, 2, 4};
        int out_keys[2]{}, out[3]{};
        auto const ends = tw::reduce_by_key(on, some_keys, some_values, out_keys, out);
        EXPECT_EQ(ends.first, out_keys + 2);
        EXPECT_EQ(ends.second, out + 2);
        EXPECT_EQ(ints(out, out + 3), (ints{3, 4, 0}));
    });
}

TEST(reduce_by_key, writes_the_number_of_runs)
{
    outputs to;
    on_both([&](auto on) {
        std::array<long, 2> number{};
        auto const first = keys.begin(), last = keys.end(), x = values.begin();
        auto const own_keys = to.keys.begin(), out = to.results.begin();
        EXPECT_EQ(tw::reduce_by_key_into(on, first, last, x, own_keys, out, number.begin()), number.begin() + 1);
        EXPECT_EQ(number[0], 4);
        EXPECT_EQ(to.results[3], 7);
        EXPECT_EQ(tw::reduce_by_key_into(on, keys, values, to.keys, to.results, number, std::less<>()),
                  number.begin() + 1);
        EXPECT_EQ(number[0], 5);
        EXPECT_EQ(tw::count_by_key_into(on, first, last, own_keys, out, number.begin() + 1), number.end());
        EXPECT_EQ(number[1], 4);
        EXPECT_EQ(tw::transform_reduce_by_key_into(on, keys, values, to.keys, to.results, number, std::equal_to<>(),
                                                   std::plus<>(), std::negate<>()),
                  number.begin() + 1);
        EXPECT_EQ(number[0], 4);
        EXPECT_EQ(to.results[3], -7);
        tw::count_by_key_into(on, first, first, own_keys, out, number.begin());
        EXPECT_EQ(number, (std::array<long, 2>{0, 4}));
    });
}

TEST(reduce_by_key, discards_outputs_that_are_not_wanted)
{
    on_both([&](auto on) {
        outputs to;
        auto const nowhere = tw::discard_iterator();
        auto const sums = tw::reduce_by_key(on, keys, values, nowhere, to.results);
        EXPECT_EQ(sums.first, tw::discard_iterator(4));
        EXPECT_EQ(to.results, (ints{3, 12, 6, 7, -1, -1, -1, -1, -1}));
        EXPECT_EQ(tw::reduce_by_key(on, keys, values, to.keys, nowhere).second - nowhere, 4);
        EXPECT_EQ(to.keys, (ints{1, 2, 1, 3, -1, -1, -1, -1, -1}));
        EXPECT_EQ(tw::count_by_key(on, keys, nowhere, nowhere).first - nowhere, 4);
    });
}

TEST(scans_by_key, take_every_policy_predicate_op_and_init)
{
    ints out(7);
    auto const expect = [&](auto end, ints const& expected) {
        EXPECT_EQ(end, out.end());
        EXPECT_EQ(out, expected);
        out.assign(7, -1);
    };
    auto const first = keys.begin(), last = keys.end(), x = values.begin();
    auto const twice = [](int v) { return 2 * v; };
    expect(tw::inclusive_scan_by_key(first, last, x, out.begin()), {1, 3, 3, 7, 12, 6, 7});
    expect(tw::exclusive_scan_by_key(keys, values, out), {0, 1, 0, 3, 7, 0, 0});
    on_both([&](auto on) {
        expect(tw::inclusive_scan_by_key(on, first, last, x, out.begin()), {1, 3, 3, 7, 12, 6, 7});
        expect(tw::inclusive_scan_by_key(on, keys, values, out, std::less_equal<>()), {1, 3, 6, 10, 15, 6, 13});
        expect(tw::inclusive_scan_by_key(on, keys, values, out, std::equal_to<>(), std::multiplies<>()),
               {1, 2, 3, 12, 60, 6, 7});
        expect(tw::exclusive_scan_by_key(on, first, last, x, out.begin(), 10), {10, 11, 10, 13, 17, 10, 10});
        expect(tw::exclusive_scan_by_key(on, keys, values, out, 2, std::equal_to<>(), std::multiplies<>()),
               {2, 2, 2, 6, 24, 2, 2});
        expect(tw::transform_inclusive_scan_by_key(on, first, last, x, out.begin(), std::equal_to<>(), std::plus<>(),
                                                   twice),
               {2, 6, 6, 14, 24, 12, 14});
        expect(tw::transform_exclusive_scan_by_key(on, keys, values, out, 1, std::equal_to<>(), std::plus<>(), twice),
               {1, 3, 1, 7, 15, 1, 1});
    });
}

TEST(algorithms_by_key, read_lists_and_streams_and_write_through_output_iterators)
{
    std::list<int> const own_keys(keys.begin(), keys.end());
    std::forward_list<int> const x(values.begin(), values.end());
    on_both([&](auto on) {
        std::list<int> found(4), sums(4), counts(5, -1), scans(7);
        EXPECT_EQ(tw::reduce_by_key(on, own_keys, x, found, sums).second, sums.end());
        EXPECT_EQ(found, (std::list<int>{1, 2, 1, 3}));
        EXPECT_EQ(sums, (std::list<int>{3, 12, 6, 7}));
        EXPECT_EQ(tw::count_by_key(on, keys, found.begin(), counts).second, std::prev(counts.end()));
        EXPECT_EQ(counts, (std::list<int>{2, 3, 1, 1, -1}));
        tw::count_by_key(on, own_keys, found, counts, std::less_equal<>());
        EXPECT_EQ(counts, (std::list<int>{5, 2, 1, 1, -1}));
        EXPECT_EQ(tw::inclusive_scan_by_key(on, own_keys, x, scans.begin()), scans.end());
        EXPECT_EQ(scans, (std::list<int>{1, 3, 3, 7, 12, 6, 7}));
        EXPECT_EQ(tw::exclusive_scan_by_key(on, keys, values, scans, 1), scans.end());
        EXPECT_EQ(scans, (std::list<int>{1, 2, 1, 4, 8, 1, 1}));
    });
    std::istringstream key_text("a a b b b a"), value_text("1 2 3 4 5 6");
    using words = std::istream_iterator<std::string>;
    std::vector<std::string> found;
    ints sums;
    tw::reduce_by_key(words(key_text), words(), std::istream_iterator<int>(value_text), std::back_inserter(found),
                      std::back_inserter(sums));
    EXPECT_EQ(found, (std::vector<std::string>{"a", "b", "a"}));
    EXPECT_EQ(sums, (ints{3, 12, 6}));
    std::istringstream more("5 5 5 6");
    std::vector<long> counts;
    tw::count_by_key(std::istream_iterator<int>(more), std::istream_iterator<int>(), tw::discard_iterator(),
                     std::back_inserter(counts));
    EXPECT_EQ(counts, (std::vector<long>{3, 1}));
}

TEST(algorithms_by_key, write_bits)
{
    std::size_t const count = 300000;
    ints own_keys(count), x(count, 1);
    for (std::size_t i = 0; i < count; ++i)
        own_keys[i] = static_cast<int>(i / 3);
    on_both([&](auto on) {
        std::vector<bool> found(count / 3), results(count / 3), scans(count);
        tw::reduce_by_key(on, own_keys, x, tw::discard_iterator(), results, std::equal_to<>(), std::bit_or<>());
        EXPECT_EQ(std::count(results.begin(), results.end(), true), static_cast<std::ptrdiff_t>(count / 3));
        tw::inclusive_scan_by_key(on, own_keys, x, scans, std::equal_to<>(), std::bit_or<>());
        EXPECT_EQ(std::count(scans.begin(), scans.end(), true), static_cast<std::ptrdiff_t>(count));
        tw::count_by_key(on, own_keys, found, results);
        EXPECT_EQ(std::count(found.begin(), found.end(), true), static_cast<std::ptrdiff_t>(count / 3 - 1));
    });
}

TEST(algorithms_by_key, touch_nothing_without_keys)
{
    int const* const none = nullptr;
    int* const nowhere = nullptr;
    on_both([&](auto on) {
        auto const ends = tw::reduce_by_key(on, none, none, none, nowhere, nowhere);
        EXPECT_EQ(ends.first, nowhere);
        EXPECT_EQ(ends.second, nowhere);
        EXPECT_EQ(tw::count_by_key(on, none, none, nowhere, nowhere).second, nowhere);
        EXPECT_EQ(tw::inclusive_scan_by_key(on, none, none, none, nowhere), nowhere);
        EXPECT_EQ(tw::exclusive_scan_by_key(on, none, none, none, nowhere, 1), nowhere);
    });
}

TEST(algorithms_by_key, take_keys_that_equal_nothing)
{
    float const nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> const own_keys{1, 1, nan, nan, 0.0F, -0.0F};
    on_both([&](auto on) {
        std::vector<float> found(5);
        ints sums(5);
        tw::reduce_by_key(on, own_keys, ints{1, 2, 3, 4, 5, 6}, found, sums);
        EXPECT_EQ(sums, (ints{3, 3, 4, 11, 0}));
        EXPECT_TRUE(std::isnan(found[1]) && std::isnan(found[2]));
        EXPECT_FALSE(std::signbit(found[3]));
    });
}

TEST(algorithms_by_key, accumulate_in_the_type_of_values_or_of_the_transform)
{
    std::vector<std::uint8_t> const bytes(6, 100);
    ints const own_keys(6, 1);
    on_both([&](auto on) {
        std::vector<long> out(1);
        tw::reduce_by_key(on, own_keys, bytes, tw::discard_iterator(), out);
        EXPECT_EQ(out[0], 600 % 256);
        tw::transform_reduce_by_key(on, own_keys, bytes, tw::discard_iterator(), out, std::equal_to<>(), std::plus<>(),
                                    [](std::uint8_t byte) { return unsigned{byte}; });
        EXPECT_EQ(out[0], 600);
    });
}

TEST(algorithms_by_key, combine_what_has_to_be_destroyed)
{
    std::vector<std::string> const words{"a", "b", "c", "d", "e"}, own_keys{"x", "x", "y", "y", "y"};
    on_both([&](auto on) {
        std::vector<std::string> found(2), sums(2), scans(5);
        tw::reduce_by_key(on, own_keys, words, found, sums);
        EXPECT_EQ(found, (std::vector<std::string>{"x", "y"}));
        EXPECT_EQ(sums, (std::vector<std::string>{"ab", "cde"}));
        tw::exclusive_scan_by_key(on, own_keys, words, scans, std::string(">"));
        EXPECT_EQ(scans, (std::vector<std::string>{">", ">a", ">", ">c", ">cd"}));
    });
}

TEST(algorithms_by_key, keep_the_sign_of_a_zero)
{
    on_both([&](auto on) {
        std::vector<float> out(1);
        tw::reduce_by_key(on, ints{1}, std::vector<float>{-0.0F}, tw::discard_iterator(), out);
        EXPECT_TRUE(std::signbit(out[0])); // no init was added
    });
}

TEST(algorithms_by_key, pass_on_exceptions)
{
    std::vector<int> own_keys(500000), x(own_keys.size(), 1);
    for (std::size_t i = 0; i < own_keys.size(); ++i)
        own_keys[i] = static_cast<int>(i / 500);
    auto const fails = [](int a, int b) { return a + b >= 400 ? throw std::runtime_error("enough") : a + b; };
    auto const compares = [](int a, int b) { return b == 900 ? throw std::runtime_error("enough") : a == b; };
    on_both([&](auto on) {
        std::vector<int> found(1000), out(x.size());
        EXPECT_THROW(tw::reduce_by_key(on, own_keys, x, found.begin(), out, std::equal_to<>(), fails),
                     std::runtime_error);
        EXPECT_THROW(tw::inclusive_scan_by_key(on, own_keys, x, out, std::equal_to<>(), fails), std::runtime_error);
        EXPECT_THROW(tw::count_by_key(on, own_keys, found.begin(), out.begin(), compares), std::runtime_error);
    });
}

TEST(algorithms_by_key, report_outputs_that_are_too_short)
{
    on_both([&](auto on) {
        ints few(3, -1), enough(4, -1);
        EXPECT_EQ(message_of([&] { tw::reduce_by_key(on, keys, values, enough, few); }),
                  "tilewise::reduce_by_key: the output range has 3 elements, but there are 4 results");
        EXPECT_EQ(message_of([&] { tw::count_by_key_into(on, keys, few, enough, enough.begin()); }),
                  "tilewise::count_by_key_into: the output range has 3 elements, but there are 4 results");
        EXPECT_EQ(enough, ints(4, -1));
        std::list<int> const own_keys(keys.begin(), keys.end());
        EXPECT_EQ(message_of([&] { tw::count_by_key(on, own_keys, few, enough); }),
                  "tilewise::count_by_key: the output range has 3 elements, but there are 4 results");
        EXPECT_EQ(enough, ints(4, -1));
        EXPECT_EQ(message_of([&] { tw::inclusive_scan_by_key(on, keys, values, enough); }),
                  "tilewise::inclusive_scan_by_key: the output range has 4 elements, but there are 7 results");
        ints none;
        EXPECT_EQ(message_of([&] { tw::reduce_by_key_into(on, keys, values, enough, enough, none); }),
                  "tilewise::reduce_by_key_into: the output range has 0 elements, but there are 1 results");
    });
    std::istringstream text("1 1 2 2 2 1 3");
    ints few(3, -1);
    EXPECT_EQ(message_of([&] {
                  tw::count_by_key(std::istream_iterator<int>(text), std::istream_iterator<int>(),
                                   tw::discard_iterator(), few);
              }),
              "tilewise::count_by_key: the output range has 3 elements, but there are more results");
    EXPECT_EQ(few, (ints{2, 3, 1}));
}

TEST(algorithms_by_key, report_broken_arguments_in_the_hardened_mode)
{
    int const* const none = nullptr;
    int* const nowhere = nullptr;
    int const* const first = keys.data();
    int const* const x = values.data();
    on_both([&](auto on) {
        int out[7]{};
        EXPECT_EQ(message_of([&] { tw::reduce_by_key(on, first + 1, first, x, out, out); }),
                  "tilewise::reduce_by_key: last is before first");
        EXPECT_EQ(message_of([&] { tw::reduce_by_key(on, first, first + 1, none, out, out); }),
                  "tilewise::reduce_by_key: first2 is null, but the range is not empty");
        EXPECT_EQ(message_of([&] { tw::count_by_key(on, none, none + 1, out, out); }),
                  "tilewise::count_by_key: first is null, but the range is not empty");
        EXPECT_EQ(message_of([&] { tw::count_by_key(on, first, first + 1, nowhere, out); }),
                  "tilewise::count_by_key: the output is null, but the range is not empty");
        EXPECT_EQ(message_of([&] { tw::count_by_key_into(on, first, first + 1, out, out, nowhere); }),
                  "tilewise::count_by_key_into: the output of the number of runs is null");
        EXPECT_EQ(message_of([&] { tw::exclusive_scan_by_key(on, first, first + 1, x, nowhere, 0); }),
                  "tilewise::exclusive_scan_by_key: the output is null, but the range is not empty");
        EXPECT_EQ(message_of([&] { tw::reduce_by_key(on, keys, ints{1, 2}, out, out + 4); }),
                  "tilewise::reduce_by_key: the second range is shorter than the first");
        EXPECT_EQ(message_of([&] { tw::inclusive_scan_by_key(on, keys, std::span(x, 6), out); }),
                  "tilewise::inclusive_scan_by_key: the second range is shorter than the first");
    });
}

TEST(algorithms_by_key, without_a_gpu_say_so)
{
    int out[7]{}, found[7]{};
    EXPECT_THROW(tw::reduce_by_key(tw::device, keys, values, found, out), tw::no_device);
    EXPECT_THROW(tw::count_by_key_into(tw::device.nosync(), keys, found, out, out), tw::no_device);
    EXPECT_THROW(tw::inclusive_scan_by_key(tw::device.nosync(), keys, values, out), tw::no_device);
}

TEST(OrderByKey, IsThatOfEveryRunAlone)
{
    runs::expect_all_specified<int, unsigned char, backend::tiny_geometry>();
    runs::expect_all_specified<runs::wide_key, shape::bytes<12>, backend::tiny_geometry>();
    runs::expect_all_specified<std::uint8_t, std::uint32_t, tw::standard_geometry>();
}

TEST(OrderByKey, IsThatOfEveryRunAloneInRegisters)
{
    for (auto const& of : runs::lengths<float, tw::standard_geometry>()) {
        auto const own_keys = runs::keys_of<long>(of);
        std::vector<float> x;
        for (std::uint32_t const bits : shape::some_values<std::uint32_t>(own_keys.size()))
            x.push_back(1 + static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-33F);
        runs::expect_specified<tw::standard_geometry>(own_keys, x, std::plus<>());
    }
}

/// A run that all cores share, among short ones: longer than the blocks that threads take.
TEST(OrderByKey, IsThatOfALongRunThatAllCoresShare)
{
    auto const own_keys = runs::keys_of<int>({17, 600'003, 1, 40000, 5});
    std::vector<double> x;
    for (std::uint32_t const bits : shape::some_values<std::uint32_t>(own_keys.size()))
        x.push_back(1 + static_cast<double>(bits) * 0x1p-60);
    runs::expect_specified<tw::standard_geometry>(own_keys, x, std::plus<>());
    auto const sums = shape::some_values<std::uint32_t>(own_keys.size());
    runs::expect_specified<tw::standard_geometry>(own_keys, sums, std::plus<>());
}

/// Reading once and one by one gives the same bits.
TEST(OrderByKey, IsThatOfKeysAndValuesThatCannotBeIndexed)
{
    auto const own_keys = runs::keys_of<int>({1, 3, 8195, 70000, 2, 1});
    std::vector<float> numbers;
    for (std::uint32_t const bits : shape::some_values<std::uint32_t>(own_keys.size()))
        numbers.push_back(1 + static_cast<float>(bits) * 0x1p-34F);
    std::list<int> const key_list(own_keys.begin(), own_keys.end());
    std::list<float> const list(numbers.begin(), numbers.end());
    std::vector<float> out(6), expected(6), scans(numbers.size()), expected_scans(numbers.size());
    tw::reduce_by_key(own_keys, numbers, tw::discard_iterator(), expected);
    tw::reduce_by_key(key_list, list, tw::discard_iterator(), out);
    segments::expect_bits(out, expected, "reduce");
    tw::inclusive_scan_by_key(own_keys, numbers, expected_scans);
    tw::inclusive_scan_by_key(key_list, list, scans);
    segments::expect_bits(scans, expected_scans, "inclusive");
}

/// Calls `expect` with the runs that a search of each kind finds, also in blocks of any size.
template <class Keys, class Pred, class Expect>
void for_runs_of_each_search(Keys const& first, tw::offset count, Pred is_same, Expect const& expect)
{
    namespace host = tw::host;
    std::vector<host::segment> found;
    auto const add = [&](bool, tw::offset i, host::segment run) {
        ASSERT_EQ(static_cast<std::size_t>(i), found.size());
        found.push_back(run);
    };
    host::for_each_run<host::search::by_marks>(first, count, is_same, add);
    expect(std::exchange(found, {}));
    host::for_each_run<host::search::from_run_to_run>(first, count, is_same, add);
    expect(std::exchange(found, {}));
    for (tw::offset const block : {1, 63, 64, 65, 100, 128, 1000}) {
        found.resize(static_cast<std::size_t>(count));
        auto const put = [&](bool, tw::offset i, host::segment run) { found.at(static_cast<std::size_t>(i)) = run; };
        found.resize(static_cast<std::size_t>(
            host::distribute_runs<host::search::by_marks>(first, count, is_same, block, 300, put)));
        expect(std::exchange(found, std::vector<host::segment>(static_cast<std::size_t>(count))));
        found.resize(static_cast<std::size_t>(
            host::distribute_runs<host::search::from_run_to_run>(first, count, is_same, block, 300, put)));
        expect(std::exchange(found, {}));
        std::mutex mutex;
        host::distribute_unnumbered_runs(first, count, is_same, block, block + 1,
                                         [&](bool is_shared, host::segment run) {
                                             std::lock_guard const lock(mutex);
                                             found.push_back(run);
                                             EXPECT_EQ(is_shared, run.count > block);
                                         });
        std::ranges::sort(found, {}, &host::segment::begin);
        expect(std::exchange(found, {}));
        EXPECT_EQ(host::count_runs(true, first, count, is_same, block),
                  host::count_runs(false, first, count, is_same, 1));
    }
}

/// Keys are compared 64 at a time: runs may begin and end anywhere in these, and in the blocks that cores take.
RC_GTEST_PROP(RunsOnTheHost, AreThoseOfAPlainLoop, ())
{
    auto const lengths = *rc::gen::container<std::vector<int>>(
        rc::gen::oneOf(rc::gen::inRange(1, 4), rc::gen::inRange(60, 70), rc::gen::inRange(120, 600)));
    std::deque<short> own_keys;
    for (int const length : lengths)
        own_keys.insert(own_keys.end(), static_cast<std::size_t>(length), static_cast<short>(own_keys.size()));
    auto const expect = [&](std::vector<tw::host::segment> const& found) {
        ASSERT_EQ(found.size(), lengths.size());
        tw::offset begin = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            ASSERT_EQ(found[i].begin, begin);
            ASSERT_EQ(found[i].count, lengths[i]);
            begin += lengths[i];
        }
    };
    auto const count = static_cast<tw::offset>(own_keys.size());
    for_runs_of_each_search(own_keys.cbegin(), count, std::equal_to<>(), expect);
    std::vector<short> const shorts(own_keys.begin(), own_keys.end());
    for_runs_of_each_search(shorts.data(), count, std::equal_to<>(), expect);
    for_runs_of_each_search(shorts.data(), count, [](short a, short b) { return a == b; }, expect);
    std::vector<double> const numbers(own_keys.begin(), own_keys.end());
    for_runs_of_each_search(numbers.data(), count, std::equal_to<>(), expect);
}

/// The call equals the segmented call whose offsets are where the runs begin, for any keys.
RC_GTEST_PROP(AlgorithmsByKey, EqualTheSegmentedOnes, ())
{
    auto const few = *rc::gen::inRange(1, 6);
    auto const stay = *rc::gen::element(0, 1, 3, 40, 5000);
    auto const count = *rc::gen::element(0, 1, 2, 100, 9000, 70000, 200000);
    auto const seed = *rc::gen::arbitrary<std::uint32_t>();
    std::vector<std::int8_t> own_keys;
    std::vector<float> x;
    std::uint64_t state = seed + 88172645463325252u;
    for (int i = 0; i < count; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        auto const draw = static_cast<int>(state >> 40);
        bool const stays = i > 0 && draw % (stay + 1) != 0;
        own_keys.push_back(stays ? own_keys.back() : static_cast<std::int8_t>((draw >> 8) % few));
        x.push_back(static_cast<float>(draw) / 3);
    }
    auto const of = runs::runs_of(own_keys, std::equal_to<>());
    std::vector<float> last(x), scans(x.size()), exclusive(x.size());
    tw::segmented_inclusive_scan(x.begin(), of.begins.begin(), of.begins.end(), of.ends.begin(), last.begin());
    tw::segmented_exclusive_scan(x.begin(), of.begins.begin(), of.begins.end(), of.ends.begin(), exclusive.begin(),
                                 0.5F);
    on_both([&](auto on) {
        std::vector<float> out(of.size());
        std::vector<std::int64_t> counts(of.size());
        std::vector<std::int8_t> found(of.size());
        tw::reduce_by_key(on, own_keys, x, found, out);
        for (std::size_t i = 0; i < of.size(); ++i) {
            RC_ASSERT(found[i] == own_keys[static_cast<std::size_t>(of.begins[i])]);
            RC_ASSERT(out[i] == last[static_cast<std::size_t>(of.ends[i]) - 1]);
        }
        tw::count_by_key(on, own_keys, found, counts);
        for (std::size_t i = 0; i < of.size(); ++i)
            RC_ASSERT(counts[i] == of.ends[i] - of.begins[i]);
        tw::inclusive_scan_by_key(on, own_keys, x, scans);
        RC_ASSERT(scans == last);
        tw::exclusive_scan_by_key(on, own_keys, x, scans, 0.5F);
        RC_ASSERT(scans == exclusive);
    });
}

} // namespace
