// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/scan.hpp>

#include "values.hpp"

#include <tilewise/reduce.hpp>

#include <gtest/gtest.h>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace tw = tilewise;

namespace {

std::vector<int> const ints{1, 2, 3, 4};
auto const square = [](int x) { return x * x; };
using results = std::vector<int>;

/// What a scan of a few elements writes to `out`; it must return the end of that.
template <class Scan>
results of(Scan scan)
{
    results out(4);
    EXPECT_EQ(scan(out.begin()), out.end());
    return out;
}

TEST(transform_scans, take_pointers_to_data_members)
{
    struct sample {
        int value;
        double weight;
    };
    std::vector<sample> const samples{{1, 0.5}, {2, 0.25}, {3, 0.125}};
    std::vector<double> sums(3);
    tw::transform_inclusive_scan(tw::par, samples, sums, std::plus<>(), &sample::weight); // in double, without init
    EXPECT_EQ(sums, (std::vector{0.5, 0.75, 0.875}));
    tw::transform_exclusive_scan(samples.begin(), samples.end(), sums.begin(), 4, std::plus<>(), &sample::value);
    EXPECT_EQ(sums, (std::vector{4.0, 5.0, 7.0}));
}

TEST(inclusive_scan, takes_a_pair_of_iterators_with_every_policy_op_and_init)
{
    auto const first = ints.begin(), last = ints.end();
    std::multiplies<> const op;
    results const sums{1, 3, 6, 10}, products{1, 2, 6, 24}, products_after_5{5, 10, 30, 120};
    EXPECT_EQ(of([&](auto out) { return tw::inclusive_scan(first, last, out); }), sums);
    EXPECT_EQ(of([&](auto out) { return tw::inclusive_scan(first, last, out, op); }), products);
    EXPECT_EQ(of([&](auto out) { return tw::inclusive_scan(first, last, out, op, 5); }), products_after_5);
    EXPECT_EQ(of([&](auto out) { return tw::inclusive_scan(tw::seq, first, last, out); }), sums);
    EXPECT_EQ(of([&](auto out) { return tw::inclusive_scan(tw::seq, first, last, out, op); }), products);
    EXPECT_EQ(of([&](auto out) { return tw::inclusive_scan(tw::seq, first, last, out, op, 5); }), products_after_5);
    EXPECT_EQ(of([&](auto out) { return tw::inclusive_scan(tw::par, first, last, out); }), sums);
    EXPECT_EQ(of([&](auto out) { return tw::inclusive_scan(tw::par, first, last, out, op); }), products);
    EXPECT_EQ(of([&](auto out) { return tw::inclusive_scan(tw::par, first, last, out, op, 5); }), products_after_5);
}

TEST(inclusive_scan, takes_a_range_with_every_policy_op_and_init)
{
    std::multiplies<> const op;
    results const sums{1, 3, 6, 10}, products{1, 2, 6, 24}, products_after_5{5, 10, 30, 120};
    EXPECT_EQ(of([&](auto out) { return tw::inclusive_scan(ints, out); }), sums);
    EXPECT_EQ(of([&](auto out) { return tw::inclusive_scan(ints, out, op); }), products);
    EXPECT_EQ(of([&](auto out) { return tw::inclusive_scan(ints, out, op, 5); }), products_after_5);
    EXPECT_EQ(of([&](auto out) { return tw::inclusive_scan(tw::seq, ints, out); }), sums);
    EXPECT_EQ(of([&](auto out) { return tw::inclusive_scan(tw::par, ints, out, op); }), products);
    EXPECT_EQ(of([&](auto out) { return tw::inclusive_scan(tw::par, ints, out, op, 5); }), products_after_5);
}

TEST(exclusive_scan, takes_iterators_or_a_range_with_every_policy_and_op)
{
    auto const first = ints.begin(), last = ints.end();
    std::multiplies<> const op;
    results const sums{5, 6, 8, 11}, products{5, 5, 10, 30};
    EXPECT_EQ(of([&](auto out) { return tw::exclusive_scan(first, last, out, 5); }), sums);
    EXPECT_EQ(of([&](auto out) { return tw::exclusive_scan(first, last, out, 5, op); }), products);
    EXPECT_EQ(of([&](auto out) { return tw::exclusive_scan(tw::seq, first, last, out, 5); }), sums);
    EXPECT_EQ(of([&](auto out) { return tw::exclusive_scan(tw::par, first, last, out, 5); }), sums);
    EXPECT_EQ(of([&](auto out) { return tw::exclusive_scan(tw::par, first, last, out, 5, op); }), products);
    EXPECT_EQ(of([&](auto out) { return tw::exclusive_scan(ints, out, 5); }), sums);
    EXPECT_EQ(of([&](auto out) { return tw::exclusive_scan(ints, out, 5, op); }), products);
    EXPECT_EQ(of([&](auto out) { return tw::exclusive_scan(tw::seq, ints, out, 5); }), sums);
    EXPECT_EQ(of([&](auto out) { return tw::exclusive_scan(tw::par, ints, out, 5, op); }), products);
}

TEST(transform_inclusive_scan, takes_iterators_or_a_range_with_every_policy_and_init)
{
    auto const first = ints.begin(), last = ints.end();
    std::plus<> const op;
    results const sums{1, 5, 14, 30}, after_5{6, 10, 19, 35};
    EXPECT_EQ(of([&](auto out) { return tw::transform_inclusive_scan(first, last, out, op, square); }), sums);
    EXPECT_EQ(of([&](auto out) { return tw::transform_inclusive_scan(first, last, out, op, square, 5); }), after_5);
    EXPECT_EQ(of([&](auto out) { return tw::transform_inclusive_scan(tw::par, first, last, out, op, square); }), sums);
    EXPECT_EQ(of([&](auto out) { return tw::transform_inclusive_scan(tw::seq, first, last, out, op, square, 5); }),
              after_5);
    EXPECT_EQ(of([&](auto out) { return tw::transform_inclusive_scan(ints, out, op, square); }), sums);
    EXPECT_EQ(of([&](auto out) { return tw::transform_inclusive_scan(ints, out, op, square, 5); }), after_5);
    EXPECT_EQ(of([&](auto out) { return tw::transform_inclusive_scan(tw::par, ints, out, op, square); }), sums);
    EXPECT_EQ(of([&](auto out) { return tw::transform_inclusive_scan(tw::par, ints, out, op, square, 5); }), after_5);
}

TEST(transform_exclusive_scan, takes_iterators_or_a_range_with_every_policy)
{
    auto const first = ints.begin(), last = ints.end();
    std::plus<> const op;
    results const sums{5, 6, 10, 19};
    EXPECT_EQ(of([&](auto out) { return tw::transform_exclusive_scan(first, last, out, 5, op, square); }), sums);
    EXPECT_EQ(of([&](auto out) { return tw::transform_exclusive_scan(tw::seq, first, last, out, 5, op, square); }),
              sums);
    EXPECT_EQ(of([&](auto out) { return tw::transform_exclusive_scan(tw::par, first, last, out, 5, op, square); }),
              sums);
    EXPECT_EQ(of([&](auto out) { return tw::transform_exclusive_scan(ints, out, 5, op, square); }), sums);
    EXPECT_EQ(of([&](auto out) { return tw::transform_exclusive_scan(tw::par, ints, out, 5, op, square); }), sums);
}

TEST(scans, take_temporaries_arrays_and_their_pointers)
{
    int array[]{1, 2, 3}, out[3];
    auto const expect = [&](int* end, results const& expected) {
        EXPECT_EQ(end, std::end(out));
        EXPECT_EQ(results(std::begin(out), end), expected);
        std::fill(std::begin(out), std::end(out), 0);
    };
    std::plus<> const op;
    expect(tw::inclusive_scan(std::vector<int>{7, 8, 9}, out), {7, 15, 24});
    expect(tw::inclusive_scan(std::span(array), out), {1, 3, 6});
    expect(tw::inclusive_scan(array, out), {1, 3, 6});
    expect(tw::inclusive_scan(tw::par, array, out, op), {1, 3, 6});
    expect(tw::inclusive_scan(array, out, op, 1), {2, 4, 7});
    expect(tw::inclusive_scan(array, array + 3, out), {1, 3, 6});
    expect(tw::inclusive_scan(tw::seq, array, array + 3, out, op), {1, 3, 6});
    expect(tw::inclusive_scan(array, array + 3, out, op, 1), {2, 4, 7});
    expect(tw::exclusive_scan(array, out, 1), {1, 2, 4});
    expect(tw::exclusive_scan(array, out, 1, op), {1, 2, 4});
    expect(tw::exclusive_scan(array, array + 3, out, 1), {1, 2, 4});
    expect(tw::exclusive_scan(tw::par, array, array + 3, out, 1, op), {1, 2, 4});
    expect(tw::transform_inclusive_scan(array, out, op, square), {1, 5, 14});
    expect(tw::transform_inclusive_scan(array, out, op, square, 1), {2, 6, 15});
    expect(tw::transform_inclusive_scan(array, array + 3, out, op, square), {1, 5, 14});
    expect(tw::transform_exclusive_scan(array, out, 1, op, square), {1, 2, 6});
    expect(tw::transform_exclusive_scan(array, array + 3, out, 1, op, square), {1, 2, 6});
    std::vector<int> vector(3); // after an array and its end, an output that could be an operator
    EXPECT_EQ(tw::inclusive_scan(array, array + 3, vector.begin(), op), vector.end());
    EXPECT_EQ(vector, (results{1, 3, 6}));
}

TEST(scans, accumulate_in_the_type_of_init_or_else_of_the_elements)
{
    std::vector<unsigned char> const bytes(5, 100);
    auto const expect_type = []<class T>(std::type_identity<T>) {
        return [](auto a, auto b) {
            static_assert(std::same_as<decltype(a), T> && std::same_as<decltype(b), T>);
            return a + b; // int, converted to T
        };
    };
    std::vector<long> out(5);
    auto const expect = [&](std::vector<long> const& expected) { EXPECT_EQ(out, expected); };
    for (auto const policy : {0, 1}) {
        auto const with = [&](auto call) { policy == 0 ? call(tw::seq) : call(tw::par); };
        with([&](auto on) {
            tw::inclusive_scan(on, bytes, out.begin(), expect_type(std::type_identity<unsigned char>()));
        });
        expect({100, 200, 44, 144, 244});
        with([&](auto on) { tw::inclusive_scan(on, bytes, out.begin()); });
        expect({100, 200, 44, 144, 244});
        with([&](auto on) { tw::inclusive_scan(on, bytes, out.begin(), expect_type(std::type_identity<long>()), 1L); });
        expect({101, 201, 301, 401, 501});
        with([&](auto on) { tw::exclusive_scan(on, bytes, out.begin(), std::uint8_t{1}); });
        expect({1, 101, 201, 45, 145});
        with([&](auto on) { tw::exclusive_scan(on, bytes, out.begin(), 1); });
        expect({1, 101, 201, 301, 401});
    }
}

TEST(scans, of_transforms_accumulate_in_their_result_type_or_in_that_of_init)
{
    std::vector<unsigned char> const bytes(3, 100);
    std::vector<double> out(3);
    auto const half = [](unsigned char byte) { return byte * 0.5; };
    tw::transform_inclusive_scan(bytes, out.begin(), std::plus<>(), half);
    EXPECT_EQ(out, (std::vector<double>{50, 100, 150}));
    static unsigned char const wide = 200;
    auto const to_byte = [](unsigned char) -> unsigned char const& { return wide; };
    tw::transform_inclusive_scan(tw::par, bytes, out.begin(), std::plus<>(), to_byte);
    EXPECT_EQ(out, (std::vector<double>{200, 400 - 256, 600 - 512}));
    tw::transform_inclusive_scan(bytes, out.begin(), std::plus<>(), half, 0);
    EXPECT_EQ(out, (std::vector<double>{50, 100, 150}));
    tw::transform_exclusive_scan(tw::par, std::vector<double>{1.5, 1.5, 1.5}, out.begin(), 0, std::plus<>(),
                                 [](double x) { return x; });
    EXPECT_EQ(out, (std::vector<double>{0, 1, 2})); // elements are converted to int first
}

TEST(scans, narrow_when_they_write_and_never_read_back)
{
    std::vector<int> const hundreds(5, 100);
    auto const check = [&](auto policy) {
        std::vector<unsigned char> narrow(5);
        tw::inclusive_scan(policy, hundreds, narrow.begin());
        EXPECT_EQ(narrow, (std::vector<unsigned char>{100, 200, 300 - 256, 400 - 256, 500 - 256}));
        std::vector<int> whole(3);
        tw::inclusive_scan(policy, std::vector<double>{0.5, 0.75, 0.75}, whole.begin());
        EXPECT_EQ(whole, (results{0, 1, 2})); // the sums are 0.5, 1.25 and 2
        std::vector<bool> bits(3);
        EXPECT_EQ(tw::inclusive_scan(policy, std::vector<bool>{false, true, false}, bits.begin(), std::logical_or<>()),
                  bits.end());
        EXPECT_EQ(bits, (std::vector<bool>{false, true, true}));
    };
    check(tw::seq);
    check(tw::par);
}

TEST(scans, of_an_empty_range_touch_no_iterator_and_return_the_output)
{
    auto const forbidden = [](int, int) { return ADD_FAILURE(), 0; };
    auto const check = [&](auto policy, auto it) {
        EXPECT_EQ(tw::inclusive_scan(policy, it, it, it), it);
        EXPECT_EQ(tw::inclusive_scan(policy, it, it, it, forbidden), it);
        EXPECT_EQ(tw::inclusive_scan(policy, it, it, it, forbidden, 1), it);
        EXPECT_EQ(tw::exclusive_scan(policy, it, it, it, 1), it);
        EXPECT_EQ(tw::exclusive_scan(policy, it, it, it, 1, forbidden), it);
        EXPECT_EQ(tw::transform_inclusive_scan(policy, it, it, it, forbidden, square), it);
        EXPECT_EQ(tw::transform_exclusive_scan(policy, it, it, it, 1, forbidden, square), it);
    };
    check(tw::seq, values::untouchable<std::input_iterator_tag>{});
    check(tw::seq, values::untouchable<std::forward_iterator_tag>{});
    check(tw::par, values::untouchable<std::forward_iterator_tag>{});
    check(tw::seq, values::untouchable<std::random_access_iterator_tag>{});
    check(tw::par, values::untouchable<std::random_access_iterator_tag>{});
}

TEST(scans, keep_the_order_of_strings_and_use_init_once)
{
    for (std::size_t const size : {0u, 1u, 2u, 31u, 32u, 33u, 257u, 300u}) {
        std::vector<std::string> letters(size), including, excluding;
        for (std::size_t i = 0; i < size; ++i)
            letters[i] = std::string(1, static_cast<char>('a' + i * i % 23));
        std::string const init = "init";
        std::inclusive_scan(letters.begin(), letters.end(), std::back_inserter(including), std::plus<>(), init);
        std::exclusive_scan(letters.begin(), letters.end(), std::back_inserter(excluding), init);
        auto const check = [&](auto policy) {
            std::vector<std::string> out(size);
            tw::inclusive_scan(policy, letters, out.begin(), std::plus<>(), init);
            EXPECT_EQ(out, including) << size;
            tw::exclusive_scan(policy, letters, out.begin(), init);
            EXPECT_EQ(out, excluding) << size;
        };
        check(tw::seq);
        check(tw::par);
    }
}

template <class T>
void expect_agreement_with_std(auto make)
{
    for (std::size_t const size : values::sizes_around_units(sizeof(T))) {
        std::vector<T> elements;
        for (unsigned const seed : values::seeds(size))
            elements.push_back(make(seed));
        T const init = make(12345);
        std::vector<T> without, after, excluding, out(elements);
        std::inclusive_scan(elements.begin(), elements.end(), std::back_inserter(without), std::multiplies<>());
        std::inclusive_scan(elements.begin(), elements.end(), std::back_inserter(after), std::multiplies<>(), init);
        std::exclusive_scan(elements.begin(), elements.end(), std::back_inserter(excluding), init, std::multiplies<>());
        auto const check = [&](auto policy) {
            tw::inclusive_scan(policy, elements, out.begin(), std::multiplies<>());
            ASSERT_TRUE(out == without) << size;
            tw::inclusive_scan(policy, elements, out.begin(), std::multiplies<>(), init);
            ASSERT_TRUE(out == after) << size;
            tw::exclusive_scan(policy, elements, out.begin(), init, std::multiplies<>());
            ASSERT_TRUE(out == excluding) << size;
            out = elements;
            tw::exclusive_scan(policy, out, out.begin(), init, std::multiplies<>()); // in place
            ASSERT_TRUE(out == excluding) << size;
        };
        check(tw::seq);
        check(tw::par);
    }
}

TEST(scans, of_exact_types_agree_with_std)
{
    expect_agreement_with_std<values::matrix>([](unsigned seed) { return values::matrix{seed, 1, 1, seed >> 16}; });
    expect_agreement_with_std<std::uint8_t>([](unsigned seed) { return static_cast<std::uint8_t>(seed | 1); });
    expect_agreement_with_std<std::uint32_t>([](unsigned seed) { return seed | 1; });
    expect_agreement_with_std<std::uint64_t>([](unsigned seed) { return seed * 0x100000001ull | 1; });
}

TEST(scans, of_signed_integers_wrap)
{
    int const large = std::numeric_limits<int>::max();
    std::vector<int> const larges(1000, large);
    auto const check = [&](auto policy) {
        std::vector<int> out(1000);
        tw::inclusive_scan(policy, larges, out.begin());
        for (unsigned i = 0; i < 1000; ++i)
            ASSERT_EQ(out[i], static_cast<int>((i + 1) * static_cast<unsigned>(large)));
    };
    check(tw::seq);
    check(tw::par);
}

TEST(scans, take_values_that_can_be_neither_made_nor_assigned)
{
    using values::constant;
    for (std::size_t const size : {1u, 5u, 300u, 5000u}) {
        std::vector<constant> elements, expected, out;
        std::vector<unsigned> const seeds = values::seeds(size);
        for (unsigned const seed : seeds)
            elements.emplace_back(seed);
        for (std::size_t i = 0; i < size; ++i)
            expected.push_back(i == 0 ? elements[0] : expected[i - 1] * elements[i]);
        tw::inclusive_scan(tw::seq, elements, std::back_inserter(out), std::multiplies<>());
        EXPECT_TRUE(out == expected) << size;
        out.clear();
        tw::exclusive_scan(tw::seq, elements, std::back_inserter(out), constant(1u), std::multiplies<>());
        EXPECT_EQ(out.size(), size);
        EXPECT_TRUE(out[0] == constant(1u));
        EXPECT_TRUE(size < 2 || out[1] == constant(1u) * elements[0]);
    }
}

TEST(scans, read_streams_and_append_under_seq)
{
    for (std::size_t const size : {0u, 1u, 300u, 20000u}) {
        std::vector<unsigned> const elements = values::seeds(size);
        std::vector<unsigned> expected;
        std::inclusive_scan(elements.begin(), elements.end(), std::back_inserter(expected));
        values::single_pass::state stream{elements};
        std::vector<unsigned> out;
        tw::inclusive_scan(values::single_pass(stream), values::single_pass(), std::back_inserter(out));
        EXPECT_TRUE(out == expected) << size;

        expected.clear();
        std::exclusive_scan(elements.begin(), elements.end(), std::back_inserter(expected), 5u);
        stream = {elements};
        out.clear();
        auto const plus = [](unsigned a, unsigned b) { return a + b; };
        tw::exclusive_scan(values::single_pass(stream), values::single_pass(), std::back_inserter(out), 5u, plus);
        EXPECT_TRUE(out == expected) << size;
    }
}

TEST(scans, of_lists_and_into_lists)
{
    for (std::size_t const size : {1u, 300u, 20000u, 100000u}) {
        std::vector<unsigned> const elements = values::seeds(size);
        std::vector<double> expected(size);
        tw::exclusive_scan(elements, expected.begin(), 0.1);
        std::forward_list<unsigned> const list(elements.begin(), elements.end());
        std::deque<double> out(size);
        std::list<double> linked(size);
        auto const check = [&](auto policy) {
            EXPECT_EQ(tw::exclusive_scan(policy, list, out.begin(), 0.1), out.end());
            EXPECT_TRUE(std::equal(out.begin(), out.end(), expected.begin())) << size;
            EXPECT_EQ(tw::exclusive_scan(policy, elements, linked.begin(), 0.1), linked.end());
            EXPECT_TRUE(std::equal(linked.begin(), linked.end(), expected.begin())) << size;
            std::fill(linked.begin(), linked.end(), 0);
            EXPECT_EQ(tw::exclusive_scan(policy, list.begin(), list.end(), linked.begin(), 0.1), linked.end());
            EXPECT_TRUE(std::equal(linked.begin(), linked.end(), expected.begin())) << size;
        };
        check(tw::seq);
        check(tw::par);
    }
}

/// Writes what a function makes of a value, as Thrust's transform_output_iterator does.
template <class Function>
class transform_output {
public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = void;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    struct reference {
        Function function;
        double* target;
        template <class T>
        reference& operator=(T const& value)
        {
            *target = function(value);
            return *this;
        }
    };

