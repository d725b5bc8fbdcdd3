// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The checks of the hardened mode, which the tests are compiled in.
#include <tilewise/error.hpp>
#include <tilewise/tilewise.hpp>

#include "calls.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <string>
#include <vector>

namespace tw = tilewise;

namespace {

static_assert(tw::hardened, "define TILEWISE_HARDENED");

using calls::message_of;

/// Functions that fail the test when they are called.
auto const op = [](int a, int) { return ADD_FAILURE() << "called op", a; };
auto const transform_op = [](int a, auto...) { return ADD_FAILURE() << "called transform_op", a; };
auto const less = [](int, int) { return ADD_FAILURE() << "called less", false; };

/// Every algorithm rejects [first, last) in its own name, and writes nothing.
template <class Policy, class It>
void expect_rejected(Policy policy, It first, It last, std::string const& reason)
{
    int const untouched = 4711;
    int out = untouched;
    std::vector<int> const second(100);
    auto const first2 = second.begin();
    auto const expect = [&](std::string const& algorithm, auto call) {
        EXPECT_EQ(message_of(call), "tilewise::" + algorithm + ": " + reason);
        EXPECT_EQ(out, untouched);
    };
    expect("reduce", [&] { tw::reduce(policy, first, last); });
    expect("reduce", [&] { tw::reduce(policy, first, last, 0); });
    expect("reduce", [&] { tw::reduce(policy, first, last, 0, op); });
    expect("reduce_into", [&] { tw::reduce_into(policy, first, last, &out); });
    expect("reduce_into", [&] { tw::reduce_into(policy, first, last, &out, 0, op); });
    expect("transform_reduce", [&] { tw::transform_reduce(policy, first, last, 0, op, transform_op); });
    expect("transform_reduce", [&] { tw::transform_reduce(policy, first, last, first2, 0); });
    expect("transform_reduce", [&] { tw::transform_reduce(policy, first, last, first2, 0, op, transform_op); });
    expect("transform_reduce_into", [&] { tw::transform_reduce_into(policy, first, last, &out, 0, op, transform_op); });
    expect("transform_reduce_into", [&] { tw::transform_reduce_into(policy, first, last, first2, &out, 0); });
    expect("count", [&] { tw::count(policy, first, last, 1); });
    expect("count_if", [&] { tw::count_if(policy, first, last, transform_op); });
    expect("min_element", [&] { static_cast<void>(tw::min_element(policy, first, last, less)); });
    expect("max_element", [&] { static_cast<void>(tw::max_element(policy, first, last, less)); });
    expect("minmax_element", [&] { static_cast<void>(tw::minmax_element(policy, first, last, less)); });
    expect("inclusive_scan", [&] { tw::inclusive_scan(policy, first, last, &out); });
    expect("inclusive_scan", [&] { tw::inclusive_scan(policy, first, last, &out, op); });
    expect("inclusive_scan", [&] { tw::inclusive_scan(policy, first, last, &out, op, 0); });
    expect("exclusive_scan", [&] { tw::exclusive_scan(policy, first, last, &out, 0); });
    expect("exclusive_scan", [&] { tw::exclusive_scan(policy, first, last, &out, 0, op); });
    expect("transform_inclusive_scan",
           [&] { tw::transform_inclusive_scan(policy, first, last, &out, op, transform_op); });
    expect("transform_inclusive_scan",
           [&] { tw::transform_inclusive_scan(policy, first, last, &out, op, transform_op, 0); });
    expect("transform_exclusive_scan",
           [&] { tw::transform_exclusive_scan(policy, first, last, &out, 0, op, transform_op); });
}

TEST(hardened, mode_rejects_a_last_before_first)
{
    std::vector<int> const vector(5);
    std::deque<int> const deque(5000);
    auto const check = [&](auto policy) {
        expect_rejected(policy, vector.data() + 1, vector.data(), "last is before first");
        expect_rejected(policy, vector.end(), vector.begin(), "last is before first");
        expect_rejected(policy, deque.end(), deque.begin(), "last is before first");
    };
    check(tw::seq);
    check(tw::par);
}

TEST(hardened, mode_rejects_a_null_pointer_with_elements)
{
    int const* const first = nullptr;
    auto const* const last = std::bit_cast<int const*>(std::uintptr_t{16});
    expect_rejected(tw::seq, first, last, "first is null, but the range is not empty");
    expect_rejected(tw::par, first, last, "first is null, but the range is not empty");
}

TEST(hardened, mode_rejects_a_null_pointer_for_the_result)
{
    std::vector<int> const v(5);
    int* const null = nullptr;
    std::string const reason = "tilewise::reduce_into: the output is null";
    auto const check = [&](auto policy) {
        EXPECT_EQ(message_of([&] { tw::reduce_into(policy, v.begin(), v.end(), null, 0); }), reason);
        EXPECT_EQ(message_of([&] { tw::reduce_into(policy, v.begin(), v.begin(), null, 0); }), reason);
        EXPECT_EQ(message_of([&] { tw::transform_reduce_into(policy, v, null, 0, op, std::negate<>{}); }), reason);
    };
    check(tw::seq);
    check(tw::par);
}

TEST(hardened, mode_rejects_a_null_pointer_for_the_second_range)
{
    std::vector<int> const v(5);
    std::list<int> const list(5);
    int const* const null = nullptr;
    int out = 7;
    std::string const reason = ": first2 is null, but the range is not empty";
    auto const check = [&](auto policy, auto const& range) {
        auto const first = range.begin(), last = range.end();
        EXPECT_EQ(message_of([&] { tw::transform_reduce(policy, first, last, null, 0); }),
                  "tilewise::transform_reduce" + reason);
        EXPECT_EQ(message_of([&] { tw::transform_reduce(policy, first, last, null, 0, op, transform_op); }),
                  "tilewise::transform_reduce" + reason);
        EXPECT_EQ(message_of([&] { tw::transform_reduce_into(policy, first, last, null, &out, 0); }),
                  "tilewise::transform_reduce_into" + reason);
        EXPECT_EQ(out, 7);
    };
    check(tw::seq, v);
    check(tw::par, v);
    check(tw::seq, list);
    check(tw::par, list);
}

TEST(hardened, mode_rejects_a_second_range_that_is_shorter)
{
    std::vector<int> const five(5), four(4);
    std::list<int> const list(4);
    int out = 7;
    std::string const reason = ": the second range is shorter than the first";
    auto const check = [&](auto policy, auto const& shorter) {
        EXPECT_EQ(message_of([&] { tw::transform_reduce(policy, five, shorter, 0); }),
                  "tilewise::transform_reduce" + reason);
        EXPECT_EQ(message_of([&] { tw::transform_reduce(policy, five, shorter, 0, op, transform_op); }),
                  "tilewise::transform_reduce" + reason);
        EXPECT_EQ(message_of([&] { tw::transform_reduce_into(policy, five, shorter, &out, 0); }),
                  "tilewise::transform_reduce_into" + reason);
        EXPECT_EQ(out, 7);
        EXPECT_EQ(tw::transform_reduce(policy, shorter, five, 3), 3); // the other way round is fine
    };
    check(tw::seq, four);
    check(tw::par, four);
    check(tw::seq, list);
    check(tw::par, list);
}

TEST(hardened, mode_rejects_a_null_pointer_for_the_output)
{
    std::vector<int> const v(5);
    std::list<int> const list(5);
    int* const null = nullptr;
    auto const check = [&](auto policy, auto const& range) {
        auto const first = range.begin(), last = range.end();
        auto const expect = [](std::string const& algorithm, auto call) {
            EXPECT_EQ(message_of(call), "tilewise::" + algorithm + ": the output is null, but the range is not empty");
        };
        expect("inclusive_scan", [&] { tw::inclusive_scan(policy, first, last, null, op); });
        expect("inclusive_scan", [&] { tw::inclusive_scan(policy, range, null, op, 0); });
        expect("exclusive_scan", [&] { tw::exclusive_scan(policy, first, last, null, 0, op); });
        expect("exclusive_scan", [&] { tw::exclusive_scan(policy, range, null, 0, op); });
        expect("transform_inclusive_scan",
               [&] { tw::transform_inclusive_scan(policy, first, last, null, op, transform_op); });
        expect("transform_inclusive_scan",
               [&] { tw::transform_inclusive_scan(policy, range, null, op, transform_op, 0); });
        expect("transform_exclusive_scan",
               [&] { tw::transform_exclusive_scan(policy, first, last, null, 0, op, transform_op); });
        expect("transform_exclusive_scan",
               [&] { tw::transform_exclusive_scan(policy, range, null, 0, op, transform_op); });
    };
    check(tw::seq, v);
    check(tw::par, v);
    check(tw::seq, list);
    check(tw::par, list);
}

TEST(hardened, mode_accepts_null_pointers_without_elements)
{
    int const* const null = nullptr;
    int out = 0;
    auto const check = [&](auto policy) {
        EXPECT_EQ(tw::reduce(policy, null, null), 0);
        EXPECT_EQ(tw::reduce(policy, null, null, 7, op), 7);
        EXPECT_EQ(tw::reduce_into(policy, null, null, &out, 7), &out + 1);
        EXPECT_EQ(out, 7);
        EXPECT_EQ(tw::transform_reduce(policy, null, null, 7, op, transform_op), 7);
        EXPECT_EQ(tw::transform_reduce(policy, null, null, null, 7), 7);
        EXPECT_EQ(tw::transform_reduce_into(policy, null, null, null, &out, 8), &out + 1);
        EXPECT_EQ(out, 8);
        EXPECT_EQ(tw::count(policy, null, null, 1), 0);
        EXPECT_EQ(tw::count_if(policy, null, null, transform_op), 0);
        EXPECT_EQ(tw::min_element(policy, null, null, less), null);
        EXPECT_EQ(tw::max_element(policy, null, null, less), null);
        EXPECT_EQ(tw::minmax_element(policy, null, null, less), std::pair(null, null));
        int* const null_out = nullptr;
        EXPECT_EQ(tw::inclusive_scan(policy, null, null, null_out, op), null_out);
        EXPECT_EQ(tw::exclusive_scan(policy, null, null, null_out, 0, op), null_out);
    };
    check(tw::seq);
    check(tw::par);
}

TEST(reject_argument, names_the_algorithm_and_the_rule)
{
    EXPECT_EQ(message_of([] { tw::reject_argument("reduce", "the rule"); }), "tilewise::reduce: the rule");
}

} // namespace
