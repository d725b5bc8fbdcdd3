// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// reduce_by_index on the device: the order of combination of each cell, whatever the cells and the values are.

#include "by_index_kernels.hpp"
#include "computed.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace {

using namespace by_index;
using on_device::amount;

/// Every spread, at a number of elements that depends on the geometry, for a number of cells.
template <class T, class Geometry, class Tuning, class Op>
void expect_all_spreads(std::vector<T> const& x, std::vector<int> const& extents, Op op)
{
    std::size_t turn = 0;
    for (int const cells : extents)
        for (spread const how : all_spreads) {
            if (on_device::leaves_to_other_schedule(turn++))
                continue;
            std::size_t const count = x.size() - 1 - turn % 7;
            expect_specified<Geometry, Tuning>(
                std::vector<T>(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count)), cells, how, x.back(), op);
        }
}
template <class T, class Tuning = small_steps>
void expect_order(std::vector<int> const& extents)
{
    auto const x = shape::some_values<T>(static_cast<std::size_t>(2 * tw::order<T, steep_geometry>::tile) + 19);
    expect_all_spreads<T, steep_geometry, Tuning>(x, extents, shape::non_associative<T>());
}

DEVICE_TEST(by_index_order, of_words_is_that_of_every_cell_alone)
{
    expect_order<std::uint32_t>({1, 2, 3, 4, 5, 16, 17, 64, 65, 127, 128, 129});
}

DEVICE_TEST(by_index_order, of_words_that_are_sorted_is_that_of_every_cell_alone)
{
    expect_order<std::uint32_t, sorting<small_steps>>({1, 2, 3, 4, 5, 16, 17, 64, 65});
}

DEVICE_TEST(by_index_order, of_bytes_is_that_of_every_cell_alone)
{
    expect_order<unsigned char>({3, 17, 130});
}

/// Lane vectors of 2, 5 and 8 elements, of 16, 15 and 12 bytes.
DEVICE_TEST(by_index_order, of_values_of_other_sizes_is_that_of_every_cell_alone)
{
    expect_order<std::uint16_t>({2, 20});
    expect_order<shape::bytes<3>>({4, 100});
    expect_order<shape::bytes<6>>({3});
    expect_order<std::uint64_t>({1, 40});
}

DEVICE_TEST(by_index_order, of_structures_is_that_of_every_cell_alone)
{
    expect_order<shape::bytes<12>>({1, 5, 50});
}

DEVICE_TEST(by_index_order, of_structures_that_do_not_travel_is_that_of_every_cell_alone)
{
    expect_order<shape::bytes<24>>({1, 4, 23});
    expect_order<std::array<std::uint64_t, 32>>({2}); // (nvcc takes long for bytes that are not aligned)
}

/// Units of every level of one cell, beside others.
DEVICE_TEST(by_index_order, of_long_cells_crosses_every_level)
{
    using order = tw::order<shape::bytes<12>, steep_geometry>;
    auto const init = shape::some_values<shape::bytes<12>>(1).front();
    for (tw::offset const unit :
         {order::tile, order::group, order::super_group, 7 * order::super_group + order::group}) {
        for (tw::offset const difference : {-1, 0, 1, 2}) {
            auto const x = shape::some_values<shape::bytes<12>>(static_cast<std::size_t>(unit + difference));
            auto const op = shape::non_associative<shape::bytes<12>>();
            if (on_device::leaves_to_other_schedule(static_cast<std::size_t>(difference + 1)))
                expect_specified<steep_geometry, small_steps>(x, 1, spread::one_cell, init, op);
            else
                expect_specified<steep_geometry, small_steps>(x, 9, spread::few_cells, init, op);
        }
    }
}

DEVICE_TEST(by_index_order, does_not_depend_on_the_number_of_blocks)
{
    auto const x = shape::some_values<std::uint32_t>(9001);
    for (int const cells : {3, 13}) // few elements, and many, of a cell in a block
        for (spread const how : {spread::anyhow, spread::few_cells, spread::in_runs})
            expect_specified<steep_geometry, many_blocks>(x, cells, how, 7u, shape::non_associative<std::uint32_t>());
    expect_specified<steep_geometry, sorting<many_blocks>>(x, 13, spread::anyhow, 7u,
                                                           shape::non_associative<std::uint32_t>());
}

