// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// A file that nvcc never sees, and that has no header of CUDA's, calls device algorithms. Every call that the compiled
/// library takes has the bits of seq. With FEW it is the calls of the small part that the interpreter runs.

// Transforms are told to convert what a compiler would warn of.
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"

#include "few.hpp"
#include "memory.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(TILEWISE_DEVICE_ENGINE) || defined(CUDART_VERSION) || defined(__CUDACC__)
#error "this file has to be one for the host's compiler alone"
#endif

namespace tw = tilewise;

namespace {

using tw::compiled::types;

#ifdef FEW
constexpr bool few_calls = true;
using few::accumulators, few::counters, few::elements;
using operators = types<std::plus<>>;
template <class>
using functions = types<std::identity, tw::square<>>;
using bounds = accumulators;
#else
constexpr bool few_calls = false;
using elements =
    types<signed char, char8_t, std::int16_t, std::uint16_t, int, unsigned, long long, unsigned long, float, double>;
using accumulators = elements;
using operators =
    types<std::plus<>, std::multiplies<>, tw::minimum<>, tw::maximum<>, std::bit_and<>, std::bit_or<>, std::bit_xor<>>;
template <class T>
using functions = types<std::identity, tw::square<>, tw::square<T>, tw::absolute<>, tw::absolute<T>>;
using bounds = types<int, long long, float, double>;
using counters = types<int, unsigned, long long, std::uint64_t>;
#endif

template <class Types, class Use>
void for_each(Use const& use)
{
    tw::compiled::for_each_type(Types(), use);
}

std::vector<std::size_t> sizes()
{
    if (few_calls)
        return {0, 1, 17, 1000};
    if (std::getenv("TILEWISE_TEST_SMALL") != nullptr)
        return {0, 17, 1000};
    return {0, 1, 17, 1000, (std::size_t{1} << 20) + 3};
}

/// Integers of all bits, the extremes among them; numbers around 1 and -1, of which a million have a product.
template <class E>
std::vector<E> some(std::size_t count)
{
    std::vector<E> result(count);
    std::uint64_t state = 88172645463325252u;
    for (E& x : result) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if constexpr (std::is_floating_point_v<E>)
            x = static_cast<E>((1 + static_cast<double>(static_cast<std::int32_t>(state)) * 0x1p-37) *
                               ((state >> 60) % 2 == 0 ? 1 : -1));
        else
            x = static_cast<E>(state >> 20);
    }
    if constexpr (std::is_integral_v<E>) {
        if (count > 1)
            result[1] = std::numeric_limits<E>::min();
        if (count > 2)
            result[2] = std::numeric_limits<E>::max();
    }
    return result;
}

template <class T>
bool same_bits(T const& a, T const& b)
{
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}
template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class... Types>
std::string names()
{
    return __PRETTY_FUNCTION__;
}

class compiled : public testing::Test {
protected:
    void SetUp() override
    {
        if (!on_gpu::has_device())
            GTEST_SKIP() << "there is no GPU";
    }
};

// ---- what stands for what

using tw::compiled::known_function;
using tw::library::function_of;

/// A transform for which the library has none.
constexpr std::optional<known_function> none;

// Squares of short integers fit an int, but those of unsigned short; what wraps in an int may not be made longer.
static_assert(function_of<tw::square<>, signed char, long>() == known_function::square);
static_assert(function_of<tw::square<>, short, long>() == known_function::square);
static_assert(function_of<tw::square<>, unsigned short, long>() == none);
static_assert(function_of<tw::square<>, unsigned short, unsigned>() == known_function::square);
static_assert(function_of<tw::square<>, int, int>() == known_function::square);
static_assert(function_of<tw::square<>, int, long>() == none);
static_assert(function_of<tw::square<long>, int, long>() == known_function::square);
static_assert(function_of<tw::square<int>, signed char, long>() == none);
static_assert(function_of<tw::square<int>, float, int>() == none);
static_assert(function_of<tw::square<>, float, float>() == known_function::square);
static_assert(function_of<tw::square<>, float, double>() == known_function::square_of_element);
static_assert(function_of<tw::square<float>, float, double>() == known_function::square_of_element);
static_assert(function_of<tw::square<double>, float, double>() == known_function::square);
static_assert(function_of<tw::square<float>, double, double>() == none);
// The least int has no absolute value in an int; unsigned integers are their own, unless they are made shorter.
static_assert(function_of<tw::absolute<>, signed char, long>() == known_function::absolute);
static_assert(function_of<tw::absolute<>, int, int>() == known_function::absolute);
static_assert(function_of<tw::absolute<>, int, long>() == none);
static_assert(function_of<tw::absolute<long>, int, long>() == known_function::absolute);
static_assert(function_of<tw::absolute<unsigned>, int, unsigned>() == none);
static_assert(function_of<tw::absolute<>, unsigned, long>() == known_function::identity);
static_assert(function_of<tw::absolute<int>, unsigned, int>() == none);
static_assert(function_of<tw::absolute<long>, unsigned, long>() == known_function::identity);
static_assert(function_of<tw::absolute<unsigned char>, unsigned, long>() == none);
static_assert(function_of<tw::absolute<>, float, double>() == known_function::absolute);
static_assert(function_of<std::negate<>, float, float>() == none);

