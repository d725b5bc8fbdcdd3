// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/tilewise.hpp>

#include "calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <ranges>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tw = tilewise;

namespace {

using calls::message_of;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

std::vector<int> const x{0, 1, 2, 3, 4};
std::vector<double> const edges{0, 1, 2, 3, 4, 5};
std::vector<int> const offsets{0, 1, 2, 3, 4, 5};
constexpr std::ptrdiff_t five = 5; // results of every call below
auto const increment = [](int value) { return value + 1; };

/// Calls `use(policy, name, call)` for every call that writes five results, where `call(out)` makes it.
template <class Policy, class Use>
void for_each_call(Policy policy, Use use)
{
    auto const first = x.begin(), last = x.end(), begins = offsets.begin();
    std::plus<> const plus;
    tw::integer_axis<int> const axis(0, 5);
    auto const with = [&](char const* name, auto call) { use(policy, name, call); };
    with("inclusive_scan", [&](auto& out) { return tw::inclusive_scan(policy, first, last, out); });
    with("inclusive_scan", [&](auto& out) { return tw::inclusive_scan(policy, first, last, out, plus); });
    with("inclusive_scan", [&](auto& out) { return tw::inclusive_scan(policy, first, last, out, plus, 1); });
    with("inclusive_scan", [&](auto& out) { return tw::inclusive_scan(policy, x, out); });
    with("inclusive_scan", [&](auto& out) { return tw::inclusive_scan(policy, x, out, plus); });
    with("inclusive_scan", [&](auto& out) { return tw::inclusive_scan(policy, x, out, plus, 1); });
    with("exclusive_scan", [&](auto& out) { return tw::exclusive_scan(policy, first, last, out, 1); });
    with("exclusive_scan", [&](auto& out) { return tw::exclusive_scan(policy, first, last, out, 1, plus); });
    with("exclusive_scan", [&](auto& out) { return tw::exclusive_scan(policy, x, out, 1); });
    with("exclusive_scan", [&](auto& out) { return tw::exclusive_scan(policy, x, out, 1, plus); });
    with("transform_inclusive_scan",
         [&](auto& out) { return tw::transform_inclusive_scan(policy, first, last, out, plus, increment); });
    with("transform_inclusive_scan",
         [&](auto& out) { return tw::transform_inclusive_scan(policy, x, out, plus, increment, 1); });
    with("transform_exclusive_scan",
         [&](auto& out) { return tw::transform_exclusive_scan(policy, first, last, out, 1, plus, increment); });
    with("transform_exclusive_scan",
         [&](auto& out) { return tw::transform_exclusive_scan(policy, x, out, 1, plus, increment); });
    with("histogram", [&](auto& out) { return tw::histogram(policy, first, last, axis, out); });
    with("histogram", [&](auto& out) { return tw::histogram(policy, x, axis, out); });
    with("histogram", [&](auto& out) { return tw::histogram(policy, first, last, 5, 0., 5., out); });
    with("histogram", [&](auto& out) { return tw::histogram(policy, x, 5, 0., 5., out); });
    with("histogram", [&](auto& out) { return tw::histogram(policy, first, last, edges.begin(), edges.end(), out); });
    with("histogram", [&](auto& out) { return tw::histogram(policy, x, edges, out); });
    with("histogram_add", [&](auto& out) { return tw::histogram_add(policy, first, last, axis, out); });
    with("histogram_add", [&](auto& out) { return tw::histogram_add(policy, x, axis, out); });
    with("weighted_histogram",
         [&](auto& out) { return tw::weighted_histogram(policy, first, last, first, axis, out); });
    with("weighted_histogram", [&](auto& out) { return tw::weighted_histogram(policy, x, x, axis, out); });
    with("weighted_histogram", [&](auto& out) { return tw::weighted_histogram(policy, x, x, 5, 0., 5., out); });
    with("weighted_histogram", [&](auto& out) { return tw::weighted_histogram(policy, x, x, edges, out); });
    with("reduce_by_index", [&](auto& out) { return tw::reduce_by_index(policy, first, last, first, 5, out); });
    with("reduce_by_index", [&](auto& out) { return tw::reduce_by_index(policy, x, x, 5, out); });
    with("reduce_by_index", [&](auto& out) { return tw::reduce_by_index(policy, x, x, 5, out, 1, plus); });
    with("segmented_reduce",
         [&](auto& out) { return tw::segmented_reduce(policy, first, begins, begins + five, begins + 1, out); });
    with("segmented_reduce", [&](auto& out) {
        return tw::segmented_reduce(policy, first, begins, begins + five, begins + 1, out, 1, plus);
    });
    with("segmented_inclusive_scan", [&](auto& out) {
        tw::segmented_inclusive_scan(policy, first, begins, begins + five, begins + 1, out);
        return std::ranges::begin(out) + five;
    });
    with("segmented_exclusive_scan", [&](auto& out) {
        tw::segmented_exclusive_scan(policy, first, begins, begins + five, begins + 1, out, 1);
        return std::ranges::begin(out) + five;
    });
}

template <class Use>
void for_each_call(Use use)
{
    for_each_call(tw::seq, use);
    for_each_call(tw::par, use);
}

TEST(output_ranges, get_what_iterators_get_and_keep_the_rest)
{
    for_each_call([](auto, char const* name, auto call) {
        std::vector<int> expected(7, 100), results(7, 100);
        std::span<int> const exactly(expected.data(), 5);
        EXPECT_EQ(call(exactly), exactly.begin() + five) << name;
        EXPECT_EQ(call(results), results.begin() + five) << name;
        EXPECT_EQ(results, expected) << name;
        EXPECT_NE(results[3], 0) << name;
        EXPECT_EQ(results[5], 100) << name;
        int array[6]{100, 100, 100, 100, 100, 100};
        EXPECT_EQ(call(array), array + five) << name;
        EXPECT_THAT(std::vector<int>(array, array + 5), ElementsAreArray(expected.data(), 5)) << name;
        std::array<int, 5> fixed{100, 100, 100, 100, 100};
        EXPECT_EQ(call(fixed), fixed.end()) << name;
        EXPECT_THAT(fixed, ElementsAreArray(expected.data(), 5)) << name;
    });
}

TEST(output_ranges, that_are_too_small_are_rejected_and_left_alone)
{
    for_each_call([](auto, char const* name, auto call) {
        auto const expected =
            "tilewise::" + std::string(name) + ": the output range has 4 elements, but there are 5 results";
        std::vector<int> vector(4, 100);
        EXPECT_EQ(message_of([&] { call(vector); }), expected);
        EXPECT_THAT(vector, ElementsAre(100, 100, 100, 100)) << name;
        int array[]{100, 100, 100, 100};
        EXPECT_EQ(message_of([&] { call(array); }), expected);
        EXPECT_THAT(array, ElementsAre(100, 100, 100, 100)) << name;
        std::vector<int> nothing;
        EXPECT_THAT(message_of([&] { call(nothing); }), HasSubstr("has 0 elements")) << name;
    });
}

TEST(output_ranges, may_be_lists_of_known_and_unknown_length)
{
    std::list<int> list(5), short_list(4);
    EXPECT_EQ(tw::inclusive_scan(tw::par, x, list), list.end());
    EXPECT_THAT(list, ElementsAre(0, 1, 3, 6, 10));
    EXPECT_THROW(tw::inclusive_scan(list, short_list), std::invalid_argument);
    std::forward_list<int> chain(6, 9), short_chain(4);
    auto const end = tw::histogram(list, 5, 0, 20, chain);
    EXPECT_THAT(chain, ElementsAre(3, 1, 1, 0, 0, 9));
    EXPECT_EQ(*end, 9);
    EXPECT_THROW(tw::exclusive_scan(tw::par, chain, short_chain, 0), std::invalid_argument);
    EXPECT_THROW(tw::reduce_by_index(list, list, 5, short_chain), std::invalid_argument);
}

TEST(output_ranges, are_checked_while_an_input_is_read_that_can_be_read_once)
{
    std::istringstream numbers("1 2 3"), same("1 2 3");
    std::vector<int> sums(3, 100), few(2, 100);
    std::istream_iterator<int> const end;
    EXPECT_EQ(tw::inclusive_scan(std::istream_iterator<int>(numbers), end, sums), sums.end());
    EXPECT_THAT(sums, ElementsAre(1, 3, 6));
    EXPECT_EQ(message_of([&] { tw::inclusive_scan(std::istream_iterator<int>(same), end, few); }),
              "tilewise::inclusive_scan: the output range has 2 elements, but there are more results");
}

TEST(output_ranges, may_be_views_and_temporaries_of_views)
{
    std::vector<int> sums(5);
    EXPECT_EQ(std::to_address(tw::inclusive_scan(x, std::span<int>(sums))), sums.data() + five);
    EXPECT_THAT(sums, ElementsAre(0, 1, 3, 6, 10));
    EXPECT_THROW(tw::inclusive_scan(x, std::span<int>(sums).first(4)), std::invalid_argument);
#if !defined(__clang__) || __clang_major__ >= 16 // which older ones cannot compile the views of libstdc++ 12
    std::ranges::subrange const endless(sums.begin(), std::unreachable_sentinel);
    EXPECT_EQ(tw::exclusive_scan(tw::par, x, endless, 0), sums.end());
    EXPECT_THAT(sums, ElementsAre(0, 0, 1, 3, 6));
    EXPECT_EQ(tw::inclusive_scan(x, std::ranges::subrange(sums.rbegin(), sums.rend())), sums.rend());
    EXPECT_THAT(sums, ElementsAre(10, 6, 3, 1, 0));
#endif
    static_assert(std::is_same_v<decltype(tw::inclusive_scan(x, std::vector<int>(5))), std::ranges::dangling>);
}

TEST(output_ranges, have_room_for_one_value)
{
    std::vector<int> one(1), none;
    EXPECT_EQ(tw::reduce_into(tw::par, x, one), one.end());
    EXPECT_THAT(one, ElementsAre(10));
    EXPECT_EQ(tw::transform_reduce_into(x, x, one, 0), one.end());
    EXPECT_THAT(one, ElementsAre(30));
    EXPECT_EQ(tw::transform_reduce_into(x.begin(), x.end(), one, 0, std::plus<>{}, increment), one.end());
    EXPECT_THAT(one, ElementsAre(15));
    EXPECT_THROW(tw::reduce_into(x.begin(), x.end(), none), std::invalid_argument);
    EXPECT_THROW(tw::reduce_into(tw::seq, x, none, 1), std::invalid_argument);
    EXPECT_THROW(tw::transform_reduce_into(tw::par, x, none, 1, std::plus<>{}, increment), std::invalid_argument);
    EXPECT_THROW(tw::transform_reduce_into(x.begin(), x.end(), x.begin(), none, 0), std::invalid_argument);
}

TEST(output_ranges, of_segmented_scans_reach_as_far_as_segments_do)
{
    std::vector<int> const begins{3, 9, 0}, ends{4, 9, 1};
    std::vector<int> out(4, 100);
    tw::segmented_inclusive_scan(tw::par, x.begin(), begins.begin(), begins.end(), ends.begin(), out);
    EXPECT_THAT(out, ElementsAre(0, 100, 100, 3));
    out.resize(3);
    EXPECT_THROW(tw::segmented_inclusive_scan(x.begin(), begins.begin(), begins.end(), ends.begin(), out),
                 std::invalid_argument);
    int const before = -1, after = 1;
    EXPECT_EQ(message_of([&] { tw::segmented_exclusive_scan(x.data() + 1, &before, &before + 1, &after, out, 0); }),
              "tilewise::segmented_exclusive_scan: a segment begins before the output range");
}

TEST(output_ranges, leave_arrays_of_ranges_apart_from_pairs_of_iterators)
{
    std::string const words[]{"a", "b", "c"};
    std::string joined[3];
    EXPECT_EQ(tw::exclusive_scan(tw::par, words, joined, std::string("-"), std::plus<>{}), joined + 3);
    EXPECT_THAT(joined, ElementsAre("-", "-a", "-ab"));
    std::string const init("-");
    EXPECT_EQ(tw::reduce_into(words, joined, init), joined + 1);
    EXPECT_EQ(joined[0], "-abc");
}

TEST(output_ranges, are_checked_before_a_device_is_asked_for)
{
    std::vector<int> few(4), enough(5);
    EXPECT_THROW(tw::inclusive_scan(tw::device, x, few), std::invalid_argument);
    EXPECT_THROW(tw::histogram(tw::device.nosync(), x, 5, 0., 5., few), std::invalid_argument);
    EXPECT_THROW(tw::inclusive_scan(tw::device, x, enough), tw::no_device);
    EXPECT_THROW(tw::reduce_by_index(tw::device, x, x, 5, few), std::invalid_argument);
}

// The numbers of a stream, read as std::ranges::istream_view reads them (which clang 14 cannot compile with GCC 12's
// library): begin() takes the first one out.
struct numbers_of {
    std::istream* in;
    auto begin() const { return std::istream_iterator<int>(*in); }
    auto end() const { return std::istream_iterator<int>(); }
};

TEST(output_ranges, that_are_too_short_leave_a_view_that_is_read_once_as_it_is)
{
    std::istringstream text("1 2 3");
    numbers_of samples{&text};
    std::array<int, 2> too_short{};
    EXPECT_THROW(tw::histogram(tw::seq, samples, tw::integer_axis(0, 5), too_short), std::invalid_argument);
    int next = 0;
    text >> next;
    EXPECT_EQ(next, 1);
}

} // namespace
