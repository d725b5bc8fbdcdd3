// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// What calls become in the compiled library, which plain loops play here: for every call that it takes, its elements,
/// operator, transform and accumulator compute what those of the call do. `compiled/calls.cpp` calls the true one.

#define TILEWISE_COMPILED

// Transforms are told to convert what a compiler would warn of.
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"

#include "../src/operators.hpp"

#include <tilewise/core/operators.hpp>
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tw = tilewise;

// ---- the library, of loops

namespace tilewise::compiled {

template <class T, class Op, class Function, class E>
T combine_in_a_loop(E const* first, std::ptrdiff_t count, T init, Op op, Function function)
{
    for (std::ptrdiff_t i = 0; i < count; ++i)
        init = static_cast<T>(known::operator_or_self<T>(op)(init, static_cast<T>(function(first[i]))));
    return init;
}

template <known_function f, class T>
auto function_named()
{
    if constexpr (f == known_function::identity)
        return std::identity();
    else if constexpr (f == known_function::square)
        return tilewise::square<T>();
    else if constexpr (f == known_function::square_of_element)
        return tilewise::square<>();
    else if constexpr (std::is_integral_v<T>)
        return tilewise::absolute<std::make_signed_t<T>>();
    else
        return tilewise::absolute<T>();
}

template <known_operator op, known_function f, class E, class T>
T reduce(device_policy const&, E const* first, std::ptrdiff_t count, T init)
{
    static_assert(has_reduce<op, f, E, T>());
    return combine_in_a_loop(first, count, init, operator_named<op>(), function_named<f, T>());
}
template <known_operator op, known_function f, class E, class T, bool waits>
void reduce_into(basic_device_policy<waits> const&, E const* first, std::ptrdiff_t count, T* out, T init)
{
    *out = compiled::reduce<op, f>(device, first, count, init);
}
template <known_operator op, bool inclusive, class E, class T, bool waits>
void scan(basic_device_policy<waits> const&, E const* first, std::ptrdiff_t count, T* out, T const* init)
{
    static_assert(has_scan<op, inclusive, E, T>());
    constexpr std::ptrdiff_t own = inclusive ? 1 : 0;
    for (std::ptrdiff_t i = count - 1; i >= 0; --i) { // the output may be the input
        if (init != nullptr)
            out[i] = combine_in_a_loop(first, i + own, *init, operator_named<op>(), std::identity());
        else
            out[i] = combine_in_a_loop(first + 1, i, static_cast<T>(first[0]), operator_named<op>(), std::identity());
    }
}
template <class S, class A, class C, bool waits>
void count_in_regular(basic_device_policy<waits> const&, S const* first, std::ptrdiff_t size, int bins, A lower,
                      A upper, axis_ends ends, C* counts, bool adds)
{
    regular_axis<A> const axis(bins, lower, upper, {static_cast<flow>(ends.flow), ends.closed_upper});
    adds ? histogram_add(seq, first, first + size, axis, counts) : histogram(seq, first, first + size, axis, counts);
}
template <class S, class A, class C, bool waits>
void count_in_integers(basic_device_policy<waits> const&, S const* first, std::ptrdiff_t size, A lower, A upper,
                       axis_ends ends, C* counts, bool adds)
{
    integer_axis<A> const axis(lower, upper, {static_cast<flow>(ends.flow), ends.closed_upper});
    adds ? histogram_add(seq, first, first + size, axis, counts) : histogram(seq, first, first + size, axis, counts);
}
template <class S, class A, class C, bool waits>
void count_between(basic_device_policy<waits> const&, S const* first, std::ptrdiff_t size, A const* edges,
                   std::ptrdiff_t edge_count, axis_ends ends, C* counts, bool adds)
{
    variable_axis<A> const axis(edges, edges + edge_count, {static_cast<flow>(ends.flow), ends.closed_upper});
    adds ? histogram_add(seq, first, first + size, axis, counts) : histogram(seq, first, first + size, axis, counts);
}

} // namespace tilewise::compiled