/// With the numbers that everybody else has.
DEVICE_TEST(by_index_order, of_floats_is_that_of_every_cell_alone)
{
    auto const some = [](std::size_t count) {
        std::vector<float> x;
        for (std::uint32_t const bits : shape::some_values<std::uint32_t>(count))
            x.push_back(static_cast<float>(static_cast<std::int32_t>(bits)) / static_cast<float>(1 << (bits % 16)));
        return x;
    };
    for (int const cells : {1, 16, 17, 255, 256, 257, 2048, 2049, 4000})
        for (spread const how : {spread::anyhow, spread::few_cells}) {
            if (on_device::interpreted && how == spread::few_cells && cells != 256)
                continue;
            expect_specified<tw::standard_geometry, usual_lane_vectors>(
                some(amount<std::size_t>(2000003, 200003, 20011)), cells, how, 0.5f, std::plus<>());
        }
    expect_specified<tw::standard_geometry, tw::gpu::by_index_tuning>(some(amount<std::size_t>(9000001, 300001, 100)),
                                                                      70000, spread::anyhow, 0.5f, std::plus<>());
}

/// No default constructor, and products that do not commute.
struct matrix {
    unsigned a, b, c, d;

    matrix(unsigned a_, unsigned b_, unsigned c_, unsigned d_) : a(a_), b(b_), c(c_), d(d_) {}
    friend bool operator==(matrix const&, matrix const&) = default;
};
struct matrix_product {
    TILEWISE_PORTABLE matrix operator()(matrix const& x, matrix const& y) const
    {
        matrix result = x;
        result.a = x.a * y.a + x.b * y.c;
        result.b = x.a * y.b + x.b * y.d;
        result.c = x.c * y.a + x.d * y.c;
        result.d = x.c * y.b + x.d * y.d;
        return result;
    }
};

DEVICE_TEST(by_index_values, keep_their_order_within_a_cell)
{
    std::vector<matrix> x;
    for (std::uint32_t const word : shape::some_values<std::uint32_t>(amount<std::size_t>(300001, 30001, 700)))
        x.emplace_back(word | 1, word >> 5, 2 * (word >> 7), 1u);
    for (int const cells : {1, 7, 300}) {
        auto const keys = keys_of<int>(x.size(), cells, spread::anyhow);
        std::vector<matrix> expected(static_cast<std::size_t>(cells), matrix(1, 0, 0, 1));
        for (std::size_t i = 0; i < x.size(); ++i)
            if (keys[i] >= 0 && keys[i] < cells) {
                auto& own = expected[static_cast<std::size_t>(keys[i])];
                own = matrix_product()(own, x[i]);
            }
        device_array<int> const device_keys(keys);
        device_array<matrix> const values(x), out(expected.size());
        tw::reduce_by_index(tw::device, device_keys.begin(), device_keys.end(), values.begin(), cells, out.begin(),
                            matrix(1, 0, 0, 1), matrix_product());
        expect_same(out.values(expected.size()), expected, "products");
    }
}

template <class T, class Key = int, class Op>
void expect_exact(int cells, spread how, Op op, misaligned_by off = {})
{
    auto const x = shape::some_values<T>(300);
    expect_specified<steep_geometry, small_steps, Key>(x, cells, how, x.back(), op, off);
}

/// Tables in shared memory have room for 16 and for 64 words.
DEVICE_TEST(by_index_integers, are_added_up_in_tables_and_beside_them)
{
    for (int const cells : {1, 8, 9, 16, 17, 32, 33, 64, 65, 200})
        for (spread const how : {spread::anyhow, spread::one_cell, spread::few_cells, spread::nowhere}) {
            expect_exact<std::int32_t>(cells, how, std::plus<>());
            expect_exact<std::int64_t>(cells, how, std::plus<>());
            expect_exact<std::uint64_t>(cells, how, std::plus<>());
        }
    expect_exact<signed char>(5, spread::anyhow, std::plus<>());
    expect_exact<std::uint16_t>(50, spread::anyhow, std::plus<>());
}