    transform_output(double* target, Function function) : function_(function), target_(target) {}
    reference operator*() const { return {function_, target_}; }
    reference operator[](difference_type n) const { return {function_, target_ + n}; }
    transform_output& operator++() { return ++target_, *this; }
    transform_output operator+(difference_type n) const { return {target_ + n, function_}; }
    difference_type operator-(transform_output const& other) const { return target_ - other.target_; }

private:
    Function function_;
    double* target_;
};

TEST(scans, write_through_proxies)
{
    for (std::size_t const size : {1u, 1000u, 100000u}) {
        std::vector<float> const elements(size, 0.1F);
        std::vector<float> sums(size);
        tw::inclusive_scan(elements, sums.begin());
        auto const check = [&](auto policy) {
            std::vector<double> out(size);
            transform_output const first(out.data(), [](float value) { return value * 2.0; });
            EXPECT_EQ(tw::inclusive_scan(policy, elements, first) - first, static_cast<std::ptrdiff_t>(size));
            for (std::size_t i = 0; i < size; ++i)
                ASSERT_EQ(out[i], sums[i] * 2.0) << i;
        };
        check(tw::seq);
        check(tw::par);
    }
}

TEST(scans, read_reversed_ranges_and_write_backwards)
{
    std::vector<unsigned> elements(100000), expected(100000), out(100000);
    std::iota(elements.begin(), elements.end(), 1u);
    std::inclusive_scan(elements.rbegin(), elements.rend(), expected.rbegin());
    tw::inclusive_scan(tw::par, elements.rbegin(), elements.rend(), out.rbegin());
    EXPECT_EQ(out, expected);
    tw::inclusive_scan(elements.rbegin(), elements.rend(), elements.rbegin()); // in place
    EXPECT_EQ(elements, expected);
}

TEST(scans, in_place_are_those_out_of_place)
{
    for (std::size_t const size : values::sizes_around_units(sizeof(float))) {
        std::vector<float> elements;
        for (unsigned const seed : values::seeds(size))
            elements.push_back(static_cast<float>(seed));
        std::vector<float> including(size), excluding(size);
        auto const half = [](float x) { return x / 2; };
        tw::inclusive_scan(elements, including.begin());
        tw::transform_exclusive_scan(elements, excluding.begin(), 1.0F, std::plus<>(), half);
        auto const check = [&](auto policy) {
            std::vector<float> own = elements;
            EXPECT_EQ(tw::inclusive_scan(policy, own.begin(), own.end(), own.begin()), own.end());
            EXPECT_TRUE(own == including) << size;
            own = elements;
            tw::transform_exclusive_scan(policy, own.begin(), own.end(), own.begin(), 1.0F, std::plus<>(), half);
            EXPECT_TRUE(own == excluding) << size;
        };
        check(tw::seq);
        check(tw::par);
    }
}

TEST(scans, under_par_survive_an_op_that_is_parallel_itself)
{
    // No thread waits for another's tile, which could be beneath it on its own stack.
    tbb::global_control const allow(tbb::global_control::max_allowed_parallelism, 4);
    tbb::task_arena(4).execute([] {
        std::vector<unsigned> const elements = values::seeds(40 * values::tile_of(sizeof(unsigned)));
        std::vector<unsigned> expected(elements.size()), out(elements.size());
        std::inclusive_scan(elements.begin(), elements.end(), expected.begin());
        std::atomic<unsigned> calls = 0;
        tw::inclusive_scan(tw::par, elements, out.begin(), [&](unsigned a, unsigned b) {
            if (calls++ % 4096 == 0)
                tbb::parallel_for(0, 64, [&](int) { std::this_thread::yield(); });
            return a + b;
        });
        EXPECT_TRUE(out == expected);
    });
}

TEST(scans, with_a_slow_transform_run_on_several_threads)
{
    tbb::global_control const allow(tbb::global_control::max_allowed_parallelism, 4);
    tbb::task_arena(4).execute([] {
        std::vector<int> few(41);
        std::iota(few.begin(), few.end(), 1);
        std::atomic<bool> helped = false;
        auto const caller = std::this_thread::get_id();
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        int own_calls = 0; // the first tells that the transform is slow; then the caller waits for help
        std::vector<double> out(few.size()), expected(few.size());
        tw::transform_inclusive_scan(tw::par, few, out.begin(), std::plus<>(), [&](int i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            if (std::this_thread::get_id() != caller)
                helped = true;
            else if (own_calls++ > 0)
                while (!helped && std::chrono::steady_clock::now() < deadline)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return 0.1 * i;
        });
        EXPECT_TRUE(helped);
        tw::transform_inclusive_scan(few, expected.begin(), std::plus<>(), [](int i) { return 0.1 * i; });
        EXPECT_EQ(out, expected);
    });
}

TEST(scans, end_with_the_reduction)
{
    for (std::size_t const size : {1u, 1000u, 8192u, 8193u, 300000u}) {
        std::vector<float> elements, out(size);
        for (unsigned const seed : values::seeds(size))
            elements.push_back(static_cast<float>(static_cast<int>(seed)));
        tw::inclusive_scan(tw::par, elements, out.begin(), std::plus<>(), 0.5F);
        EXPECT_EQ(out.back(), tw::reduce(elements, 0.5F)) << size;
    }
}

} // namespace
