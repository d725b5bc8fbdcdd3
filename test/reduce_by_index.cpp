// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/core/operators.hpp>
#include <tilewise/reduce_by_index.hpp>

#include "backend.hpp"
#include "calls.hpp"
#include "order_shapes.hpp"
#include "values.hpp"

#include <gtest/gtest.h>
#include <tilewise/functional.hpp>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <forward_list>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Few cells are sorted in two steps and more, where the order's units are small.
template <>
inline constexpr tilewise::offset tilewise::host::most_buckets<backend::tiny_geometry> = 4;

namespace tw = tilewise;

namespace {

using calls::on_both;
using results = std::vector<int>;

/// What the specification makes of the values of every key.
template <class Geometry = tw::standard_geometry, class Key, class T, class Op>
std::vector<T> specified(std::vector<Key> const& keys, std::vector<T> const& x, std::size_t size, T const& init, Op op)
{
    std::vector<std::vector<T>> of_key(size);
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (auto const key = static_cast<double>(keys[i]); key >= 0 && key < static_cast<double>(size))
            of_key[static_cast<std::size_t>(key)].push_back(x[i]);
    std::vector<T> expected;
    for (auto const& own : of_key)
        expected.push_back(specification::reduce(own, init, op, backend::units_of<Geometry>()));
    return expected;
}

template <class T>
void expect_bits(std::vector<T> const& result, std::vector<T> const& expected, std::size_t elements)
{
    ASSERT_EQ(result.size(), expected.size());
    std::size_t i = 0;
    while (i < result.size() &&
           std::memcmp(static_cast<void const*>(&result[i]), static_cast<void const*>(&expected[i]), sizeof(T)) == 0)
        ++i;
    EXPECT_EQ(i, result.size()) << "of key " << i << ", " << sizeof(T) << " bytes, " << elements << " elements";
}

/// Compares both policies with the specification, for an order of any geometry.
template <class Geometry = tw::standard_geometry, class T, class Op>
void expect_specified(std::vector<int> const& keys, std::vector<T> const& x, std::size_t size, Op op)
{
    T const init = x.empty() ? T{} : x.back();
    auto const expected = specified<Geometry>(keys, x, size, init, op);
    on_both([&](auto on) {
        std::vector<T> out(size, init);
        auto const end = tw::host::reduce_by_cell<Geometry>(
            on, keys.begin(), static_cast<tw::offset>(keys.size()), x.begin(),
            tw::binning::numbered_cells{static_cast<int>(size)}, out.begin(), init, tw::known::operator_or_self<T>(op));
        EXPECT_EQ(end, out.end());
        expect_bits(out, expected, keys.size());
    });
}

/// Keys of which each occurs as often as told, in an order without a pattern.
std::vector<int> keys_that_occur(std::vector<std::size_t> const& times)
{
    std::vector<int> keys;
    for (std::size_t key = 0; key < times.size(); ++key)
        keys.insert(keys.end(), times[key], static_cast<int>(key));
    std::uint64_t state = 88172645463325252u;
    for (std::size_t i = keys.size(); i > 1; --i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        std::swap(keys[i - 1], keys[(state >> 33) % i]);
    }
    return keys;
}

/// Values of which every other order of addition has other bits.
template <class T>
std::vector<T> some_numbers(std::size_t count)
{
    std::vector<T> x;
    for (std::uint64_t const bits : shape::some_values<std::uint64_t>(count))
        x.push_back(1 + static_cast<T>(static_cast<std::int32_t>(bits >> 32)) / static_cast<T>(1ull << 40));
    return x;
}

/// Numbers of elements around the units of an order, as far as they are not too many; and a few.
template <class T, class Geometry>
std::vector<std::size_t> times_around_units(std::size_t most)
{
    using order = tw::order<T, Geometry>;
    std::vector<std::size_t> times{0, 1, 2, 3, 5, 0, 7};
    for (tw::offset const unit : {order::lane_vector, 4 * order::lane_vector, order::row, order::chunk, order::tile,
                                  order::tile + order::chunk + order::row, order::group, order::super_group})
        for (tw::offset const difference : {-1, 0, 1})
            if (auto const count = static_cast<std::size_t>(unit + difference); count <= most)
                times.push_back(count);
    return times;
}

TEST(reduce_by_index, takes_every_policy_op_and_init)
{
    std::vector<int> const keys{2, 0, 2, 3, -1, 0, 4, 2}, x{1, 2, 3, 4, 5, 6, 7, 8};
    results out(4);
    auto const first = keys.begin(), last = keys.end();
    auto const expect = [&](auto end, results const& expected) {
        EXPECT_EQ(end, out.end());
        EXPECT_EQ(out, expected);
        out.assign(4, -1);
    };
    expect(tw::reduce_by_index(first, last, x.begin(), 4, out.begin()), {8, 0, 12, 4});
    expect(tw::reduce_by_index(first, last, x.begin(), 4, out.begin(), 10), {18, 10, 22, 14});
    expect(tw::reduce_by_index(first, last, x.begin(), 4, out.begin(), 2, std::multiplies<>()), {24, 2, 48, 8});
    expect(tw::reduce_by_index(keys, x, 4, out.begin()), {8, 0, 12, 4});
    expect(tw::reduce_by_index(keys, x, 4, out.begin(), 10), {18, 10, 22, 14});
    expect(tw::reduce_by_index(keys, x, 4, out.begin(), 5, tw::maximum<>()), {6, 5, 8, 5});
    on_both([&](auto on) {
        expect(tw::reduce_by_index(on, first, last, x.begin(), 4, out.begin()), {8, 0, 12, 4});
        expect(tw::reduce_by_index(on, first, last, x.begin(), 4u, out.begin(), 10), {18, 10, 22, 14});
        expect(tw::reduce_by_index(on, first, last, x.begin(), 4ll, out.begin(), 2, std::multiplies<>()),
               {24, 2, 48, 8});
        expect(tw::reduce_by_index(on, keys, x, std::size_t{4}, out.begin()), {8, 0, 12, 4});
        expect(tw::reduce_by_index(on, keys, x, short{4}, out.begin(), 10), {18, 10, 22, 14});
        expect(tw::reduce_by_index(on, keys, x, 4, out.begin(), 0, [](int a, int b) { return a * 10 + b; }),
               {26, 0, 138, 4});
    });
}

TEST(reduce_by_index, takes_pointers_and_arrays)
{
    unsigned char const keys[]{1, 0, 1};
    float const x[]{0.5f, 1, 2};
    float out[2]{};
    on_both([&](auto on) {
        EXPECT_EQ(tw::reduce_by_index(on, keys, keys + 3, x, 2, out), out + 2);
        EXPECT_EQ(std::vector<float>(out, out + 2), (std::vector<float>{1, 2.5f}));
        EXPECT_EQ(tw::reduce_by_index(on, keys, x, 2, out, 1.0f), out + 2);
        EXPECT_EQ(std::vector<float>(out, out + 2), (std::vector<float>{2, 3.5f}));
    });
    tw::reduce_by_index(keys, x, 1, out, 3.0f, std::multiplies<>());
    EXPECT_EQ(out[0], 3);
}

/// Every number of an integral type that tells a wrong comparison from a right one.
template <class Key>
void expect_only_numbers_below_size()
{
    using limits = std::numeric_limits<Key>;
    std::vector<Key> const keys{Key(0),
                                Key(1),
                                Key(2),
                                Key(3),
                                Key(4),
                                limits::max(),
                                static_cast<Key>(limits::max() - 1),
                                limits::min(),
                                static_cast<Key>(limits::min() + 1),
                                static_cast<Key>(-1),
                                static_cast<Key>(-3),
                                Key(2)};
    std::vector<double> const x(keys.size(), 1);
    std::vector<int> const ones(keys.size(), 1);
    for (int const size : {0, 1, 3, 5}) {
        std::vector<double> const expected = specified(keys, x, static_cast<std::size_t>(size), 0.5, std::plus<>());
        on_both([&](auto on) {
            std::vector<double> out(static_cast<std::size_t>(size), -1);
            tw::reduce_by_index(on, keys, x, size, out.begin(), 0.5);
            EXPECT_EQ(out, expected) << sizeof(Key) << " bytes";
            std::vector<int> counts(static_cast<std::size_t>(size), -1);
            tw::reduce_by_index(on, keys, ones, size, counts.begin());
            for (std::size_t i = 0; i < counts.size(); ++i)
                EXPECT_EQ(counts[i] + 0.5, expected[i]);
        });
    }
}

TEST(reduce_by_index, takes_keys_of_every_integral_type)
{
    expect_only_numbers_below_size<signed char>();
    expect_only_numbers_below_size<unsigned char>();
    expect_only_numbers_below_size<char>();
    expect_only_numbers_below_size<short>();
    expect_only_numbers_below_size<unsigned short>();
    expect_only_numbers_below_size<int>();
    expect_only_numbers_below_size<unsigned>();
    expect_only_numbers_below_size<long>();
    expect_only_numbers_below_size<unsigned long>();
    expect_only_numbers_below_size<long long>();
    expect_only_numbers_below_size<unsigned long long>();
}

TEST(reduce_by_index, leaves_out_a_key_that_is_a_cell_modulo_2_to_32)
{
    std::vector<std::uint64_t> const keys{1, (std::uint64_t{1} << 32) + 1, (std::uint64_t{1} << 63) + 1,
                                          ~std::uint64_t{0}};
    on_both([&](auto on) {
        std::vector<double> out(2);
        tw::reduce_by_index(on, keys, std::vector<double>(4, 1), 2, out.begin());
        EXPECT_EQ(out, (std::vector<double>{0, 1}));
    });
}

TEST(reduce_by_index, gives_init_for_keys_without_elements_and_touches_nothing_else)
{
    int const* const none = nullptr;
    double const* const no_values = nullptr;
    int* const nowhere = nullptr;
    on_both([&](auto on) {
        std::vector<double> out(4, -1);
        EXPECT_EQ(tw::reduce_by_index(on, none, none, no_values, 3, out.begin(), 7.5), out.begin() + 3);
        EXPECT_EQ(out, (std::vector<double>{7.5, 7.5, 7.5, -1}));
        results counts(3, -1);
        tw::reduce_by_index(on, none, none, none, 2, counts.begin(), 7);
        EXPECT_EQ(counts, (results{7, 7, -1}));
        results const keys{0, 1, 2};
        EXPECT_EQ(tw::reduce_by_index(on, keys, keys, 0, nowhere), nowhere);
        EXPECT_EQ(tw::reduce_by_index(on, keys, std::vector<double>(3), 0, nowhere), nowhere);
        tw::reduce_by_index(on, results(3, 5), std::vector<double>(3, 1), 3, out.begin(), 0.5);
        EXPECT_EQ(out, (std::vector<double>{0.5, 0.5, 0.5, -1}));
    });
}

template <class T>
class ReduceByIndexOf : public testing::Test {};
using shapes = testing::Types<unsigned char, float, shape::bytes<12>>;
TYPED_TEST_SUITE(ReduceByIndexOf, shapes);

TYPED_TEST(ReduceByIndexOf, CombinesEveryKeyInTheOrder)
{
    auto const check = [&]<class Geometry>(Geometry, std::size_t most) {
        auto const keys = keys_that_occur(times_around_units<TypeParam, Geometry>(most));
        auto const x = shape::some_values<TypeParam>(keys.size());
        expect_specified<Geometry>(keys, x, 40, shape::non_associative<TypeParam>());
        expect_specified<Geometry>(keys, x, 10, shape::non_associative<TypeParam>()); // leaves some out
    };
    check(backend::tiny_geometry{}, 10000);
    check(tw::standard_geometry{}, 40000);
}

TEST(ReduceByIndex, CombinesEveryKeyInTheOrderInRegisters)
{
    auto const check = [&]<class T, class Geometry>(T, Geometry, auto op) {
        auto const keys = keys_that_occur(times_around_units<T, Geometry>(10000));
        expect_specified<Geometry>(keys, some_numbers<T>(keys.size()), 40, op);
    };
    check(float{}, backend::tiny_geometry{}, std::plus<>());
    check(float{}, tw::standard_geometry{}, std::plus<>());
    check(double{}, tw::standard_geometry{}, std::plus<>());
    check(double{}, tw::standard_geometry{}, std::multiplies<>());
}

TEST(ReduceByIndex, CombinesEveryKeyInTheOrderWhateverTheNumberOfKeys)
{
    auto const x = some_numbers<double>(100000);
    auto const random = shape::some_values<std::uint64_t>(x.size());
    for (std::size_t const size : {1u, 2u, 255u, 5000u, 70001u, 131072u, 131073u, 300000u}) {
        for (std::size_t const elements : {std::size_t{1000}, x.size()}) {
            auto const keys = [&](auto key_of) {
                std::vector<int> made(elements);
                for (std::size_t i = 0; i < elements; ++i)
                    made[i] = static_cast<int>(key_of(i));
                return made;
            };
            std::vector<double> const own(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(elements));
            SCOPED_TRACE(size);
            expect_specified(keys([&](std::size_t i) { return random[i] % size; }), own, size, std::plus<>());
            expect_specified(keys([&](std::size_t i) { return i % 4 == 0 ? random[i] % size : size / 2; }), own, size,
                             std::plus<>());
            expect_specified(keys([&](std::size_t i) { return random[i] % (2 * size) + 1 - size / 2; }), own, size,
                             [](double a, double b) { return a + b; });
        }
    }
}

TEST(ReduceByIndex, OfOneKeyIsReduce)
{
    auto const x = some_numbers<float>(values::many_tiles(sizeof(float)));
    float const expected = tw::reduce(tw::seq, x, 0.25f);
    for (std::size_t const size : {1u, 9000u, 200000u}) {
        std::vector<int> const keys(x.size(), static_cast<int>(size - 1));
        on_both([&](auto on) {
            std::vector<float> out(size);
            tw::reduce_by_index(on, keys, x, size, out.begin(), 0.25f);
            EXPECT_EQ(out.back(), expected);
            tw::reduce_by_index(on, keys, x, size, out.begin(), 0.25f, [](float a, float b) { return a + b; });
            EXPECT_EQ(out.back(), expected);
        });
    }
}

TEST(ReduceByIndex, DoesNotDependOnTheNumberOfThreads)
{
    auto const x = some_numbers<double>(300000);
    auto const random = shape::some_values<std::uint32_t>(x.size());
    tbb::global_control const allow(tbb::global_control::max_allowed_parallelism, 8);
    for (std::uint32_t const size : {7u, 200000u}) {
        std::vector<std::uint32_t> keys;
        for (std::uint32_t const bits : random)
            keys.push_back(bits % size);
        auto const expected = specified(keys, x, size, 0.0, std::plus<>());
        for (int const threads : {1, 2, 3, 8})
            tbb::task_arena(threads).execute([&] {
                std::vector<double> out(size);
                tw::reduce_by_index(tw::par, keys, x, size, out.begin());
                expect_bits(out, expected, x.size());
            });
    }
}

/// Compares integers under an operator that is known by name with a loop.
template <class T, class Op>
void expect_loop(Op op, T init)
{
    auto const random = shape::some_values<std::uint64_t>(70000);
    for (std::size_t const size : {1u, 3u, 1000u, 40000u}) {
        std::vector<T> x;
        std::vector<int> keys;
        std::vector<T> expected(size, init);
        auto const known_op = tw::known::operator_or_self<T>(op);
        for (std::uint64_t const bits : random) {
            x.push_back(static_cast<T>(bits >> 20));
            keys.push_back(static_cast<int>(bits % (size + 1)) - (size > 3 && bits % 16 == 0 ? 10 : 0));
            if (keys.back() >= 0 && keys.back() < static_cast<int>(size)) {
                T& own = expected[static_cast<std::size_t>(keys.back())];
                own = static_cast<T>(known_op(own, x.back()));
            }
        }
        on_both([&](auto on) {
            std::vector<T> out(size);
            EXPECT_EQ(tw::reduce_by_index(on, keys, x, size, out.begin(), init, op), out.end());
            EXPECT_TRUE(out == expected) << sizeof(T) << " bytes, " << size << " keys";
            std::list<int> const key_list(keys.begin(), keys.end());
            tw::reduce_by_index(on, key_list, x, size, out.begin(), init, op);
            EXPECT_TRUE(out == expected) << sizeof(T) << " bytes, " << size << " keys in a list";
        });
    }
}

TEST(reduce_by_index, of_integers_is_exact_under_every_operator_known_by_name)
{
    expect_loop<std::int32_t>(std::plus<>(), 5);
    expect_loop<std::int64_t>(std::plus<std::int64_t>(), -1);
    expect_loop<std::uint8_t>(std::multiplies<>(), 3);
    expect_loop<std::uint64_t>(std::multiplies<>(), 1);
    expect_loop<std::int8_t>(tw::minimum<>(), 50);
    expect_loop<std::int16_t>(tw::maximum<>(), -20000);
    expect_loop<std::int64_t>(tw::maximum<>(), std::numeric_limits<std::int64_t>::min());
    expect_loop<std::uint32_t>(tw::minimum<>(), ~0u);
    expect_loop<std::uint16_t>(std::bit_and<>(), 0xffff);
    expect_loop<std::int32_t>(std::bit_and<>(), -1);
    expect_loop<std::uint64_t>(std::bit_or<>(), 1);
    expect_loop<std::int64_t>(std::bit_xor<>(), 77);
}

TEST(reduce_by_index, accumulates_in_the_type_of_init)
{
    std::vector<std::uint8_t> const keys(600, 1), x(600, 200);
    on_both([&](auto on) {
        std::vector<long> out(2);
        tw::reduce_by_index(on, keys, x, 2, out.begin());
        EXPECT_EQ(out[1], 120000 % 256);
        tw::reduce_by_index(on, keys, x, 2, out.begin(), 1);
        EXPECT_EQ(out[1], 120001);
        tw::reduce_by_index(on, keys, x, 2, out.begin(), 0.5);
        EXPECT_EQ(out[1], 120000);
        tw::reduce_by_index(on, keys, x, 2, out.begin(), false, std::logical_or<>());
        EXPECT_EQ(out, (std::vector<long>{0, 1}));
    });
}

TEST(reduce_by_index, combines_what_has_to_be_destroyed)
{
    std::size_t const elements = 50000;
    for (std::size_t const size : {3u, 150000u}) {
        std::vector<int> keys;
        std::vector<std::string> x, expected(size, ">");
        for (std::size_t i = 0; i < elements; ++i) {
            keys.push_back(static_cast<int>(i * i % (size + 1)));
            x.push_back(i % 50 == 0 ? std::string(40, 'x') : std::string(1, static_cast<char>('a' + i % 26)));
            if (keys.back() < static_cast<int>(size))
                expected[static_cast<std::size_t>(keys.back())] += x.back();
        }
        on_both([&](auto on) {
            std::vector<std::string> out(size);
            tw::reduce_by_index(on, keys, x, size, out.begin(), std::string(">"));
            EXPECT_TRUE(out == expected);
            std::forward_list<std::string> const list(x.begin(), x.end());
            std::list<std::string> written(size);
            EXPECT_EQ(tw::reduce_by_index(on, keys.begin(), keys.end(), list.begin(), size, written.begin(),
                                          std::string(">"), std::plus<>()),
                      written.end());
            EXPECT_TRUE(std::equal(written.begin(), written.end(), expected.begin(), expected.end()));
            auto spent = x;
            tw::reduce_by_index(on, keys.begin(), keys.end(), std::make_move_iterator(spent.begin()), size, out.begin(),
                                std::string(">"));
            EXPECT_TRUE(out == expected);
        });
        EXPECT_EQ(x[0], std::string(40, 'x')) << "moved out of the input";
    }
}

TEST(reduce_by_index, moves_values_of_a_long_segment_once)
{
    // Two thirds of many tiles of strings: all cores share their segment.
    std::size_t const elements = 3 * values::tile_of(sizeof(std::string));
    std::vector<int> keys(elements);
    std::vector<std::string> x;
    std::string expected[2];
    for (std::size_t i = 0; i < elements; ++i) {
        keys[i] = i % 3 == 0;
        x.emplace_back(1, static_cast<char>('a' + i % 26));
        expected[keys[i]] += x.back();
    }
    std::vector<std::string> out(2);
    for (int repeat = 0; repeat < 5; ++repeat) {
        tw::reduce_by_index(tw::par, keys, x, 2, out.begin());
        EXPECT_EQ(out[0], expected[0]);
        EXPECT_EQ(out[1], expected[1]);
    }
}

template <class T, class Op>
void expect_fold(Op op)
{
    auto const seeds = values::seeds(40000);
    for (std::size_t const size : {4u, 150000u}) {
        T const init(3);
        std::vector<T> x(seeds.begin(), seeds.end());
        std::vector<unsigned> keys;
        for (unsigned const seed : seeds)
            keys.push_back(seed / 64 % static_cast<unsigned>(size));
        auto const expected = [&](std::size_t key) { // by moves of what may not be assigned
            std::vector<T> total{init};
            for (std::size_t i = 0; i < keys.size(); ++i) {
                if (keys[i] == key) {
                    T sum = op(total.back(), x[i]);
                    total.pop_back();
                    total.push_back(std::move(sum));
                }
            }
            return total.back();
        };
        on_both([&](auto on) {
            std::vector<T> out;
            if constexpr (std::is_copy_assignable_v<T>) {
                out.assign(size, init);
                tw::reduce_by_index(on, keys, x, size, out.begin(), init, op);
            } else if constexpr (std::same_as<decltype(on), tw::sequenced_policy>) {
                tw::reduce_by_index(on, keys, x, size, std::back_inserter(out), init, op);
            } else {
                return; // par cannot write to it
            }
            ASSERT_EQ(out.size(), size);
            for (std::size_t key = 0; key < size; key += size / 4)
                EXPECT_TRUE(out[key] == expected(key)) << key;
        });
    }
}

TEST(reduce_by_index, combines_operators_that_do_not_commute)
{
    expect_fold<values::map>(values::compose());
    expect_fold<values::words<std::uint8_t, 24>>(values::compose());
    expect_fold<values::constant>(std::multiplies<>());
    std::vector<values::matrix> x;
    std::vector<int> keys;
    for (unsigned const seed : values::seeds(5000)) {
        x.push_back({seed, seed >> 3, seed >> 5, seed >> 7});
        keys.push_back(static_cast<int>(seed >> 9) % 7 - 1);
    }
    expect_specified(keys, x, 6, std::multiplies<>());
}

TEST(reduce_by_index, reads_lists_and_streams_and_writes_through_output_iterators)
{
    std::vector<int> const keys{1, 0, 7, 1, 1};
    std::vector<double> const x{1, 2, 4, 8, 16};
    on_both([&](auto on) {
        std::forward_list<int> const key_list(keys.begin(), keys.end());
        std::list<double> const value_list(x.begin(), x.end());
        std::forward_list<double> out(2);
        EXPECT_EQ(tw::reduce_by_index(on, key_list, value_list, 2, out.begin()), out.end());
        EXPECT_EQ(out, (std::forward_list<double>{2, 25}));
        tw::reduce_by_index(on, key_list, x, 2, out.begin());
        EXPECT_EQ(out, (std::forward_list<double>{2, 25}));
        tw::reduce_by_index(on, keys, value_list, 2, out.begin());
        EXPECT_EQ(out, (std::forward_list<double>{2, 25}));
        tw::reduce_by_index(on, key_list.begin(), key_list.begin(), value_list.begin(), 2, out.begin(), 0.5);
        EXPECT_EQ(out, (std::forward_list<double>{0.5, 0.5}));
    });
    std::istringstream key_stream("1 0 7 1 1"), value_stream("1 2 4 8 16"), more_keys("1 0 7 1 1"),
        more_values("1 2 4 8 16");
    std::vector<double> out;
    tw::reduce_by_index(std::istream_iterator<int>(key_stream), std::istream_iterator<int>(),
                        std::istream_iterator<double>(value_stream), 2, std::back_inserter(out), 0.0);
    EXPECT_EQ(out, (std::vector<double>{2, 25}));
    std::vector<int> exact;
    tw::reduce_by_index(tw::seq, std::istream_iterator<int>(more_keys), std::istream_iterator<int>(),
                        std::istream_iterator<int>(more_values), 2, std::back_inserter(exact));
    EXPECT_EQ(exact, (std::vector<int>{2, 25}));
}

TEST(reduce_by_index, makes_the_largest_and_the_mean_of_a_bin)
{
    struct mean {
        double sum;
        int count;
    };
    struct measured { // converts to a mean
        double value;
        operator mean() const { return {value, 1}; }
    };
    std::vector<int> const keys{0, 2, 0, 2, 2};
    std::vector<measured> const x{{1.5}, {4}, {2.5}, {7}, {1}};
    on_both([&](auto on) {
        std::vector<mean> means(3);
        tw::reduce_by_index(on, keys, x, 3, means.begin(), mean{0, 0},
                            [](mean const& a, mean const& b) { return mean{a.sum + b.sum, a.count + b.count}; });
        EXPECT_EQ(means[0].sum / means[0].count, 2);
        EXPECT_EQ(means[1].count, 0);
        EXPECT_EQ(means[2].sum / means[2].count, 4);
        std::vector<double> const heights{1.5, 4, 2.5, 7, 1};
        std::vector<double> largest(3);
        tw::reduce_by_index(on, keys, heights, 3, largest.begin(), -1.0, tw::maximum<>());
        EXPECT_EQ(largest, (std::vector<double>{2.5, -1, 7}));
    });
}

} // namespace