// Signs make no difference to sums, and all the difference to extremes.
static_assert(
    std::is_same_v<tw::library::accumulator_for<tw::compiled::known_operator::plus, long long>, std::uint64_t>);
static_assert(std::is_same_v<tw::library::accumulator_for<tw::compiled::known_operator::minimum, int>, std::int32_t>);
static_assert(std::is_same_v<tw::library::element_for<tw::compiled::known_operator::plus, short, int>, std::int16_t>);
static_assert(std::is_same_v<tw::library::element_for<tw::compiled::known_operator::plus, int, int>, std::uint32_t>);
static_assert(std::is_same_v<tw::library::element_for<tw::compiled::known_operator::plus, int, double>, std::int32_t>);
static_assert(tw::library::operator_of<std::bit_and<int>, int>() == tw::compiled::known_operator::bit_and);
static_assert(!tw::library::operator_of<std::bit_and<>, float>());
static_assert(!tw::library::operator_of<std::plus<>, bool>() && !tw::library::operator_of<std::plus<>, long double>());
static_assert(!tw::library::operator_of<std::minus<>, int>());

// ---- reductions

template <class E, class T, class Op, class Function>
void expect_reduction()
{
    using input = tw::transformed<Function, E const*>;
    if constexpr (!tw::library::has_reduction<input, T, Op>()) {
        return;
    } else {
        for (std::size_t const size : sizes()) {
            auto const x = some<E>(size);
            on_gpu::array<E> const device_copy(x, size % 4 * sizeof(E));
            T const expected = tw::transform_reduce(tw::seq, x, T(3), Op(), Function());
            for (auto const& where : {std::span<E const>(x), std::span<E const>(device_copy.begin(), size)}) {
                EXPECT_TRUE(same_bits(tw::transform_reduce(tw::device, where, T(3), Op(), Function()), expected))
                    << names<E, T, Op, Function>() << ", n = " << size;
                if constexpr (std::is_same_v<Function, std::identity>) {
                    EXPECT_TRUE(same_bits(tw::reduce(tw::device, where, T(3), Op()), expected))
                        << names<E, T, Op>() << ", n = " << size;
                }
            }
        }
    }
}

/// A transform, deduced and told the type.
template <class E, class T, class Op, class... Functions>
void expect_reductions(types<Functions...>)
{
    (expect_reduction<E, T, Op, Functions>(), ...);
}

TEST_F(compiled, reductions_have_the_bits_of_seq)
{
    for_each<elements>([]<class E>(E*) {
        for_each<accumulators>([]<class T>(T*) {
            for_each<operators>([]<class Op>(Op*) {
                if constexpr (tw::library::operator_of<Op, T>().has_value())
                    expect_reductions<E, T, Op>(functions<T>());
            });
        });
    });
}

template <class E, class T>
void expect_products()
{
    using input = tw::transformed_pairs<std::multiplies<>, E const*, E const*>;
    if constexpr (tw::library::has_reduction<input, T, std::plus<>>()) {
        for (std::size_t const size : sizes()) {
            auto const x = some<E>(size), y = some<E>(size + 1);
            on_gpu::array<E> const xs(x), ys(y);
            T const expected = tw::transform_reduce(tw::seq, x, y, T(3));
            EXPECT_TRUE(same_bits(tw::transform_reduce(tw::device, x, y, T(3)), expected)) << names<E, T>() << size;
            EXPECT_TRUE(same_bits(tw::transform_reduce(tw::device, xs.begin(), xs.end(), ys.begin(), T(3)), expected))
                << names<E, T>() << size;
        }
    }
}