DEVICE_TEST(by_index_integers, are_added_up_with_the_usual_tables)
{
    for (int const cells : {1000, amount(20000, 20000, 6144), 50000}) { // the interpreter has no large tables
        auto const x = shape::some_values<std::int64_t>(amount<std::size_t>(3000001, 300001, 9001));
        expect_specified<tw::standard_geometry, tw::gpu::by_index_tuning>(x, cells, spread::anyhow, x.back(),
                                                                          std::plus<>());
    }
}

DEVICE_TEST(by_index_integers, have_other_operators)
{
    expect_exact<std::int32_t>(20, spread::anyhow, tw::maximum<>());
    expect_exact<std::int64_t>(20, spread::anyhow, tw::minimum<>());
    expect_exact<std::uint32_t>(20, spread::anyhow, std::bit_xor<>());
    expect_exact<std::uint32_t>(3, spread::one_cell, std::multiplies<>());
}

DEVICE_TEST(by_index_keys, are_integers_of_any_type_anywhere)
{
    auto const op = shape::non_associative<std::uint32_t>();
    expect_exact<std::uint32_t, signed char>(100, spread::anyhow, op, {3, 4, 4});
    expect_exact<std::uint32_t, std::uint16_t>(200, spread::in_runs, op, {6, 8, 12});
    expect_exact<std::uint32_t, std::int64_t>(20, spread::nowhere, op, {8, 12, 4});
    expect_exact<std::int32_t, std::int16_t>(20, spread::anyhow, std::plus<>(), {2, 4, 4});
}

/// Numbers that count up, times a factor.
template <class E>
struct times {
    E factor;
    TILEWISE_PORTABLE E operator()(std::ptrdiff_t i) const { return static_cast<E>(static_cast<E>(i) * factor); }
};
template <class E>
using multiples = values::computed<times<E>>;

/// A sample of two coordinates, as a zip iterator gives it, and all that the engine asks of an iterator over them.
struct point {
    float x;
    int y;
    template <std::size_t i>
    TILEWISE_PORTABLE friend auto get(point const& p)
    {
        if constexpr (i == 0)
            return p.x;
        else
            return p.y;
    }
};
struct points {
    float const* x;
    int const* y;
    TILEWISE_PORTABLE point operator[](std::ptrdiff_t i) const { return {x[i], y[i]}; }
    TILEWISE_PORTABLE friend points operator+(points const& at, std::ptrdiff_t n) { return {at.x + n, at.y + n}; }
};

} // namespace

template <>
struct std::tuple_size<point> : std::integral_constant<std::size_t, 2> {};