namespace {

template <class... Types, class Use>
void for_each(Use const& use)
{
    (use(static_cast<Types*>(nullptr)), ...);
}

/// A few numbers, and the extremes of a type.
template <class E>
std::vector<E> some()
{
    using limits = std::numeric_limits<E>;
    std::vector<E> result{E(7), E(3), limits::max(), E(5), limits::min(), static_cast<E>(limits::max() / 3)};
    if (std::is_floating_point_v<E>)
        result = {E(0.1), E(-0.7), E(3.3), E(-1.9)};
    return result;
}

template <class... Types>
std::string names()
{
    return __PRETTY_FUNCTION__;
}

template <class E, class T, class Op, class Function>
void expect_reduction(int& calls)
{
    using input = tw::transformed<Function, E const*>;
    if constexpr (tw::library::has_reduction<input, T, Op>()) {
        auto const x = some<E>();
        auto const count = static_cast<std::ptrdiff_t>(x.size());
        T const expected = tw::compiled::combine_in_a_loop(x.data(), count, T(3), Op(), Function());
        EXPECT_EQ(tw::transform_reduce(tw::device, x, T(3), Op(), Function()), expected) << names<E, T, Op, Function>();
        std::array<T, 2> out{};
        EXPECT_EQ(tw::transform_reduce_into(tw::device.nosync(), x, out.begin(), T(3), Op(), Function()) - out.begin(),
                  1);
        EXPECT_EQ(out, (std::array<T, 2>{expected, T()})) << names<E, T, Op, Function>();
        ++calls;
    }
}

TEST(compiled, reductions_compute_what_the_call_says)
{
    int calls = 0;
    for_each<signed char, unsigned short, int, unsigned, long long, float>([&]<class E>(E*) {
        for_each<int, unsigned, long long, unsigned long, float, double>([&]<class T>(T*) {
            for_each<std::plus<>, tw::maximum<T>>([&]<class Op>(Op*) {
                if constexpr (tw::library::operator_of<Op, T>().has_value()) {
                    expect_reduction<E, T, Op, std::identity>(calls);
                    expect_reduction<E, T, Op, tw::square<>>(calls);
                    expect_reduction<E, T, Op, tw::square<T>>(calls);
                    expect_reduction<E, T, Op, tw::absolute<>>(calls);
                    expect_reduction<E, T, Op, tw::absolute<T>>(calls);
                    expect_reduction<E, T, Op, tw::absolute<int>>(calls);
                }
            });
        });
    });
    EXPECT_GT(calls, 60);
}

TEST(compiled, each_operator_is_its_own)
{
    std::vector<unsigned> const x{12, 10, 9};
    EXPECT_EQ(tw::reduce(tw::device, x, 3U), 34U);
    EXPECT_EQ(tw::reduce(tw::device, x, 3U, std::multiplies<>{}), 3240U);
    EXPECT_EQ(tw::reduce(tw::device, x, 30U, tw::minimum<>{}), 9U);
    EXPECT_EQ(tw::reduce(tw::device, x, 3U, tw::maximum<>{}), 12U);
    EXPECT_EQ(tw::reduce(tw::device, x, 15U, std::bit_and<>{}), 8U);
    EXPECT_EQ(tw::reduce(tw::device, x, 0U, std::bit_or<>{}), 15U);
    EXPECT_EQ(tw::reduce(tw::device, x, 0U, std::bit_xor<>{}), 15U);
    EXPECT_EQ(tw::reduce(tw::device, x, 1U, std::bit_xor<>{}), 14U);
}

TEST(compiled, scans_are_of_their_form_and_know_whether_there_is_an_init)
{
    std::vector<signed char> const x{-1, 2, -3};
    std::vector<int> out(3);
    EXPECT_EQ(tw::exclusive_scan(tw::device, x, out.begin(), 10), out.end());
    EXPECT_EQ(out, (std::vector<int>{10, 9, 11}));
    EXPECT_EQ(tw::inclusive_scan(tw::device, x, out.begin(), std::plus<>{}, 10), out.end());
    EXPECT_EQ(out, (std::vector<int>{9, 11, 8}));
    std::vector<long long> wide{-1, -5, 3};
    tw::inclusive_scan(tw::device, wide, wide.begin(), tw::maximum<>{});
    EXPECT_EQ(wide, (std::vector<long long>{-1, -1, 3}));
    tw::inclusive_scan(tw::device.nosync(), wide, wide.begin());
    EXPECT_EQ(wide, (std::vector<long long>{-1, -2, 1}));
}

template <class S, class Axis>
void expect_histogram(Axis const& axis)
{
    auto const x = some<S>();
    std::vector<int> expected(static_cast<std::size_t>(axis.extent()), 5), counts = expected;
    tw::histogram(tw::seq, x, axis, expected.begin());
    EXPECT_EQ(tw::histogram(tw::device, x, axis, counts.begin()), counts.end());
    EXPECT_EQ(counts, expected) << names<S, Axis>();
    tw::histogram_add(tw::seq, x, axis, expected.begin());
    EXPECT_EQ(tw::histogram_add(tw::device, x, axis, counts.begin()), counts.end());
    EXPECT_EQ(counts, expected) << names<S, Axis>();
}

TEST(compiled, axes_arrive_whole)
{
    using tw::flow;
    for (auto const fate : {flow::drop, flow::bins, flow::clamp})
        for (bool const closed : {false, true}) {
            tw::axis_options const options{fate, closed};
            expect_histogram<float>(tw::regular_axis(5, 0.1, 3.3F, options));
            expect_histogram<float>(tw::regular_axis<float>(5, 0.1F, 3.3F, options));
            expect_histogram<int>(tw::integer_axis(3, 7, options));
            expect_histogram<long>(tw::integer_axis(3L, 7L, options));
            expect_histogram<float>(tw::variable_axis(std::vector<float>{-0.7F, 0, 3.3F}, options));
            expect_histogram<float>(tw::log_axis<double>(3, 0.1F, 3.3F, options));
        }
}

} // namespace