TEST_F(compiled, sums_of_products_have_the_bits_of_seq)
{
    // (Of signed integers products may overflow.)
    for_each<elements>([]<class E>(E*) {
        for_each<accumulators>([]<class T>(T*) {
            if constexpr (std::is_unsigned_v<E> || std::is_floating_point_v<E>)
                expect_products<E, T>();
        });
    });
}

TEST_F(compiled, results_are_written_where_they_belong)
{
    auto const x = some<float>(1000);
    double const sum = tw::reduce(tw::seq, x, 0.0), product = tw::transform_reduce(tw::seq, x, x, 0.0);
    std::vector<double> sums;
    tw::reduce_into(tw::device, x, std::back_inserter(sums), 0.0);
    std::array<double, 2> array{};
    tw::transform_reduce_into(tw::device, x, x, array.begin(), 0.0);
    EXPECT_TRUE(same_bits(sums, {sum}));
    EXPECT_EQ(array[0], product);
    EXPECT_EQ(array[1], 0);

    CUstream_st* const stream = on_gpu::new_stream();
    auto const policy = tw::device.on(stream).nosync();
    on_gpu::array<float> const device_copy(x);
    on_gpu::array<double> const results(std::vector<double>(2));
    auto* const end = tw::reduce_into(policy, device_copy, results.begin(), 0.0);
    tw::transform_reduce_into(policy, device_copy, device_copy, end, 0.0);
    on_gpu::wait_for(stream);
    EXPECT_TRUE(same_bits(results.values(), {sum, product}));
    EXPECT_EQ(end, results.begin() + 1);
    EXPECT_THROW(tw::reduce_into(policy, x, results.begin(), 0.0), std::invalid_argument); // ordinary host memory
    on_gpu::end(stream);
}

// ---- scans

template <tw::scan_form form, class T, class Policy, class In, class Out, class Op>
void scan(Policy policy, In const& in, Out out, Op op, bool with_init)
{
    if constexpr (form == tw::scan_form::exclusive)
        tw::exclusive_scan(policy, in, out, T(3), op);
    else if (with_init)
        tw::inclusive_scan(policy, in, out, op, T(3));
    else if constexpr (std::is_same_v<std::ranges::range_value_t<In>, T>)
        tw::inclusive_scan(policy, in, out, op);
    else
        tw::inclusive_scan(policy, in, out, op, T());
}

template <tw::scan_form form, class E, class T, class Op>
void expect_scan()
{
    if constexpr (!tw::library::has_scan<form, E, T, Op>()) {
        return;
    } else {
        for (std::size_t const size : sizes()) {
            bool const with_init = size % 2 == 1;
            auto const x = some<E>(size);
            std::vector<T> expected(size), here(size), initial(size);
            scan<form, T>(tw::seq, x, expected.begin(), Op(), with_init);
            scan<form, T>(tw::device, x, here.begin(), Op(), with_init);
            EXPECT_TRUE(same_bits(here, expected)) << names<E, T, Op>() << ", n = " << size;

            on_gpu::array<E> const device_copy(x, size % 4 * sizeof(E));
            on_gpu::array<T> const results(initial);
            scan<form, T>(tw::device, device_copy, results.begin(), Op(), with_init);
            EXPECT_TRUE(same_bits(results.values(), expected)) << names<E, T, Op>() << ", n = " << size;
            if constexpr (std::is_same_v<E, T>) {
                scan<form, T>(tw::device, device_copy, device_copy.begin(), Op(), with_init);
                EXPECT_TRUE(same_bits(device_copy.values(), expected))
                    << names<E, T, Op>() << " in place, n = " << size;
            }
        }
    }
}

template <tw::scan_form form>
void expect_scans()
{
    for_each<elements>([]<class E>(E*) {
        for_each<accumulators>([]<class T>(T*) {
            for_each<operators>([]<class Op>(Op*) {
                if constexpr (tw::library::operator_of<Op, T>().has_value())
                    expect_scan<form, E, T, Op>();
            });
        });
    });
}

TEST_F(compiled, inclusive_scans_have_the_bits_of_seq)
{
    expect_scans<tw::scan_form::inclusive>();
}