namespace {

DEVICE_TEST(by_index_inputs, may_be_computed)
{
    multiples<int> const keys = {0, {3}};
    multiples<float> const values = {7, {0.1f}};
    constexpr int count = 1000, cells = 900;
    std::vector<float> expected(cells, 2.5f);
    for (int i = 0; i < count; ++i)
        if (3 * i < cells)
            expected[static_cast<std::size_t>(3 * i)] += values[i];
    device_array<float> const out(cells);
    tw::reduce_by_index(tw::device, keys, keys + count, values, cells, out.begin(), 2.5f, std::plus<>());
    expect_same(out.values(cells), expected, "computed elements");
    device_array<float> const again(cells);
    run<tw::standard_geometry, usual_lane_vectors>(tw::device, keys, count, values, tw::binning::numbered_cells{cells},
                                                   again.begin(), 2.5f, std::plus<>());
    expect_same(again.values(cells), expected, "computed elements by lane vectors");
}

struct wide {
    double value[3];
    explicit TILEWISE_PORTABLE wide(float x) : value{x, -x, 2 * x} {}
};
struct sum {
    TILEWISE_PORTABLE wide operator()(wide a, wide const& b) const
    {
        for (int i = 0; i < 3; ++i)
            a.value[i] += b.value[i];
        return a;
    }
};

/// Values that do not travel are computed when they are combined.
DEVICE_TEST(by_index_inputs, may_be_computed_late)
{
    std::vector<int> const keys = keys_of<int>(3000, 4, spread::anyhow);
    multiples<float> const values = {0, {0.1f}};
    std::vector<std::int64_t> const cell_of(keys.begin(), keys.end());
    std::vector<wide> x;
    for (int i = 0; i < 3000; ++i)
        x.emplace_back(values[i]);
    device_array<int> const device_copy(keys);
    device_array<wide> const out(4);
    run<tw::standard_geometry, small_steps>(tw::device, device_copy.data(), keys.size(), values,
                                            tw::binning::numbered_cells{4}, out.data(), wide(1), sum());
    expect_same(out.values(4), specified<tw::standard_geometry>(cell_of, x, 4, wide(1), sum()), "wide sums");
}

DEVICE_TEST(by_index_axes, may_be_products_and_have_tables)
{
    std::vector<float> x;
    std::vector<int> y;
    for (int i = 0; i < 2000; ++i) {
        x.push_back(static_cast<float>(i * 7919 % 1000) * 0.01f - 1);
        y.push_back(i % 11 - 2);
    }
    tw::product_axis const both(tw::variable_axis(std::vector<float>{0, 0.5f, 2, 2.25f, 7}), tw::integer_axis(0, 7));
    auto const cells = static_cast<int>(both.extent());
    std::vector<std::int64_t> cell_of;
    for (std::size_t i = 0; i < x.size(); ++i)
        cell_of.push_back(both.index(point{x[i], y[i]}));
    device_array<float> const device_x(x), out(static_cast<std::size_t>(cells));
    device_array<int> const device_y(y);
    points const samples = {device_x.data(), device_y.data()};
    run<tw::standard_geometry, small_steps>(tw::device, samples, x.size(), device_x.data(), tw::axis_view(both),
                                            out.data(), 0.25f, std::plus<>());
    expect_same(out.values(out.size()), specified<tw::standard_geometry>(cell_of, x, cells, 0.25f, std::plus<>()),
                "sums over a product");
    device_array<int> const sums(static_cast<std::size_t>(cells)); // added up in a table
    run<tw::standard_geometry, small_steps>(tw::device, samples, x.size(), device_y.data(), tw::axis_view(both),
                                            sums.data(), 3, std::plus<>());
    expect_same(sums.values(sums.size()), specified<tw::standard_geometry>(cell_of, y, cells, 3, std::plus<>()),
                "sums of integers over a product");
}

DEVICE_TEST(by_index_axes, may_return_anything)
{
    expect_cells_of_careless_axis();
}

DEVICE_TEST(by_index_ranges, may_be_empty)
{
    int* const no_keys = nullptr;
    float* const no_values = nullptr;
    for (int const cells : {1, 300}) {
        device_array<float> const out(std::vector<float>(300, -1));
        auto const end = tw::reduce_by_index(tw::device, no_keys, no_keys, no_values, cells, out.begin(), 1.5f);
        EXPECT_EQ(end, out.begin() + cells);
        std::vector<float> expected(300, -1);
        std::fill_n(expected.begin(), cells, 1.5f);
        EXPECT_EQ(out.values(300), expected);
        device_array<int> const sums(std::vector<int>(300, -1));
        tw::reduce_by_index(tw::device, no_keys, no_keys, no_keys, cells, sums.begin(), 7);
        EXPECT_EQ(sums.value(static_cast<std::size_t>(cells - 1)), 7);
    }
    device_array<int> const x(std::vector<int>{0, 1});
    EXPECT_EQ(tw::reduce_by_index(tw::device, x.begin(), x.end(), x.begin(), 0, no_keys), no_keys);
}

DEVICE_TEST(by_index_ranges, may_be_tiny)
{
    for (std::size_t count = 1; count < 5; ++count)
        expect_specified<steep_geometry, small_steps>(shape::some_values<std::uint32_t>(count), 6, spread::anyhow, 9u,
                                                      shape::non_associative<std::uint32_t>());
}

} // namespace