TEST_F(compiled, exclusive_scans_have_the_bits_of_seq)
{
    expect_scans<tw::scan_form::exclusive>();
}

// ---- histograms

std::vector<tw::axis_options> options()
{
    if (few_calls)
        return {{tw::flow::bins, true}};
    return {{}, {tw::flow::drop, true}, {tw::flow::bins, false}, {tw::flow::clamp, true}};
}

template <class S, class C, class Axis>
void expect_histogram(Axis const& axis)
{
    for (std::size_t const size : sizes()) {
        auto const x = some<S>(size);
        on_gpu::array<S> const device_copy(x);
        std::vector<C> const before(static_cast<std::size_t>(axis.extent()), C{5});
        auto expected = before, here = before, added = before;
        on_gpu::array<C> const counts(before);
        auto const end = tw::histogram(tw::seq, x, axis, expected.begin()) - expected.begin();
        EXPECT_EQ(tw::histogram(tw::device, x, axis, here.begin()) - here.begin(), end);
        tw::histogram(tw::device, device_copy, axis, counts.begin());
        EXPECT_EQ(here, expected) << names<S, C, Axis>() << ", n = " << size;
        EXPECT_EQ(counts.values(), expected) << names<S, C, Axis>() << ", n = " << size;
        tw::histogram_add(tw::seq, x, axis, expected.begin());
        tw::histogram_add(tw::device, device_copy, axis, here.begin());
        EXPECT_EQ(here, expected) << names<S, C, Axis>() << ", n = " << size;
    }
}

template <class S, class C, class MakeAxis>
void expect_histograms(MakeAxis const& make)
{
    using axis = decltype(make(tw::axis_options()));
    if constexpr (tw::library::has_histogram<S, decltype(std::declval<axis const&>().view())>())
        for (auto const& chosen : options())
            expect_histogram<S, C>(make(chosen));
}

TEST_F(compiled, histograms_have_the_counts_of_seq)
{
    for_each<elements>([]<class S>(S*) {
        for_each<counters>([]<class C>(C*) {
            for_each<bounds>([]<class A>(A*) {
                if constexpr (std::is_floating_point_v<A>)
                    expect_histograms<S, C>(
                        [](auto options) { return tw::regular_axis<A>(30, A(-1.1), A(1.03), options); });
                else
                    expect_histograms<S, C>([](auto options) { return tw::integer_axis<A>(-3, 100, options); });
                if constexpr (!few_calls)
                    expect_histograms<S, C>([](auto options) {
                        return tw::variable_axis<A>(std::vector<A>{A(-20), A(-1), A(1), A(9), A(200)}, options);
                    });
            });
        });
    });
}

TEST_F(compiled, an_axis_that_is_not_one_throws_as_it_does_anywhere)
{
    std::vector<float> const x(10);
    std::vector<int> counts(4);
    EXPECT_THROW(tw::histogram(tw::device, x, 4, 1.0, 0.0, counts.begin()), std::invalid_argument);
}

// ---- policies and errors

TEST_F(compiled, what_a_policy_refers_to_is_called)
{
    std::vector<std::string> kernels;
    auto const sink = [&](tw::launch_record const& record) { kernels.emplace_back(record.kernel); };
    std::vector<float> const x(100, 0.5F);
    EXPECT_EQ(tw::reduce(tw::device.trace(sink), x, 0.0), 50);
    EXPECT_EQ(kernels, std::vector<std::string>{"reduce_one_tile"});
}

TEST(compiled_library, throws_no_device_where_there_is_none)
{
    if (on_gpu::has_device())
        GTEST_SKIP() << "there is a GPU";
    std::vector<float> const x(100, 0.5F);
    std::vector<double> sums(x.size());
    std::vector<int> counts(4);
    EXPECT_THROW(static_cast<void>(tw::reduce(tw::device, x, 0.0)), tw::no_device);
    EXPECT_THROW(tw::inclusive_scan(tw::device, x, sums.begin(), std::plus<>(), 0.0), tw::no_device);
    EXPECT_THROW(tw::histogram(tw::device, x, 4, 0.0, 1.0, counts.begin()), tw::no_device);
    try {
        static_cast<void>(tw::reduce(tw::device, x, 0.0));
    } catch (tw::no_device const& error) {
        EXPECT_EQ(std::string(error.what()).find("not compiled"), std::string::npos) << error.what();
    }
}

} // namespace
